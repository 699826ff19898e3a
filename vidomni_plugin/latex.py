"""Tables for papers: LaTeX that fits the page, whatever the number of columns and rows."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from vidomni_plugin.tables import Cell, Column, Table, numeric, plain, shown

__all__ = ["as_latex"]

NOTHING = "--"
"""An en dash: a cell without a value."""
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{character: "\\" + character for character in "&%$#_{}"},
}
_OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*)")
_OF_THE_PAPER = re.compile(
    r" \((?:Table|Figure)s? [^)]*\)|,? (?:Table|Figure)s? \d+(?:(?:,| and) \d+)*(?=:)"
)
"""Numbers of the papers' tables in our titles: in a caption they would name the wrong table."""
LONGEST_TEXT = 300
"""Characters of a text cell that are printed; the CSV has all."""
WRAPPED = 34
"""A text column wider than this has lines of so many characters, or of ``WRAPPED_TEXT``."""
WRAPPED_TEXT = 60
HEAD = 9
"""Characters of a line of a head: longer heads have several lines."""
CHARACTER = 5.0
"""Width of a character in points, at 10 points."""
BETWEEN = 8.0
"""Points between two columns: twice the ``\\tabcolsep`` that is set."""
LINE = 12.5
"""Height of a line in points."""
UPRIGHT = (345.0, 540.0)
"""Width and height of a page's text in points, the narrowest of the usual classes."""
SMALLEST = 0.66
"""A table that would be scaled below this stands sideways; 0.7 is the size of indices."""
ABOVE = 50.0
"""Height of a caption."""
NOTE_LINE, NOTE_CHARACTER = 10.0, 4.2
"""Height of a line and width of a character of the notes in points."""


@dataclass(frozen=True)  # without slots, for the cached properties
class _Shown:
    """A column as it is printed."""

    head: str
    cells: Sequence[str]
    is_number: bool

    @cached_property
    def width(self) -> int:
        """In characters."""
        longest = max(map(len, self.cells), default=0)
        if not self.is_number and longest > WRAPPED:
            longest = WRAPPED_TEXT if longest > 2 * WRAPPED_TEXT else WRAPPED
        return max([longest, *map(len, self.head_lines)])  # a head may be empty

    @cached_property
    def is_wrapped(self) -> bool:
        return any(len(cell) > self.width for cell in self.cells)

    @cached_property
    def head_lines(self) -> list[str]:
        return textwrap.wrap(self.head, HEAD, break_long_words=False, break_on_hyphens=False)

    def lines(self, row: int) -> int:
        """Return how many lines a cell takes; words leave a fifth of a line empty."""
        return math.ceil(1.2 * len(self.cells[row]) / self.width) if self.is_wrapped else 1


def as_latex(table: Table) -> str:
    r"""Return a table as LaTeX ``table`` floats with rules of booktabs.

    An interval stands in brackets behind its value, and a column without any value is left out.
    A table that is wider than the text is made smaller, one that is much wider stands sideways,
    and one that is longer than a page is cut into several floats. The top of the text says which
    packages it needs. Labels are ``tab:`` and the table's name, with hyphens.
    """
    columns = [c for c in _columns(table) if any(cell != NOTHING for cell in c.cells)]
    columns = columns or _columns(table)[:1]
    natural = sum(column.width * CHARACTER + BETWEEN for column in columns)
    sideways = natural * SMALLEST > UPRIGHT[0]
    width, height = UPRIGHT[::-1] if sideways else UPRIGHT
    notes = [plain(note) for note in table.notes]
    if any(column.end for column in table.columns):
        notes.insert(0, "In brackets: the interval.")
    per_line = width / NOTE_CHARACTER
    of_notes = NOTE_LINE * math.ceil(len(" ".join(notes)) / per_line + 1)
    room = (height - ABOVE - of_notes) / LINE * max(1.0, natural / width)
    room -= max(len(column.head_lines) for column in columns)
    parts = _parts(columns, len(table.rows), max(room, 8.0))
    packages = "array,booktabs,graphicx" + (",rotating" if sideways else "")
    lines = [rf"% needs \usepackage{{{packages}}}"]
    for number, rows in enumerate(parts, 1):
        of = f" ({number} of {len(parts)})" if len(parts) > 1 else ""
        lines += _float(table, columns, rows, of, notes, "sidewaystable" if sideways else "table")
    return "\n".join([*lines, ""])


