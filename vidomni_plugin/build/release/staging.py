"""Make a folder whole or not at all: it is filled beside its place, and renamed at the end."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from vidomni_plugin.build.release.reading import TITLE
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["refuse_existing", "staged", "staging_of"]

LOCK = ".lock"


def staging_of(root: Path) -> Path:
    """Return the folder that a release is made in.

    Example:
        >>> staging_of(Path("/data/MyRelease")).name
        '.MyRelease.unfinished'
    """
    return root.parent / f".{root.name}.unfinished"


def refuse_existing(root: Path) -> None:
    """Raise if something is there already.

    Raises:
        InputProblems: With the code ``exists``.
    """
    if os.path.lexists(root):
        hint = "name a new folder, or remove this one yourself: a release is never replaced"
        raise InputProblems(TITLE, [Problem("exists", str(root), "it is there already", hint)])


@contextmanager
def staged(root: Path) -> Iterator[Path]:
    """Give an empty folder that becomes ``root`` when the context ends well, else goes away.

    What a killed command left is cleared by the next one.

    Raises:
        InputProblems: If ``root`` exists, its parent cannot be written, or another command makes
            the same release.
    """
    refuse_existing(root)
    folder = staging_of(root)
    lock = FileLock(folder / LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()) and not (folder / LOCK).is_file():
            message, hint = "it is none of an unfinished release", "remove it, or move it away"
            raise InputProblems(TITLE, [Problem("exists", str(folder), message, hint)])
        lock.acquire(timeout=0)
    except Timeout:
        message, hint = "another command makes this release", "wait for its end"
        raise InputProblems(TITLE, [Problem("locked", str(root), message, hint)]) from None
    except OSError as error:
        problem = Problem("no-folder", str(root.parent), error.strerror or str(error))
        raise InputProblems(TITLE, [problem]) from None
    try:
        _clear(folder)
        yield folder
        refuse_existing(root)
        os.rename(folder, root)
        (root / LOCK).unlink(missing_ok=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        lock.release()


def _clear(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name == LOCK:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
