"""Numbers that carry their denominator, and the one way words are counted."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Measure", "count_words", "mean", "share"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A number and what it is taken over; unlike a ``Score`` it has no value for nothing."""

    value: float | None
    """None where there is nothing to take it over: never 0 by default."""
    over: int
    """The denominator: how many of ``unit``."""
    unit: str


def mean(values: Iterable[float], unit: str) -> Measure:
    """Return the mean of some values; their order does not matter.

    Example:
        >>> mean([1, 2, 6], "captions"), mean([], "captions").value
        (Measure(value=3.0, over=3, unit='captions'), None)
    """
    known = list(values)
    return Measure(math.fsum(known) / len(known) if known else None, len(known), unit)


def share(part: int, whole: int, unit: str) -> Measure:
    """Return ``part`` of ``whole`` in percent.

    Example:
        >>> share(1, 4, "sentences"), share(0, 0, "sentences").value
        (Measure(value=25.0, over=4, unit='sentences'), None)
    """
    return Measure(100.0 * part / whole if whole else None, whole, unit)


def count_words(text: str) -> int:
    """Return the number of words: runs between white space that hold a letter or a digit.

    The papers do not say how they count. A script without spaces between words counts as one
    word a run.

    Example:
        >>> count_words("Two well-known dogs - 3.5 m apart - don't move .")
        8
    """
    return sum(any(map(str.isalnum, run)) for run in text.split())
