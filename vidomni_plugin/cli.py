"""The ``vidomni`` command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from vidomni_plugin.problems import InputProblems

if TYPE_CHECKING:
    from collections.abc import Callable

    from vidomni_plugin.data.load import Loaded

app = typer.Typer(
    help="VidOmni-Bench and VidHalLoc for lmms-eval: check the set-up, the data and saved runs. "
    "Models are evaluated with the host's own command, e.g. "
    "lmms-eval --model qwen3_vl --tasks vidomni,vidhalloc,videomme",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
data_app = typer.Typer(help="The data of the benchmarks.", no_args_is_help=True)
app.add_typer(data_app, name="data")

RootOption = Annotated[
    Optional[Path],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
    typer.Option("--root", help="Folder with the data; goes before the variables and defaults."),
]


def _version(wanted: bool) -> None:
    if wanted:
        from vidomni_plugin import __version__

        typer.echo(f"vidomni {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


@app.command()
def path() -> None:
    """Print the folder of the task files, for lmms-eval's --include_path."""
    from vidomni_plugin.host import tasks_folder

    typer.echo(tasks_folder())


@app.command()
def doctor() -> None:
    """Check that everything a run needs is there; each line says how to mend what is not.

    Ends with 1 when something is broken.
    """
    from vidomni_plugin.doctor import BROKEN, examine

    broken = False
    for finding in examine():
        typer.echo(finding.line())
        broken = broken or finding.state == BROKEN
    raise typer.Exit(int(broken))


@app.command()
def score(
    samples: Annotated[
        list[Path], typer.Argument(help="*_samples_*.jsonl that lmms-eval --log_samples wrote.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Score saved samples files again, with today's parser and metrics and without a model."""
    from vidomni_plugin.rescore import rescore

    results = {str(file): rescore(file) for file in samples}
    if as_json:
        scores = {
            file: {name: value._asdict() for name, value in rescored.scores.items()}
            for file, rescored in results.items()
        }
        typer.echo(json.dumps(scores, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    for file, rescored in results.items():
        typer.echo(file)
        view = Table()
        for column in ("metric", "value", "over"):
            view.add_column(column, justify="left" if column == "metric" else "right")
        for name, value in rescored.scores.items():
            view.add_row(name, f"{value.value:.4f}", f"{value.over} {value.unit}")
        Console().print(view)
        if rescored.reasons:
            counts = ", ".join(f"{reason} {n}" for reason, n in rescored.reasons.most_common())
            typer.echo(f"answers without all labels: {counts}")


def _report(inspect: Callable[[], Loaded[Any]]) -> bool:
    """Print what was found of one benchmark; returns whether something is wrong."""
    try:
        loaded = inspect()
    except InputProblems as none:
        typer.echo(str(none), err=True)
        return True
    problems = [*loaded.record_problems, *loaded.video_problems]
    videos = len({pair.video for pair in loaded.pairs})
    typer.echo(
        f"{loaded.root.path} ({loaded.root.origin}): {len(loaded.pairs)} usable pairs on "
        f"{videos} videos, {loaded.missing} pairs without a usable video, "
        f"{len(problems)} problems, data {loaded.digest}"
    )
    for problem in problems:
        typer.echo(f"  {problem}", err=True)
    for hint in dict.fromkeys(problem.hint for problem in problems if problem.hint):
        typer.echo(f"-> {hint}", err=True)
    return bool(problems)


@data_app.command()
def check(
    benchmark: Annotated[
        Optional[str],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Argument(help="vidomni or vidhalloc; both where none is given."),
    ] = None,
    root: RootOption = None,
) -> None:
    """Check records and videos of a data set; lists every problem, ends with 1 if there is one."""
    from vidomni_plugin.data.load import inspect_vidhalloc, inspect_vidomni
    from vidomni_plugin.data.locate import locate

    if benchmark not in {None, "vidomni", "vidhalloc"}:
        raise typer.BadParameter(f"{benchmark!r} is neither vidomni nor vidhalloc")
    if root is not None and benchmark is None:
        raise typer.BadParameter("--root needs the name of a benchmark")
    failed = False
    if benchmark in {None, "vidomni"}:
        failed |= _report(lambda: inspect_vidomni(locate("vidomni", root)))
    if benchmark in {None, "vidhalloc"}:
        failed |= _report(lambda: inspect_vidhalloc(locate("vidhalloc", root)))
    raise typer.Exit(int(failed))


def main() -> None:
    """Run the command; a bad input ends it with its message and exit code 1."""
    try:
        app()
    except InputProblems as problems:
        typer.echo(str(problems), err=True)
        raise SystemExit(1) from None
