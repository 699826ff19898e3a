"""What two replies on one comparison amount to, and the sums over all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from vidomni_plugin.build.judge.verdict import Choice, Reading, parse_choice
from vidomni_plugin.stats import wilson

__all__ = ["OUTCOMES", "Comparison", "Outcome", "decide", "summary"]

Outcome = Literal["win", "loss", "tie", "unparsable", "failed"]
OUTCOMES: tuple[Outcome, ...] = ("win", "loss", "tie", "unparsable", "failed")


@dataclass(frozen=True)
class Comparison:
    """One caption of A and one of B with the judge's replies in both orders."""

    video_id: str
    pair_a: str
    pair_b: str
    source_a: str
    source_b: str
    replies: tuple[str | None, str | None]
    """The reply with A first and the one with B first; None where the call failed."""
    errors: tuple[str, str]
    """Why a call failed; empty where there is a reply."""

    @cached_property  # a reply may be long, and is asked for often
    def readings(self) -> tuple[Reading | None, Reading | None]:
        """Return what each reply chose."""
        ab, ba = self.replies
        return (
            None if ab is None else parse_choice(ab),
            None if ba is None else parse_choice(ba),
        )

    def outcome(self) -> Outcome:
        """Return what the comparison amounts to for A."""
        return decide(*self.readings)

    def row(self) -> dict[str, Any]:
        """Return the comparison as a line of ``comparisons.jsonl``."""
        readings = self.readings
        return {
            "video_id": self.video_id,
            "pair_a": self.pair_a,
            "pair_b": self.pair_b,
            "source_a": self.source_a,
            "source_b": self.source_b,
            "outcome": self.outcome(),
            "choices": [reading.choice if reading else None for reading in readings],
            "reasons": [
                error or (reading.reason if reading else "")
                for reading, error in zip(readings, self.errors, strict=True)
            ],
        }


def decide(ab: Reading | None, ba: Reading | None) -> Outcome:
    """Return what two replies amount to for A.

    A win needs both orders: A was first and "first" was chosen, A was second and "second" was
    chosen. A tie in one order, or two choices that contradict each other, are a tie.

    Args:
        ab: The reply with A first; None where the call failed.
        ba: The reply with B first.

    Example:
        >>> first, second = Reading("first", ""), Reading("second", "")
        >>> decide(first, second), decide(second, first), decide(first, first), decide(first, None)
        ('win', 'loss', 'tie', 'failed')
    """
    if ab is None or ba is None:
        return "failed"
    if ab.choice is None or ba.choice is None:
        return "unparsable"
    if (ab.choice, ba.choice) == ("first", "second"):
        return "win"
    if (ab.choice, ba.choice) == ("second", "first"):
        return "loss"
    return "tie"


def _counts(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    outcomes = Counter(comparison.outcome() for comparison in comparisons)
    total = len(comparisons)
    rate = wilson(outcomes["win"], total)
    decided = outcomes["win"] + outcomes["loss"]
    of_decided = wilson(outcomes["win"], decided)
    return {
        "comparisons": total,
        **{name: outcomes[name] for name in OUTCOMES},
        "win_rate": _percent(rate.share),
        "win_rate_interval": [_percent(rate.low), _percent(rate.high)],
        "decided": decided,
        "win_rate_of_decided": _percent(of_decided.share),
        "win_rate_of_decided_interval": [_percent(of_decided.low), _percent(of_decided.high)],
    }


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def summary(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """Return all counts and rates, in percent; a rate over nothing is None.

    ``win_rate`` is over all comparisons, so that ties, unparsable replies and failed calls are
    no wins; intervals are Wilson's at 95 %. ``chose_first`` is the share of the replies with a
    choice (ties aside) that chose the caption that came first: 50 for a judge without a
    preference for a place.
    """
    choices: Counter[Choice | None] = Counter()
    reasons: Counter[str] = Counter()
    for comparison in comparisons:
        for reading in comparison.readings:
            if reading is not None:
                choices[reading.choice] += 1
                reasons.update([reading.reason] if reading.reason else [])
    chosen = choices["first"] + choices["second"]
    first = wilson(choices["first"], chosen)
    by_source: dict[tuple[str, str], list[Comparison]] = {}
    for comparison in comparisons:
        by_source.setdefault((comparison.source_a, comparison.source_b), []).append(comparison)
    return {
        "all": _counts(comparisons),
        "replies": {
            "total": 2 * len(comparisons),
            "first": choices["first"],
            "second": choices["second"],
            "tie": choices["tie"],
            "unparsable": choices[None],
            "failed": 2 * len(comparisons) - sum(choices.values()),
            "unparsable_reasons": dict(sorted(reasons.items())),
            "contradicting": sum(_contradicts(comparison) for comparison in comparisons),
            "chose_first": _percent(first.share),
            "chose_first_interval": [_percent(first.low), _percent(first.high)],
        },
        "sources": [
            {"source_a": a, "source_b": b, **_counts(group)}
            for (a, b), group in sorted(by_source.items())
        ],
    }


def _contradicts(comparison: Comparison) -> bool:
    """Return whether the judge chose the same place in both orders."""
    ab, ba = comparison.readings
    return bool(ab and ba and ab.choice == ba.choice and ab.choice in ("first", "second"))
