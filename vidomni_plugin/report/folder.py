"""The folder of a report: made as a whole beside its place, then put there in one step."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["INDEX", "KIND", "check_place", "new_folder"]

INDEX = "report.json"
"""The file that tells a report from any other folder; it lists the report's files."""
KIND = "vidomni report"
"""What stands in that file under ``kind``."""
SHOWN = 5
"""So many files of others are named."""


def check_place(out: Path, *, replace: bool) -> None:
    """Raise InputProblems unless a report may be put at ``out``.

    It may where nothing is, where an empty folder is, and, with ``replace``, where an earlier
    report is and nothing else. A folder with any other file is never replaced.
    """
    try:
        is_folder = out.is_dir()
    except OSError as error:  # such as a name that is too long
        _refuse(out, error.strerror or str(error))
    if is_folder:
        if any(out.iterdir()):
            _check_report(out, replace=replace)
    elif out.exists() or out.is_symlink():
        _refuse(out, "this is not a folder")
    above = next(parent for parent in out.absolute().parents if parent.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        problem = Problem("no-folder", str(above), "cannot be written", "choose another --out")
        raise InputProblems("no place for the report", [problem])


def _check_report(out: Path, *, replace: bool) -> None:
    files = _files_of_report(out)
    if files is None:
        _refuse(out, f"the folder holds files that are no report (it has no {INDEX} of one)")
    present = (path for path in sorted(out.rglob("*")) if not path.is_dir() or path.is_symlink())
    others = [str(path.relative_to(out)) for path in present]
    others = [name for name in others if name not in files]
    if others:
        more = f" and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
        named = ", ".join(others[:SHOWN])
        _refuse(out, f"the report's folder also holds files of somebody else: {named}{more}")
    if not replace:
        _refuse(out, "there is a report already", "--force replaces it, or choose another --out")


def _refuse(out: Path, reason: str, hint: str = "choose another --out") -> NoReturn:
    raise InputProblems("the report is not written", [Problem("exists", str(out), reason, hint)])


def _files_of_report(out: Path) -> frozenset[str] | None:
    """Return the files that an earlier report wrote, or None where there is no report."""
    try:
        index = json.loads((out / INDEX).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(index, dict) or index.get("kind") != KIND:
        return None
    files = index.get("files")
    return frozenset(map(str, files)) | {INDEX} if isinstance(files, list) else None


@contextmanager
def new_folder(out: Path, *, replace: bool) -> Iterator[Path]:
    """Yield an empty folder that takes the place of ``out`` once everything in it is written.

    On an error, and on Ctrl-C, it is removed and what was at ``out`` stays.

    Raises:
        InputProblems: If something is at ``out`` that must stay; see ``check_place``.
        OSError: If a folder cannot be written.
    """
    check_place(out, replace=replace)
    place = out.resolve()  # a link to a folder stays, and what it points to is replaced
    place.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{place.name[:50]}.", suffix=".tmp", dir=place.parent))
    try:
        fresh = work / "new"
        fresh.mkdir()
        yield fresh
        check_place(out, replace=replace)  # files may have come meanwhile
        if place.exists():
            place.rename(work / "old")
        try:
            fresh.rename(place)
        except BaseException:
            if (work / "old").exists():
                (work / "old").rename(place)
            raise
    finally:
        if place.exists() or not (work / "old").exists():
            shutil.rmtree(work, ignore_errors=True)
