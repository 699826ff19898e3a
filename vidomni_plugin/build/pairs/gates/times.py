"""Whether an interval lies within the video."""

from __future__ import annotations

from vidomni_plugin.build.pairs.contracts.facts import Interval

__all__ = ["TOLERANCE_S", "within"]

TOLERANCE_S = 0.25
"""An end so far behind the video's end is rounding."""


def within(interval: Interval, duration_s: float) -> bool:
    """Return whether an interval has a length and lies within the video.

    Example:
        >>> within(Interval(start_sec=1, end_sec=2), 2.0)
        True
        >>> within(Interval(start_sec=1, end_sec=1), 2.0)
        False
    """
    return interval.start_sec < interval.end_sec <= duration_s + TOLERANCE_S
