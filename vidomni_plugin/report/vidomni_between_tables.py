"""VidOmni's tables of runs against each other: sizes, frame rates, ensembles, sound."""

from __future__ import annotations

from collections.abc import Iterable

from vidomni_plugin.data.statistics.captions import CATEGORIES
from vidomni_plugin.data.statistics.videos import TYPE_NAMES
from vidomni_plugin.paired import stars
from vidomni_plugin.published import published, same_model
from vidomni_plugin.published import rows as published_rows
from vidomni_plugin.report.settings import interval_note
from vidomni_plugin.report.vidomni_analysis import Analysis
from vidomni_plugin.report.vidomni_between import MOST_PAIRED, other_settings
from vidomni_plugin.report.vidomni_paper import PAPER_NOTE, on_paper_data, paper_gains
from vidomni_plugin.report.vidomni_scored import Scored
from vidomni_plugin.tables import Cell, Column, Table, beside_published, interval

__all__ = ["between_tables"]


def between_tables(found: Analysis) -> list[Table]:
    """Return the tables that the runs at hand allow; a comparison without its runs has none."""
    return [
        *([_figure11(found)] if found.sizes else []),
        *([_table9(found)] if found.sweeps else []),
        *([_table11(found)] if found.ensembles else []),
        *([_table13(found)] if found.sound else []),
    ]


def _figure11(found: Analysis) -> Table:
    body: list[list[Cell]] = []
    for each in found.sizes:
        paper = paper_gains(each.small_run.run, each.large_run.run)
        for category in CATEGORIES:
            gain = each.gains[category]
            cells: list[Cell] = [each.small, each.large, category, gain.value, paper.get(category)]
            body.append([*cells, gain.low, gain.high, gain.over, gain.videos])
    return Table(
        "vidomni_figure11",
        "VidOmni Figure 11: recall gained by size",
        [
            Column("smaller"),
            Column("larger"),
            Column("error category"),
            *beside_published("gain, points"),
            *interval(),
            Column("sentences"),
            Column("videos"),
        ],
        body,
        [
            "Recall of the larger model minus that of the smaller one, on the pairs that both "
            "scored. Families and sizes are read from the checkpoints' names.",
            *_other_settings(
                (each.small, each.small_run, each.large, each.large_run) for each in found.sizes
            ),
            interval_note(found.settings),
            PAPER_NOTE,
        ],
    )


def _other_settings(pairs: Iterable[tuple[str, Scored, str, Scored]]) -> list[str]:
    """Return a note on each two runs whose settings differ: these may be what is seen."""
    notes = (
        f"{name} against {other}: settings differ too, {differ}."
        for name, a, other, b in pairs
        if (differ := other_settings(a, b))
    )
    return list(dict.fromkeys(notes))


def _table9(found: Analysis) -> Table:
    paper = published()["vidomni"]["table9_fps"]
    by_rate = {row["fps"]: row for row in published_rows("vidomni", "table9_fps")}
    body: list[list[Cell]] = []
    for sweep, measured in found.sweeps:
        known = same_model(sweep.checkpoint, paper["model"]) and on_paper_data(
            *(run.run for _, run in sweep.runs)
        )
        for (rate, run), scores in zip(sweep.runs, measured, strict=True):
            for kind, name in TYPE_NAMES.items():
                there = scores.get(("type", kind))
                text = f"{kind} {name}"
                value = by_rate.get(rate, {}).get(f"type{kind}") if known else None
                start = (found.name(run), run.run.task, float(rate))
                cells: list[Cell] = [*start, text]
                if there is None:
                    body.append([*cells, None, value, None, None, 0, 0])
                else:
                    ends = (there.low, there.high, there.over, there.videos)
                    body.append([*cells, there.value, value, *ends])
            whole = scores["score", "f1"]
            cells = [found.name(run), run.run.task, float(rate), "all", whole.value, None]
            body.append([*cells, whole.low, whole.high, whole.over, whole.videos])
    return Table(
        "vidomni_table9",
        "VidOmni Table 9: F1 by frame rate",
        [
            Column("run"),
            Column("task"),
            Column("frames a second"),
            Column("complexity type"),
            *beside_published("F1, %", digits=2),
            *interval(digits=2),
            Column("pairs"),
            Column("videos"),
        ],
        body,
        [
            "Runs of one checkpoint that differ in their frame rate only, on the pairs that all of "
            "them scored.",
            interval_note(found.settings),
            PAPER_NOTE,
        ],
    )


