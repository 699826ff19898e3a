"""Gate of verification: what the answers claim, read by one who does not know what they are to.

The verifier gets the question and both answers in an order drawn from the seed. It is told
neither kind of fact, slot nor anchors (VidHalLoc section 3, stage GVP).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vidomni_plugin.build.pairs.contracts.facts import Fact, rule_of, slot_value
from vidomni_plugin.build.pairs.contracts.leaves import FactKind
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.reasons import Reason
from vidomni_plugin.build.pairs.contracts.roles import BackParse
from vidomni_plugin.build.pairs.gates.graph_diff import Same, changed_fields, is_minimal
from vidomni_plugin.build.pairs.gates.phrases import same_phrase
from vidomni_plugin.build.pairs.gates.readings import is_implied, turned

__all__ = ["Phrases", "to_compare", "verified"]

MOST_CLAIMS = 64
"""Of one answer that are compared; a reply with more is a loop, and fails by these."""
_CLOSED = {
    FactKind.ENTITY_EXISTENCE,
    FactKind.ENTITY_QUANTITY,
    FactKind.TEMPORAL_RELATION,
    FactKind.CAMERA_PREDICATE,
}
"""Kinds whose slot has a value of a list, or a number."""


class Phrases(NamedTuple):
    """Two phrases that the words alone do not show to be the same."""

    meant: str
    read: str


def to_compare(
    parse: BackParse, source: Fact, counterfactual: Fact, *, factual_first: bool
) -> tuple[Phrases, ...]:
    """Return the phrases whose meaning the verifier is to compare, before ``verified``.

    Each pair once; none where the answers fail whatever their words mean.
    """
    sides = _sides(parse, source, counterfactual, factual_first, same_phrase)
    if _fault_of_form(parse, sides, same_phrase):
        return ()
    found: dict[Phrases, None] = {}
    for claims, meant in sides:
        for change in changed_fields(meant, claims[0]):
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
    sides = _sides(parse, source, counterfactual, factual_first, same)
    if fault := _fault_of_form(parse, sides, same):
        return fault
    for claims, meant in sides:
        changes = changed_fields(meant, claims[0], same)
        for change in sorted(changes, key=lambda one: one.field == rule_of(meant).slot):
            shown = f"{change.field} is {change.now!r}, not {change.was!r}"
            if change.field == rule_of(meant).slot:
                return Reject(Reason.BACKPARSE_MISMATCH, shown)
            return Reject(Reason.ANCHOR_CHANGED, shown)
    if not is_minimal(source, counterfactual):
        return Reject(Reason.MULTIPLE_CHANGED_SLOTS, "the facts differ in more than the slot")
    return None


_Side = tuple[Sequence[Fact], Fact]


def _fault_of_form(parse: BackParse, sides: tuple[_Side, _Side], same: Same) -> Reject | None:
    """Return what is wrong whatever the words of the claims mean."""
    if any(len(claims) > 1 for claims, _ in sides):
        return _extra(sides[0][0], sides[1][0], same)
    for claims, meant in sides:
        if not claims:
            return Reject(Reason.BACKPARSE_MISMATCH, "an answer claims nothing")
        if claims[0].fact_kind is not meant.fact_kind:
            return Reject(Reason.WRONG_LEAF_AFTER_BACKPARSE, rule_of(claims[0]).leaf.value)
    for claims, meant in sides:
        was, now = slot_value(meant), slot_value(claims[0])
        # What is not free text is the same or is not; nobody is asked whether after is before.
        closed = rule_of(meant).kind in _CLOSED or not (type(was) is type(now) is str)
        if closed and not same_phrase(was, now):
            return Reject(Reason.BACKPARSE_MISMATCH, f"{rule_of(meant).slot} is {now!r}")
    if parse.can_both_be_true:
        return Reject(Reason.REPLACEMENT_COMPATIBLE, "both answers can be true at once")
    return None


def _sides(
    parse: BackParse, source: Fact, counterfactual: Fact, factual_first: bool, same: Same
) -> tuple[_Side, _Side]:
    """Return the claims of each answer, equal ones once, with what they are to be."""
    answers = (parse.first.claims, parse.second.claims)
    factual, other = answers if factual_first else answers[::-1]
    return (
        (_claims(factual, source, same), source),
        (_claims(other, counterfactual, same), counterfactual),
    )


def _claims(claims: Sequence[Fact], meant: Fact, same: Same) -> list[Fact]:
    """Return what an answer claims: each claim once, and not that there is what it is about.

    Where the answer is to say that something is there, that is a claim like others.
    """
    found: list[Fact] = []
    about_existence = rule_of(meant).kind is FactKind.ENTITY_EXISTENCE
    said = claims[:MOST_CLAIMS]
    for claim in said:
        if not about_existence and any(is_implied(claim, by, same) for by in said):
            continue
        claim = turned(claim, meant)
        if not any(_alike(claim, one, same) for one in found):
            found.append(claim)
    return found


def _extra(factual: Sequence[Fact], other: Sequence[Fact], same: Same) -> Reject:
    """Return why answers with several claims fail: they share the extra one, or differ in it."""
    differing = sum(_alike_but_slot(one, two, same) for one in factual for two in other)
    count = max(len(factual), len(other))
    if differing > 1:
        return Reject(Reason.MULTIPLE_CHANGED_SLOTS, f"{count} claims, several of which differ")
    return Reject(Reason.EXTRA_ATOMIC_FACT, f"{count} claims in an answer")


def _alike_but_slot(one: Fact, other: Fact, same: Same) -> bool:
    if one.fact_kind is not other.fact_kind:
        return False
    return [change.field for change in changed_fields(one, other, same)] == [rule_of(one).slot]


def _alike(one: Fact, other: Fact, same: Same) -> bool:
    return one.fact_kind is other.fact_kind and not changed_fields(one, other, same)
