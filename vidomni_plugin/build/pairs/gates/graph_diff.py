"""GraphDiff: one fact, one slot (VidHalLoc section 3, the contract of generated pairs)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from vidomni_plugin.build.pairs.contracts.facts import Fact, rule_of
from vidomni_plugin.build.pairs.gates.phrases import same_phrase

__all__ = ["Changed", "Same", "changed_fields", "is_minimal"]

Same = Callable[[object, object], bool]
"""Whether two values of a field mean the same."""


class Changed(NamedTuple):
    """A field that two facts of one kind do not share."""

    field: str
    was: object
    now: object


def changed_fields(one: Fact, other: Fact, same: Same = same_phrase) -> tuple[Changed, ...]:
    """Return the fields in which two facts of one kind differ, in the order of their names.

    Raises:
        ValueError: If the facts are of different kinds; they have no fields in common.

    Example:
        >>> from vidomni_plugin.build.pairs.contracts.facts import QuantityFact
        >>> two = QuantityFact(fact_kind="entity_quantity", entity_set="the cups", count=2)
        >>> changed_fields(two, two.model_copy(update={"count": 3, "entity_set": "cup"}))
        (Changed(field='count', was=2, now=3),)
    """
    if one.fact_kind is not other.fact_kind:
        raise ValueError(f"{one.fact_kind.value} and {other.fact_kind.value}")
    left, right = one.model_dump(), other.model_dump()
    return tuple(
        Changed(field, left[field], right[field])
        for field in sorted(left)
        if field != "fact_kind" and not _same(left[field], right[field], same)
    )


def is_minimal(source: Fact, counterfactual: Fact, same: Same = same_phrase) -> bool:
    """Return whether the facts differ in the slot of their leaf and in nothing else."""
    if source.fact_kind is not counterfactual.fact_kind:
        return False
    changed = changed_fields(source, counterfactual, same)
    return [one.field for one in changed] == [rule_of(source).slot]


def _same(one: object, other: object, same: Same) -> bool:
    if one is None or other is None:
        return one is other
    return same(one, other)
