"""Ontology against dynamic hallucination: VidHalLoc's Tables 12, 13 and 14."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vidomni_plugin.published import rows
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidhalloc_measures import (
    Gap,
    gaps,
    macro_gaps,
    resampled_in_categories,
)
from vidomni_plugin.report.vidhalloc_pairs import (
    DH,
    MEASURES,
    OH,
    Method,
    by_task,
    in_common,
    one_of_each,
)
from vidomni_plugin.report.vidhalloc_rows import (
    PAPER_TASK,
    PUBLISHED,
    RUN,
    bounds,
    interval_columns,
    interval_note,
    known,
    paper_pairs,
    paper_videos,
)
from vidomni_plugin.tables import Cell, Column, Table

__all__ = ["gap_tables"]

FULL, WITHIN = "all pairs", "within video"
PAPER_METHODS = "mean of the paper's 15 methods"
Gaps = Mapping[str, Mapping[str, Gap]]
"""By method or task, then by measure."""
MEANING = "Gap: accuracy on OH pairs minus accuracy on DH pairs, in points."


def gap_tables(found: Sequence[Method], settings: Settings) -> list[Table]:
    """Return the gap of each method, of their mean, and within videos."""
    of_methods = gaps(found, settings)
    common = {task: in_common(group) for task, group in by_task(found).items()}
    means = {task: macro_gaps(group, settings) for task, group in common.items() if group}
    return [
        _by_method(found, of_methods, settings),
        _macro(common, means, settings),
        _within(found, of_methods, common, means, settings),
    ]


def _by_method(found: Sequence[Method], of_methods: Gaps, settings: Settings) -> Table:
    body: list[list[Cell]] = []
    for method in found:
        counts = [int(method.mask(group).sum()) for group in (OH, DH)]
        cells = [
            cell for measure in MEASURES for cell in _with_groups(of_methods[method.name][measure])
        ]
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
            interval_note(settings.gap_seed, settings),
            "The paper prints OH and DH of its detectors only; see the table by group.",
        ],
    )


def _with_groups(gap: Gap) -> list[Cell]:
    return [gap.oh, gap.dh, known(gap.gap.value), *bounds(gap.gap)]


def _macro(common: Mapping[str, Sequence[Method]], means: Gaps, settings: Settings) -> Table:
    body: list[list[Cell]] = []
    for task, averages in means.items():
        group = common[task]
        others = resampled_in_categories(group, settings)
        for measure in MEASURES:
            cells = [*_with_groups(averages[measure]), *bounds(others[measure])]
            sizes = (int(group[0].mask(OH).sum()), int(group[0].mask(DH).sum()))
            videos = len(set(group[0].videos))
            start = (_mean_of(len(group)), RUN, task, *sizes, videos, measure)
            body.append([*start, *cells, known(averages[measure].gap.standard_error)])
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
            interval_note(settings.gap_seed, settings),
            "Pairs drawn: instead of videos, pairs are drawn within each category, seed "
            f"{settings.category_seed}.",
            "SE: standard error of the gap, its standard deviation over the draws of videos.",
        ],
    )


def _mean_of(runs: int) -> str:
    return f"mean of {runs} runs" if runs > 1 else "the one run"


def _within(
    found: Sequence[Method],
    of_methods: Gaps,
    common: Mapping[str, Sequence[Method]],
    means: Gaps,
    settings: Settings,
) -> Table:
    matched = [method.only(one_of_each(method)) for method in found]
    of_subset = {FULL: (found, of_methods), WITHIN: (matched, gaps(matched, settings))}
    body: list[list[Cell]] = []
    for k, method in enumerate(found):
        for subset, (on, values) in of_subset.items():
            gap = values[method.name]["overall"]
            body.append([method.name, RUN, method.task, subset, *_size(on[k]), *_with_groups(gap)])
    for task, group in common.items():
        if len(group) > 1:
            name = _mean_of(len(group))
            mean = means[task]["overall"]
            body.append([name, RUN, task, FULL, *_size(group[0]), *_with_groups(mean)])
            inside = [method.only(one_of_each(method)) for method in group]
            mean = macro_gaps(inside, settings)["overall"]
            body.append([name, RUN, task, WITHIN, *_size(inside[0]), *_with_groups(mean)])
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
            interval_note(settings.gap_seed, settings),
        ],
    )


def _size(method: Method) -> tuple[int, int]:
    return len(set(method.videos)), len(method.ids)
