"""``vidomni ensemble``."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vidomni_plugin.problems import InputProblems, Problem, printable
from vidomni_plugin.wording import counted

if TYPE_CHECKING:
    from vidomni_plugin.report.ensemble import Merged
    from vidomni_plugin.report.runs import TaskRun

__all__ = ["ensemble"]

_NAME = re.compile(r"(?P<start>.*_)?samples_(?P<task>.+)\.jsonl")
"""Names of samples files that reports find."""


def ensemble(
    a: Annotated[
        str,
        typer.Argument(
            metavar="[NAME=]A",
            help="*_samples_vidomni.jsonl of one run, or a folder with that run only. NAME is what "
            "the table and the ensemble call it.",
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="[NAME=]B", help="The same of another run.")],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            help="Samples file to write. A name such as both_samples_vidomni.jsonl is read by "
            "vidomni report and compare, which find the settings in both_results.json beside it; "
            "vidomni score reads any.",
        ),
    ],
) -> None:
    """Join two VidOmni runs: a sentence is Incorrect if either run says so (Table 11).

    A sentence that one run left without a label gets the other's. Pairs are joined by their id;
    pairs that only one run scored are left out and counted.

    Example: vidomni ensemble logs/a_samples_vidomni.jsonl logs/b_samples_vidomni.jsonl
    --out both_samples_vidomni.jsonl
    """
    from vidomni_plugin.data.lines import write_jsonl, write_text
    from vidomni_plugin.data.statistics.output import json_text
    from vidomni_plugin.report.ensemble import merge, results_of

    named = _NAME.fullmatch(out.name)
    results = out.with_name(f"{named['start'] or ''}results.json") if named else None
    for path in (out, results):
        if path and os.path.lexists(path):  # no error on a name that is too long: writing tells
            message = "the file is already there"
            problem = Problem("exists", str(path), message, "name another --out")
            raise InputProblems("the ensemble would replace a file", [problem])
    runs = _read(a, b)
    merged = merge(*runs)
    if runs[0].answered_as(runs[1]):
        typer.echo(
            "warning: both have the same answer to every item: is one given twice?", err=True
        )
    try:
        write_jsonl(out, merged.samples)
        if named and results:
            whole = results_of(*runs, merged, named["task"])
            write_text(results, json_text(whole) + "\n")
    except OSError as error:
        reason = error.strerror or str(error)
        problem = Problem("no-folder", str(out.parent), reason, "name a folder that can be written")
        raise InputProblems("the ensemble cannot be written", [problem]) from None
    _show(*runs, merged)
    typer.echo(printable(f"{counted(len(merged.samples), 'pair')} in {out}"), err=True)
    if not named:
        typer.echo(
            "note: vidomni report finds files by their names; call it *_samples_vidomni.jsonl",
            err=True,
        )


def _read(a: str, b: str) -> tuple[TaskRun, TaskRun]:
    """Return both runs; what is wrong with either is told together, what is odd as warnings."""
    from vidomni_plugin.report.ensemble import only_vidomni
    from vidomni_plugin.report.find import given
    from vidomni_plugin.report.naming import named
    from vidomni_plugin.report.read import read_runs
    from vidomni_plugin.report.runs import Run

    runs: list[TaskRun] = []
    problems: list[Problem] = []
    for path in (a, b):
        try:
            runs.append(only_vidomni(read_runs([given(path)]), path))
        except InputProblems as found:
            problems += found.problems
    if problems:
        raise InputProblems("no ensemble", problems)
    for problem in (problem for run in runs for problem in run.problems):
        typer.echo(f"warning: {problem}", err=True)
    named_runs = named(
        [
            Run(run.run, Path(path), {run.task: run}, ())
            for run, path in zip(runs, (a, b), strict=True)
        ],
        ["A", "B"],
        [given(a).name, given(b).name],
    )
    first, second = (task for run in named_runs for task in run.tasks.values())
    return first, second


def _show(a: TaskRun, b: TaskRun, merged: Merged) -> None:
    from rich.console import Console

    from vidomni_plugin.tables import Cell, Column, Table
    from vidomni_plugin.terminal import print_table
    from vidomni_plugin.vidomni.metrics import summary

    joint = [sample["f1"] for sample in merged.samples]
    ids = {item["pair_id"] for item in joint}
    first, second = ([i for i in run.items if i["pair_id"] in ids] for run in (a, b))
    body: list[list[Cell]] = []
    for name, items in ((f"A {a.run}", first), (f"B {b.run}", second), ("either", joint)):
        scores = summary(items)
        names = ("precision", "recall", "f1", "unlabelled")
        # Below 0: nothing to take a share of, as where every sentence is Unknown.
        values = (scores[score].value for score in names)
        shown = (value if value >= 0 else None for value in values)
        body.append([name, *shown, scores["f1"].over])
    notes = [
        f"Pairs only in A: {merged.only_a:,}; only in B: {merged.only_b:,}; in both with other "
        f"content: {merged.different:,}. These are left out.",
        "Means over pairs. For intervals: vidomni report.",
    ]
    columns = ["", "P, %", "R, %", "F1, %", "unlabelled, %", "n pairs"]
    title = "VidOmni: Incorrect if either run says so"
    table = Table("ensemble", title, [Column(text) for text in columns], body, notes)
    print_table(table, Console())
