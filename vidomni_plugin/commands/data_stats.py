"""``vidomni data stats``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from vidomni_plugin.problems import InputProblems, Problem, printable

if TYPE_CHECKING:
    from vidomni_plugin.data.locate import Benchmark
    from vidomni_plugin.data.statistics.output import Result

__all__ = ["stats"]


def stats(
    benchmark: Annotated[
        Optional[str],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Argument(help="vidomni or vidhalloc; both where none is given."),
    ] = None,
    root: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--root",
            help="Folder with the data, or mini for the built-in sample; goes before variables "
            "and defaults.",
        ),
    ] = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--out",
            help="Folder for the files: each table as Markdown, CSV and LaTeX, each figure as SVG "
            "and PNG, and stats.json with every number. One subfolder a benchmark.",
        ),
    ] = None,
    spacy_model: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--spacy-model",
            help="spaCy model for information units, noun chunks and verbs (VidOmni Table 10), "
            "such as en_core_web_sm. Needs the model and this package's extra 'words'.",
        ),
    ] = None,
    certificates: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--certificates",
            help="JSON lines of annotated intervals for Certificate Coverage (VidOmni Table 2): "
            '{"pair_id": "p", "sentence": 1, "intervals": [[0.0, 4.5]]}',
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Show the papers' tables for the data at hand, beside the published values.

    No video is decoded where the records tell its duration.

    Example: vidomni data stats vidomni --root my_data --out statistics
    --spacy-model en_core_web_sm
    """
    from vidomni_plugin.data.statistics import output

    if benchmark not in {None, "vidomni", "vidhalloc"}:
        raise typer.BadParameter(f"{benchmark!r} is neither vidomni nor vidhalloc")
    if root is not None and benchmark is None:
        raise typer.BadParameter("--root needs the name of a benchmark")
    if benchmark == "vidhalloc" and (certificates or spacy_model):
        raise typer.BadParameter("--certificates and --spacy-model are for vidomni")
    wanted: list[Benchmark] = [b for b in ("vidomni", "vidhalloc") if benchmark in {None, b}]
    results: list[Result] = []
    failed: dict[Benchmark, InputProblems] = {}
    for name in wanted:
        try:
            results.append(_compute(name, root, certificates, spacy_model))
        except InputProblems as error:
            failed[name] = error
    if as_json:
        found_json: dict[str, Any] = {r.benchmark: output.as_json(r) for r in results}
        typer.echo(output.json_text(found_json))
    for result in results:
        if out is not None:
            _write(result, out / result.benchmark)
        if not as_json:
            _show(result)
    absent = [name for name, none in failed.items() if results and _nobody_has(name, none)]
    for name, problems in failed.items():
        typer.echo(f"{name}: no data, not shown" if name in absent else str(problems), err=True)
    raise typer.Exit(int(len(failed) > len(absent)))


def _nobody_has(name: Benchmark, none: InputProblems) -> bool:
    """Return whether there are no data of a benchmark and nobody said that there are."""
    from vidomni_plugin.data.locate import is_named

    return not is_named(name) and all(problem.code == "no-data" for problem in none.problems)


def _compute(
    name: Benchmark, root: Path | None, certificates: Path | None, spacy_model: str | None
) -> Result:
    from vidomni_plugin.data.locate import locate
    from vidomni_plugin.data.statistics.output import compute

    place = locate(name, root, may_download=False)
    if name == "vidhalloc":
        return compute(name, place)
    return compute(name, place, certificates=certificates, spacy_model=spacy_model)


def _show(result: Result) -> None:
    from rich.console import Console

    from vidomni_plugin.terminal import print_table

    console = Console()
    typer.echo(printable(f"{result.benchmark}: {result.root.path} ({result.root.origin})"))
    for table in result.tables:
        print_table(table, console)
        console.print()


def _write(result: Result, folder: Path) -> None:
    from vidomni_plugin.data.statistics.output import write_result

    try:
        paths = write_result(result, folder)
    except OSError as error:
        reason = error.strerror or str(error)
        problem = Problem("no-folder", str(folder), reason, "name a folder that can be written")
        raise InputProblems("statistics cannot be written", [problem]) from None
    typer.echo(printable(f"{len(paths)} files in {folder}"), err=True)
