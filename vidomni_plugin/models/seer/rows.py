"""Logs of one JSON object a line, which survive a process that was killed while it wrote."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["Row", "append", "mend", "read"]

Row = Mapping[str, Any]


def mend(path: Path) -> None:
    """Cut off a last line without an end, all that a killed process can leave behind."""
    if not path.is_file():
        return
    with path.open("r+b") as file:
        text = file.read()
        whole = text.rfind(b"\n") + 1
        if whole < len(text):
            file.truncate(whole)


def append(path: Path, rows: Iterable[Row]) -> None:
    """Write rows at the end of a log; a line that was cut off before is dropped."""
    mend(path)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def read(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a log; empty lines and a last one that was cut off are left out.

    Raises:
        ValueError: If another line is no object of JSON; it names the file and the line.
        OSError: If there is no such file.
    """
    text = path.read_text(encoding="utf-8", errors="replace")
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if not line.strip() or not line.endswith("\n"):
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise ValueError(f"{path.name}, line {number} is no object of JSON: remove it")
        rows.append(row)
    return rows
