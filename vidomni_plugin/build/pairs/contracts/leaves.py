"""The eight leaves: kind of fact, slot and mutation operator of each (VidHalLoc section 3.1)."""

from __future__ import annotations

from enum import Enum
from typing import Literal, NamedTuple, get_args

from vidomni_plugin.data.layout import SLOT_OF_LEAF
from vidomni_plugin.records import CATEGORY_OF_LEAF, ONTOLOGY, Category, Leaf

__all__ = [
    "CAMERA_CHANGES",
    "LEAVES",
    "NO_CAMERA_CHANGE",
    "CameraChange",
    "FactKind",
    "LeafRule",
    "Order",
    "leaf_of_kind",
]


class FactKind(str, Enum):
    """Kind of a normalised atomic fact; it settles leaf and slot."""

    ENTITY_EXISTENCE = "entity_existence"
    ENTITY_CATEGORY = "entity_category"
    ENTITY_QUANTITY = "entity_quantity"
    ATTRIBUTE_VALUE = "attribute_value"
    STATIC_RELATION = "static_relation"
    ACTION_PREDICATE = "action_predicate"
    TEMPORAL_RELATION = "temporal_relation"
    CAMERA_PREDICATE = "camera_predicate"


CameraChange = Literal[
    "pan_left",
    "pan_right",
    "tilt_up",
    "tilt_down",
    "zoom_in",
    "zoom_out",
    "cut",
    "focus_change",
    "framing_change",
    "viewpoint_change",
]
CAMERA_CHANGES: tuple[CameraChange, ...] = get_args(CameraChange)
"""What a camera fact may say; a stationary shot is no source fact."""
NO_CAMERA_CHANGE = "no_camera_change"
"""What a counterfactual camera fact may say besides."""
Order = Literal["before", "after"]
"""Whether the first event of a temporal fact is before or after the second."""


class LeafRule(NamedTuple):
    """One leaf: its names, and what its counterfactual answer changes."""

    leaf: Leaf
    category: Category
    kind: FactKind
    slot: str
    """Key of the normalised fact that the counterfactual answer changes."""
    operator: str
    """Name of the change."""

    @property
    def ontology(self) -> bool:
        """Whether the leaf is in group OH; else it is in DH."""
        return self.category in ONTOLOGY


_OPERATORS = (
    "toggle_entity_existence",
    "replace_entity_category",
    "change_entity_count",
    "replace_attribute_value",
    "invert_static_relation",
    "replace_action_predicate",
    "reverse_temporal_order",
    "replace_camera_predicate",
)
LEAVES: dict[Leaf, LeafRule] = {
    leaf: LeafRule(leaf, CATEGORY_OF_LEAF[leaf.value], kind, SLOT_OF_LEAF[leaf.value], operator)
    for leaf, kind, operator in zip(Leaf, FactKind, _OPERATORS, strict=True)
}
"""The rule of each leaf, in the paper's order."""
_LEAF_OF_KIND = {rule.kind: rule for rule in LEAVES.values()}


def leaf_of_kind(kind: FactKind) -> LeafRule:
    """Return the one leaf that a kind of fact belongs to.

    Example:
        >>> leaf_of_kind(FactKind.ENTITY_QUANTITY).leaf.value
        'EntityQuantity'
    """
    return _LEAF_OF_KIND[kind]
