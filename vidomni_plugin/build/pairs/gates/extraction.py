"""Gate of extraction: which facts may be looked at again (VidHalLoc section 3, stage FER)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from vidomni_plugin.build.pairs.contracts.facts import Interval, rule_of
from vidomni_plugin.build.pairs.contracts.leaves import FactKind
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.reasons import Reason
from vidomni_plugin.build.pairs.contracts.roles import Opportunity, ProposedFact
from vidomni_plugin.build.pairs.gates.leaks import leaks
from vidomni_plugin.build.pairs.gates.phrases import contains
from vidomni_plugin.build.pairs.gates.texts import is_one_sentence, on_one_line
from vidomni_plugin.build.pairs.gates.times import within
from vidomni_plugin.data.checks.answers import polarity
from vidomni_plugin.records import Leaf

__all__ = ["Dropped", "Extracted", "admitted"]

MOST_FACTS = 64
"""More than this in one reply is no list of at most one fact a leaf."""
LONGEST_SENTENCE = 1000
"""Characters of a fact in words, and of a name in it; the papers' answers have some 15 words."""
_CAUSES = ("because", "cause", "due to", "as a result", "therefore", "so that")


@dataclass(frozen=True, slots=True)
class Dropped:
    """A fact that ends at the gate."""

    fact: object
    """As the extractor gave it."""
    reject: Reject


@dataclass(frozen=True, slots=True)
class Extracted:
    """What the gate makes of a reply."""

    facts: tuple[ProposedFact, ...]
    """At most one a leaf, in the order of the reply."""
    dropped: tuple[Dropped, ...]


def admitted(facts: Sequence[object], rows: Sequence[Opportunity], duration_s: float) -> Extracted:
    """Return the facts that may be looked at again, and why the others may not.

    Args:
        facts: The members of ``facts`` in the extractor's reply, any JSON values.
        rows: The constructible rows of the planner.
        duration_s: Length of the video in seconds.
    """
    kept: dict[Leaf, ProposedFact] = {}
    dropped: list[Dropped] = []
    planned = {row.leaf_label: row for row in rows}
    for number, given in enumerate(facts):
        found = _proposed(given) if number < MOST_FACTS else Reject(Reason.FACT_SHAPE_INVALID)
        if not isinstance(found, Reject):
            found = _fault(found, planned, kept, duration_s) or found
        if isinstance(found, Reject):
            dropped.append(Dropped(given, found))
        else:
            kept[rule_of(found.normalized_fact).leaf] = found
    return Extracted(tuple(kept.values()), tuple(dropped))


def _proposed(given: object) -> ProposedFact | Reject:
    try:
        return ProposedFact.model_validate(given)
    except (ValidationError, ValueError, RecursionError) as error:
        fact: Any = given.get("normalized_fact") if isinstance(given, Mapping) else None
        kind = fact.get("fact_kind") if isinstance(fact, Mapping) else None
        where = ""
        if isinstance(error, ValidationError):
            places = [".".join(map(str, one["loc"])) for one in error.errors(include_input=False)]
            where = ", ".join(places)[:200]
            if kind == FactKind.CAMERA_PREDICATE.value and any(
                place.endswith("camera_predicate") and "time_scope" not in place for place in places
            ):
                return Reject(Reason.FACT_CAMERA_SOURCE_INVALID, where)
            if all(place.startswith("time_scope") for place in places):
                return Reject(Reason.FACT_SCOPE_INVALID, where)
        return Reject(Reason.FACT_SHAPE_INVALID, where)


def _fault(
    fact: ProposedFact,
    planned: Mapping[Leaf, Opportunity],
    kept: Mapping[Leaf, ProposedFact],
    duration_s: float,
) -> Reject | None:
    rule = rule_of(fact.normalized_fact)
    if rule.leaf not in planned:
        return Reject(Reason.FACT_UNPLANNED_LEAF, rule.leaf.value)
    if rule.leaf in kept:
        return Reject(Reason.FACT_DUPLICATE_LEAF, rule.leaf.value)
    text = fact.natural_language_fact
    if polarity(text) or not is_one_sentence(text, LONGEST_SENTENCE):
        return Reject(Reason.FACT_SHAPE_INVALID, f"{text[:200]!r} is not one full sentence")
    for key, named in fact.normalized_fact.model_dump().items():
        if isinstance(named, str) and not on_one_line(named, LONGEST_SENTENCE):
            return Reject(Reason.FACT_SHAPE_INVALID, f"{key} {named[:200]!r}")
    scope = fact.time_scope
    if not within(scope, duration_s):
        shown = f"{scope.start_sec:g} to {scope.end_sec:g} s in a video of {duration_s:g} s"
        return Reject(Reason.FACT_SCOPE_INVALID, shown)
    if not _meets(scope, planned[rule.leaf].evidence_intervals):
        return Reject(Reason.FACT_SCOPE_INVALID, "meets no planned interval")
    if rule.kind is FactKind.TEMPORAL_RELATION:
        for phrase in _CAUSES:
            if contains(text, phrase):
                return Reject(Reason.LEAF_BOUNDARY_FAILED, f"{phrase!r} says why, not when")
    if leak := leaks(fact.normalized_fact):
        return Reject(Reason.SLOT_LEAK_IN_ANCHOR, leak)
    return None


def _meets(scope: Interval, intervals: Sequence[Interval]) -> bool:
    return any(scope.overlaps(interval) for interval in intervals)
