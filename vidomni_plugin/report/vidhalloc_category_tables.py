"""VidHalLoc's accuracies by category and task: Table 11, and the numbers behind Figure 3."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vidomni_plugin.data.statistics.vidhalloc_tables import GROUP_NAMES
from vidomni_plugin.published import published
from vidomni_plugin.report.vidhalloc_analysis import (
    TASK_PARTS,
    Analysis,
    category_part,
    task_part,
)
from vidomni_plugin.report.vidhalloc_measures import Share
from vidomni_plugin.report.vidhalloc_pairs import CATEGORIES, MEASURES, Part
from vidomni_plugin.report.vidhalloc_rows import (
    PAPER_TASK,
    PUBLISHED,
    RUN,
    interval_columns,
    paper_pairs,
)
from vidomni_plugin.tables import Cell, Column, Table

__all__ = ["category_tables"]


def category_tables(found: Analysis) -> list[Table]:
    """Return Overall by category, one row a method, and all accuracies by category and task."""
    return [_overall(found), _by_task(found)]


def _overall(found: Analysis) -> Table:
    body: list[list[Cell]] = []
    for method in found.methods:
        cells = [found.shares[method.name, category_part(c).title, "overall"] for c in CATEGORIES]
        values = [cell.value for cell in cells]
        body.append(
            [method.name, RUN, method.task, *values, method.score("overall"), len(method.ids)]
        )
    paper = published()["vidhalloc"]["table11_overall_by_category"]
    each = paper["n_per_category"]
    items = paper_pairs()
    for name, hits in paper["rows"].items():
        by_category = dict(zip((c.lower() for c in paper["categories"]), hits, strict=True))
        values = [100.0 * by_category[c] / each for c in CATEGORIES]
        overall = 100.0 * sum(hits) / items
        body.append([name, PUBLISHED, PAPER_TASK, *values, overall, items])
    return Table(
        "vidhalloc_overall_by_category",
        "VidHalLoc Overall in percent by category (Table 11)",
        [
            *map(Column, ("run", "source", "task")),
            *(Column(c.upper(), 2) for c in CATEGORIES),
            Column("all", 2),
            Column("pairs"),
        ],
        body,
        [
            "OH: " + _listed(CATEGORIES[:5]) + ". DH: " + _listed(CATEGORIES[5:]) + ".",
            f"Published values are over {each} pairs a category; for the pairs of the runs see the "
            "table by category and task.",
        ],
    )


def _listed(categories: Iterable[str]) -> str:
    return ", ".join(GROUP_NAMES[category] for category in categories)


def _by_task(found: Analysis) -> Table:
    settings = found.settings
    parts: dict[tuple[str, str], Part] = {}
    empty = []
    for task in TASK_PARTS:
        whole = task_part(task)
        if not any(found.shares[m.name, whole.title, "overall"].pairs for m in found.methods):
            empty.append(task)
            continue
        parts |= {(task, c.upper()): category_part(c, task) for c in CATEGORIES}
        parts[task, "all"] = whole
    body: list[list[Cell]] = []
    for method in found.methods:
        for (task, category), part in parts.items():
            row = [found.shares[method.name, part.title, measure] for measure in MEASURES]
            body.append([method.name, method.task, task, category, *_cells(row)])
    return Table(
        "vidhalloc_by_category_and_task",
        "VidHalLoc accuracies in percent by category and task",
        [
            *map(Column, ("run", "task", "pairs of", "category", "pairs", "videos")),
            *(column for measure in MEASURES for column in interval_columns(measure.capitalize())),
            Column("interval"),
        ],
        body,
        [
            f"Intervals cover {100 * settings.level:g} %. Wilson where no two of the pairs are of "
            f"one video; else bootstrap over videos, {settings.draws:,} draws, seed "
            f"{settings.seed}.",
            *(f"No run has a pair of {task}." for task in empty if task != "all"),
        ],
    )


def _cells(row: Sequence[Share]) -> list[Cell]:
    values = [cell for share in row for cell in (share.value, share.low, share.high)]
    return [row[0].pairs, row[0].videos, *values, row[0].interval or None]
