"""Open one of a pool's SQLite files; what is wrong with it becomes a problem."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["opened"]


@contextmanager
def opened(file: Path, tables: str) -> Iterator[sqlite3.Connection]:
    """Open a file while the context lasts; it is made where there is none.

    Args:
        file: In the folder of a pool.
        tables: Statements that make the tables that are not there yet.

    Raises:
        InputProblems: If the file cannot be read or written, also later on, or is no database.
    """
    database: sqlite3.Connection | None = None
    try:
        database = sqlite3.connect(file)
        database.executescript(tables)
        yield database
    except sqlite3.DatabaseError as error:
        hint = "make room or mend the permissions; or delete the file, and all in it is made again"
        problem = Problem("unreadable", str(file), str(error), hint)
        raise InputProblems("the pool", [problem]) from None
    finally:
        if database is not None:
            database.close()
