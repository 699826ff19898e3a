"""Why answers have no verdict, in words, and what to do about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Silence", "silence"]

WAYS_OUT = {
    "no_threshold": "`vidomni calibrate` chooses a threshold for these scores",
    "too_long": "long_text=truncate gives texts that are too long for the model a score as well",
}
"""What to do, by reason or status."""
SHOWN = 5
"""Statuses of one reason that are listed."""
LONGEST = 40
"""Characters of a status: it comes from a file."""


class Silence(NamedTuple):
    """Why some answers have no verdict."""

    why: str
    """Each reason with its number of answers, and with the detectors' statuses behind it."""
    ways_out: tuple[str, ...]
    """What to do; empty where nothing is known."""


def silence(answers: Iterable[tuple[str, str | None]]) -> Silence:
    """Return why answers have no verdict, the most frequent reason first.

    Args:
        answers: The reason of each, and the ``status`` in a detector's detail where there is one.

    Example:
        >>> silence([("no_score", "too_long"), ("no_score", "too_long"), ("empty", None)]).why
        'no_score 2 (too_long 2), empty 1'
    """
    by_reason: dict[str, Counter[str]] = {}
    counts: Counter[str] = Counter()
    for reason, status in answers:
        counts[reason] += 1
        if status:
            by_reason.setdefault(reason, Counter())[status[:LONGEST]] += 1
    parts = []
    for reason, count in counts.most_common():
        of = by_reason.get(reason, Counter[str]())
        listed = [f"{status} {n}" for status, n in of.most_common(SHOWN)]
        listed += ["..."] if len(of) > SHOWN else []
        parts.append(f"{reason} {count}" + (f" ({', '.join(listed)})" if listed else ""))
    known = {*counts, *(status for of in by_reason.values() for status in of)}
    return Silence(", ".join(parts), tuple(way for code, way in WAYS_OUT.items() if code in known))
