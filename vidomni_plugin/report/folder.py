"""The folder of a report: made as a whole beside its place, then put there in one step."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

from filelock import FileLock, Timeout

from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["INDEX", "KIND", "check_place", "new_folder"]

INDEX = "report.json"
"""The file that tells a report from any other folder; it lists the report's files."""
KIND = "vidomni report"
"""What stands in that file under ``kind``."""
FRESH, OLD, LOCK = "new", "old", "lock"
"""What stands in the folder that is worked in; whoever works in it holds the lock."""
LONGEST_NAME = 50
"""Characters of a report's name that the name of that folder tells."""
YOUNG = 60.0
"""Seconds: a younger folder may be about to be locked."""
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


_MINE: set[Path] = set()
"""Folders that this process works in: where lmms-eval was run in it too, it lets locks be taken
twice."""


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
    _remove_stale(place)
    work = Path(tempfile.mkdtemp(prefix=_prefix(place), suffix=".tmp", dir=place.parent))
    lock = FileLock(work / LOCK)
    _MINE.add(work)
    try:
        with suppress(OSError, NotImplementedError):  # some disks know no locks
            lock.acquire()
        fresh = work / FRESH
        fresh.mkdir()
        yield fresh
        check_place(out, replace=replace)  # files may have come meanwhile
        if place.exists():
            place.rename(work / OLD)
        try:
            fresh.rename(place)
        except BaseException:
            if (work / OLD).exists():
                (work / OLD).rename(place)
            raise
    finally:
        _MINE.discard(work)
        lock.release()
        if place.exists() or not (work / OLD).exists():
            shutil.rmtree(work, ignore_errors=True)


def _prefix(place: Path) -> str:
    return f".{place.name[:LONGEST_NAME]}."


def _remove_stale(place: Path) -> None:
    """Remove what processes that were killed left beside a report.

    A folder stays while a process works in it, and where it holds the only copy of the report
    that was to be replaced.
    """
    if len(place.name) > LONGEST_NAME:
        return  # it may be of another report
    name = re.compile(re.escape(_prefix(place)) + r"[a-z0-9_]{8}\.tmp")
    for left in sorted(path for path in place.parent.iterdir() if name.fullmatch(path.name)):
        try:
            if (
                left in _MINE
                or not _is_stale(left)
                or ((left / OLD).exists() and not place.exists())
            ):
                continue
            with FileLock(left / LOCK, timeout=0):
                shutil.rmtree(left, ignore_errors=True)
        except (OSError, NotImplementedError, Timeout):
            continue  # somebody works in it, or this machine cannot tell


def _is_stale(left: Path) -> bool:
    """Whether a folder looks like one that a report was worked in, some time ago."""
    if left.is_symlink() or not left.is_dir() or not (left / LOCK).is_file():
        return False
    if {path.name for path in left.iterdir()} - {FRESH, OLD, LOCK}:
        return False
    return time.time() - (left / LOCK).stat().st_mtime > YOUNG
