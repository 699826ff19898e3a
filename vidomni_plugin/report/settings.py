"""How the numbers of a report are drawn; everything here stands in its output."""

from __future__ import annotations

from dataclasses import dataclass

from vidomni_plugin.bootstrap import DRAWS, LEVEL

__all__ = ["Settings", "interval_note"]

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


def interval_note(settings: Settings, seed: int | None = None) -> str:
    """Return how the intervals of a table were drawn.

    Args:
        settings: Draws and level.
        seed: Where it is not the usual one.

    Example:
        >>> interval_note(Settings(draws=500, seed=1))[:66]
        'Intervals: 95 % percentile bootstrap over videos, 500 draws, seed '
    """
    used = settings.seed if seed is None else seed
    return (
        f"Intervals: {100 * settings.level:g} % percentile bootstrap over videos, "
        f"{settings.draws:,} draws, seed {used}. Where all are right, or all wrong, they have no "
        "width, which is not certainty."
    )
