"""Score an audit: from exports to figures, tables, and the items to look at, as files."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vidomni_plugin.bootstrap import DRAWS, LEVEL
from vidomni_plugin.build.annotate.annotators import Annotator
from vidomni_plugin.build.annotate.reading import notes_table
from vidomni_plugin.build.audit.collect import Judged, collect, complete
from vidomni_plugin.build.audit.draw import SEED
from vidomni_plugin.build.audit.exports import read_exports
from vidomni_plugin.build.audit.files import Sample, Team
from vidomni_plugin.build.audit.labels import CODES, LABELS
from vidomni_plugin.build.audit.look import Look, look_table, looks
from vidomni_plugin.build.audit.measures import Figures, Labelled, Measure, figures
from vidomni_plugin.build.audit.tables import (
    NAMES,
    audit_table,
    calibration_table,
    checks_table,
    labels_table,
)
from vidomni_plugin.data.lines import write_jsonl, write_text
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.published import published
from vidomni_plugin.tables import Table, as_csv, write_table

__all__ = ["Bootstrap", "Scored", "labelled", "score", "write_scored"]


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How intervals are made."""

    seed: int = SEED
    draws: int = DRAWS
    level: float = LEVEL


@dataclass(frozen=True, slots=True)
class Scored:
    """What an audit found."""

    audit: Table
    tables: list[Table]
    """All tables, that of the figures first."""
    looks: list[Look]
    record: dict[str, Any]
    """Everything as JSON values."""
    notes: list[Problem]
    """Drafts, skipped tasks, repeated annotations and what was left out."""


def labelled(judged: Sequence[Judged]) -> Labelled:
    """Return the labels of the items as numbers, in their order."""
    said = [[one.item.label, *(each.label for each in one.all)] for one in judged]
    numbers = [[LABELS.index(label) for label in row] for row in said]
    original, reference, first, second = np.array(numbers, dtype=np.int64).reshape(-1, 4).T
    return Labelled(original, reference, first, second, len(CODES), len(LABELS))


def score(
    exports: Sequence[Path],
    sample: Sample,
    team: Team,
    people: Sequence[Annotator],
    *,
    leave_out_unfinished: bool = False,
    bootstrap: Bootstrap = Bootstrap(),
) -> Scored:
    """Return accuracy, agreement and kappa of an audit.

    Args:
        exports: JSON or JSON-MIN of the three projects, in any number.
        sample: What was to be labelled.
        team: Who was to label it.
        people: Their accounts as they are today.
        leave_out_unfinished: Whether items that one of the three did not judge are left out and
            counted; otherwise they are errors.
        bootstrap: Seed, draws and level.

    Raises:
        InputProblems: With every item that is missing, judged twice or unknown, and every
            annotation that cannot be used; nothing is guessed.
    """
    exported = read_exports(exports)
    collected = collect(sample, team, exported, people)
    judged, missing = complete(sample, team, collected, "audit")
    problems = collected.problems
    notes = [*exported.notes, *collected.notes]
    wanted = {item.label for item in sample.of("audit")}
    if leave_out_unfinished:
        notes += missing
        have = {one.item.label for one in judged}
        problems = problems or [
            Problem("too-few", ", ".join(map(str, exports)), f"{code}: no item that all judged")
            for code, label in zip(CODES, LABELS, strict=False)
            if label in wanted - have
        ]
    else:
        problems = [*problems, *missing]
    if problems:
        raise InputProblems("exports of the audit", problems)
    seed, draws, level = bootstrap.seed, bootstrap.draws, bootstrap.level
    found = figures(labelled(judged), seed=seed, draws=draws, level=level)
    table = audit_table(found, seed=seed, draws=draws, level=level, left_out=len(missing))
    tables = [table, labels_table(judged), checks_table(judged, team)]
    if practice := sample.of("calibration"):
        tables.append(calibration_table(practice, collected.said, team))
    listed = looks(judged)
    record = {
        "bootstrap": {
            "generator": "PCG64",
            "seed": seed,
            "draws": draws,
            "level": level,
            "strata": [c for c, leaf in zip(CODES, LABELS, strict=False) if leaf in wanted],
            "numpy": np.__version__,
        },
        "sample": sample.settings.model_dump(),
        "items": len(judged),
        "videos": len({one.item.pair.media.video_id for one in judged}),
        "left_out": [problem.place.removeprefix("item ") for problem in missing],
        "reference": team.reference.name,
        "workers": [worker.name for worker in team.workers],
        "exports": [
            {"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
            for path in exports
        ],
        "paper": published()["vidhalloc"]["table3_audit"],
        "figures": {name: _values(one) for name, one in zip(NAMES, found, strict=True)},
        "looked_at": len(listed),
    }
    return Scored(table, tables, listed, record, notes)


def _values(one: Figures) -> dict[str, Any]:
    def measure(found: Measure) -> dict[str, Any]:
        values = {"value": found.value, **found.interval._asdict()}
        items = values.pop("clusters")  # each item is drawn by itself
        plain = {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in values.items()
        }
        return plain | {"items_drawn": items}

    return {
        "items": one.items,
        "correct": one.correct,
        "identical": one.identical,
        "accuracy": measure(one.accuracy),
        "agreement": measure(one.agreement),
        "kappa": measure(one.kappa),
    }


def write_scored(folder: Path, scored: Scored) -> None:
    """Write everything; each file whole or not at all.

    Raises:
        OSError: If the folder cannot be written.
    """
    for table in scored.tables:
        write_table(table, folder)
    write_text(folder / "look.csv", as_csv(look_table(scored.looks)))
    write_jsonl(folder / "look.jsonl", [look.record() for look in scored.looks])
    write_text(folder / "notes.csv", as_csv(notes_table(scored.notes)))
    text = json.dumps(scored.record, ensure_ascii=False, indent=1, allow_nan=False)
    write_text(folder / "audit.json", text + "\n")
