"""Gate of verification: what the answers claim, read by one who does not know what they are to.

The verifier gets the question and both answers in an order drawn from the seed. It is told
neither kind of fact, slot nor anchors (VidHalLoc section 3, stage GVP).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vidomni_plugin.build.pairs.contracts.facts import Fact, TemporalFact, rule_of
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.reasons import Reason
from vidomni_plugin.build.pairs.contracts.roles import BackParse
from vidomni_plugin.build.pairs.gates.graph_diff import Same, changed_fields, is_minimal
from vidomni_plugin.build.pairs.gates.phrases import same_phrase

__all__ = ["Phrases", "to_compare", "verified"]


class Phrases(NamedTuple):
    """Two phrases that the words alone do not show to be the same."""

    meant: str
    read: str


def to_compare(
    parse: BackParse, source: Fact, counterfactual: Fact, *, factual_first: bool
) -> tuple[Phrases, ...]:
    """Return the phrases whose meaning the verifier is to compare, before ``verified``.

    Each pair once; none where the claims fail already by their number or kind.
    """
    found: dict[Phrases, None] = {}
    for claims, meant in _sides(parse, source, counterfactual, factual_first):
        if len(claims) == 1 and claims[0].fact_kind is meant.fact_kind:
            for change in changed_fields(meant, _turned(claims[0], meant)):
                if isinstance(change.was, str) and isinstance(change.now, str):
                    found.setdefault(Phrases(change.was, change.now))
    return tuple(found)


def verified(
    parse: BackParse,
    source: Fact,
    counterfactual: Fact,
    *,
    factual_first: bool,
    same: Same = same_phrase,
) -> Reject | None:
    """Return why a pair is not let through; None where both answers say what they are to.

    Args:
        parse: The verifier's reply.
        source: What the factual answer is to claim.
        counterfactual: What the other is to claim.
        factual_first: Whether the factual answer was the first that the verifier saw.
        same: Whether two phrases mean the same: by their words, or as the verifier said.
    """
    sides = _sides(parse, source, counterfactual, factual_first)
    extra = [len(claims) > 1 for claims, _ in sides]
    if any(extra):
        return _extra(sides[0][0], sides[1][0], same)
    for claims, meant in sides:
        if not claims:
            return Reject(Reason.BACKPARSE_MISMATCH, "an answer claims nothing")
        if claims[0].fact_kind is not meant.fact_kind:
            return Reject(Reason.WRONG_LEAF_AFTER_BACKPARSE, rule_of(claims[0]).leaf.value)
    for claims, meant in sides:
        changes = changed_fields(meant, _turned(claims[0], meant), same)
        for change in sorted(changes, key=lambda one: one.field == rule_of(meant).slot):
            shown = f"{change.field} is {change.now!r}, not {change.was!r}"
            if change.field == rule_of(meant).slot:
                return Reject(Reason.BACKPARSE_MISMATCH, shown)
            return Reject(Reason.ANCHOR_CHANGED, shown)
    if parse.can_both_be_true:
        return Reject(Reason.REPLACEMENT_COMPATIBLE, "both answers can be true at once")
    if not is_minimal(source, counterfactual):
        return Reject(Reason.MULTIPLE_CHANGED_SLOTS, "the facts differ in more than the slot")
    return None


_Side = tuple[Sequence[Fact], Fact]


def _sides(
    parse: BackParse, source: Fact, counterfactual: Fact, factual_first: bool
) -> tuple[_Side, _Side]:
    """Return the claims of each answer, equal ones once, with what they are to be."""
    first, second = _once(parse.first.claims), _once(parse.second.claims)
    factual, other = (first, second) if factual_first else (second, first)
    return (factual, source), (other, counterfactual)


def _once(claims: Sequence[Fact]) -> list[Fact]:
    return list(dict.fromkeys(claims))


def _turned(claim: Fact, meant: Fact) -> Fact:
    """Return a claim about two events as it is meant: A before B is B after A."""
    if not isinstance(claim, TemporalFact) or not isinstance(meant, TemporalFact):
        return claim
    if same_phrase(claim.event_a, meant.event_b) and same_phrase(claim.event_b, meant.event_a):
        turned = "after" if claim.order == "before" else "before"
        return TemporalFact(
            fact_kind=claim.fact_kind,
            event_a=claim.event_b,
            order="after" if turned == "after" else "before",
            event_b=claim.event_a,
        )
    return claim


def _extra(factual: Sequence[Fact], other: Sequence[Fact], same: Same) -> Reject:
    """Return why answers with several claims fail: they share the extra one, or differ in it."""
    unlike = [one for one in factual if not any(_alike(one, two, same) for two in other)]
    unlike_too = [two for two in other if not any(_alike(one, two, same) for one in factual)]
    count = max(len(factual), len(other))
    if max(len(unlike), len(unlike_too)) > 1:
        return Reject(Reason.MULTIPLE_CHANGED_SLOTS, f"{count} claims, several of which differ")
    return Reject(Reason.EXTRA_ATOMIC_FACT, f"{count} claims in an answer")


def _alike(one: Fact, other: Fact, same: Same) -> bool:
    return one.fact_kind is other.fact_kind and not changed_fields(one, other, same)
