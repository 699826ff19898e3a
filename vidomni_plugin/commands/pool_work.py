"""What the commands that work on videos of a pool share: bars, a lock, and numbers to compare."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from vidomni_plugin.problems import InputProblems, Problem

if TYPE_CHECKING:
    from vidomni_plugin.build.pool.contents import Watch

__all__ = ["TITLE", "StuckSeconds", "Workers", "cores", "finite", "open_pool", "progress"]

TITLE = "the pool is not built"


def cores() -> int:
    """Return how many cores this process may use."""
    import os

    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def finite(value: float | None) -> float | None:
    """Return an option's value.

    Raises:
        typer.BadParameter: If it is "nan" or "inf", which ``float`` reads and JSON has not.
    """
    import math

    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is no number to compare with")
    return value


Workers = Annotated[
    Optional[int],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
    typer.Option(min=1, help="Processes that decode; as many as there are cores."),
]
StuckSeconds = Annotated[
    float,
    typer.Option(
        min=1, callback=finite, help="A decoder that gives no frame for so long is given up."
    ),
]


@contextmanager
def progress() -> Iterator[Watch]:
    """Show on stderr how far the work is; one bar for each thing that is done."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeRemainingColumn,
    )

    bars: dict[str, TaskID] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as view:

        def watch(what: str, done: int, of: int) -> None:
            if what not in bars:
                bars[what] = view.add_task(what, total=of)
            view.update(bars[what], completed=done, total=of)

        try:
            yield watch
        except KeyboardInterrupt:
            typer.echo("stopped; the same command goes on where it was", err=True)
            raise


@contextmanager
def open_pool(folder: Path) -> Iterator[None]:
    """Make the folder of a pool, and keep other commands out of it while the context lasts.

    Raises:
        InputProblems: If it cannot be written, or another command works in it.
    """
    from filelock import FileLock, Timeout

    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock")
        lock.acquire(timeout=0)
    except Timeout:
        problem = Problem("locked", str(folder), "another command works in it", "wait for its end")
        raise InputProblems(TITLE, [problem]) from None
    except OSError as error:
        problem = Problem("no-folder", str(folder), error.strerror or str(error))
        raise InputProblems(TITLE, [problem]) from None
    try:
        yield
    finally:
        lock.release()
