"""Normalised atomic facts: one shape a kind, exactly its keys, one of them the slot."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, TypeAdapter

from vidomni_plugin.build.pairs.contracts.leaves import (
    CameraChange,
    FactKind,
    LeafRule,
    Order,
    leaf_of_kind,
)
from vidomni_plugin.records import Text

__all__ = [
    "ActionFact",
    "AttributeFact",
    "CameraFact",
    "CategoryFact",
    "ClaimedCameraFact",
    "ClaimedFact",
    "ExistenceFact",
    "Fact",
    "Interval",
    "QuantityFact",
    "RelationFact",
    "SlotValue",
    "SourceFact",
    "TemporalFact",
    "Whole",
    "claimed_fact",
    "mutated",
    "rule_of",
    "slot_value",
]

MOST_COUNTED = 10_000
"""No set in a video is larger, and a count beyond it is a mistake."""
LARGEST = 10**15
"""No number that a video shows is larger; beyond it, one is read as a float."""
Whole = Annotated[StrictInt, Field(ge=-LARGEST, le=LARGEST)]
SlotValue = str | bool | int | float
"""What a slot can hold."""


class Fact(BaseModel):
    """One atomic fact; a subclass has exactly the keys of its kind."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    fact_kind: FactKind


class Interval(BaseModel):
    """A part of a video in seconds, start before or at end."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    start_sec: Annotated[float, Field(ge=0)]
    end_sec: Annotated[float, Field(ge=0)]

    def overlaps(self, other: Interval) -> bool:
        """Return whether the two share more than a point, or one is a point in the other."""
        start = max(self.start_sec, other.start_sec)
        end = min(self.end_sec, other.end_sec)
        is_point = self.start_sec == self.end_sec or other.start_sec == other.end_sec
        return start < end or (is_point and start == end)


class ExistenceFact(Fact):
    """Something is there, or is not."""

    fact_kind: Literal[FactKind.ENTITY_EXISTENCE]
    entity: Text
    existence: StrictBool


class CategoryFact(Fact):
    """What kind of thing something is."""

    fact_kind: Literal[FactKind.ENTITY_CATEGORY]
    entity: Text
    category: Text


class QuantityFact(Fact):
    """How many there are."""

    fact_kind: Literal[FactKind.ENTITY_QUANTITY]
    entity_set: Text
    count: Annotated[StrictInt, Field(ge=0, le=MOST_COUNTED)]


class AttributeFact(Fact):
    """A directly visible property of one thing or scene."""

    fact_kind: Literal[FactKind.ATTRIBUTE_VALUE]
    entity: Text
    attribute_key: Text
    attribute_value: Text | StrictBool | Whole | float


class RelationFact(Fact):
    """A spatial relation that one frame can settle."""

    fact_kind: Literal[FactKind.STATIC_RELATION]
    subject: Text
    relation_predicate: Text
    object: Text


class ActionFact(Fact):
    """What someone or something does."""

    fact_kind: Literal[FactKind.ACTION_PREDICATE]
    subject: Text
    predicate: Text
    object: Text | None


class TemporalFact(Fact):
    """Which of two events comes first."""

    fact_kind: Literal[FactKind.TEMPORAL_RELATION]
    event_a: Text
    order: Order
    event_b: Text


class CameraFact(Fact):
    """A real, bounded change of camera or edit."""

    fact_kind: Literal[FactKind.CAMERA_PREDICATE]
    camera_event: Text
    camera_predicate: CameraChange


class ClaimedCameraFact(Fact):
    """What an answer says of the camera: a change, or that there is none."""

    fact_kind: Literal[FactKind.CAMERA_PREDICATE]
    camera_event: Text
    camera_predicate: CameraChange | Literal["no_camera_change"]


_Other = (
    ExistenceFact
    | CategoryFact
    | QuantityFact
    | AttributeFact
    | RelationFact
    | ActionFact
    | TemporalFact
)
SourceFact = Annotated[_Other | CameraFact, Field(discriminator="fact_kind")]
"""A fact that a video can support."""
ClaimedFact = Annotated[_Other | ClaimedCameraFact, Field(discriminator="fact_kind")]
"""A fact that an answer can state, true or not."""
_CLAIMED: TypeAdapter[Any] = TypeAdapter(ClaimedFact)


def rule_of(fact: Fact) -> LeafRule:
    """Return the leaf that a fact belongs to."""
    return leaf_of_kind(fact.fact_kind)


def slot_value(fact: Fact) -> SlotValue:
    """Return what the fact says in its slot.

    Example:
        >>> fact = QuantityFact(fact_kind="entity_quantity", entity_set="cups", count=3)
        >>> slot_value(fact)
        3
    """
    value: SlotValue = getattr(fact, rule_of(fact).slot)
    return value


def mutated(fact: Fact, value: object) -> Fact:
    """Return the fact with another value in its slot and nothing else changed.

    Raises:
        pydantic.ValidationError: If the slot cannot hold the value.

    Example:
        >>> fact = TemporalFact(
        ...     fact_kind="temporal_relation", event_a="a jump", order="before", event_b="a fall"
        ... )
        >>> mutated(fact, "after").order
        'after'
    """
    return claimed_fact({**fact.model_dump(), rule_of(fact).slot: value})


def claimed_fact(given: object) -> Fact:
    """Return a fact from its keys and values.

    Raises:
        pydantic.ValidationError: If they are not those of one kind.
    """
    fact: Fact = _CLAIMED.validate_python(given)
    return fact
