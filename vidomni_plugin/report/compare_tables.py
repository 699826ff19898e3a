"""A comparison of two runs as tables, a sentence, and JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from vidomni_plugin import __version__
from vidomni_plugin.report.compare import ALPHA, Compared
from vidomni_plugin.report.compare_scores import OF_SCORES
from vidomni_plugin.report.few_videos import with_note_on_few
from vidomni_plugin.report.metric_row import MetricRow
from vidomni_plugin.report.runs import SCORES_ONLY, TaskRun
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.tables import NOTHING, Cell, Column, Table, interval, rounded
from vidomni_plugin.wording import counted

__all__ = ["as_json", "metrics_table", "only_one_table", "settings_table", "verdict"]

NOT_TOLD = "not in the log"
CALIBRATE = "`vidomni calibrate` chooses a threshold for a detector's scores"
SMALLEST_P = 0.0001
"""A p-value below this is shown as being below it."""


def settings_table(found: Compared) -> Table:
    """Return every setting that differs, and whether it keeps the runs from being compared."""
    rows: list[list[Cell]] = [
        [
            difference.name,
            _setting(difference.name, difference.a, found.a),
            _setting(difference.name, difference.b, found.b),
            "no" if difference.of_the_model else "yes",
        ]
        for difference in found.differences
    ]
    columns = [Column("setting"), Column("A"), Column("B"), Column("needs --allow-different")]
    return Table(f"{_name(found)}_settings", "Settings that differ", columns, rows)


def _setting(name: str, value: str | None, run: TaskRun) -> str:
    """Return a setting in words; a log that is there tells of no limit, and what was not given."""
    if value is not None:
        return value
    if run.scores and name == "limit":
        return "none"
    return "not given" if run.scores and name.startswith("argument ") else NOT_TOLD


def metrics_table(found: Compared, settings: Settings) -> Table:
    """Return one row a metric: both scores, the difference with its interval, p-values."""
    percent = f"{100 * settings.level:g} %"
    columns = [
        *(Column("metric"), Column("n"), Column("videos"), Column("A", 2), Column("B", 2)),
        *(Column("A - B", 2), *interval(digits=2)),
        *(Column("p", 4), Column("Holm p", 4)),
    ]
    rows: list[list[Cell]] = [
        [
            *(row.metric, row.n, row.videos),
            *map(_known, (row.a, row.b, row.difference, row.low, row.high)),
            *map(_known, (row.p_value, row.adjusted)),
        ]
        for row in found.rows
    ]
    test = (
        "p: exact test of McNemar, which takes pairs as independent of each other"
        if found.a.kind == "vidhalloc"
        else "p: paired bootstrap over videos, at least 2 / (draws + 1)"
    )
    if any(row.metric in OF_SCORES for row in found.rows):
        test += "; of auroc and ranking, the paired bootstrap over videos, and over the pairs "
        test += "whose answers have scores in both runs"
    tested = sum(_told(row) for row in found.rows)
    corrected = "No metric was tested: fewer than two videos, or no pair."
    if tested:
        corrected = (
            f"Holm p: corrected for {counted(tested, 'metric that was', 'metrics that were')} "
            "tested. 0.0000 is a p below 0.00005."
        )
    notes = (
        f"Only pairs that both runs have; low and high: {percent} percentile interval of A - B, "
        f"{settings.draws:,} draws of whole videos, seed {settings.seed}.",
        f"{test}. {corrected}",
        _scores_only(found) or _unparsed(found),
    )
    same = found.a.task == found.b.task
    a, b = (run.run if same else f"{run.run} ({run.task})" for run in (found.a, found.b))
    title = f"{found.a.task}: A = {a}, B = {b}" if same else f"A = {a}, B = {b}"
    return with_note_on_few(Table(f"{_name(found)}_metrics", title, columns, rows, notes))


def _scores_only(found: Compared) -> str:
    """Return which run decided nothing, in words; nothing where both did."""
    names = [name for name, run in (("A", found.a), ("B", found.b)) if run.scores_only]
    if not names:
        return ""
    of_scores = any(row.metric in OF_SCORES for row in found.rows)
    what = "accuracies are not compared" if of_scores else "nothing to compare"
    return f"{' and '.join(names)}: {SCORES_ONLY}; {what}. {CALIBRATE}."


def _unparsed(found: Compared) -> str:
    what, rule = "Answers without a verdict", "they are wrong"
    if found.a.kind == "vidomni":
        what, rule = "Sentences without a label", "they count as not flagged"
    shares = [
        f"{name} " + (NOTHING if share is None else f"{rounded(share, 2)} %")
        for name, share in (("A", found.unparsed_a), ("B", found.unparsed_b))
    ]
    return f"{what}: {', '.join(shares)}; {rule}."


def only_one_table(found: Compared) -> Table:
    """Return what only one run got right, by pair."""
    columns = [
        *(Column("only right in"), Column("pair"), Column("video"), Column("sentence")),
        *(Column("gold"), Column("A"), Column("B"), Column("text")),
    ]
    rows: list[list[Cell]] = [list(asdict(one).values()) for one in found.only_one]
    of_vidomni = "Sentences that only one run labelled right; no label (none) is not right."
    of_vidhalloc = "Pairs of which only one run judged both answers right (factual / other)."
    note = of_vidomni if found.a.kind == "vidomni" else of_vidhalloc
    return Table(f"{_name(found)}_only_one_right", "Only one got right", columns, rows, [note])


def verdict(found: Compared, settings: Settings) -> str:
    """Return the main result in words: one run is better where test and interval both say so.

    McNemar's test takes the pairs of a video as independent; the interval over videos does not.
    """
    if not found.rows:
        return "The runs have no pair in common that is the same in both: nothing to compare."
    row = found.rows[0]
    if math.isnan(row.difference):
        without = _scores_only(found)
        return without or f"{row.metric}: no score over {counted(row.n, 'common pair')}."
    ends = f"{_signed(row.low)} to {_signed(row.high)}" if not row.reason else row.reason
    text = (
        f"{row.metric} over {counted(row.n, 'common pair')} of {counted(row.videos, 'video')}: "
        f"A {rounded(row.a, 2)}, "
        f"B {rounded(row.b, 2)}, A - B {_signed(row.difference)} "
        f"({100 * settings.level:g} % interval: {ends}), p {shown_p(row.p_value)}. "
    )
    if math.isnan(row.p_value):
        return text + "Too few videos for a test."
    if row.reason:
        return text + "Without an interval this does not show that either is better."
    by_test, by_interval = row.p_value < ALPHA, not row.low <= 0 <= row.high
    by_mcnemar = found.a.kind == "vidhalloc" and row.metric not in OF_SCORES
    if by_test != by_interval and by_mcnemar:
        return text + (
            "The test over pairs and the interval over videos disagree: this does not show that "
            "either is better."
        )
    if not (by_test and by_interval):
        return text + "This does not show that either is better."
    return text + f"{'A' if row.difference > 0 else 'B'} is better."


def shown_p(p_value: float) -> str:
    """Return a p-value as text.

    Example:
        >>> shown_p(0.00001), shown_p(0.0402), shown_p(float("nan"))
        ('< 0.0001', '= 0.0402', 'unknown')
    """
    if math.isnan(p_value):
        return "unknown"
    return f"< {SMALLEST_P}" if p_value < SMALLEST_P else f"= {rounded(p_value, 4)}"


def as_json(found: Compared, settings: Settings) -> dict[str, Any]:
    """Return the whole comparison; null where nothing is known."""
    return {
        "version": __version__,
        "a": _of_run(found, "a"),
        "b": _of_run(found, "b"),
        "settings": asdict(settings),
        "differences": [asdict(difference) for difference in found.differences],
        "comparable": not found.refused,
        "common": found.common,
        "only_in_a": found.only_in_a,
        "only_in_b": found.only_in_b,
        "changed": list(found.changed),
        "unparsed_a": found.unparsed_a,
        "unparsed_b": found.unparsed_b,
        "other_videos": found.other_videos,
        "metrics": [
            {name: _number(value) for name, value in asdict(row).items()}
            | {"difference": _number(row.difference)}
            for row in found.rows
        ],
        "outcome": found.outcome._asdict() if found.outcome else None,
        "only_one_right": [asdict(one) for one in found.only_one],
    }


def _of_run(found: Compared, which: str) -> dict[str, Any]:
    run = found.a if which == "a" else found.b
    return {
        "run": run.run,
        "task": run.task,
        "signature": run.signature.short(),
        "pairs": len({item["pair_id"] for item in run.items}),
        "problems": [str(problem) for problem in run.problems],
    }


def _number(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _told(row: MetricRow) -> bool:
    return not math.isnan(row.p_value)


def _signed(value: float) -> str:
    text = rounded(value, 2)
    return text if text.startswith("-") else f"+{text}"


def _name(found: Compared) -> str:
    kept = "".join(c if c.isascii() and c.isalnum() else "_" for c in found.a.task.lower())
    return f"compare_{kept}"
