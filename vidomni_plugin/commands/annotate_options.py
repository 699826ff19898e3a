"""Options and steps that the commands of ``vidomni build annotate`` share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

if TYPE_CHECKING:
    from vidomni_plugin.build.annotate.annotators import Annotator
    from vidomni_plugin.build.annotate.plans import Plan
    from vidomni_plugin.tables import Table

__all__ = [
    "DecisionsFile",
    "LeaveOut",
    "PeopleFile",
    "PlanFolder",
    "Unassigned",
    "VotesFile",
    "people_of",
    "show",
    "writing",
]

PlanFolder = Annotated[
    Path, typer.Option("--plan", help="Folder that `vidomni build annotate plan` wrote.")
]
PeopleFile = Annotated[
    Optional[Path],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
    typer.Option(
        "--annotators",
        help="The annotators as they are today, e.g. with label_studio_id (exports in JSON-MIN "
        "name people by number only); the plan's own are taken where this is not given.",
    ),
]
VotesFile = Annotated[Path, typer.Option("--votes", help="votes.jsonl that `read` wrote.")]
DecisionsFile = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(
        "--decisions",
        help="adjudicate.csv with its column `decision` filled in: Correct, Incorrect or Unknown. "
        "Every dispute needs one; any other sentence may have one, which then stands above "
        "the votes.",
    ),
]
LeaveOut = Annotated[
    bool,
    typer.Option(
        "--leave-out-unfinished",
        help="Leave out pairs that fewer than two annotators, or no trusted one, have judged; "
        "without this they are an error.",
    ),
]
Unassigned = Annotated[
    bool,
    typer.Option(
        "--accept-unassigned",
        help="Count annotations of people whom the plan did not give this pair; without this "
        "they are an error, because they upset the plan's balance.",
    ),
]


def show(table: Table, *titles: str) -> None:
    """Print a table; with ``titles`` these columns only, so that it fits a terminal.

    Titles and notes are in the files; the caption says what stands in brackets.
    """
    from dataclasses import replace

    from rich.console import Console

    from vidomni_plugin.terminal import CAPTION, as_rich, print_whole

    if titles:
        kept = [k for k, column in enumerate(table.columns) if column.title in titles]
        table = replace(
            table,
            columns=[table.columns[k] for k in kept],
            rows=[[row[k] for k in kept] for row in table.rows],
        )
    print_whole(as_rich(table), Console())
    if any(column.published for column in table.columns):
        typer.echo(CAPTION)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn what the system says about a folder that cannot be written into a problem."""
    from vidomni_plugin.problems import InputProblems, Problem

    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        place = str(error.filename or folder)
        problem = Problem("no-folder", place, reason, "name a folder that can be written")
        raise InputProblems(f"nothing more is written to {folder}", [problem]) from None


def people_of(plan: Plan, file: Path | None) -> tuple[Annotator, ...]:
    """Return the annotators as they are today; the plan's own without a file."""
    from vidomni_plugin.build.annotate.annotators import read_annotators

    return read_annotators(file) if file is not None else tuple(plan.settings.annotators)
