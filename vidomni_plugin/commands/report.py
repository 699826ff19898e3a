"""``vidomni report``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from vidomni_plugin.problems import InputProblems, Problem, printable
from vidomni_plugin.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vidomni_plugin.report.assemble import Options, Report
    from vidomni_plugin.report.settings import Settings

__all__ = ["report"]

LARGE = 25_000_000
"""Bytes of a page that opens and is sent without trouble."""
SHOWN = 20
"""So many warnings are printed; the report has all."""


def report(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]RUN...",
            help="What lmms-eval --output_path was given, of runs with --log_samples: folders of "
            "several models, tasks and dates together, or single results files. NAME is what "
            "tables and figures call the runs there, as in sft=logs/a; without it a run is called "
            "by its checkpoint and what tells it from the others.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            help="Folder for the report: report.html, tables/, figures/, leaderboard.csv and "
            "report.json. Made as a whole, or not at all.",
        ),
    ],
    seed: Annotated[
        Optional[int],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Option(
            "--seed",
            min=0,
            help="Seed of all intervals. Without it the papers' seeds are used: 20260906, and "
            "20260825 and 20260826 for the gap between ontology and dynamic hallucination.",
        ),
    ] = None,
    draws: Annotated[
        int,
        typer.Option(
            "--draws",
            min=100,
            max=1_000_000,
            help="Bootstrap draws of an interval; the papers' number by default.",
        ),
    ] = 10_000,
    posters: Annotated[
        bool,
        typer.Option(
            "--posters",
            help="Put small pictures of each video into the page, for readers who do not have the "
            "videos. Needs the data on this machine.",
        ),
    ] = False,
    no_page: Annotated[
        bool, typer.Option("--no-page", help="Write no report.html: tables and figures only.")
    ] = False,
    no_answers: Annotated[
        bool,
        typer.Option(
            "--no-answers",
            help="Leave the models' raw answers out of the page: labels, verdicts and reasons "
            "stay. Answers are most of a page of many models.",
        ),
    ] = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Replace an earlier report at OUT. A folder with other files is never replaced.",
        ),
    ] = False,
) -> None:
    """Make the papers' tables and figures, and a page to look at, of any number of runs.

    Needs no model and no GPU. Runs of one model may lie in several folders.
    What is wrong with a run (cut short, limited, other data) is printed and
    stands at the top of the page; the command ends with 1 only if nothing can
    be read.

    Example: vidomni report logs/model_a logs/model_b --out report
    Example: vidomni report sft=logs/run_7 dpo=logs/run_9 --out report
    """
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from vidomni_plugin.report.assemble import Options, assemble
    from vidomni_plugin.report.draw import helpers
    from vidomni_plugin.report.find import given
    from vidomni_plugin.report.folder import check_place
    from vidomni_plugin.report.settings import Settings

    if no_page and (posters or no_answers):
        name = "--posters" if posters else "--no-answers"
        raise typer.BadParameter(f"{name} is for the page: leave --no-page out")
    check_place(out, replace=force)
    settings = _settings(Settings(draws=draws), seed)
    options = Options(
        page=not no_page,
        posters=posters,
        answers=not no_answers,
        replace=force,
        beside=helpers(),
    )
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("starting")

        def say(what: str) -> None:
            progress.update(bar, description=what)

        made = assemble([given(run) for run in runs], settings, say)
        files = _written(made, out, options, say)
    _warn(made)
    _say_size(out, options)
    _say_posters(made, options)
    typer.echo(printable(_summary(made, out, files)))


def _settings(usual: Settings, seed: int | None) -> Settings:
    from dataclasses import replace

    if seed is None:
        return usual
    return replace(usual, seed=seed, gap_seed=seed, category_seed=seed)


def _written(made: Report, out: Path, options: Options, say: Callable[[str], None]) -> list[str]:
    from vidomni_plugin.report.assemble import write_report

    try:
        return write_report(made, out, options, say)
    except OSError as error:
        reason = error.strerror or str(error)
        problem = Problem("no-folder", str(error.filename or out), reason, "choose another --out")
        raise InputProblems("the report cannot be written", [problem]) from None


def _warn(made: Report) -> None:
    for problem in made.problems[:SHOWN]:
        typer.echo(f"warning: {problem}", err=True)
    hints = dict.fromkeys(problem.hint for problem in made.problems if problem.hint)
    if len(made.problems) > SHOWN:
        rest = counted(len(made.problems) - SHOWN, "more warning")
        typer.echo(f"... and {rest}; the report has all of them", err=True)
    for hint in hints:
        typer.echo(printable(f"-> {hint}"), err=True)


def _say_size(out: Path, options: Options) -> None:
    """Tell the way out where the page is a large one."""
    size = (out / "report.html").stat().st_size if options.page else 0
    if size <= LARGE:
        return
    names = [name for name, on in (("--no-answers", options.answers),) if on]
    names += ["no --posters"] if options.posters else []
    ways = " or ".join([*names, "fewer runs"])
    text = f"note: report.html has {size / 1e6:.0f} MB and is slow to open: {ways} make it smaller"
    typer.echo(text, err=True)


def _say_posters(made: Report, options: Options) -> None:
    """Tell of how many videos the page lacks the pictures that were asked for."""
    if not options.posters:
        return
    from vidomni_plugin.report.page.media import files_of, wanted_videos
    from vidomni_plugin.report.roots import data_roots

    wanted = wanted_videos(made.runs)
    total = sum(map(len, wanted.values()))
    missing = total - len(files_of(wanted, data_roots(made.runs)))
    if missing:
        text = f"note: --posters: {missing:,} of {counted(total, 'video')} not on this machine: no "
        text += "pictures of them; VIDOMNI_DATA and VIDHALLOC_DATA say where the data are"
        typer.echo(text, err=True)


def _summary(made: Report, out: Path, files: Sequence[str]) -> str:
    """Return the last line: what was made of what, and where to look."""
    tasks = {name for run in made.runs for name in run.tasks}
    parts = [
        counted(len(made.runs), "run"),
        counted(len(tasks), "task"),
        counted(1 + len(made.tables), "table"),  # the leaderboard is one
        counted(len(made.figures), "figure"),
        counted(len(made.problems), "warning"),
    ]
    place = out / "report.html" if "report.html" in files else out
    return f"{', '.join(parts)}: open {place}"
