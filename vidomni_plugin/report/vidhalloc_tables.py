"""VidHalLoc's tables of a report: the runs at hand, then the published rows, marked as such."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from vidomni_plugin.joint import Estimate
from vidomni_plugin.published import published, rows
from vidomni_plugin.report.runs import TaskRun
from vidomni_plugin.report.settings import Settings, interval_note
from vidomni_plugin.report.vidhalloc_analysis import Analysis, analyse
from vidomni_plugin.report.vidhalloc_category_tables import category_tables
from vidomni_plugin.report.vidhalloc_gap_tables import gap_tables
from vidomni_plugin.report.vidhalloc_measures import constant
from vidomni_plugin.report.vidhalloc_pairs import MEASURES, Method, by_task
from vidomni_plugin.report.vidhalloc_rows import (
    PAPER_TASK,
    PUBLISHED,
    REFERENCE,
    RUN,
    bounds,
    interval_columns,
    left_out_notes,
    paper_pairs,
    paper_videos,
    scores_only_notes,
)
from vidomni_plugin.report.vidhalloc_score_tables import score_tables
from vidomni_plugin.tables import Cell, Column, Table
from vidomni_plugin.vidhalloc import metrics
from vidomni_plugin.wording import counted

__all__ = ["CONSTANT", "STATES", "analysis_tables", "tables"]

CONSTANT = {"always ACCEPT": 1.0, "always REJECT": 0.0, "ACCEPT or REJECT at random": 0.5}
"""Methods that do not look at the video, with the share of answers that they accept."""
STATES = {
    "both": "both correct",
    "factual_only": "factual only",
    "counterfactual_only": "counterfactual only",
    "neither": "neither",
}
"""Outcome states of a pair, in the order of Table 15."""


def tables(task_runs: Sequence[TaskRun], settings: Settings) -> list[Table]:
    """Return VidHalLoc's tables of some runs; none where no run is of VidHalLoc."""
    return analysis_tables(analyse(task_runs, settings))


def analysis_tables(found: Analysis) -> list[Table]:
    """Return the tables in the order in which they are read; none without a run.

    Every run is scored over its own whole pairs. Where runs of a task have different pairs, one
    more table has them over the pairs that all of them have; averages over runs are always over
    those.
    """
    if not found.methods:
        return []
    return [
        _accuracy(found),
        *([_on_common_pairs(found)] if found.common else []),
        _outcomes(found),
        _answers(found.methods),
        *category_tables(found),
        *gap_tables(found),
        *score_tables(found),
    ]


_ACCURACY_COLUMNS = (
    *map(Column, ("run", "source", "task", "pairs", "videos")),
    *(column for measure in MEASURES for column in interval_columns(measure.capitalize())),
    Column("undecided answers"),
)


def _accuracy(found: Analysis) -> Table:
    body = _accuracy_rows(found.methods, found.accuracies)
    body += [
        [name, REFERENCE, None, None, None, *_without_intervals(constant(rate)), None]
        for name, rate in CONSTANT.items()
    ]
    intervals = {row["method"]: row["overall_ci"] for row in rows("vidhalloc", "table9_detectors")}
    for row in rows("vidhalloc", "table5"):
        cells = _without_intervals(row)[:-2]
        cells += intervals.get(row["method"], [None, None])
        start = (row["method"], PUBLISHED, PAPER_TASK, paper_pairs(), paper_videos())
        body.append([*start, *cells, None])
    return Table(
        "vidhalloc_accuracy",
        "VidHalLoc accuracy in percent (Table 5)",
        _ACCURACY_COLUMNS,
        body,
        [
            "Factual: factual answer accepted. Counterfactual: counterfactual answer rejected. "
            "Overall: both.",
            "An undecided answer is wrong on its side.",
            *scores_only_notes(found.methods),
            interval_note(found.settings),
            "Reference rows are expected values of methods that do not look at the video.",
            "Published rows are over the paper's 800 pairs; it prints an interval of Overall for "
            "the four detectors.",
        ],
    )


