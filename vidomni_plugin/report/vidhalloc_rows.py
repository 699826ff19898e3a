"""What the rows and notes of VidHalLoc's tables share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vidomni_plugin.joint import Estimate
from vidomni_plugin.published import published
from vidomni_plugin.report.runs import SCORES_ONLY
from vidomni_plugin.report.sources import PUBLISHED, REFERENCE, RUN
from vidomni_plugin.report.vidhalloc_pairs import CATEGORIES, Method
from vidomni_plugin.tables import Column, interval

__all__ = [
    "PAPER_TASK",
    "PUBLISHED",
    "REFERENCE",
    "RUN",
    "Bounds",
    "bounds",
    "interval_columns",
    "known",
    "left_out_notes",
    "paper_pairs",
    "paper_videos",
    "scores_only_notes",
]

PAPER_TASK = "vidhalloc_eval"
"""The task that has the paper's evaluation set: what published rows are over."""
DIGITS = 2
"""Decimals of percents, as in the paper."""


def interval_columns(title: str) -> tuple[Column, Column, Column]:
    """Return the columns of a value and of the ends of its interval."""
    return Column(title, DIGITS), *interval(title, DIGITS)


class Bounds(NamedTuple):
    """Ends of an interval; None where there is none."""

    low: float | None
    high: float | None


def bounds(estimate: Estimate) -> Bounds:
    """Return the ends of an interval as cells of a table."""
    return Bounds(known(estimate.low), known(estimate.high))


def known(value: float) -> float | None:
    """Return a number, or None instead of NaN."""
    return None if value != value else value


def left_out_notes(names: Mapping[str, Sequence[str]]) -> list[str]:
    """Return which runs an average over runs leaves out and why, a sentence a task."""
    return [
        f"{task}: without {', '.join(of_task)} in averages: over some of the documents only, with "
        "the same answers as another run, or scores without a threshold."
        for task, of_task in names.items()
    ]


def scores_only_notes(found: Sequence[Method]) -> list[str]:
    """Return which runs have no accuracy for want of a threshold, a sentence each."""
    return [f"{method.name}: {SCORES_ONLY}." for method in found if method.scores_only]


def paper_pairs(categories: int = len(CATEGORIES)) -> int:
    """Return the pairs behind a published row over so many categories."""
    each: int = published()["vidhalloc"]["table11_overall_by_category"]["n_per_category"]
    return categories * each


def paper_videos() -> int:
    """Return the videos of the paper's evaluation set."""
    videos: int = published()["vidhalloc"]["splits"]["evaluation"]["videos"]
    return videos
