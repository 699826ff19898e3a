"""A benchmark's pairs with their videos, all checked: what every user of the data starts from."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from loguru import logger

from vidomni_plugin.data.fetch.journal import Fetched, read_fetched, said
from vidomni_plugin.data.layout import VIDEO_FOLDER, Selection
from vidomni_plugin.data.locate import DataRoot
from vidomni_plugin.data.releases import Entry, Release, read_videos, read_vidhalloc, read_vidomni
from vidomni_plugin.data.videos import VideoFacts, check_videos, find_videos
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.records import VidHalLocPair, VidOmniPair, VidOmniVideo

__all__ = [
    "Loaded",
    "LoadedPair",
    "VideoKey",
    "inspect_captioning",
    "inspect_vidhalloc",
    "inspect_vidomni",
    "usable",
    "video_key",
    "with_videos",
]

Pair = TypeVar("Pair", VidOmniPair, VidHalLocPair, VidOmniVideo)

ALLOW_MISSING = "VIDOMNI_ALLOW_MISSING"
"""Set to 1 to score the pairs whose videos are there; the rest is counted as missing."""


class VideoKey(NamedTuple):
    """A video of a data set: its folder below the root, and its id."""

    folder: str
    video_id: str


@dataclass(frozen=True, slots=True)
class LoadedPair(Generic[Pair]):
    """A pair and its video."""

    record: Pair
    video: Path
    facts: VideoFacts


@dataclass(frozen=True, slots=True)
class Loaded(Generic[Pair]):
    """What was found of a benchmark, good and bad."""

    root: DataRoot
    pairs: list[LoadedPair[Pair]]
    """Pairs whose record and video are usable, sorted by video, then pair id."""
    record_problems: list[Problem]
    video_problems: list[Problem]
    missing: int
    """Pairs left out because their video is missing or unusable."""
    digest: str
    """Short hash of the annotation files and of every usable video."""


def inspect_vidomni(root: DataRoot) -> Loaded[VidOmniPair]:
    """Read a VidOmni data set and check its videos; never raises for bad data."""
    return with_videos(root, read_vidomni(root.path))


def inspect_captioning(root: DataRoot) -> Loaded[VidOmniVideo]:
    """Read the videos that captions are wanted of and check them; never raises for bad data.

    They are those of ``videos.jsonl``; where there is none, those of ``pairs.jsonl``, each once.
    """
    listed = root.path / "videos.jsonl"
    release = read_videos(listed) if listed.exists() else _videos_of_pairs(root.path)
    return with_videos(root, release)


def _videos_of_pairs(root: Path) -> Release[VidOmniVideo]:
    pairs = read_vidomni(root)
    fields = set(VidOmniVideo.model_fields)
    first: dict[str, Entry[VidOmniVideo]] = {}
    for entry in pairs.entries:
        video = VidOmniVideo(**entry.record.model_dump(include=fields))
        first.setdefault(video.video_id, Entry(entry.place, video))
    return Release(list(first.values()), pairs.problems, pairs.digest)


def inspect_vidhalloc(root: DataRoot, selection: Selection = "all") -> Loaded[VidHalLocPair]:
    """Read the chosen part of VidHalLoc and check its videos; never raises for bad data."""
    return with_videos(root, read_vidhalloc(root.path, selection))


def video_key(record: VidOmniPair | VidHalLocPair | VidOmniVideo) -> VideoKey:
    """Return where the video of a record is expected."""
    if isinstance(record, VidOmniPair | VidOmniVideo):
        return VideoKey("videos", record.video_id)
    return VideoKey(VIDEO_FOLDER[record.task_type], record.media.video_id)


def with_videos(root: DataRoot, release: Release[Pair]) -> Loaded[Pair]:
    """Find and check the videos of records that were read; never raises for bad data."""
    wanted = [(entry, video_key(entry.record)) for entry in release.entries]
    found = {
        VideoKey(folder, video_id): path
        for folder in sorted({key.folder for _, key in wanted})
        for video_id, path in find_videos(
            root.path / folder, (key.video_id for _, key in wanted if key.folder == folder)
        ).items()
    }
    facts = check_videos(found.values())
    fetched = read_fetched(root.path) if len(found) < len({key for _, key in wanted}) else {}
    pairs: list[LoadedPair[Pair]] = []
    problems: list[Problem] = []
    reported: set[VideoKey] = set()
    lost = 0
    for entry, key in wanted:
        path = found.get(key)
        folder = root.path / key.folder
        problem = _video_problem(entry, folder, key.video_id, path, facts, fetched)
        if problem is None and path is not None:
            pairs.append(LoadedPair(entry.record, path, facts[path]))
            continue
        lost += 1
        if problem is not None and key not in reported:
            problems.append(problem)
            reported.add(key)
    pairs.sort(key=lambda pair: (str(pair.video), getattr(pair.record, "pair_id", "")))
    return Loaded(root, pairs, release.problems, problems, lost, _digest(release.digest, pairs))


def _video_problem(
    entry: Entry[Pair],
    folder: Path,
    video_id: str,
    path: Path | None,
    facts: dict[Path, VideoFacts],
    fetched: dict[str, Fetched],
) -> Problem | None:
    hint = f"add or replace the video, or set {ALLOW_MISSING}=1 to score the other pairs"
    if path is None:
        message = f"no video {video_id!r} in {folder}"
        if video_id in fetched:
            message += f"; {said(fetched[video_id])}"
        return Problem("missing-video", entry.place, message, hint)
    if facts[path].error:
        return Problem("unusable-video", entry.place, f"{path}: {facts[path].error}", hint)
    if getattr(entry.record, "has_audio", False) and not facts[path].has_audio:
        message = f"{path}: the record says has_audio, the file has no sound"
        return Problem("no-sound", entry.place, message, hint)
    return None


def _digest(annotations: str, pairs: Iterable[LoadedPair[Pair]]) -> str:
    digest = hashlib.sha256(annotations.encode())
    for name, content in sorted({(pair.video.name, pair.facts.digest) for pair in pairs}):
        digest.update(f"\n{name} {content}".encode())
    return digest.hexdigest()[:16]


def usable(loaded: Loaded[Pair]) -> Loaded[Pair]:
    """Return ``loaded`` if a run may start with it.

    Raises:
        InputProblems: If a record is bad, a video is missing or unusable (unless
            ``VIDOMNI_ALLOW_MISSING=1``), or no pair is left.
    """
    problems = list(loaded.record_problems)
    if os.environ.get(ALLOW_MISSING) == "1" and not problems and loaded.pairs:
        if loaded.missing:
            logger.warning(
                f"{loaded.missing} pairs are left out, {len(loaded.video_problems)} videos are "
                f"missing or unusable ({ALLOW_MISSING} is set): "
                + "; ".join(str(problem) for problem in loaded.video_problems)
            )
        return loaded
    problems += loaded.video_problems
    if problems:
        title = f"data in {loaded.root.path} ({loaded.root.origin})"
        raise InputProblems(title, problems, listed_by="vidomni data check")
    return loaded
