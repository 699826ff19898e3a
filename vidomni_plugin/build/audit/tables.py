"""The tables of an audit: the paper's Table 3, who gave which label, checks and calibration."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from vidomni_plugin.build.audit.collect import Judged
from vidomni_plugin.build.audit.exports import Said
from vidomni_plugin.build.audit.files import AuditItem, Team
from vidomni_plugin.build.audit.labels import CHECKS, CODES, INVALID, LABELS, code_of
from vidomni_plugin.build.audit.look import at_odds
from vidomni_plugin.build.audit.measures import Figures, Measure, cohen_kappa
from vidomni_plugin.published import published
from vidomni_plugin.tables import Cell, Column, Table, beside_published, interval

__all__ = ["NAMES", "audit_table", "calibration_table", "checks_table", "labels_table"]

NAMES = (*CODES, "all", INVALID)
"""What each of ``measures.figures`` is about, in its order."""
ROLES = ("reference", "worker 1", "worker 2")
PERCENT = 100
PAPER = ("sample_accuracy", "worker_agreement", "cohen_kappa")
"""The paper's names of the three measures, in the order of its rows."""


def _or_none(value: float, scale: int = 1) -> float | None:
    return None if math.isnan(value) else scale * value


def _ends(measure: Measure, scale: int) -> tuple[float | None, float | None]:
    return _or_none(measure.interval.low, scale), _or_none(measure.interval.high, scale)


def audit_table(
    found: Sequence[Figures], *, seed: int, draws: int, level: float, left_out: int
) -> Table:
    """Return the figures with the paper's beside them."""
    paper: Mapping[str, Any] = published()["vidhalloc"]["table3_audit"]
    theirs = {**paper["by_category"], "all": [paper[name] for name in PAPER]}
    rows: list[list[Cell]] = []
    for name, one in zip(NAMES, found, strict=True):
        accuracy, agreement, kappa = theirs.get(name, (None, None, None))
        counted: tuple[Cell, ...] = (one.items, one.correct, one.identical)
        items, correct, identical = counted if name != INVALID else (None, None, None)
        rows.append(
            [
                *(name, items, correct, _or_none(one.accuracy.value, PERCENT), accuracy),
                *_ends(one.accuracy, PERCENT),
                *(identical, _or_none(one.agreement.value, PERCENT), agreement),
                *_ends(one.agreement, PERCENT),
                *(_or_none(one.kappa.value), kappa, *_ends(one.kappa, 1)),
            ]
        )
    columns = [
        *map(Column, ("category", "items", "correct")),
        *(*beside_published("accuracy, %", 2), *interval("accuracy", 2)),
        *(Column("identical"), *beside_published("agreement, %", 2), *interval("agreement", 2)),
        *(*beside_published("kappa", 3), *interval("kappa", 3)),
    ]
    items = found[NAMES.index("all")].items
    notes = [
        "Correct: original labels that equal the reference. Identical: items that both workers "
        "label alike. Both are over the items of the row.",
        f"Kappa: Cohen's, of the two workers, over all {items:,} items: of a category or "
        f"{INVALID} against all other labels, in the row of all of the nine labels.",
        f"Low and high: {100 * level:g} % percentile interval of {draws:,} bootstrap draws within "
        f"each category, PCG64, seed {seed}.",
    ]
    ends = [
        f"{title} {low} to {high}"
        for title, (low, high) in zip(
            ("accuracy", "agreement", "kappa"), (paper[f"{name}_ci"] for name in PAPER), strict=True
        )
    ]
    notes.append(f"Paper's intervals, in the row of all: {', '.join(ends)}.")
    undefined = [
        f"{name} {one.kappa.interval.undefined:,}"
        for name, one in zip(NAMES, found, strict=True)
        if one.kappa.interval.undefined
    ]
    if undefined:
        notes.append(
            "Kappa is undefined where neither worker ever gave the label, or both always did. "
            f"Draws without it, left out: {', '.join(undefined)}."
        )
    if absent := [name for name, one in zip(CODES, found, strict=False) if not one.items]:
        notes.append(f"The sample has no item of {', '.join(absent)}.")
    if left_out:
        notes.append(f"Items that somebody did not judge, left out: {left_out:,}.")
    return Table("audit", "Human audit (Table 3)", columns, rows, notes)


def labels_table(judged: Sequence[Judged]) -> Table:
    """Return how often each label was given, by whom."""
    given = [Counter(one.item.label for one in judged)]
    given += [Counter(one.all[k].label for one in judged) for k in range(len(ROLES))]
    rows: list[list[Cell]] = [
        [code_of(label), *(counts[label] for counts in given)] for label in LABELS
    ]
    columns = [Column(title) for title in ("label", "original", *ROLES)]
    note = f"{len(judged):,} items."
    return Table("labels", "Labels of the audit", columns, rows, [note])


def checks_table(judged: Sequence[Judged], team: Team) -> Table:
    """Return how often each person's checks failed, and how often they do not fit the label."""
    rows: list[list[Cell]] = []
    for k, (role, person) in enumerate(zip(ROLES, team.people, strict=True)):
        said = [one.all[k] for one in judged]
        failed = Counter(name for one in said for name in one.failed)
        invalid = sum(one.label == INVALID for one in said)
        odd = sum(map(at_odds, said))
        rows.append([role, person.name, len(said), invalid, *(failed[c] for c in CHECKS), odd])
    titles = ("role", "person", "items", INVALID, *(f"not {name}" for name in CHECKS), "at odds")
    notes = [
        *(f"Not {name}: a No to '{text}'." for name, text in CHECKS.items()),
        f"At odds: a leaf with a No, or {INVALID} without one; labels count as they were given.",
    ]
    return Table("checks", "Checks of the audit", [Column(title) for title in titles], rows, notes)


def calibration_table(
    items: Sequence[AuditItem], said: Mapping[tuple[str, str], Said], team: Team
) -> Table:
    """Return how far each two agree on the items to practise on, and with the original label."""
    labels = {"original": {item.item: item.label for item in items}}
    for role, person in zip(ROLES, team.people, strict=True):
        own = {item.item: said.get((item.item, person.name)) for item in items}
        labels[role] = {item: one.label for item, one in own.items() if one is not None}
    rows: list[list[Cell]] = []
    for one, other in combinations(labels, 2):
        both = [item for item in labels[one] if item in labels[other]]
        crossed = np.zeros((len(LABELS), len(LABELS)))
        for item in both:
            row, column = labels[one][item], labels[other][item]
            crossed[LABELS.index(row), LABELS.index(column)] += 1
        same = int(np.trace(crossed))
        share = PERCENT * same / len(both) if both else None
        rows.append([one, other, len(both), same, share, _or_none(float(cohen_kappa(crossed)))])
    columns = [
        *map(Column, ("one", "other", "items", "identical")),
        *(Column("identical, %", 2), Column("kappa", 3)),
    ]
    note = f"Of {len(items):,} items of the calibration, those that both judged."
    return Table("calibration", "Calibration of the audit", columns, rows, [note])
