"""``vidomni data check``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from vidomni_plugin.problems import InputProblems

if TYPE_CHECKING:
    from collections.abc import Callable

    from vidomni_plugin.data.load import Loaded

__all__ = ["check"]


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


def check(
    benchmark: Annotated[
        Optional[str],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Argument(help="vidomni or vidhalloc; both where none is given."),
    ] = None,
    root: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Option("--root", help="Folder with the data; goes before variables and defaults."),
    ] = None,
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
