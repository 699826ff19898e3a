"""What two readers write down in two ways, and what goes without saying."""

from __future__ import annotations

from vidomni_plugin.build.pairs.contracts.facts import (
    ExistenceFact,
    Fact,
    QuantityFact,
    RelationFact,
    TemporalFact,
)
from vidomni_plugin.build.pairs.gates.graph_diff import Same
from vidomni_plugin.build.pairs.gates.phrases import inverse, normal, same_phrase

__all__ = ["is_implied", "turned"]


def is_implied(claim: Fact, by: Fact, same: Same = same_phrase) -> bool:
    """Return whether a claim only says that there is what another claim is about.

    "The cup is red" says that there is a cup, and so does "the cup is blue".

    Example:
        >>> there = ExistenceFact(fact_kind="entity_existence", entity="cups", existence=True)
        >>> is_implied(
        ...     there, QuantityFact(fact_kind="entity_quantity", entity_set="cups", count=2)
        ... )
        True
    """
    if not isinstance(claim, ExistenceFact) or isinstance(by, ExistenceFact):
        return False
    there = not isinstance(by, QuantityFact) or by.count > 0
    names = (getattr(by, key, None) for key in ("entity", "entity_set", "subject", "object"))
    return claim.existence is there and any(
        same(name, claim.entity) for name in names if isinstance(name, str)
    )


def turned(claim: Fact, meant: Fact) -> Fact:
    """Return a claim from the end from which it is meant: A before B is B after A.

    Only the way of saying changes: a claim that is not the one that is meant stays so.

    Example:
        >>> meant = {"subject": "a cup", "relation_predicate": "left of", "object": "a box"}
        >>> said = {"subject": "the box", "relation_predicate": "right", "object": "the cup"}
        >>> kind = {"fact_kind": "static_relation"}
        >>> turned(RelationFact(**kind, **said), RelationFact(**kind, **meant)).subject
        'the cup'
    """
    if isinstance(claim, TemporalFact) and isinstance(meant, TemporalFact):
        if _is_swapped((claim.event_a, claim.event_b), (meant.event_a, meant.event_b)):
            return TemporalFact(
                fact_kind=claim.fact_kind,
                event_a=claim.event_b,
                order="after" if claim.order == "before" else "before",
                event_b=claim.event_a,
            )
    elif isinstance(claim, RelationFact) and isinstance(meant, RelationFact):
        other = inverse(claim.relation_predicate)
        if other and _is_swapped((claim.subject, claim.object), (meant.subject, meant.object)):
            return RelationFact(
                fact_kind=claim.fact_kind,
                subject=claim.object,
                relation_predicate=other,
                object=claim.subject,
            )
    return claim


def _is_swapped(said: tuple[str, str], meant: tuple[str, str]) -> bool:
    """Return whether two names are rather the other ones of two than these, by their words."""
    return _likeness(said, meant[::-1]) > _likeness(said, meant)


def _likeness(said: tuple[str, ...], meant: tuple[str, ...]) -> float:
    """Return from 0 to 2 how much of two names is the same; names that say the same count 1."""
    total = 0.0
    for one, other in zip(said, meant, strict=True):
        left, right = {*normal(one).split()}, {*normal(other).split()}
        shared = len(left & right) / len(left | right)
        total += 1 if same_phrase(one, other) else shared
    return total
