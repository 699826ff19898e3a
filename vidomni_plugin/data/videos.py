"""Check every video before a model is loaded, and remember what was seen."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import local

from loguru import logger

from vidomni_plugin.data.memory import file_key, memory

__all__ = ["SUFFIXES", "VideoFacts", "check_videos", "find_videos"]

SUFFIXES = (".mp4", ".mkv", ".webm", ".mov", ".avi", ".m4v", ".flv", ".ts", ".mpg", ".mpeg")
"""Endings of video files, the first that is there wins."""
PROBE_SECONDS = 60.0
"""A decoder that needs longer for a few frames is taken for hung, unless ``PROBE_VARIABLE`` says
otherwise."""
PROBE_VARIABLE = "VIDOMNI_PROBE_SECONDS"
"""Set it for videos on a slow disk."""
WORKERS = min(8, os.cpu_count() or 1)
"""Videos that are looked into at the same time; more only fight for the disk."""
SHOW_PROGRESS_FROM = 50
"""Fewer videos are checked before a reader could read a progress bar."""
FORMAT = 2
"""Raise it when the probe learns something new; what was remembered is then forgotten."""


@dataclass(frozen=True, slots=True)
class VideoFacts:
    """What a look into one video file gave."""

    digest: str
    """Content hash, see ``media_digest``."""
    duration_s: float
    fps: float
    frames: int
    has_audio: bool
    error: str
    """Why the file cannot be used; empty for a usable one."""


def find_videos(folder: Path, video_ids: Iterable[str]) -> dict[str, Path]:
    """Return the file of each video that is in ``folder``; the others are not in the result.

    The folder is listed once. Ids must be safe as file names, as ``records`` checks.
    """
    try:
        present = set(os.listdir(folder))
    except OSError:
        present = set()  # the caller reports every video as missing from this folder
    found: dict[str, Path] = {}
    for video_id in sorted(set(video_ids)):
        name = next((video_id + s for s in SUFFIXES if video_id + s in present), None)
        if name is not None:
            found[video_id] = folder / name
    return found


def check_videos(paths: Iterable[Path]) -> dict[Path, VideoFacts]:
    """Decode a few frames of every video, in parallel, each in a process with a time limit.

    What was seen of a usable file is remembered in ``<home>/videos.json`` by path, size and
    time, so that the next start reads nothing. A failure may pass (permissions, a killed
    child), so it is never remembered. Several processes may call this at once; one works.

    Args:
        paths: Files that exist.

    Returns:
        The facts of each file; an unusable file has its reason in ``error``.
    """
    wanted = sorted(set(paths))
    with memory("videos", _is_facts) as remembered:
        seen: dict[Path, VideoFacts] = {}
        keys: dict[Path, str] = {}
        for path in wanted:
            try:
                keys[path] = file_key(path, FORMAT)
            except (OSError, RuntimeError) as error:  # a link to nowhere, or to itself
                seen[path] = _failed(getattr(error, "strerror", None) or str(error))
                continue
            if known := remembered.get(keys[path]):
                seen[path] = VideoFacts(**known)
        for path, facts in _probe_all([path for path in keys if path not in seen]):
            seen[path] = facts
            if not facts.error:
                remembered.keep(keys[path], asdict(facts))
        return {path: seen[path] for path in wanted}


def _is_facts(entry: object) -> bool:
    kinds = {"digest": str, "frames": int, "has_audio": bool, "error": str}
    return (
        isinstance(entry, dict)
        and set(entry) == set(VideoFacts.__slots__)
        and all(type(entry[name]) is kinds.get(name, float) for name in entry)
    )


def _probe_seconds() -> float:
    """Return how long a decoder may take for one video."""
    given = os.environ.get(PROBE_VARIABLE)
    try:
        seconds = float(given) if given else PROBE_SECONDS
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        logger.warning(f"{PROBE_VARIABLE}={given!r} is no number of seconds; it is not used")
        return PROBE_SECONDS
    return seconds


def _probe_all(paths: list[Path]) -> Iterator[tuple[Path, VideoFacts]]:
    """Probe files in parallel; yields each as it is done."""
    if not paths:
        return
    from rich.console import Console
    from rich.progress import track

    own = local()
    workers: list[_Worker] = []
    seconds = _probe_seconds()

    def probe(path: Path) -> tuple[Path, VideoFacts]:
        if not hasattr(own, "worker"):
            own.worker = _Worker(seconds)
            workers.append(own.worker)
        facts: VideoFacts = own.worker.probe(path)
        return path, facts

    pool = ThreadPoolExecutor(min(WORKERS, len(paths)))
    try:
        # As each is done, so that a slow file does not keep what was seen of the others.
        done = as_completed([pool.submit(probe, path) for path in paths])
        yield from track(
            (future.result() for future in done),
            total=len(paths),
            description="checking videos",
            console=Console(stderr=True),
            disable=len(paths) < SHOW_PROGRESS_FROM,
        )
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.stop()


class _Worker:
    """A child process that probes one video after another."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def probe(self, path: Path) -> VideoFacts:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "vidomni_plugin.data.probe"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(str(path)).encode() + b"\n")
            self._process.stdin.flush()
            with selectors.DefaultSelector() as selector:
                selector.register(self._process.stdout, selectors.EVENT_READ)
                if not selector.select(self._seconds):
                    self.stop()
                    return _failed(
                        f"the decoder did not answer within {self._seconds:.0f} s "
                        f"({PROBE_VARIABLE} sets another limit)"
                    )
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = b""
        if not answer:
            code = self._process.wait()
            return _failed(f"the decoder crashed (exit code {code})")
        return VideoFacts(**json.loads(answer))

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def _failed(error: str) -> VideoFacts:
    return VideoFacts("", 0.0, 0.0, 0, False, error)
