"""How the numbers of a report are drawn; everything here stands in its output."""

from __future__ import annotations

from dataclasses import dataclass

from vidomni_plugin.bootstrap import DRAWS, LEVEL

__all__ = ["Settings"]

DETECTOR_SEED = 20260906
"""Seed of the paper's intervals (arXiv 2609.09895, appendix on uncertainty)."""
GAP_SEED = 20260825
"""Seed of the paper's intervals of the gap between ontology and dynamic hallucination."""
CATEGORY_SEED = 20260826
"""Seed of the paper's second interval of that gap, with pairs drawn within each category."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Seeds, draws and coverage of all intervals of one report."""

    seed: int = DETECTOR_SEED
    gap_seed: int = GAP_SEED
    category_seed: int = CATEGORY_SEED
    draws: int = DRAWS
    level: float = LEVEL
