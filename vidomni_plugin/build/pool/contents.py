"""Measure what was found, each content once; what was measured before is not decoded again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from vidomni_plugin.build.pool.find import Found, FoundVideo
from vidomni_plugin.build.pool.lines import spelled
from vidomni_plugin.build.pool.measure import Measured
from vidomni_plugin.build.pool.reasons import MEANINGS, Reason
from vidomni_plugin.build.pool.settings import content_key
from vidomni_plugin.build.pool.store import Store
from vidomni_plugin.build.pool.workers import measure_all
from vidomni_plugin.data.hashes import sha256_of

__all__ = ["Contents", "Rejected", "Watch", "measured"]

PASSING = {Reason.CRASHED, Reason.STUCK, Reason.UNREADABLE, Reason.CHANGED}
"""What may be otherwise the next time; it is not remembered."""


class Rejected(NamedTuple):
    """A file that is not in the pool: one line of ``rejected.jsonl``."""

    path: Path
    reason: Reason
    detail: str
    duplicate_of: str | None = None
    """Id of the video of the pool that it is a copy of."""

    def line(self) -> dict[str, str | None]:
        """Return the line; bytes of a path that are no text are spelled out."""
        return {
            "path": spelled(self.path),
            "reason": self.reason.value,
            "stage": MEANINGS[self.reason].stage,
            "detail": self.detail,
            "duplicate_of": self.duplicate_of,
        }


class _Stamp(NamedTuple):
    """What changes when a file does."""

    size: int
    time_ns: int


Watch = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is in all."""


@dataclass(slots=True)
class Contents:
    """What was measured of some files, by their content."""

    paths: dict[str, list[FoundVideo]] = field(default_factory=dict)
    """Files by their SHA-256, in the order of their paths."""
    measured: dict[str, Measured] = field(default_factory=dict)
    """By SHA-256."""
    rejected: list[Rejected] = field(default_factory=list)
    """Files that could not be read."""


def measured(
    found: Found,
    store: Store,
    side: int,
    workers: int,
    stuck_s: float,
    watch: Watch,
) -> Contents:
    """Return what was measured of each video; what the store has is not decoded again.

    Args:
        found: What was found; what is rejected there stays so.
        store: Keeps each video's measurements as soon as they are made.
        side: Shorter side of the kept pictures, in pixels.
        workers: How many processes decode.
        stuck_s: A decoder that gives no frame for so long is given up.
        watch: Told about the progress.
    """
    contents = Contents(rejected=[Rejected(*one) for one in found.rejected])
    before = {video.path: _stamp(video.path) for video in found.videos}
    hashes = sha256_of(before)
    for video in sorted(found.videos, key=lambda video: video.path):
        if sha256 := hashes.get(video.path):
            contents.paths.setdefault(sha256, []).append(video)
        else:
            contents.rejected.append(
                Rejected(video.path, Reason.UNREADABLE, _why_unread(video.path))
            )
    known = store.keys()
    todo = {
        files[0].path: sha256
        for sha256, files in contents.paths.items()
        if content_key(sha256, side) not in known
    }
    results = measure_all(list(todo), side, workers, stuck_s)
    for done, (path, result) in enumerate(results, 1):
        sha256 = todo[path]
        if _stamp(path) != before[path]:
            result = Measured(reason=Reason.CHANGED, detail="size or time is another than before")
        if result.reason in PASSING:
            contents.measured[sha256] = result
        else:
            store.keep(content_key(sha256, side), result)
        watch("measuring videos", done, len(todo))
    for sha256 in contents.paths:
        if sha256 not in contents.measured:
            contents.measured[sha256] = store.get(content_key(sha256, side))
    return contents


def _stamp(path: Path) -> _Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return _Stamp(status.st_size, status.st_mtime_ns)


def _why_unread(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.read(1)
    except OSError as error:
        return error.strerror or str(error)
    return "it could not be read to its end"
