"""One run from its checks to its last line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import typer

from vidomni_plugin.data.shard import VARIABLE
from vidomni_plugin.problems import InputProblems, printable
from vidomni_plugin.run.arguments import TITLE
from vidomni_plugin.run.checks import check_run
from vidomni_plugin.run.ending import (
    REPORT,
    is_first_rank,
    show_outcomes,
    tell_launcher,
    write_report,
)
from vidomni_plugin.run.host_command import Evaluated, Failed, call_host, task_manager
from vidomni_plugin.run.kept import keep_command
from vidomni_plugin.run.outcome import missing_files, results_file, task_outcomes
from vidomni_plugin.run.planned import RunPlan, wrapped

__all__ = ["finish", "run_plan", "stop"]

INTERRUPTED = 130
"""Exit code of a command that Ctrl-C ended, as shells have it."""


def run_plan(plan: RunPlan, *, report: bool) -> None:
    """Run a plan; returns only if everything is complete.

    Args:
        plan: What is run.
        report: Whether a report is wanted.

    Raises:
        SystemExit: With 1 if something failed, its cause on the last line; with 130 after Ctrl-C.
    """
    told = wrapped(plan)
    if plan.shard is not None:
        os.environ[VARIABLE] = f"{plan.shard.number}/{plan.shard.of}"
    try:
        manager = None
        if is_first_rank():
            _say_places(plan)
            manager = task_manager(told)
            check_run(plan, manager)
            keep_command(plan)
        evaluated = call_host(told, manager)
    except (InputProblems, Failed, KeyboardInterrupt) as error:
        stop(error, plan.journal)
    if evaluated is not None:
        whole = finish(evaluated, plan.output, plan.journal, report=report and plan.shard is None)
        if plan.shard:
            whole = f"shard {plan.shard} ({whole}); `vidomni merge` joins them"
        typer.echo(printable(f"{TITLE}: complete: {whole}"))


def _say_places(plan: RunPlan) -> None:
    text = f"{plan.inner} on {plan.host.tasks}: output {plan.output}"
    text += f", journal {plan.journal}" if plan.journal else ", no journal (--plain)"
    typer.echo(printable(f"{TITLE}: {text}"))


def finish(
    evaluated: Evaluated, output: Path, journal: Path | None, *, report: bool, title: str = TITLE
) -> str:
    """Print what came of a run, and end with 1 if a task is not complete.

    Args:
        evaluated: What the host gave.
        output: Its output folder.
        journal: The folder of the answers, where there is one.
        report: Whether a report is wanted.
        title: The command, for its last line.

    Returns:
        What is complete, for the last line.
    """
    outcomes = task_outcomes(evaluated)
    show_outcomes(outcomes)
    results = results_file(evaluated, output)
    lost = missing_files(evaluated, output)
    places = {"results": str(results), "journal": str(journal) if journal else ""}
    if report and results.is_file():
        places["report"] = write_report(results, output / REPORT)
    for name, place in places.items():
        if place:
            typer.echo(printable(f"{name}: {place}"))
    if doubts := [text for outcome in outcomes if (text := outcome.doubt())]:
        typer.echo(printable(f"warning: {'; '.join(doubts)}"), err=True)
    complaints = [text for outcome in outcomes if (text := outcome.complaint())] + lost
    if not outcomes:
        complaints.append("the host gave no results")
    if complaints:
        if journal is not None and any(outcome.failed for outcome in outcomes):
            again = "`vidomni run` as before asks again what failed, and nothing else"
            typer.echo(again, err=True)
        _say_hint([reason for outcome in outcomes for reason in outcome.failed])
        _end(title, "incomplete", "; ".join(complaints))
    short = [f"{outcome.task}: {outcome.extent()}" for outcome in outcomes if outcome.left_out]
    return "; ".join(short) or "all items"


def stop(error: BaseException, journal: Path | None, title: str = TITLE) -> NoReturn:
    """End a run that did not get to its end, with the cause on the last line."""
    if isinstance(error, KeyboardInterrupt):
        kept = _kept(journal)
        again = f"{kept}; the same command goes on from there" if kept else "no answer is kept"
        _end(title, "stopped", again, INTERRUPTED)
    if isinstance(error, InputProblems):
        typer.echo(str(error), err=True)
        more = len(error.problems) - 1
        rest = f" (and {more} more, see above)" if more else ""
        _end(title, "failed", f"{error.problems[0]}{rest}")
    if kept := _kept(journal) if is_first_rank() else "":
        typer.echo(printable(kept), err=True)
    _say_hint([str(error)])
    _end(title, "failed", str(error))


def _kept(journal: Path | None) -> str:
    """Return where the answers are; empty where there are none."""
    if journal is None or not journal.is_dir():
        return ""
    from vidomni_plugin.models.runner.entries import read_journal

    answers = read_journal(journal).answers
    return f"every answer up to here is in {journal}" if answers else ""


def _say_hint(reasons: Sequence[str]) -> None:
    """Print what to do about the reasons that are known."""
    if reasons and is_first_rank():
        from vidomni_plugin.models.runner.guard import failure_hint

        for hint in dict.fromkeys(filter(None, map(failure_hint, reasons))):
            typer.echo(f"-> {hint}", err=True)


def _end(title: str, state: str, cause: str, code: int = 1) -> NoReturn:
    """Print the last line and end this process, and with it those of the other ranks."""
    sys.stdout.flush()
    if is_first_rank() or code != INTERRUPTED:
        typer.echo(printable(f"{title}: {state}: {cause}"), err=True)
    sys.stderr.flush()
    if int(os.environ.get("WORLD_SIZE") or 1) > 1:
        tell_launcher(cause)
        # The usual end would wait for ranks that wait for this one.
        os._exit(code)
    raise SystemExit(code)
