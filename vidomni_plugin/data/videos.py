"""Check every video before a model is loaded, and remember what was seen."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import local

from filelock import FileLock
from loguru import logger

from vidomni_plugin.data.locate import home

__all__ = ["SUFFIXES", "VideoFacts", "check_videos", "find_videos"]

SUFFIXES = (".mp4", ".mkv", ".webm", ".mov", ".avi", ".m4v", ".flv", ".ts", ".mpg", ".mpeg")
"""Endings of video files, the first that is there wins."""
PROBE_SECONDS = 60.0
"""A decoder that needs longer for a few frames is taken for hung."""
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
    with _memory() as remembered:
        seen: dict[Path, VideoFacts] = {}
        keys: dict[Path, str] = {}
        for path in wanted:
            try:
                keys[path] = _key(path)
            except (OSError, RuntimeError) as error:  # a link to nowhere, or to itself
                seen[path] = _failed(getattr(error, "strerror", None) or str(error))
        for path, facts in _probe_all([p for p in keys if keys[p] not in remembered]):
            seen[path] = facts
            if not facts.error:
                remembered[keys[path]] = asdict(facts)
        return {
            path: seen[path] if path in seen else VideoFacts(**remembered[keys[path]])  # type: ignore[arg-type]
            for path in wanted
        }


def _key(path: Path) -> str:
    stat = path.stat()
    return json.dumps([FORMAT, str(path.resolve()), stat.st_size, stat.st_mtime_ns])


@contextmanager
def _memory() -> Iterator[dict[str, Mapping[str, object]]]:
    """Yield what earlier calls saw, and keep what is added, even when the caller fails."""
    folder = home()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / "videos.lock")
        lock.acquire()
    except OSError as error:
        logger.warning(f"{folder} cannot be written ({error}); videos are checked at every start")
        yield {}
        return
    try:
        file = folder / "videos.json"
        remembered = _load(file)
        count = len(remembered)
        try:
            yield remembered
        finally:
            if len(remembered) > count:
                _save(file, remembered)
    finally:
        lock.release()


def _load(file: Path) -> dict[str, Mapping[str, object]]:
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}  # a cache: what is lost is looked at again
    if not isinstance(stored, dict):
        return {}
    fields = set(VideoFacts.__slots__)
    return {k: v for k, v in stored.items() if isinstance(v, dict) and set(v) == fields}


def _save(file: Path, remembered: dict[str, Mapping[str, object]]) -> None:
    name = ""
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=file.parent, prefix="videos.", suffix=".tmp", delete=False
        ) as partial:
            name = partial.name
            json.dump(remembered, partial, sort_keys=True, indent=0)
        Path(name).replace(file)
    except OSError as error:
        logger.warning(f"{file} cannot be written ({error}); videos are checked again next time")
        if name:
            Path(name).unlink(missing_ok=True)


def _probe_all(paths: list[Path]) -> Iterator[tuple[Path, VideoFacts]]:
    """Probe files in parallel; yields each as it is done."""
    if not paths:
        return
    from rich.console import Console
    from rich.progress import track

    own = local()
    workers: list[_Worker] = []

    def probe(path: Path) -> tuple[Path, VideoFacts]:
        if not hasattr(own, "worker"):
            own.worker = _Worker()
            workers.append(own.worker)
        facts: VideoFacts = own.worker.probe(path)
        return path, facts

    pool = ThreadPoolExecutor(min(WORKERS, len(paths)))
    try:
        yield from track(
            pool.map(probe, paths),
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

    def __init__(self) -> None:
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
                if not selector.select(PROBE_SECONDS):
                    self.stop()
                    return _failed(f"the decoder did not answer within {PROBE_SECONDS:.0f} s")
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
