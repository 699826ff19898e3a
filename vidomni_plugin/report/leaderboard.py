"""One table of every score of every run, with how it was made."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.bootstrap import percentiles
from vidomni_plugin.joint import drawn_ratios
from vidomni_plugin.report.read import recomputed
from vidomni_plugin.report.runs import SCORES_ONLY, Run, TaskRun
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.terms import ANSWERED, MAIN, UNPARSED, Terms, pair_terms
from vidomni_plugin.scores import Score
from vidomni_plugin.tables import Cell, Column, Table, interval

__all__ = ["leaderboard"]

SHOWN = {
    "vidomni": ("f1", "f1_answered", "precision", "recall", "f1_flawed", "micro_f1"),
    "vidhalloc": (
        *("overall", "overall_answered", "factual", "counterfactual"),
        *("overall_ontology", "overall_dynamic"),
    ),
}
"""Scores of our tasks, the main one first."""
COLUMNS = (
    Column("run"),
    Column("task"),
    Column("metric"),
    Column("score", 2),
    *interval(digits=2),
    Column("n"),
    Column("videos"),
    Column("unparsed %", 2),
    Column("failed"),
    Column("missing"),
    Column("warnings"),
    Column("data"),
    Column("signature"),
)

Ends = dict[str, tuple[float | None, float | None]]


def leaderboard(runs: Sequence[Run], settings: Settings) -> Table:
    """Return one row a run, task and metric: tasks in their order, the best score first.

    Runs over some of the documents only stand behind those over all.

    Scores of VidOmni and VidHalLoc are computed from the samples. Where a run has none of them,
    and for other tasks of the host, they are the host's, without an interval.
    """
    tasks: dict[str, list[TaskRun]] = {}
    for run in runs:
        for task in run.tasks.values():
            tasks.setdefault(task.task, []).append(task)
    rows: list[list[Cell]] = []
    for of_task in tasks.values():
        rows += _task_rows(of_task, settings)
    percent = f"{100 * settings.level:g} %"
    notes = (
        f"low and high: ends of the {percent} percentile interval, {settings.draws:,} draws of "
        f"whole videos, seed {settings.seed}.",
        "n: pairs of VidOmni and VidHalLoc that are in the score, documents of other tasks.",
        "unparsed: sentences without a label (VidOmni), answers without a verdict (VidHalLoc).",
        "failed: pairs of VidOmni and answers of VidHalLoc whose request failed. They count as "
        "unparsed; a score whose name ends in _answered leaves them out, and stands here only "
        "where some failed.",
        "missing: pairs left out of the run because their videos were not there.",
        *(
            f"{task.task}, {task.run}: {SCORES_ONLY}. Its AUROC is in the table of methods with "
            "scores."
            for of_task in tasks.values()
            for task in of_task
            if task.scores_only
        ),
        "Runs with a limit, or cut short, stand behind the others of their task.",
        "warnings: how many things are wrong with the run, or limit what its scores say.",
    )
    return Table("leaderboard", "Scores of all runs", COLUMNS, rows, notes)


def _task_rows(runs: Sequence[TaskRun], settings: Settings) -> list[list[Cell]]:
    """Return the rows of one task, its metrics in order and each from the best to the worst."""
    ours = [run for run in runs if run.kind in MAIN and run.items]
    terms = [pair_terms(run, answered=True).only(SHOWN[run.kind]) for run in ours]
    measured = {
        run.run: (ends, _videos(of_run))
        for run, of_run, ends in zip(ours, terms, _intervals(terms, settings), strict=True)
    }
    rows: dict[str, list[list[Cell]]] = {}
    for run in runs:
        scores = recomputed(run) or {name: Score(v, 0, "") for name, v in run.scores.items()}
        ends, videos = measured.get(run.run, ({}, {}))
        for name in SHOWN.get(run.kind) or sorted(scores):
            if name in scores and not (name.endswith(ANSWERED) and not _failed(scores)):
                row = _row(run, name, scores, videos.get(name), ends.get(name, (None, None)))
                rows.setdefault(name, []).append(row)
    part = {run.run for run in runs if run.is_part}
    errors = {name for run in runs for name in rows if name.split(",")[0] in run.lower_is_better}
    return [
        row
        for name, of_metric in rows.items()
        for row in sorted(of_metric, key=partial(_best_first, part=part, lower=name in errors))
    ]


def _best_first(
    row: Sequence[Cell], *, part: Collection[str], lower: bool
) -> tuple[bool, float, str]:
    name, score = str(row[0]), row[3]
    if not isinstance(score, float):
        return (name in part, np.inf, name)
    return (name in part, score if lower else -score, name)


def _videos(run: Terms) -> dict[str, int]:
    """Return how many videos are behind each metric."""
    return {
        name: len({c for c, b in zip(run.clusters, run.bottoms[:, column], strict=True) if b})
        for column, name in enumerate(run.metrics)
    }


def _row(
    run: TaskRun,
    name: str,
    scores: Mapping[str, Score],
    videos: int | None,
    ends: tuple[float | None, float | None],
) -> list[Cell]:
    """Return one row; ``videos`` and ``ends`` are None where there are no samples."""
    score = scores[name]
    empty = run.kind in MAIN and (score.value < 0 or run.scores_only)
    over = score.over if run.items else run.expected
    unparsed = scores.get(UNPARSED.get(run.kind, ""))
    missing = scores.get("missing") if run.kind != "other" else None
    return [
        run.run,
        run.task,
        name,
        None if empty else float(score.value),
        *ends,
        0 if run.scores_only else over,
        videos,
        unparsed.value if unparsed and unparsed.value >= 0 else None,
        _failed(scores) if run.kind != "other" else None,
        int(missing.value) if missing else None,
        len(run.problems),
        run.signature.data,
        run.signature.short(),
    ]


def _failed(scores: Mapping[str, Score]) -> int | None:
    """Return how many requests failed; None where it is not known."""
    return int(scores["failed"].value) if "failed" in scores else None


def _intervals(runs: Sequence[Terms], settings: Settings) -> list[Ends]:
    """Return the intervals of every metric; runs on the same pairs are drawn together."""
    found: list[Ends] = [{} for _ in runs]
    alike: dict[tuple[Hashable, ...], list[int]] = {}
    for k, run in enumerate(runs):
        alike.setdefault(run.clusters, []).append(k)
    for clusters, members in alike.items():
        values = drawn_ratios(
            np.hstack([runs[k].tops for k in members]),
            np.hstack([runs[k].bottoms for k in members]),
            clusters,
            seed=settings.seed,
            draws=settings.draws,
        )
        width = len(runs[members[0]].metrics)
        for place, k in enumerate(members):
            found[k] = _ends(runs[k], values[:, place * width :][:, :width], settings)
    return found


def _ends(run: Terms, values: NDArray[np.float64], settings: Settings) -> Ends:
    ends: Ends = {}
    for column, name in enumerate(run.metrics):
        inside = {c for c, b in zip(run.clusters, run.bottoms[:, column], strict=True) if b}
        interval = percentiles(values[:, column], len(inside), settings.level)
        defined = not interval.reason
        ends[name] = (interval.low, interval.high) if defined else (None, None)
    return ends
