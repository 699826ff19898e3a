"""VidHalLoc methods with scores: Tables 9 and 10, by part, and the accuracies by threshold."""

from __future__ import annotations

import numpy as np

from vidomni_plugin.joint import Estimate
from vidomni_plugin.published import rows
from vidomni_plugin.report.settings import interval_note
from vidomni_plugin.report.vidhalloc_analysis import Analysis
from vidomni_plugin.report.vidhalloc_pairs import DH, MEASURES, OH
from vidomni_plugin.report.vidhalloc_rows import (
    PAPER_TASK,
    PUBLISHED,
    RUN,
    bounds,
    interval_columns,
    known,
    paper_pairs,
    paper_videos,
    scores_only_notes,
)
from vidomni_plugin.separation import separation
from vidomni_plugin.tables import Cell, Column, Table, telling

__all__ = ["score_tables"]

FEWEST_DIGITS = 4
"""Significant digits of a threshold in a table; more where two would look the same."""
SHOWN_THRESHOLDS = 101
"""So many thresholds of a method stand in the table, evenly spread over its distinct scores."""


def score_tables(found: Analysis) -> list[Table]:
    """Return the table by group, and for methods with scores three more."""
    by_group = _by_group(found)
    if not found.scored:
        return [by_group]
    return [by_group, _separation(found), _by_part(found), _thresholds(found)]


def _by_group(found: Analysis) -> Table:
    body: list[list[Cell]] = []
    for method in found.methods:
        for group in (OH, DH):
            inside = method.mask(group)
            auroc, ranking, ties, n = separation(*method.scores[inside & method.scored].T)
            body.append(
                [
                    *(method.name, RUN, method.task, group.title, int(inside.sum())),
                    *(method.score(measure, group) for measure in MEASURES),
                    *map(known, (auroc, ranking, ties)),
                    n,
                ]
            )
    for row in rows("vidhalloc", "table10_detectors_by_group"):
        pairs = paper_pairs(len((OH if row["group"] == OH.title else DH).categories))
        start = (row["method"], PUBLISHED, PAPER_TASK, row["group"], pairs, None, None)
        cells = (row[name] for name in ("overall", "auroc_x100", "ranking", "ties"))
        body.append([*start, *cells, pairs])
    return Table(
        "vidhalloc_by_group",
        "VidHalLoc on ontology (OH) and dynamic (DH) hallucination, in percent (Table 10)",
        [
            *map(Column, ("run", "source", "task", "group", "pairs")),
            *(Column(title.capitalize(), 2) for title in MEASURES),
            *(Column(title, 2) for title in ("AUROC x 100", "Ranking", "Ties")),
            Column("pairs with scores"),
        ],
        body,
        [_MEANING, *scores_only_notes(found.methods)],
    )


_MEANING = (
    "AUROC: share of all pairings of a factual with a counterfactual score in which the factual "
    "one is higher. Ranking: share of pairs whose factual score is the higher one. Ties count "
    "half in both; Ties: share of pairs with two equal scores."
)


def _separation(found: Analysis) -> Table:
    body: list[list[Cell]] = []
    for scored in found.scored:
        method, measured = scored.method, scored.separation
        estimates: list[Estimate] = [scored.overall, measured.auroc, measured.ranking]
        cells = [c for e in estimates for c in (known(e.value), *bounds(e))]
        start = (method.name, RUN, method.task, len(method.ids), len(set(method.videos)))
        body.append([*start, *cells, known(measured.ties.value)])
    for row in rows("vidhalloc", "table9_detectors"):
        cells = [
            cell
            for name, interval in (
                ("overall", "overall_ci"),
                ("auroc_x100", "auroc_ci"),
                ("ranking", "ranking_ci"),
            )
            for cell in (row[name], *row[interval])
        ]
        start = (row["method"], PUBLISHED, PAPER_TASK, paper_pairs(), paper_videos())
        body.append([*start, *cells, row["ties"]])
    return Table(
        "vidhalloc_scores",
        "VidHalLoc methods with scores, in percent (Table 9)",
        [
            *map(Column, ("run", "source", "task", "pairs", "videos")),
            *interval_columns("Overall"),
            *interval_columns("AUROC x 100"),
            *interval_columns("Ranking"),
            Column("Ties", 2),
        ],
        body,
        [
            _MEANING,
            "Over the pairs with a score of both answers.",
            *scores_only_notes([scored.method for scored in found.scored]),
            interval_note(found.settings),
        ],
    )


def _by_part(found: Analysis) -> Table:
    body: list[list[Cell]] = []
    for scored in found.scored:
        for name, measured in scored.by_part.items():
            cells = [cell for e in measured for cell in (known(e.value), *bounds(e))]
            over = (measured.auroc.n, measured.auroc.clusters)
            body.append([scored.method.name, scored.method.task, name, *over, *cells])
    return Table(
        "vidhalloc_scores_by_part",
        "VidHalLoc scores by task, group and category, in percent",
        [
            *map(Column, ("run", "task", "pairs of", "pairs", "videos")),
            *(c for title in ("AUROC x 100", "Ranking", "Ties") for c in interval_columns(title)),
        ],
        body,
        [
            _MEANING,
            "Each row is over the pairs of its part with a score of both answers; AUROC too takes "
            "no pairing with another part.",
            interval_note(found.settings),
        ],
    )


def _thresholds(found: Analysis) -> Table:
    body: list[list[Cell]] = []
    listed: list[list[float]] = []
    for scored in found.scored:
        method, curve = scored.method, scored.curve
        last = len(curve.thresholds) - 1
        chosen = np.unique(np.linspace(0, last, SHOWN_THRESHOLDS).round().astype(int))
        columns = [np.asarray(column)[chosen].tolist() for column in curve]
        listed.append(columns[0])
        body += [
            [method.name, method.task, len(method.ids), *row] for row in zip(*columns, strict=True)
        ]
    return Table(
        "vidhalloc_thresholds",
        "VidHalLoc accuracies in percent by threshold",
        [
            *map(Column, ("run", "task", "pairs")),
            Column("threshold", significant=telling(listed, FEWEST_DIGITS)),
            *(Column(measure.capitalize(), 2) for measure in MEASURES),
        ],
        body,
        [
            "An answer is accepted iff its score is at least the threshold.",
            f"At most {SHOWN_THRESHOLDS} of a method's distinct scores are listed. A threshold "
            "belongs on a calibration split: the best one here is no result.",
        ],
    )
