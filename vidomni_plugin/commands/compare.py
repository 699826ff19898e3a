"""``vidomni compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from vidomni_plugin.problems import InputProblems, Problem, printable
from vidomni_plugin.wording import counted

if TYPE_CHECKING:
    from vidomni_plugin.report.compare import Compared
    from vidomni_plugin.report.find import Given
    from vidomni_plugin.report.runs import TaskRun
    from vidomni_plugin.report.settings import Settings

__all__ = ["compare"]

SHOWN = 5
"""How many items that only one run got right are printed; --out writes all."""
LONGEST = 200
"""Characters of such a line."""
ONE = "give the results file of one run: <output_path>/<model>/<date>_results.json"


def compare(
    a: Annotated[
        str,
        typer.Argument(
            metavar="[NAME=]A",
            help="Output folder of a run, or its *_results.json or *_samples_*.jsonl. NAME is what "
            "the tables call it, as in sft=logs/a.",
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="[NAME=]B", help="The run that it is compared with.")],
    task: Annotated[
        Optional[str],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Option("--task", help="Compare this task only; all that both runs have otherwise."),
    ] = None,
    allow_different: Annotated[
        bool,
        typer.Option(
            "--allow-different",
            help="Compare although settings or data differ (frames, prompt, data, generation ...). "
            "The result then tells of these differences too, not only of the models.",
        ),
    ] = False,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--out",
            help="Folder for the tables as Markdown, CSV and LaTeX: every metric, the settings "
            "that differ, and every item that only one run got right.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an earlier comparison in OUT.")
    ] = False,
    seed: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--seed", min=0, help="Seed of the bootstrap; the papers' where none is."),
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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Tell whether run A beats run B: the same items, intervals, p-values.

    Items are joined by their ids; only those that both runs have are compared. Runs with
    different settings or data are shown and not compared, and the command ends with 1, unless
    --allow-different is given. The model itself may differ.

    Example: vidomni compare small=logs/small large=logs/large --task vidomni --out small_large
    """
    from vidomni_plugin.report.find import given
    from vidomni_plugin.report.settings import Settings

    if out is not None and not force:
        _refuse_to_replace(out)
    settings = Settings(draws=draws) if seed is None else Settings(seed=seed, draws=draws)
    found = _compared(given(a), given(b), task, settings)
    refused = [] if allow_different else [one for one in found if one.refused]
    shown = [_without_result(one) if one in refused else one for one in found]
    if as_json:
        _print_json(shown, settings)
    for one in shown:
        if not as_json:
            _show(one, settings, refused=one.refused != [] and not allow_different)
    if out is not None:
        _write([one for one in found if one not in refused], settings, out)
    empty = [one for one in found if one not in refused and not _has_result(one)]
    raise typer.Exit(int(bool(refused or empty)))


def _refuse_to_replace(folder: Path) -> None:
    """Raise InputProblems where a comparison lies in a folder: it may be of other runs."""
    try:
        there = _earlier(folder)
    except OSError:
        return  # writing tells what is wrong with the folder
    if there:
        of = f"{counted(len(there), 'file')} of a comparison already there, such as {there[0].name}"
        problem = Problem("exists", str(folder), of, "name another --out, or give --force")
        raise InputProblems("the comparison is not written", [problem])


def _earlier(folder: Path) -> list[Path]:
    """Return the files of a comparison in a folder."""
    return [
        path
        for ending in ("md", "csv", "tex")
        for part in ("metrics", "settings", "only_one_right")
        for path in sorted(folder.glob(f"compare_*_{part}.{ending}"))
    ] + sorted(folder.glob("compare.json"))