def _columns(table: Table) -> list[_Shown]:
    """Return the columns that are printed: low and high go into that of their value."""
    found: list[_Shown] = []
    own = 0
    for index, column in enumerate(table.columns):
        cells = [_text(row[index], column) for row in table.rows]
        if column.end:
            before = found[own]
            pairs = zip(before.cells, cells, strict=True)
            joined = [_with_end(value, end, column.end) for value, end in pairs]
            found[own] = _Shown(before.head, joined, before.is_number)
            continue
        if not column.published:
            own = len(found)
        found.append(_Shown(plain(column.title), cells, numeric(table, index)))
    return found


def _text(value: Cell, column: Column) -> str:
    if value is None:
        return NOTHING
    text = shown(value, column, thousands=",")
    if not isinstance(value, str):
        return text.replace("-", "\N{MINUS SIGN}")
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 3]}..."


def _with_end(value: str, end: str, which: str) -> str:
    if end == NOTHING:
        return value
    return f"{value} [{end}," if which == "low" else f"{value} {end}]"


def _parts(columns: Sequence[_Shown], rows: int, room: float) -> list[range]:
    """Return which rows stand in which float, so many lines in each at most."""
    parts, start, used = [], 0, 0
    for row in range(rows):
        needed = max(column.lines(row) for column in columns)
        if row > start and used + needed > room:
            parts.append(range(start, row))
            start, used = row, 0
        used += needed
    return [*parts, range(start, rows)]


def _float(
    table: Table,
    columns: Sequence[_Shown],
    rows: range,
    of: str,
    notes: Sequence[str],
    environment: str,
) -> list[str]:
    label = (table.label or table.name).replace("_", "-")
    number = rows.start and f"-{rows.start + 1}"
    title = _OF_THE_PAPER.sub("", plain(table.title)).rstrip(".")
    is_last = rows.stop == len(table.rows)
    return [
        rf"\begin{{{environment}}}",
        r"\centering",
        rf"\caption{{{_safe(title + of)}.}}",
        rf"\label{{tab:{label}{number or ''}}}",
        r"\setlength{\tabcolsep}{4pt}%",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{''.join(map(_kind, columns))}}}",
        r"\toprule",
        _line([_head(column) for column in columns]),
        r"\midrule",
        *(_line([_cell(column, row) for column in columns]) for row in rows),
        r"\bottomrule",
        r"\end{tabular}}",
        *([rf"\par\medskip{{\footnotesize\raggedright {_safe(' '.join(notes))}\par}}"] * is_last),
        rf"\end{{{environment}}}",
    ]


def _kind(column: _Shown) -> str:
    if column.is_wrapped:
        return rf">{{\raggedright\arraybackslash}}p{{{CHARACTER * column.width:.0f}pt}}"
    return "r" if column.is_number else "l"


def _head(column: _Shown) -> str:
    lines = [_safe(line) for line in column.head_lines]
    lines = [line.replace("A - B", r"A $-$ B") for line in lines]
    if len(lines) < 2:
        return "".join(lines)
    side = "r" if column.is_number else "l"
    stacked = r" \\ ".join(lines)
    return rf"\shortstack[{side}]{{{stacked}}}"


def _cell(column: _Shown, row: int) -> str:
    text = column.cells[row]
    if text == NOTHING:
        return text
    safe = _safe(text)
    if column.is_wrapped:  # names of models have no blanks at which a line could end
        safe = re.sub(r"(?<=[A-Za-z0-9])(-|/|\.|\\_)(?=[A-Za-z0-9])", r"\1\\allowbreak{}", safe)
    return safe.replace("\N{MINUS SIGN}", "$-$") if column.is_number else safe


def _line(cells: Sequence[str]) -> str:
    # Behind the \\ of the row above, "[" begins a length and "*" a star of that command.
    first = f"{{}}{cells[0]}" if cells[0][:1] in {"[", "*"} else cells[0]
    return " & ".join([first, *cells[1:]]) + r" \\"


def _safe(text: str) -> str:
    """Return text that LaTeX prints as it is; options as one types them."""
    pieces = _OPTION.split(text)
    return "".join(
        rf"\texttt{{{_escaped(piece)}}}" if k % 2 else _escaped(piece)
        for k, piece in enumerate(pieces)
    )


def _escaped(text: str) -> str:
    """Return text without a character that LaTeX reads, nor two that it makes one of."""
    text = "".join(_SPECIAL.get(character, character) for character in text)
    return re.sub(r"(?<=-)(?=-)|(?<=[`'?!,])(?=[`',])", "{}", text)
