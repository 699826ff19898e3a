"""Which videos are copies of others, and which of them stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.build.pool.views import FRAMES, VIEWS, distances

__all__ = ["DURATIONS", "Candidate", "Copy", "alike_in_length", "near_duplicates"]

DURATIONS = 0.1
"""Copies differ by less in duration, as a share of the longer one. An excerpt is no copy: its
pictures are not at the same relative times."""


class Candidate(NamedTuple):
    """What decides about a video."""

    name: str
    """Unique; the first in order stays where all else is the same."""
    pixels: int
    duration_s: float
    hashes: bytes
    usable: Sequence[bool]


class Copy(NamedTuple):
    """A video that is a copy of one that stays."""

    name: str
    of: str
    bits: float
    """Mean bits of a frame in which the two differ, of 63."""


def near_duplicates(
    candidates: Iterable[Candidate],
    bits: float,
    seen: Callable[[int, int], None] | None = None,
) -> list[Copy]:
    """Return the videos that are near duplicates of one that stays.

    The videos are taken by the size of their picture, then by duration, both from the largest,
    then by name. Each stays unless it is near to one that stayed before; it then is a copy of
    the nearest. So whatever is rejected is near to a video of the pool itself, and not only to
    another copy of it.

    Args:
        candidates: The videos.
        bits: Most bits in which a copy differs, see ``views.distances``.
        seen: Told (videos done, videos in all).
    """
    order = sorted(candidates, key=lambda one: (-one.pixels, -one.duration_s, one.name))
    hashes = np.empty((len(order), FRAMES, VIEWS), dtype=np.uint64)
    usable = np.zeros((len(order), FRAMES), dtype=np.bool_)
    seconds = np.zeros(len(order))
    names: list[str] = []
    copies: list[Copy] = []
    for number, one in enumerate(order, 1):
        own = np.frombuffer(one.hashes, dtype="<u8").reshape(FRAMES, VIEWS).astype(np.uint64)
        has = np.array(one.usable, dtype=np.bool_)
        stay = len(names)
        alike = alike_in_length(seconds[:stay], one.duration_s)
        found = distances(own, has, hashes[alike], usable[alike])
        nearest = int(np.argmin(found)) if len(found) else -1
        if nearest >= 0 and found[nearest] <= bits:
            copies.append(Copy(one.name, names[alike[nearest]], float(found[nearest])))
        else:
            hashes[stay], usable[stay], seconds[stay] = own, has, one.duration_s
            names.append(one.name)
        if seen:
            seen(number, len(order))
    return copies


def alike_in_length(seconds: NDArray[np.float64], own: float) -> NDArray[np.intp]:
    """Return the places of the durations of which one may be that of a copy of a video.

    Args:
        seconds: Durations, shape ``(n,)``.
        own: That of the video.
    """
    longer = np.maximum(seconds, own)
    return np.flatnonzero(np.abs(seconds - own) <= DURATIONS * longer)