def _compared(a: Given, b: Given, task: str | None, settings: Settings) -> list[Compared]:
    """Return the comparison of each task, and tell on stderr meanwhile what is being done."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from vidomni_plugin.report.compare import compare as compare_tasks

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("reading both runs")
        found = []
        for one, two in _chosen(a, b, task):
            progress.update(bar, description=f"comparing {printable(one.task)}")
            found.append(compare_tasks(one, two, settings))
        return found


def _chosen(a: Given, b: Given, task: str | None) -> list[tuple[TaskRun, TaskRun]]:
    """Return the tasks that are compared, with names that tell the runs apart.

    Raises:
        InputProblems: If a path holds no run or several of one task, or there is nothing to
            compare.
    """
    from vidomni_plugin.report.compare import partners
    from vidomni_plugin.report.naming import named
    from vidomni_plugin.report.runs import Run

    runs = [Run(of.path.name, of.path, _tasks(of.path, task), ()) for of in (a, b)]
    one, two = named(runs, ["A", "B"], [a.name, b.name])
    pairs = partners(one.tasks, two.tasks)
    if not pairs:
        have = "; ".join(f"{run.folder}: {', '.join(run.tasks) or 'none'}" for run in runs)
        message = f"no task of VidOmni or VidHalLoc that both runs have ({have})"
        raise InputProblems("nothing to compare", [Problem("usage", "A B", message)])
    return pairs


def _tasks(path: Path, wanted: str | None) -> dict[str, TaskRun]:
    """Return the tasks of all runs in a folder, which must not have one twice."""
    from vidomni_plugin.report.read import read_runs

    tasks: dict[str, TaskRun] = {}
    runs = read_runs([path])
    places: dict[str, list[str]] = {}
    for run in runs:
        for name, found in run.tasks.items():
            if wanted in {None, name}:
                places.setdefault(name, []).append(f"{found.run} in {run.folder}")
                tasks[name] = found
    if twice := sorted(name for name, of in places.items() if len(of) > 1):
        of = "; ".join(dict.fromkeys(place for name in twice for place in places[name]))
        message = f"several runs of {', '.join(twice)}: {of}"
        raise InputProblems("which run?", [Problem("usage", str(path), message, ONE)])
    if not tasks:
        have = ", ".join(sorted({name for run in runs for name in run.tasks}))
        message = f"no task {wanted!r}; there are: {have}"
        raise InputProblems("nothing to compare", [Problem("usage", str(path), message)])
    return tasks


def _without_result(found: Compared) -> Compared:
    from dataclasses import replace

    return replace(found, rows=(), outcome=None, only_one=())


def _print_json(found: list[Compared], settings: Settings) -> None:
    from vidomni_plugin.data.statistics.output import json_text
    from vidomni_plugin.report.compare_tables import as_json

    typer.echo(json_text({"comparisons": [as_json(one, settings) for one in found]}))


def _show(found: Compared, settings: Settings, *, refused: bool) -> None:
    from rich.console import Console

    from vidomni_plugin.report import compare_tables as tables
    from vidomni_plugin.terminal import print_table

    console = Console()
    typer.echo(printable(f"A: {found.a.run} ({found.a.task}), {found.a.signature.short()}"))
    typer.echo(printable(f"B: {found.b.run} ({found.b.task}), {found.b.signature.short()}"))
    for problem in dict.fromkeys([*found.a.problems, *found.b.problems]):
        typer.echo(f"note: {problem}")
    if found.a.responses and found.a.responses == found.b.responses:
        typer.echo("note: both have the same answer to every item: is one run given twice?")
    if found.differences:
        print_table(tables.settings_table(found), console)
    if refused:
        names = ", ".join(difference.name for difference in found.refused)
        differ = "differs" if len(found.refused) == 1 else "differ"
        message = f"not compared: {names} {differ}; --allow-different compares all the same"
        typer.echo(printable(message), err=True)
        return
    typer.echo(printable(_coverage(found)))
    if not _has_result(found):
        typer.echo(tables.verdict(found, settings), err=True)
        return
    print_table(tables.metrics_table(found, settings), console)
    typer.echo(tables.verdict(found, settings))
    if found.outcome:
        of = found.outcome
        typer.echo(
            f"pairs: both right {of.both}, only A {of.only_a}, only B {of.only_b}, "
            f"neither {of.neither}"
        )
    for one in found.only_one[:SHOWN]:
        sentence = f" sentence {one.sentence}" if one.sentence else ""
        line = f"only {one.right} right: {one.pair_id}{sentence}: A {one.a}, B {one.b}: {one.text}"
        typer.echo(printable(line if len(line) <= LONGEST else f"{line[:LONGEST]} ..."))
    if len(found.only_one) > SHOWN:
        typer.echo(f"... the first {SHOWN} of {len(found.only_one)}; --out writes all")


def _has_result(found: Compared) -> bool:
    """Return whether there is anything that both runs have a score of."""
    from vidomni_plugin.report.runs import SCORES_ONLY

    return any(row.reason != SCORES_ONLY for row in found.rows)


def _coverage(found: Compared) -> str:
    parts = [counted(found.common, "common pair")]
    parts += [f"{found.only_in_a} only in A"] if found.only_in_a else []
    parts += [f"{found.only_in_b} only in B"] if found.only_in_b else []
    if found.changed:
        parts.append(f"{len(found.changed)} left out: other content under the same id")
    if found.other_videos:
        parts.append(f"{found.other_videos} with another video file")
    return ", ".join(parts)


def _write(found: list[Compared], settings: Settings, folder: Path) -> None:
    from tempfile import TemporaryDirectory

    from vidomni_plugin.data.lines import write_text
    from vidomni_plugin.data.statistics.output import json_text
    from vidomni_plugin.report import compare_tables as tables
    from vidomni_plugin.tables import write_table

    made = [
        table
        for one in found
        for table in (
            tables.metrics_table(one, settings),
            tables.settings_table(one),
            tables.only_one_table(one),
        )
    ]
    whole = {"comparisons": [tables.as_json(one, settings) for one in found]}
    paths: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # All files are written before the first takes the place of an earlier one.
        with TemporaryDirectory(prefix=".compare-", dir=folder) as beside:
            for table in made:
                paths += write_table(table, Path(beside))
            if found:
                paths.append(Path(beside) / "compare.json")
                write_text(paths[-1], json_text(whole) + "\n")
            for old in _earlier(folder):
                old.unlink()
            for path in paths:
                path.replace(folder / path.name)
    except OSError as error:
        reason = error.strerror or str(error)
        problem = Problem("no-folder", str(folder), reason, "name a folder that can be written")
        raise InputProblems("the comparison cannot be written", [problem]) from None
    typer.echo(printable(f"{counted(len(paths), 'file')} in {folder}"), err=True)
