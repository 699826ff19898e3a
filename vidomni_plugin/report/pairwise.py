"""Every two runs of a task against each other, corrected for how many comparisons that makes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.joint import drawn_ratios
from vidomni_plugin.paired import holm
from vidomni_plugin.report.compare import ALPHA, is_shown, tested, whole_pairs
from vidomni_plugin.report.metric_row import MetricRow
from vidomni_plugin.report.runs import SCORES_ONLY, TaskRun
from vidomni_plugin.report.same_pair import CONTENT
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.terms import MAIN, Terms, pair_terms
from vidomni_plugin.tables import Cell, Column, Table, interval
from vidomni_plugin.wording import counted

__all__ = ["MOST", "pairwise_tables"]

MOST = 12
"""More runs of a task make more comparisons than a table can show and a correction can bear."""
Kept = frozenset[str]
Key = tuple[tuple[str, ...], tuple[Hashable, ...]]
"""Ids and videos of pairs, in the order of the draws."""


@dataclass(frozen=True, slots=True, eq=False)
class _Contender:
    """One run, its pairs' content by id, and what they add to its main score."""

    run: TaskRun
    content: Mapping[str, tuple[object, ...]]
    terms: Terms

    def on(self, kept: Kept) -> Terms:
        rows = np.array([pair in kept for pair in self.terms.ids], dtype=bool)
        if rows.all():
            return self.terms
        return replace(
            self.terms,
            ids=tuple(pair for pair in self.terms.ids if pair in kept),
            clusters=tuple(c for c, k in zip(self.terms.clusters, rows, strict=True) if k),
            tops=self.terms.tops[rows],
            bottoms=self.terms.bottoms[rows],
        )


def pairwise_tables(task_runs: Sequence[TaskRun], settings: Settings) -> list[Table]:
    """Return a table of the main score of every two runs of a task; none where no task has two.

    Each comparison is the one of ``compare``: over the pairs that both runs have, with McNemar's
    test for VidHalLoc and the paired bootstrap for VidOmni. Holm's p is over all comparisons of
    a task.
    """
    by_task: dict[str, list[TaskRun]] = {}
    for run in task_runs:
        if run.kind in MAIN and run.items:
            by_task.setdefault(run.task, []).append(run)
    body: list[list[Cell]] = []
    left_out = []
    for task, runs in by_task.items():
        if len(runs) > MOST:
            left_out.append(f"{task}: {counted(len(runs), 'run')}, more than {MOST}: left out.")
        else:
            left_out += [f"{task}, {run.run}: {SCORES_ONLY}." for run in runs if run.scores_only]
            body += _task_rows(task, runs, settings)
    return [_table(body, left_out, settings)] if body else []


def _contender(run: TaskRun) -> _Contender:
    content_of = CONTENT[run.kind]
    content = {pair: content_of(items) for pair, items in whole_pairs(run).items()}
    terms = pair_terms(run)
    main = [terms.metrics.index(MAIN[run.kind])]
    terms = replace(
        terms,
        metrics=(MAIN[run.kind],),
        tops=terms.tops[:, main],
        bottoms=terms.bottoms[:, main],
    )
    return _Contender(run, content, terms)


def _task_rows(task: str, runs: Sequence[TaskRun], settings: Settings) -> list[list[Cell]]:
    contenders = [_contender(run) for run in runs]
    both = [
        (a, b, frozenset(p for p, content in a.content.items() if b.content.get(p) == content))
        for a, b in combinations(contenders, 2)
    ]
    drawn = _drawn(both, settings)
    found = [
        tested(
            a.run.kind,
            a.on(kept),
            b.on(kept),
            0,
            drawn[_key(a.on(kept))][a.run.run] - drawn[_key(b.on(kept))][b.run.run],
            settings,
        )
        for a, b, kept in both
    ]
    adjusted = holm([row.p_value for row in found])
    return [
        [task, a.run.run, b.run.run, *_cells(replace(row, adjusted=p))]
        for (a, b, _), row, p in zip(both, found, adjusted, strict=True)
    ]


def _key(terms: Terms) -> Key:
    return terms.ids, terms.clusters


def _drawn(
    both: Sequence[tuple[_Contender, _Contender, Kept]], settings: Settings
) -> dict[Key, dict[str, NDArray[np.float64]]]:
    """Return the score of each run in each draw, by the pairs that it is over.

    The same ids may stand on other videos in other versions of the data: drawn apart.
    """
    wanted: dict[Key, dict[str, Terms]] = {}
    for a, b, kept in both:
        for each in (a, b):
            terms = each.on(kept)
            wanted.setdefault(_key(terms), {})[each.run.run] = terms
    found = {}
    for key, of_key in wanted.items():
        together = list(of_key.values())
        values = drawn_ratios(
            np.hstack([each.tops for each in together]),
            np.hstack([each.bottoms for each in together]),
            key[1],
            seed=settings.seed,
            draws=settings.draws,
        )
        found[key] = dict(zip(of_key, values.T, strict=True))
    return found


def _cells(row: MetricRow) -> list[Cell]:
    numbers = (row.a, row.b, row.difference, row.low, row.high, row.p_value, row.adjusted)
    better = ("A" if row.difference > 0 else "B") if is_shown(row) else None
    shown = [value if np.isfinite(value) else None for value in numbers]
    return [row.metric, row.n, row.videos, *shown, better]


def _table(body: list[list[Cell]], left_out: Sequence[str], settings: Settings) -> Table:
    return Table(
        "comparisons",
        "Every two runs of a task, by its main score",
        [
            *map(Column, ("task", "A", "B", "score", "pairs", "videos")),
            *(Column(title, 2) for title in ("A, %", "B, %", "A - B")),
            *interval(digits=2),
            *(Column("p", 4), Column("Holm p", 4), Column("better")),
        ],
        body,
        [
            "Over the pairs that both runs have, with the same content. low and high: ends of the "
            f"{100 * settings.level:g} % percentile interval of A - B, {settings.draws:,} draws of "
            f"whole videos, seed {settings.seed}.",
            "p: VidHalLoc exact test of McNemar over pairs, VidOmni paired bootstrap over videos; "
            "0.0000 is a p below 0.00005. Holm p: corrected for all comparisons of the task.",
            f"Better: where Holm's p is below {ALPHA:g} and the interval leaves 0 out.",
            *left_out,
        ],
    )
