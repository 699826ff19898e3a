"""What the rows and notes of VidHalLoc's tables share."""

from __future__ import annotations

from vidomni_plugin.joint import Estimate
from vidomni_plugin.published import published
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.sources import PUBLISHED, REFERENCE, RUN
from vidomni_plugin.report.vidhalloc_pairs import CATEGORIES
from vidomni_plugin.tables import Column, interval

__all__ = [
    "PAPER_TASK",
    "PUBLISHED",
    "REFERENCE",
    "RUN",
    "bounds",
    "interval_columns",
    "interval_note",
    "known",
    "paper_pairs",
    "paper_videos",
]

PAPER_TASK = "vidhalloc_eval"
"""The task that has the paper's evaluation set: what published rows are over."""
DIGITS = 2
"""Decimals of percents, as in the paper."""


def interval_columns(title: str) -> tuple[Column, Column, Column]:
    """Return the columns of a value and of the ends of its interval."""
    return Column(title, DIGITS), *interval(title, DIGITS)


def bounds(estimate: Estimate) -> tuple[float | None, float | None]:
    """Return the ends of an interval; None where there is none."""
    return known(estimate.low), known(estimate.high)


def known(value: float) -> float | None:
    """Return a number, or None instead of NaN."""
    return None if value != value else value


def paper_pairs(categories: int = len(CATEGORIES)) -> int:
    """Return the pairs behind a published row over so many categories."""
    each: int = published()["vidhalloc"]["table11_overall_by_category"]["n_per_category"]
    return categories * each


def paper_videos() -> int:
    """Return the videos of the paper's evaluation set."""
    videos: int = published()["vidhalloc"]["splits"]["evaluation"]["videos"]
    return videos


def interval_note(seed: int, settings: Settings) -> str:
    """Return how the intervals of a table were drawn."""
    return (
        f"Intervals: {100 * settings.level:g} % percentile bootstrap over videos, "
        f"{settings.draws:,} draws, seed {seed}."
    )
