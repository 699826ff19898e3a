"""How a run of ``vidomni build pairs`` is seen while it works."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vidomni_plugin.problems import InputProblems

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = ["Shown", "shown"]

EVERY_S = 60.0
"""How often a line is written where there is no terminal, such as a log file."""
LOOK_S = 0.5
"""How often at most the files are asked what there is, when a step came to its end."""
RENDER_S = 2.0
"""How often they are asked where there is a terminal."""


class Shown:
    """Shows rounds, pairs by category, rejections, cost and time on stderr.

    Args:
        console: Where to.
        store: The run's file.
        replies: The file of replies.
        target: Pairs in all.
        currency: Of what was spent; empty where nobody knows prices.
    """

    def __init__(
        self, console: Console, store: Path, replies: Path, target: int, currency: str
    ) -> None:
        from rich.live import Live
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeElapsedColumn as Elapsed

        self._store, self._replies, self._currency = store, replies, currency
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Elapsed())
        self._bar = Progress(*columns, console=console)
        self._pairs = self._bar.add_task("pairs", total=target)
        self._target = target
        self._round = "before the first round"
        self._told = ""
        self._looked = self._lined = -LOOK_S
        self._terminal = console.is_terminal
        self.view = Live(
            console=console, get_renderable=self._render, refresh_per_second=4, transient=True
        )

    def __enter__(self) -> Shown:
        if self._terminal:
            self.view.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.say_no_more()

    def say_no_more(self) -> None:
        """Take the picture away; may be called again."""
        self.view.stop()
        self._terminal = False
        self._lined = float("inf")

    def round_begins(self, number: int, of: int) -> None:
        """Name the round."""
        self._round = f"round {number} of {of}"
        self._bar.update(self._pairs, description=f"pairs, {self._round}")
        self._look()
        if not self._terminal and self._lined < float("inf"):
            self._line()

    def step_done(self) -> None:
        """Count what there is, now and then."""
        now = time.monotonic()
        if now - self._looked >= LOOK_S:
            self._look()
        if not self._terminal and now - self._lined >= EVERY_S:
            self._line()

    def _render(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        if time.monotonic() - self._looked >= RENDER_S:  # also while no step comes to its end
            self._look()
        return Group(self._bar, Text(self._told))

    def _line(self) -> None:
        self._lined = time.monotonic()
        pairs = round(self._bar.tasks[0].completed)
        typer.echo(f"{self._round}: {pairs} of {self._target} pairs; {self._told}", err=True)

    def _look(self) -> None:
        self._looked = time.monotonic()
        with suppress(sqlite3.Error, InputProblems):  # a look ends no run; the next one may do
            self._told = self._seen()

    def _seen(self) -> str:
        from vidomni_plugin.build.pairs.status import spent_in, tally

        if not self._store.is_file():
            return ""
        with closing(sqlite3.connect(f"{self._store.absolute().as_uri()}?mode=ro", uri=True)) as db:
            counts = tally(db)
        spent = spent_in(self._replies)
        self._bar.update(self._pairs, completed=sum(counts.pairs.values()))
        parts = [f"{name.upper()} {count}" for name, count in counts.pairs.items()]
        told = [" ".join(parts), f"{counts.looked_at} videos looked at"]
        told.append(f"{counts.rejected} candidates rejected")
        cost = f", {spent.cost:.4f} {self._currency}" if self._currency else ""
        failed = f" ({spent.failed} failed)" if spent.failed else ""
        told.append(f"{spent.requests} requests{failed}, {spent.tokens:,} tokens{cost}")
        return "; ".join(told)


@contextmanager
def shown(store: Path, replies: Path, target: int, currency: str) -> Iterator[Shown]:
    """Show the progress of a run while the context lasts."""
    from rich.console import Console

    with Shown(Console(stderr=True), store, replies, target, currency) as view:
        yield view
