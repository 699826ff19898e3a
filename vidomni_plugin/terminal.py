"""Tables on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from vidomni_plugin.tables import Cell, Column, Table, numeric, plain, shown

if TYPE_CHECKING:
    import rich.console
    import rich.table

__all__ = ["CAPTION", "as_rich", "print_table", "print_whole"]

CAPTION = "In brackets: published."
"""Of a table that has published values."""
WIDEST = 1_000_000
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

    view = rich.table.Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    own = [index for index, column in enumerate(table.columns) if not column.published]
    rows = [_merged(row, table.columns) for row in table.rows]
    for index in own:
        view.add_column(
            Text(plain(table.columns[index].title)),
            justify="right" if numeric(table, index) else "left",
            overflow="fold",
        )
    for row in rows:
        view.add_row(*map(Text, row))
    return view


def print_whole(view: rich.table.Table, console: rich.console.Console) -> None:
    """Print a table, closer together where it would not fit the terminal, else as a list of rows.

    Nothing is cut off.
    """
    widths = _widths(view, console)
    if not widths:
        view.padding, view.show_edge = (0, 0, 0, 0), False
        widths = _widths(view, console)
    for column, width in zip(view.columns, widths, strict=False):  # none where they do not fit
        column.width = width
    console.print(view if widths else _as_list(view))


def _widths(view: rich.table.Table, console: rich.console.Console) -> list[int]:
    """Return how wide each column is to be; empty where they do not fit the console.

    Words up to ``WORD_WIDTH`` stay whole. Rich itself may make a table wider than the console,
    and then cuts its last columns off.
    """
    least, widths = [], []
    for column in view.columns:
        lines = [line for cell in _cells(column) for line in cell.split("\n")]
        words = [cell_len(word) for line in lines for word in line.split()]
        widths.append(max(map(cell_len, lines)))
        word = max(words, default=0)
        least.append(min(word, WORD_WIDTH) if column.overflow == "fold" else word)
    width = console.width
    console.width = WIDEST  # what lies beyond the width of the console is not measured
    around = console.measure(view).maximum - sum(widths)
    console.width = width
    if sum(least) + around > width:
        return []
    while sum(widths) + around > width:
        room = [has - needs for has, needs in zip(widths, least, strict=True)]
        widest = max((k for k, spare in enumerate(room) if spare), key=lambda k: widths[k])
        widths[widest] -= 1
    return widths


def _cells(column: rich.table.Column) -> list[str]:
    return [str(column.header), *(str(cell) for cell in column.cells)]


def _as_list(view: rich.table.Table) -> rich.table.Table:
    """Return a table of two columns, title and value, with a blank line behind each row."""
    import rich.table
    from rich.text import Text

    grid = rich.table.Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(overflow="fold")
    grid.add_column(overflow="fold")
    titles = [" ".join(str(column.header).split()) for column in view.columns]
    for cells in zip(*(column.cells for column in view.columns), strict=True):
        for title, cell in zip(titles, cells, strict=True):
            grid.add_row(Text(title), Text(str(cell)))
        grid.add_row()
    return grid


def print_table(table: Table, console: rich.console.Console) -> None:
    """Show the table with its title and notes.

    A table that is wider than the terminal is shown row by row, never cut off.
    """
    from rich.text import Text

    notes = [plain(note) for note in table.notes]
    if any(column.published for column in table.columns):
        notes.insert(0, CAPTION)
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