def _on_common_pairs(found: Analysis) -> Table:
    body: list[list[Cell]] = []
    notes = []
    of_task = by_task(found.methods)
    for task, estimates in found.common.items():
        common = found.means[task].common
        body += _accuracy_rows(common, estimates)
        shared = len(common[0].ids)
        kept = {method.name for method in common}
        more = sum(method.name in kept and len(method.ids) > shared for method in of_task[task])
        notes.append(
            f"{task}: {counted(shared, 'pair is', 'pairs are')} in all {len(common)} runs that "
            "have a whole pair, with the same content; "
            f"{counted(more, 'of these runs has', 'of these runs have')} other pairs too, which "
            "are left out here."
        )
    return Table(
        "vidhalloc_accuracy_common",
        "VidHalLoc accuracy in percent over the pairs that all runs of a task have",
        _ACCURACY_COLUMNS,
        body,
        [*notes, *left_out_notes(found.left_out), interval_note(found.settings)],
    )


def _accuracy_rows(
    found: Sequence[Method], estimates: Mapping[str, Mapping[str, Estimate]]
) -> list[list[Cell]]:
    return [
        [
            *(method.name, RUN, method.task, len(method.ids), len(set(method.videos))),
            *(
                cell
                for measure in MEASURES
                for cell in (method.score(measure), *bounds(estimates[method.name][measure]))
            ),
            sum(answer["label"] is None for answer in method.answers),
        ]
        for method in found
    ]


def _without_intervals(values: dict[str, float]) -> list[Cell]:
    return [cell for measure in MEASURES for cell in (values[measure], None, None)]


def _outcomes(found: Analysis) -> Table:
    body: list[list[Cell]] = []
    for method in found.methods:
        start = (method.name, RUN, method.task, len(method.ids))
        outcomes = found.outcomes[method.name]
        body.append([*start, *outcomes.percents, outcomes.undecided])
    body += [
        [method, PUBLISHED, PAPER_TASK, paper_pairs(), *percents, None]
        for method, *percents in published()["vidhalloc"]["table15_outcomes"]["rows"]
    ]
    return Table(
        "vidhalloc_outcomes",
        "VidHalLoc outcome states of pairs in percent (Table 15)",
        [
            *map(Column, ("run", "source", "task", "pairs")),
            *(Column(title, 2) for title in STATES.values()),
            Column("pairs with an undecided answer"),
        ],
        body,
        [
            "Factual only: the method accepts both answers; counterfactual only: it rejects "
            "both; neither: it is right on neither answer.",
            *scores_only_notes(found.methods),
            "An undecided answer is not right: a pair with one is in the state that the other "
            "answer gives, with two in neither.",
        ],
    )


def _answers(found: Sequence[Method]) -> Table:
    reasons = [
        Counter(str(a["reason"]) for a in method.answers if a["label"] is None) for method in found
    ]
    names = sorted({name for counts in reasons for name in counts})
    body: list[list[Cell]] = []
    for method, why in zip(found, reasons, strict=True):
        labels = Counter(answer["label"] for answer in method.answers)
        total = len(method.answers)
        decided = total and not method.scores_only
        rate = labels["ACCEPT"] / total if decided else None
        rejected = labels["REJECT"] / total if decided else None
        blind = None if rate is None or rejected is None else 100.0 * rate * rejected
        body.append(
            [
                *(method.name, method.task, total, labels["ACCEPT"], labels["REJECT"]),
                None if rate is None else 100.0 * rate,
                blind,
                labels[None],
                *(why[name] for name in names),
                *(_count("incomplete", method), _count("missing", method)),
            ]
        )
    return Table(
        "vidhalloc_answers",
        "VidHalLoc answers: accepted, rejected, and without a verdict by reason",
        [
            *map(Column, ("run", "task", "answers", "accepted", "rejected")),
            Column("accept rate, %", 2),
            Column("Overall of a blind method, %", 2),
            Column("undecided"),
            *(Column(f"undecided: {name}") for name in names),
            Column("pairs with one answer"),
            Column("pairs without video"),
        ],
        body,
        [
            *scores_only_notes(found),
            "Half of all answers are right, so an accept rate far from 50 % shows a leaning to one "
            "verdict.",
            "A blind method gives as many of either verdict, but at random.",
            "Pairs with one answer only, and pairs whose video was not there, are in no score.",
        ],
    )


def _count(metric: str, method: Method) -> int:
    return int(metrics.score(metric, method.answers).value)
