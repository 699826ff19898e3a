"""VidOmni's tables by stratum: type, duration, error category, caption source, YouTube."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from vidomni_plugin.data.statistics.captions import CATEGORIES
from vidomni_plugin.data.statistics.videos import DURATIONS, TYPE_NAMES
from vidomni_plugin.published import rows as published_rows
from vidomni_plugin.published import same_model
from vidomni_plugin.report.settings import interval_note
from vidomni_plugin.report.vidomni_analysis import Analysis, Row
from vidomni_plugin.report.vidomni_measures import Key, Measured
from vidomni_plugin.report.vidomni_paper import PAPER_NOTE, on_paper_data, paper_by_source
from vidomni_plugin.report.vidomni_scored import has_sound
from vidomni_plugin.tables import NOTHING, Cell, Column, Table, beside_published, interval
from vidomni_plugin.wording import counted

__all__ = ["strata_tables"]

WITH_SOUND = "Gemini 3 Flash"
"""The model of Table 12 that was given the sound: its F1 there is that of Table 3 with sound."""


def strata_tables(found: Analysis) -> list[Table]:
    """Return the tables of strata, every run in each."""
    return [
        _long(
            found,
            "vidomni_types",
            "VidOmni: F1 by complexity type",
            "complexity type",
            {("type", kind): f"{kind} {name}" for kind, name in TYPE_NAMES.items()},
        ),
        _long(
            found,
            "vidomni_durations",
            "VidOmni: F1 by duration",
            "duration",
            {("duration", name): name for name in DURATIONS},
            ["Durations: short up to 3 minutes, long from 30 minutes."],
        ),
        _long(
            found,
            "vidomni_figure10",
            "VidOmni Figures 10 and 16: F1 by complexity type and duration",
            "type and duration",
            {
                ("cell", kind, name): f"{kind} {TYPE_NAMES[kind]}, {name}"
                for kind in TYPE_NAMES
                for name in DURATIONS
            },
        ),
        _figure8(found),
        _figure12(found),
        *_self_and_cross(found),
        *([_table12(found)] if any(map(_has_youtube, found.rows)) else []),
    ]


def _has_youtube(row: Row) -> bool:
    return row.score("without_youtube").over != row.score("f1").over


def _cells(measured: Measured) -> tuple[float | None, float | None, float | None]:
    return measured.value, measured.low, measured.high


def _long(
    found: Analysis,
    name: str,
    title: str,
    stratum: str,
    keys: Mapping[Key, str],
    notes: Sequence[str] = (),
) -> Table:
    body: list[list[Cell]] = []
    for row in found.rows:
        for key, text in keys.items():
            measured = row.found[key]
            body.append(
                [
                    row.name,
                    row.scored.run.task,
                    text,
                    *_cells(measured),
                    measured.over,
                    measured.videos,
                ]
            )
    return Table(
        name,
        title,
        [
            Column("run"),
            Column("task"),
            Column(stratum),
            Column("F1, %"),
            *interval(),
            Column("pairs"),
            Column("videos"),
        ],
        body,
        [
            f"Means over the pairs of a stratum; {NOTHING} where it is empty, and for the interval "
            "where it has one video.",
            *notes,
            interval_note(found.settings),
        ],
    )


def _figure8(found: Analysis) -> Table:
    body: list[list[Cell]] = []
    strange: Counter[str] = Counter()
    for row in found.rows:
        for category in CATEGORIES:
            measured = row.found["category", category]
            body.append(
                [
                    row.name,
                    row.scored.run.task,
                    category,
                    *_cells(measured),
                    measured.over,
                    measured.videos,
                ]
            )
        names = (name for item in row.scored.items for errors in item["errors"] for name in errors)
        strange.update(name for name in names if name not in CATEGORIES)
    notes = [
        "Recall over the Incorrect sentences that carry the category; a sentence with several "
        "counts in each. Sentences without a marked category are in none.",
        interval_note(found.settings),
    ]
    if strange:
        marks = counted(strange.total(), "mark is", "marks are")
        notes.append(f"{marks} of no category of the paper: left out.")
    return Table(
        "vidomni_figure8",
        "VidOmni Figure 8: recall by error category",
        [
            Column("run"),
            Column("task"),
            Column("error category"),
            Column("recall, %"),
            *interval(),
            Column("sentences"),
            Column("videos"),
        ],
        body,
        notes,
    )


def _figure12(found: Analysis) -> Table:
    body: list[list[Cell]] = []
    for row in found.rows:
        for key, measured in row.found.items():
            if key[0] != "source":
                continue
            source = str(key[1])
            own = same_model(row.scored.run.signature.checkpoint, source)
            paper = paper_by_source(row.scored.run, source)
            cells: list[Cell] = [row.name, row.scored.run.task, source, "self" if own else "cross"]
            cells += [measured.value, paper, measured.low, measured.high]
            body.append([*cells, measured.over, measured.videos])
    return Table(
        "vidomni_figure12",
        "VidOmni Figure 12: F1 by verifier and caption source",
        [
            Column("run"),
            Column("task"),
            Column("caption source"),
            Column("self or cross"),
            *beside_published("F1, %"),
            *interval(),
            Column("pairs"),
            Column("videos"),
        ],
        body,
        [
            "Self: the checkpoint that verifies also wrote the captions, judged by their names.",
            interval_note(found.settings),
            PAPER_NOTE,
        ],
    )


def _self_and_cross(found: Analysis) -> list[Table]:
    body: list[list[Cell]] = []
    for row in found.rows:
        own, others = row.score("self"), row.score("cross")
        if own.value is not None:
            both: list[Cell] = [row.name, row.scored.run.task]
            both += [own.value, own.over, others.value, others.over]
            body.append([*both, *_cells(row.score("self_minus_cross"))])
    table = Table(
        "vidomni_self_cross",
        "VidOmni: F1 on the verifier's own captions against those of others",
        [
            Column("run"),
            Column("task"),
            Column("F1 self, %"),
            Column("n pairs self"),
            Column("F1 cross, %"),
            Column("n pairs cross"),
            Column("difference, points"),
            *interval(),
        ],
        body,
        ["Cross: mean over the pairs of all other caption sources.", interval_note(found.settings)],
    )
    return [table] if body else []


def _table12(found: Analysis) -> Table:
    paper = {
        (r["subset"], r["model"]): r["f1"] for r in published_rows("vidomni", "table12_youtube")
    }
    body: list[list[Cell]] = []
    for row in found.rows:
        checkpoint = row.scored.run.signature.checkpoint
        known = next((m for _, m in paper if same_model(checkpoint, m)), None)
        if known and (known == WITH_SOUND) != has_sound(row.scored.run):
            known = None
        if not on_paper_data(row.scored.run):
            known = None
        for subset, name in (("full", "f1"), ("without_youtube", "without_youtube")):
            measured = row.score(name)
            cells: list[Cell] = [
                row.name,
                row.scored.run.task,
                subset.replace("_youtube", " YouTube"),
            ]
            cells += [measured.value, paper.get((subset, known or ""))]
            body.append([*cells, measured.low, measured.high, measured.over, measured.videos])
    return Table(
        "vidomni_table12",
        "VidOmni Table 12: F1 without videos from YouTube",
        [
            Column("run"),
            Column("task"),
            Column("subset"),
            *beside_published("F1, %", digits=2),
            *interval(digits=2),
            Column("pairs"),
            Column("videos"),
        ],
        body,
        [
            "Without YouTube: pairs whose source_dataset does not begin with YouTube. The paper's "
            f"Gemini 3 Flash has the sound. {NOTHING} where a log does not tell source_dataset.",
            interval_note(found.settings),
            PAPER_NOTE,
        ],
    )
