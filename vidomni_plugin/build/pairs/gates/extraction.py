"""Gate of extraction: which facts may be looked at again (VidHalLoc section 3, stage FER)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from vidomni_plugin.build.pairs.contracts.facts import Fact, Interval, rule_of, slot_value
from vidomni_plugin.build.pairs.contracts.leaves import FactKind
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.reasons import Reason
from vidomni_plugin.build.pairs.contracts.roles import Opportunity, ProposedFact
from vidomni_plugin.build.pairs.gates.phrases import contains, normal
from vidomni_plugin.build.pairs.gates.times import within
from vidomni_plugin.data.checks.answers import is_sentence, polarity
from vidomni_plugin.records import Leaf

__all__ = ["Dropped", "Extracted", "admitted", "leaks"]

MOST_FACTS = 64
"""More than this in one reply is no list of at most one fact a leaf."""
_LEAKING_ORDER = ("before", "after", "first", "then", "earlier", "later", "following")
_ALSO_SAYS = {"left": "left", "right": "right", "above": "above", "below": "below"}


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


def leaks(fact: Fact) -> str:
    """Return where a fact says its slot's value outside the slot; empty where it does not.

    Example:
        >>> from vidomni_plugin.build.pairs.contracts.facts import AttributeFact
        >>> fact = {"entity": "the red cup", "attribute_key": "colour", "attribute_value": "red"}
        >>> leaks(AttributeFact(fact_kind="attribute_value", **fact))
        "entity 'the red cup' says 'red'"
    """
    rule = rule_of(fact)
    value = slot_value(fact)
    said: tuple[object, ...] = (value,)
    if rule.kind is FactKind.TEMPORAL_RELATION:
        said = _LEAKING_ORDER
    elif rule.kind is FactKind.ENTITY_EXISTENCE:
        return ""
    elif rule.kind is FactKind.STATIC_RELATION:
        said = tuple(word for word in normal(value).split() if word in _ALSO_SAYS)
    elif isinstance(value, bool):
        return ""
    for key, text in fact.model_dump().items():
        if key in ("fact_kind", rule.slot) or not isinstance(text, str):
            continue
        for phrase in said:
            if contains(text, phrase):
                return f"{key} {text!r} says {phrase!r}"
    return ""


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
    if not is_sentence(text) or polarity(text) or text != text.strip() or "\n" in text:
        return Reject(Reason.FACT_SHAPE_INVALID, f"{text[:200]!r} is no full sentence")
    scope = fact.time_scope
    if not within(scope, duration_s):
        shown = f"{scope.start_sec:g} to {scope.end_sec:g} s in a video of {duration_s:g} s"
        return Reject(Reason.FACT_SCOPE_INVALID, shown)
    if not _meets(scope, planned[rule.leaf].evidence_intervals):
        return Reject(Reason.FACT_SCOPE_INVALID, "meets no planned interval")
    if leak := leaks(fact.normalized_fact):
        return Reject(Reason.SLOT_LEAK_IN_ANCHOR, leak)
    return None


def _meets(scope: Interval, intervals: Sequence[Interval]) -> bool:
    return any(scope.overlaps(interval) for interval in intervals)
