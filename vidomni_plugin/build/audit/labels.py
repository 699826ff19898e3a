"""The labels and checks of an audit, in the order in which everything counts them."""

from __future__ import annotations

from typing import Literal

from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
from vidomni_plugin.records import Leaf

__all__ = ["CHECKS", "CODES", "INVALID", "LABELS", "NO", "YES", "Answer", "Check", "code_of"]

INVALID = "InvalidSample"
"""The label of an item that fails a check: a label like the others, never left out."""
LABELS: tuple[str, ...] = (*(leaf.value for leaf in LEAVES), INVALID)
"""What an item can be labelled: the eight leaves in the paper's order, then ``INVALID``."""
CODES: tuple[str, ...] = tuple(rule.category.upper() for rule in LEAVES.values())
"""The paper's abbreviations of the leaves, in the same order: EEH, ECH, ..."""
Check = Literal["supported", "contradicted", "only_target"]
CHECKS: dict[Check, str] = {
    "supported": "the video supports the factual answer",
    "contradicted": "the video contradicts the counterfactual answer",
    "only_target": "the answers differ in what the label names and in nothing else",
}
"""The three checks of an item, with what a Yes says."""
Answer = Literal["Yes", "No"]
YES: Answer = "Yes"
NO: Answer = "No"


def code_of(label: str) -> str:
    """Return the paper's abbreviation of a leaf; ``InvalidSample`` has none and stays.

    Example:
        >>> code_of("CameraPredicate"), code_of("InvalidSample")
        ('CPH', 'InvalidSample')
    """
    return label if label == INVALID else CODES[list(LEAVES).index(Leaf(label))]
