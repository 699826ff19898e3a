"""Keep frames of a video of unknown length, evenly in time, in one pass and bounded memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["TimeGrid", "middles", "nearest"]

Kept = TypeVar("Kept")
FIRST_STEP_S = 1 / 32
"""Frames of common rates all get a place of their own."""
MOST = 256
"""After this many the step is doubled: pictures are at most 1/128 of the length apart."""
NOISE = 1e-6
"""Time stamps are rounded: a frame that is due at a multiple of the step may come this early."""


class TimeGrid(Generic[Kept]):
    """Keeps the first frame in each step of time; the step grows with the video.

    The steps start at the first frame. Copies of a video at other frame rates keep frames of the
    same times, up to the length of a frame.
    """

    def __init__(self, most: int = MOST, step_s: float = FIRST_STEP_S) -> None:
        self._most = most
        self._step = step_s
        self._last = -1
        self.kept: list[tuple[float, Kept]] = []
        """Times since the first frame, in seconds, with what was kept."""

    def offer(self, time_s: float, make: Callable[[], Kept]) -> None:
        """Keep what ``make`` returns, if the frame is wanted; it is not called otherwise.

        Args:
            time_s: Since the first frame; never less than the one before.
            make: Makes what is kept of the frame.
        """
        if self._slot(time_s) <= self._last:
            return
        if len(self.kept) == self._most:
            self._thin()
            if self._slot(time_s) <= self._last:
                return
        self._last = self._slot(time_s)
        self.kept.append((time_s, make()))

    def _slot(self, time_s: float) -> int:
        return math.floor((time_s + NOISE) / self._step)

    def _thin(self) -> None:
        """Double the step until half of the room is free."""
        while len(self.kept) > self._most // 2:
            self._step *= 2
            firsts: dict[int, tuple[float, Kept]] = {}
            for time_s, kept in self.kept:
                firsts.setdefault(self._slot(time_s), (time_s, kept))
            self.kept = list(firsts.values())
            self._last = max(firsts)


def middles(start_s: float, end_s: float, count: int) -> list[float]:
    """Return the middles of ``count`` equal parts of a stretch of time.

    Example:
        >>> middles(0.0, 8.0, 4)
        [1.0, 3.0, 5.0, 7.0]
    """
    return [start_s + (end_s - start_s) * (2 * part + 1) / (2 * count) for part in range(count)]


def nearest(times: list[float], wanted: float) -> int:
    """Return the index of the time that is nearest to ``wanted``; the earlier one of two.

    Example:
        >>> nearest([0.0, 1.0, 2.0], 1.5)
        1
    """
    return min(range(len(times)), key=lambda k: (abs(times[k] - wanted), k))
