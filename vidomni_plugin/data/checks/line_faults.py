"""How the lines of an annotation file are written: what is no fault of the data but of the file."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

__all__ = ["BOM", "LineFaults", "line_faults"]

BOM = b"\xef\xbb\xbf"
"""Byte-order mark that some editors put before UTF-8 text."""


class LineFaults(NamedTuple):
    """What readers pass over but other tools stumble on."""

    bom: bool = False
    crlf: tuple[int, ...] = ()
    """Lines that end as on Windows; counted from 1, as everywhere."""
    blanks: tuple[int, ...] = ()
    """Lines that are empty or end with blanks."""


def line_faults(path: Path) -> LineFaults:
    """Return how the lines of a file are written; nothing for a file that cannot be read."""
    try:
        content = path.read_bytes() if path.is_file() else b""  # a pipe would be waited for
    except OSError:
        return LineFaults()  # reading the records says why
    crlf: list[int] = []
    blanks: list[int] = []
    lines = content.removeprefix(BOM).split(b"\n")
    if lines[-1] == b"":
        lines.pop()  # the last line ends with \n, as it should
    for number, line in enumerate(lines, 1):
        whole = line.removesuffix(b"\r")
        if whole != line:
            crlf.append(number)
        if not whole or whole.rstrip() != whole:
            blanks.append(number)
    return LineFaults(content.startswith(BOM), tuple(crlf), tuple(blanks))
