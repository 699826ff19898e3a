"""Where the numbers of a table's row come from: a run at hand, the paper, or arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

from vidomni_plugin.tables import Cell, Table

__all__ = ["PUBLISHED", "REFERENCE", "RUN", "SOURCE", "is_published"]

SOURCE = "source"
"""Title of the column that tells it."""
RUN = "run"
PUBLISHED = "published"
REFERENCE = "reference"


def is_published(table: Table, row: Sequence[Cell]) -> bool:
    """Return whether a row holds a paper's numbers."""
    return any(
        column.title == SOURCE and cell == PUBLISHED
        for column, cell in zip(table.columns, row, strict=True)
    )
