"""What the scores of both benchmarks share."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["EMPTY", "LARGEST_SCORE", "REQUEST_FAILED", "Score", "percent"]

EMPTY = -1.0
"""Value of a metric over nothing at all, outside the range of every score."""
LARGEST_SCORE = 1e100
"""A detector's score or threshold beyond this, on either side of 0, is none."""
REQUEST_FAILED = "request_failed"
"""Reason of an item that was never answered: the model, or what reads videos for it, failed."""


class Score(NamedTuple):
    """A metric's value and what it is taken over."""

    value: float
    over: int
    """Denominator: how many pairs, sentences or answers; 0 where the value is ``EMPTY``."""
    unit: str
    """What is counted in ``over``: "pairs", "sentences" or "answers"."""


def percent(part: float, whole: float, *, when_empty: float) -> float:
    """Return ``part / whole`` in percent, or ``when_empty`` where there is no whole.

    Example:
        >>> percent(1, 4, when_empty=EMPTY), percent(0, 0, when_empty=EMPTY)
        (25.0, -1.0)
    """
    return 100.0 * part / whole if whole else when_empty
