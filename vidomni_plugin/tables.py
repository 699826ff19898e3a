"""Tables of numbers: one table is shown on the terminal and written as Markdown, CSV and LaTeX.

Cells may hold text from data, which is never trusted: each form escapes what has a meaning
in it, and control characters go everywhere.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from pathlib import Path
from typing import Literal

from vidomni_plugin.data.lines import write_text

__all__ = [
    "NOTHING",
    "Cell",
    "Column",
    "Table",
    "as_csv",
    "as_markdown",
    "beside_published",
    "interval",
    "numeric",
    "plain",
    "rounded",
    "shown",
    "telling",
    "write_table",
]

Cell = str | int | float | None
"""Text, a count, a measured value, or None where there is nothing to show."""
NOTHING = "-"
"""How a cell without a value is shown; in CSV it is empty."""
NOISE_DIGITS = 9
"""Digits that are kept of a float: 0.1 + 0.2 and 0.3 must round alike."""
LONGEST_NUMBER = 400
"""Digits that suffice for every float, with decimals."""
MOST_DIGITS = 17
"""Significant digits that tell every float from every other."""
_FORMULA = frozenset("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
"""A spreadsheet takes text that starts so for a formula, some also the full-width signs."""
_FORMULA_INSIDE = re.compile(r";(?=[=+\-@])")
"""Where lists are separated with semicolons, a spreadsheet starts another cell here."""
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~#$&])")
_NAME = re.compile(r"[a-z0-9][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column; ``digits`` is how many decimals its floats are shown with."""

    title: str
    digits: int = 1
    published: bool = False
    """The paper's value of what the column before it shows of the data at hand."""
    significant: int = 0
    """Where it is not 0, so many significant digits in place of decimals: for values of any
    scale."""
    end: Literal["", "low", "high"] = ""
    """Which end of the interval of a value it holds: the last column before it that is neither
    published nor an end."""


def beside_published(title: str, digits: int = 1) -> tuple[Column, Column]:
    """Return a column and the one for the paper's value of the same thing."""
    return Column(title, digits), Column(f"published {title}", digits, published=True)


def interval(title: str = "", digits: int = 1) -> tuple[Column, Column]:
    """Return the columns of the ends of a value's interval; a title where a table has several.

    Example:
        >>> [column.title for column in (*interval(), *interval("F1"))]
        ['low', 'high', 'F1 low', 'F1 high']
    """
    low, high = f"{title} low".strip(), f"{title} high".strip()
    return Column(low, digits, end="low"), Column(high, digits, end="high")


@dataclass(frozen=True, slots=True)
class Table:
    """A table with what a reader needs to understand it."""

    name: str
    """File name without its ending: lower-case letters, digits and ``_``."""
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()
    """Conventions and denominators, one sentence each, shown under the table."""
    label: str = ""
    """What LaTeX refers to it by, behind ``tab:``, with hyphens; the name where none is
    given."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"{self.name!r} cannot be the name of a table")
        if not self.columns or self.columns[0].published or self.columns[0].end:
            raise ValueError(f"{self.name}: no column that a published value could stand beside")
        titles = [column.title for column in self.columns]
        if twice := sorted({title for title in titles if titles.count(title) > 1}):
            raise ValueError(f"{self.name}: columns of the same title: {', '.join(twice)}")
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.name}: {len(row)} cells for {len(self.columns)} columns")


def rounded(value: float, digits: int) -> str:
    """Return a number with this many decimals, halves away from zero as the papers do.

    Example:
        >>> rounded(34.625, 2), rounded(2.675, 2), rounded(-0.04, 1), rounded(3, 0)
        ('34.63', '2.68', '0.0', '3')
    """
    exact = Decimal(repr(round(float(value), NOISE_DIGITS)))
    step = Decimal(1).scaleb(-digits)
    shown = exact.quantize(step, rounding=ROUND_HALF_UP, context=Context(prec=LONGEST_NUMBER))
    return str(abs(shown) if shown == 0 else shown)


def plain(text: str) -> str:
    r"""Return text on one line, without control characters.

    Example:
        >>> plain("a\x1b[31m\nb")
        'a [31m b'
    """
    kept = (" " if unicodedata.category(c)[0] in "CZ" else c for c in text)
    return " ".join("".join(kept).split())


def shown(cell: Cell, column: Column, *, thousands: str = "") -> str:
    """Return a cell as text, on one line."""
    if cell is None:
        return NOTHING
    if isinstance(cell, str):
        return plain(cell)
    if isinstance(cell, int):
        return f"{cell:,}".replace(",", thousands)
    if column.significant:
        return f"{cell:.{column.significant}g}"
    return rounded(cell, column.digits)


def telling(groups: Iterable[Iterable[float]], least: int) -> int:
    """Return how many significant digits tell the different values of each group apart.

    Args:
        groups: Values; those of two groups may look alike.
        least: The least number of digits.

    Example:
        >>> telling([[0.1, 0.2], [0.000123451, 0.000123452]], 4)
        6
    """
    distinct = [set(group) for group in groups]
    for digits in range(least, MOST_DIGITS):
        if all(len({f"{v:.{digits}g}" for v in values}) == len(values) for values in distinct):
            return digits
    return MOST_DIGITS


def numeric(table: Table, index: int) -> bool:
    """Return whether a column holds no text; such columns stand right."""
    return not any(isinstance(row[index], str) for row in table.rows)


def as_markdown(table: Table) -> str:
    """Return the table as GitHub's Markdown, its title above and its notes below."""

    def safe(text: str) -> str:
        return _MARKDOWN.sub(r"\\\1", text)

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells)} |"

    heads = [safe(column.title) for column in table.columns]
    rules = ["---:" if numeric(table, i) else "---" for i in range(len(heads))]
    body = [
        line([safe(shown(c, k, thousands=",")) for c, k in zip(row, table.columns, strict=True)])
        for row in table.rows
    ]
    lines = [f"**{safe(table.title)}**", "", line(heads), line(rules), *body]
    for note in table.notes:
        lines += ["", safe(plain(note))]
    return "\n".join(lines) + "\n"


def as_csv(table: Table) -> str:
    """Return the rows as CSV with a header line; a cell is empty where nothing is known.

    Floats keep all their digits. Text that a spreadsheet would run as a formula gets an
    apostrophe in front.
    """

    def safe(cell: Cell) -> str | int | float:
        if cell is None:
            return ""
        if not isinstance(cell, str):
            return cell
        text = _FORMULA_INSIDE.sub(";'", plain(cell))
        return f"'{text}" if text[:1] in _FORMULA else text

    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([safe(column.title) for column in table.columns])
    writer.writerows([[safe(cell) for cell in row] for row in table.rows])
    return file.getvalue()


def write_table(table: Table, folder: Path) -> list[Path]:
    """Write ``<name>.md``, ``<name>.csv`` and ``<name>.tex`` into a folder.

    Returns:
        The three files.

    Raises:
        OSError: If the folder cannot be written.
    """
    from vidomni_plugin.latex import as_latex  # it needs what is above

    texts = {"md": as_markdown(table), "csv": as_csv(table), "tex": as_latex(table)}
    paths = []
    for ending, text in texts.items():
        path = folder / f"{table.name}.{ending}"
        write_text(path, text)
        paths.append(path)
    return paths
