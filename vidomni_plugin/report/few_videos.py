"""Tables say where an interval rests on so few videos that it is no guide."""

from __future__ import annotations

from dataclasses import replace

from vidomni_plugin.tables import Table
from vidomni_plugin.wording import counted

__all__ = ["FEW", "with_note_on_few"]

FEW = 10
"""Videos below which a percentile bootstrap over videos is far too sure of itself."""


def with_note_on_few(table: Table) -> Table:
    """Return a table with a note where intervals in it are over fewer than ``FEW`` videos."""
    titles = [column.title for column in table.columns]
    ends = [index for index, column in enumerate(table.columns) if column.end]
    if "videos" not in titles or not ends:
        return table
    videos = titles.index("videos")
    given = [row for row in table.rows if any(row[index] is not None for index in ends)]
    few = sum(isinstance(count := row[videos], int) and count < FEW for row in given)
    if not few:
        return table
    note = (
        f"{counted(few, 'row has an interval', 'rows have intervals')} over fewer than {FEW} "
        "videos: these, and their tests, are too sure of themselves."
    )
    return replace(table, notes=[*table.notes, note])
