"""Tables on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vidomni_plugin.tables import Cell, Column, Table, numeric, plain, shown

if TYPE_CHECKING:
    import rich.console
    import rich.table

__all__ = ["as_rich", "print_table", "print_whole"]

WIDEST = 1000
"""Columns of a terminal that is wide enough for every table."""
WORD_WIDTH = 14
"""A word or number up to this length is not cut in two on the terminal."""


def as_rich(table: Table) -> rich.table.Table:
    """Return the rows for the terminal; nothing in a cell is taken for markup.

    Published values stand in brackets behind ours, so that wide tables fit. Title and notes are
    printed by ``print_table``.
    """
    import rich.table
    from rich.box import SIMPLE_HEAD
    from rich.text import Text

    view = rich.table.Table(box=SIMPLE_HEAD)
    own = [index for index, column in enumerate(table.columns) if not column.published]
    rows = [_merged(row, table.columns) for row in table.rows]
    for place, index in enumerate(own):
        words = [word for row in rows for word in row[place].split()]
        view.add_column(
            Text(plain(table.columns[index].title)),
            justify="right" if numeric(table, index) else "left",
            overflow="fold",
            min_width=min(WORD_WIDTH, max(map(len, words), default=0)),
        )
    for row in rows:
        view.add_row(*map(Text, row))
    return view


def print_whole(view: rich.table.Table, console: rich.console.Console) -> None:
    """Print a table at least as wide as it must be: a narrow terminal wraps it, cuts nothing."""
    narrow = console.width
    # Neither measured nor printed is what lies beyond the width of the console.
    console.width = WIDEST
    console.width = max(narrow, console.measure(view).minimum)
    console.print(view, crop=False, no_wrap=True)
    console.width = narrow


def print_table(table: Table, console: rich.console.Console) -> None:
    """Show the table with its title and notes.

    Rows that are wider than the terminal are wrapped by it, never cut off.
    """
    from rich.text import Text

    notes = [plain(note) for note in table.notes]
    if any(column.published for column in table.columns):
        notes.insert(0, "In brackets: published.")
    console.print(Text(plain(table.title), style="bold"))
    print_whole(as_rich(table), console)
    for note in notes:
        console.print(Text(note, style="dim"))


def _merged(row: Sequence[Cell], columns: Sequence[Column]) -> list[str]:
    """Return the cells as text, published values in brackets behind ours."""
    merged: list[str] = []
    for cell, column in zip(row, columns, strict=True):
        text = shown(cell, column, thousands=",")
        if column.published:
            merged[-1] += f" ({text})"
        else:
            merged.append(text)
    return merged