def _table11(found: Analysis) -> Table:
    paper = published_rows("vidomni", "table11_ensemble")
    body: list[list[Cell]] = []
    for row in found.ensembles:
        first, second = row.of.first.run.signature, row.of.second.run.signature
        known = [
            line
            for line in paper
            if row.of.is_self
            and on_paper_data(row.of.first.run, row.of.second.run)
            and same_model(first.checkpoint, line["caption_source"])
            and same_model(second.checkpoint, line["added_verifier"])
        ]
        line = known[0] if known else {}
        names: list[Cell] = [row.of.source, found.name(row.of.first), found.name(row.of.second)]
        scores: list[Cell] = [row.first.value, line.get("self_f1"), row.second.value]
        scores += [row.together.value, line.get("ensemble_f1")]
        scores += [row.gain.value, line.get("gain_pp"), row.gain.low, row.gain.high]
        body.append([*names, *scores, row.gain.over, row.gain.videos])
    return Table(
        "vidomni_table11",
        "VidOmni Table 11: two verifiers together, Incorrect if either says so",
        [
            Column("captions of"),
            Column("verifier"),
            Column("added"),
            *beside_published("F1 alone, %"),
            Column("F1 of the added, %"),
            *beside_published("F1 together, %"),
            *beside_published("gain, points"),
            *interval(),
            Column("pairs"),
            Column("videos"),
        ],
        body,
        [
            "The verifier judges its own captions where one of the runs does; otherwise all "
            f"captions are judged by each two runs, of more than {MOST_PAIRED} runs by those with "
            "the highest F1. A sentence without a label in one run has the "
            "other's.",
            "The gain is over the verifier alone, on the pairs that both scored.",
            interval_note(found.settings),
            PAPER_NOTE,
        ],
    )


def _table13(found: Analysis) -> Table:
    paper = published_rows("vidomni", "table13_audio")
    body: list[list[Cell]] = []
    for row in found.sound:
        checkpoint, test = row.of.heard.run.signature.checkpoint, row.test
        line = next(
            (
                line
                for line in paper
                if on_paper_data(row.of.heard.run, row.of.silent.run)
                and same_model(checkpoint, line["model"])
                and line["audio_category"] == row.of.category
            ),
            {},
        )
        tested = not test.reason
        mark = stars(test.p_value) if tested else None
        names: list[Cell] = [found.name(row.of.heard), found.name(row.of.silent), row.of.category]
        gain: list[Cell] = [row.gain.value, line.get("f1_gain_pp"), row.gain.low, row.gain.high]
        t: list[Cell] = [test.t if tested else None, line.get("t")]
        t += [test.p_value if tested else None, mark, line.get("significance")]
        body.append([*names, *gain, *t, row.gain.over, row.gain.videos])
    return Table(
        "vidomni_table13",
        "VidOmni Table 13: F1 gained by sound",
        [
            Column("run with sound"),
            Column("run without"),
            Column("sound"),
            *beside_published("gain, points"),
            *interval(),
            *beside_published("t"),
            Column("p", 4),
            *beside_published("mark"),
            Column("pairs"),
            Column("videos"),
        ],
        body,
        [
            "Per pair: F1 with sound minus F1 without, pairs joined by id. t and p: one-sample "
            "t-test against 0, as in the paper, which takes pairs as independent of each other; "
            "* p < .05, ** p < .01, *** p < .001; 0.0000 is a p below 0.00005.",
            *_other_settings(
                (found.name(row.of.heard), row.of.heard, found.name(row.of.silent), row.of.silent)
                for row in found.sound
            ),
            interval_note(found.settings)
            + " They do not take the pairs of a video as independent.",
            PAPER_NOTE,
        ],
    )
