"""Decode every video of a release once: what it is, and which others show nearly the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from vidomni_plugin.build.pool.contents import Watch, measured
from vidomni_plugin.build.pool.duplicates import alike_in_length
from vidomni_plugin.build.pool.find import Found, FoundVideo
from vidomni_plugin.build.pool.measure import Measured
from vidomni_plugin.build.pool.store import open_store
from vidomni_plugin.build.pool.views import FRAMES, VIEWS, distances
from vidomni_plugin.build.release.reading import TITLE
from vidomni_plugin.data.locate import home
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["Near", "looked_into", "near_pairs"]

SIDE = 32
"""Of the pictures that decoding keeps, in pixels: nobody looks at them here."""
CACHE = "release"
"""Folder of the measurements, below the home of caches."""


class Near(NamedTuple):
    """Two videos that show nearly the same."""

    one: str
    other: str
    bits: float
    """Of 63, the mean of the frames."""


def looked_into(
    files: Mapping[str, Path], workers: int, stuck_s: float, watch: Watch
) -> dict[str, Measured]:
    """Return what each video is, by SHA-256; what was decoded before is not decoded again.

    Args:
        files: File of each content.
        workers: Processes that decode.
        stuck_s: A decoder that gives no frame for so long is given up.
        watch: Told about the progress.

    Raises:
        InputProblems: If a video cannot be decoded to its end.
    """
    found = Found([FoundVideo(path.absolute(), path.name, "") for path in files.values()])
    folder = home() / CACHE
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = "set VIDOMNI_HOME to a folder that can be written"
        problem = Problem("no-folder", str(folder), error.strerror or str(error), hint)
        raise InputProblems(TITLE, [problem]) from None
    with open_store(folder) as store:
        contents = measured(found, store, SIDE, workers, stuck_s, watch)
    problems = [
        Problem("unusable-video", str(path), f"{seen.reason.value}: {seen.detail}")
        for sha256, path in files.items()
        if (seen := contents.measured.get(sha256)) and seen.reason
    ]
    problems += [
        Problem("changed-video", str(path), "it changed while it was read", "leave the files alone")
        for sha256, path in files.items()
        if sha256 not in contents.measured
    ]
    if problems:
        raise InputProblems(TITLE, problems)
    return {sha256: contents.measured[sha256] for sha256 in files}


def near_pairs(videos: Sequence[tuple[str, Measured]], bits: float) -> list[Near]:
    """Return all pairs of videos that are near duplicates, in their order.

    Args:
        videos: Name and measurements of each.
        bits: Most bits in which they differ, see ``pool.views.distances``; below 0 for none.
    """
    found: list[Near] = []
    hashes = np.empty((len(videos), FRAMES, VIEWS), dtype=np.uint64)
    usable = np.zeros((len(videos), FRAMES), dtype=np.bool_)
    seconds = np.zeros(len(videos))
    for number, (name, seen) in enumerate(videos):
        assert seen.facts is not None
        hashes[number] = np.frombuffer(seen.hashes, dtype="<u8").reshape(FRAMES, VIEWS)
        usable[number], seconds[number] = seen.facts.usable, seen.facts.duration_s
        alike = alike_in_length(seconds[:number], seconds[number])
        far = distances(hashes[number], usable[number], hashes[alike], usable[alike])
        found += [
            Near(videos[int(other)][0], name, round(float(off), 3))
            for other, off in zip(alike, far, strict=True)
            if off <= bits
        ]
    return found
