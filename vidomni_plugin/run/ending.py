"""What a run says at its end: scores, what failed, where everything is; the cause comes last."""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence
from pathlib import Path

import typer

from vidomni_plugin.problems import InputProblems, printable
from vidomni_plugin.run.outcome import TaskOutcome

__all__ = ["REPORT", "is_first_rank", "show_outcomes", "tell_launcher", "write_report"]

REPORT = "report"
"""Folder of the report inside of the output folder."""
REASONS = 5
"""How many reasons are listed for a task."""


def show_outcomes(outcomes: Sequence[TaskOutcome]) -> None:
    """Print scores of each task, over all items and over those with an answer."""
    from rich.console import Console
    from rich.table import Table

    from vidomni_plugin.tables import NOTHING
    from vidomni_plugin.terminal import print_whole
    from vidomni_plugin.wording import counted

    view = Table()
    failed = any(outcome.failed for outcome in outcomes)
    columns = ("task", "metric", "all items", *(("answered items",) if failed else ()))
    for column in columns:
        view.add_column(column, justify="left" if column in {"task", "metric"} else "right")
    for outcome in outcomes:
        for number, (name, value) in enumerate(outcome.scores.items()):
            told = NOTHING if value is None else f"{value:.2f}"
            cells = [outcome.task if number == 0 else "", name, told]
            if failed:
                known = outcome.answered.get(name)
                same = "" if outcome.failed else told
                cells.append(same if known is None else f"{known:.2f}")
            view.add_row(*map(printable, cells))
    print_whole(view, Console())
    for outcome in outcomes:
        number = sum(outcome.failed.values())
        text = f"{outcome.task}: {outcome.extent()}, {number} failed"
        if outcome.scored_pairs:
            text += f"; {counted(outcome.scored_pairs, 'pair')} with scores of both answers"
        typer.echo(printable(text))
        for reason, times in list(outcome.failed.items())[:REASONS]:
            typer.echo(printable(f"  {times} x {reason}"))


def write_report(results: Path, out: Path) -> str:
    """Write the report of one run.

    Args:
        results: The host's results file.
        out: Folder of the report; an earlier report there is replaced.

    Returns:
        Where the report is, or why there is none.
    """
    from vidomni_plugin.report.assemble import Options, assemble
    from vidomni_plugin.report.assemble import write_report as written
    from vidomni_plugin.report.draw import helpers
    from vidomni_plugin.report.settings import Settings

    def silent(what: str) -> None:
        """Show nothing: the host's own lines stand above."""

    try:
        made = assemble([results], Settings(), silent)
        files = written(made, out, Options(replace=True, beside=helpers()), silent)
    except InputProblems as problems:
        return f"none: {problems.problems[0]}"
    except OSError as error:
        return f"none: {error.filename or out}: {error.strerror or error}"
    # Results of hours are there, and what is wrong with a report must not hide where.
    except Exception as error:
        traceback.print_exc()
        return f"none: {type(error).__name__}: {error}"
    return str(out / "report.html" if "report.html" in files else out)


def is_first_rank() -> bool:
    """Whether this process speaks for the run."""
    return int(os.environ.get("RANK") or 0) == 0


def tell_launcher(cause: str) -> None:
    """Have torchrun say the cause too, in the summary that it prints when all is over."""
    from torch.distributed.elastic.multiprocessing.errors import get_error_handler

    handler = get_error_handler()
    handler.initialize()
    try:
        raise RuntimeError(cause) from None
    except RuntimeError as error:
        handler.record_exception(error)
