"""When two durations of one video are the same (pure; all in seconds)."""

from __future__ import annotations

__all__ = ["duration_differs", "same_when_rounded"]

SLACK_S = 1.0
"""A file's duration may lie this far from the stated one: players round, containers and streams
end at different times, and sites cut a last frame or add one ..."""
SLACK_SHARE = 0.02
"""... or this share of the stated duration, for long videos; the larger of both counts."""
ROUNDED_S = 0.051
"""Durations that are rounded to a tenth of a second are the same."""


def duration_differs(stated: float, real: float, *, rounding: float = 0.0) -> bool:
    """Return whether a stated duration is not that of the file.

    Args:
        stated: What a record says.
        real: What the file has.
        rounding: What the one who told ``real`` may have rounded away.

    Example:
        >>> duration_differs(60.0, 59.0), duration_differs(60.0, 58.0)
        (False, True)
        >>> duration_differs(3000.0, 2941.0)
        False
    """
    return abs(stated - real) > max(SLACK_S, SLACK_SHARE * stated) + rounding


def same_when_rounded(one: float, other: float) -> bool:
    """Return whether two records may state one duration with different numbers of digits.

    Example:
        >>> same_when_rounded(82.72, 82.7), same_when_rounded(82.7, 82.9)
        (True, False)
    """
    return abs(one - other) < ROUNDED_S
