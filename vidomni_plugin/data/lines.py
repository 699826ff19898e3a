"""Write files whole or not at all; JSON lines are the project's format for records."""

from __future__ import annotations

import json
import os
import stat
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel

__all__ = ["why_no_lines", "write_bytes", "write_jsonl", "write_text"]


STALE_S = 3600.0
"""A temporary file that nothing was written to for so long belongs to no write at work."""


def why_no_lines(content: bytes) -> str:
    r"""Return why a whole file is no JSON lines; empty where it is, or where only lines are bad.

    A wrong file gets one message, a bad line in the right file one each.

    Example:
        >>> why_no_lines(b'{"a": 1}\n{"a": 2'), why_no_lines(b'{\n "a": 1\n}')
        ('', 'the file is one JSON value over several lines, not one record a line')
    """
    lines = [line for line in content.split(b"\n") if line.strip()]
    if len(lines) < 2 or _is_object(lines[0]):
        return ""
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        if any(line.lstrip().startswith(b"{") for line in lines):
            return ""
        return f"none of its {len(lines)} lines is a JSON object: it is another kind of file"
    return "the file is one JSON value over several lines, not one record a line"


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def write_text(path: Path, text: str) -> None:
    """Write a text file (UTF-8) in one step, as ``write_bytes``."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file in one step: readers see the old content or the new one, never a part.

    What a write of the same file that was killed more than an hour ago has left is removed.

    Raises:
        OSError: If the folder cannot be written; the old file is still there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{path.name[:50]}."
    for left in _left_over(os.path.abspath(path.parent)):
        if left.name.startswith(prefix) and len(left.name) == len(prefix) + len("????????.tmp"):
            with suppress(OSError):
                left.unlink(missing_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)  # a temporary file is private; what we write is as open as any file
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@cache
def _left_over(folder: str) -> tuple[Path, ...]:
    """Return the temporary files of writes that were killed; a folder is looked into once."""
    found = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") and entry.name.endswith(".tmp"):
                with suppress(OSError):  # another process has just removed it
                    about = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(about.st_mode) and about.st_mtime < time.time() - STALE_S:
                        found.append(Path(entry.path))
    return tuple(found)


def write_jsonl(path: Path, rows: Iterable[BaseModel | Mapping[str, Any]]) -> None:
    """Write records as JSON lines (UTF-8, one object a line) in one step, as ``write_text``."""
    write_text(path, "".join(_line(row) + "\n" for row in rows))


def _line(row: BaseModel | Mapping[str, Any]) -> str:
    if isinstance(row, BaseModel):
        return row.model_dump_json()
    return json.dumps(row, ensure_ascii=False, allow_nan=False)
