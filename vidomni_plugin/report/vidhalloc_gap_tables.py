"""Ontology against dynamic hallucination: VidHalLoc's Tables 12, 13 and 14."""

from __future__ import annotations

from collections.abc import Sequence

from vidomni_plugin.published import rows
from vidomni_plugin.report.settings import interval_note
from vidomni_plugin.report.vidhalloc_analysis import Analysis
from vidomni_plugin.report.vidhalloc_measures import Gap
from vidomni_plugin.report.vidhalloc_pairs import DH, MEASURES, OH, Method
from vidomni_plugin.report.vidhalloc_rows import (
    PAPER_TASK,
    PUBLISHED,
    RUN,
    bounds,
    interval_columns,
    known,
    left_out_notes,
    paper_pairs,
    paper_videos,
)
from vidomni_plugin.tables import Cell, Column, Table

__all__ = ["gap_tables"]

FULL, WITHIN = "all pairs", "within video"
PAPER_METHODS = "mean of the paper's 15 methods"
MEANING = "Gap: accuracy on OH pairs minus accuracy on DH pairs, in points."


def gap_tables(found: Analysis) -> list[Table]:
    """Return the gap of each method, of their mean, and within videos."""
    return [_by_method(found), _macro(found), _within(found)]


def _by_method(found: Analysis) -> Table:
    body: list[list[Cell]] = []
    for method in found.methods:
        counts = [int(method.mask(group).sum()) for group in (OH, DH)]
        of_method = found.gaps[method.name]
        cells = [cell for measure in MEASURES for cell in _with_groups(of_method[measure])]
        body.append([method.name, RUN, method.task, *counts, *cells])
    for row in rows("vidhalloc", "table14_delta_oh_dh"):
        cells = [
            cell
            for measure in MEASURES
            for cell in (None, None, row[measure], *row[f"{measure}_ci"])
        ]
        sizes = (paper_pairs(len(group.categories)) for group in (OH, DH))
        body.append([row["method"], PUBLISHED, PAPER_TASK, *sizes, *cells])
    columns = [
        column
        for measure in MEASURES
        for column in (
            Column(f"{measure.capitalize()} OH", 2),
            Column(f"{measure.capitalize()} DH", 2),
            *interval_columns(f"{measure.capitalize()} gap"),
        )
    ]
    return Table(
        "vidhalloc_gap",
        "VidHalLoc gap between ontology and dynamic hallucination (Table 14)",
        [*map(Column, ("run", "source", "task", "OH pairs", "DH pairs")), *columns],
        body,
        [
            MEANING,
            interval_note(found.settings, found.settings.gap_seed),
            "The paper prints OH and DH of its detectors only; see the table by group.",
        ],
    )


def _with_groups(gap: Gap) -> list[Cell]:
    return [gap.oh, gap.dh, known(gap.gap.value), *bounds(gap.gap)]


def _macro(found: Analysis) -> Table:
    settings = found.settings
    body: list[list[Cell]] = []
    for task, mean in found.means.items():
        first = mean.common[0]
        sizes = (int(first.mask(OH).sum()), int(first.mask(DH).sum()))
        videos = len(set(first.videos))
        for measure in MEASURES:
            gap = mean.gaps[measure]
            cells = [*_with_groups(gap), *bounds(mean.in_categories[measure])]
            start = (_mean_of(mean.common), RUN, task, *sizes, videos, measure)
            body.append([*start, *cells, known(gap.gap.standard_error)])
    for row in rows("vidhalloc", "table12_macro"):
        sizes = (paper_pairs(len(OH.categories)), paper_pairs(len(DH.categories)))
        start = (PAPER_METHODS, PUBLISHED, PAPER_TASK, *sizes, paper_videos(), row["metric"])
        cells = [row["ontology"], row["dynamic"], row["delta"]]
        ends = (*row["cluster_ci95"], *row["category_ci95"])
        body.append([*start, *cells, *ends, row["cluster_se"]])
    return Table(
        "vidhalloc_gap_mean",
        "VidHalLoc gap between ontology and dynamic hallucination, mean over methods (Table 12)",
        [
            *map(Column, ("methods", "source", "task", "OH pairs", "DH pairs", "videos")),
            Column("accuracy"),
            Column("OH", 2),
            Column("DH", 2),
            *interval_columns("gap"),
            Column("gap low, pairs drawn", 2),
            Column("gap high, pairs drawn", 2),
            Column("gap SE", 2),
        ],
        body,
        [
            MEANING,
            "Over the pairs that all runs of the task have.",
            *left_out_notes(found.left_out),
            interval_note(settings, settings.gap_seed),
            "Pairs drawn: instead of videos, pairs are drawn within each category, seed "
            f"{settings.category_seed}.",
            "SE: standard error of the gap, its standard deviation over the draws of videos.",
        ],
    )


def _mean_of(common: Sequence[Method]) -> str:
    return f"mean of {len(common)} runs" if len(common) > 1 else "the one run"


def _within(found: Analysis) -> Table:
    of_subset = {FULL: (found.methods, found.gaps), WITHIN: (found.inside, found.inside_gaps)}
    body: list[list[Cell]] = []
    for k, method in enumerate(found.methods):
        for subset, (on, values) in of_subset.items():
            gap = values[method.name]["overall"]
            body.append([method.name, RUN, method.task, subset, *_size(on[k]), *_with_groups(gap)])
    for task, mean in found.means.items():
        if len(mean.common) > 1:
            of = (_mean_of(mean.common), RUN, task)
            whole, inside = mean.common[0], mean.inside[0]
            body.append([*of, FULL, *_size(whole), *_with_groups(mean.gaps["overall"])])
            body.append([*of, WITHIN, *_size(inside), *_with_groups(mean.inside_gap)])
    for row in rows("vidhalloc", "table13_within_video"):
        subset = WITHIN if row["subset"] == "within_video" else FULL
        start = (PAPER_METHODS, PUBLISHED, PAPER_TASK, subset, row["videos"])
        cells = [row["instances"], row["oh"], row["dh"], row["delta"], *row["ci95"]]
        body.append([*start, *cells])
    return Table(
        "vidhalloc_gap_within_video",
        "VidHalLoc gap of Overall, over all pairs and within videos (Table 13)",
        [
            *map(Column, ("run", "source", "task", "subset", "videos", "pairs")),
            Column("OH", 2),
            Column("DH", 2),
            *interval_columns("gap"),
        ],
        body,
        [
            MEANING,
            "Within video: the videos that have one OH pair, one DH pair and no other; both are "
            "of the same task.",
            *left_out_notes(found.left_out),
            interval_note(found.settings, found.settings.gap_seed),
        ],
    )


def _size(method: Method) -> tuple[int, int]:
    return len(set(method.videos)), len(method.ids)
