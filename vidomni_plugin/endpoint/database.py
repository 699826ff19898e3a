"""The SQLite file of replies: opening it, one writer at a time, and what is wrong with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import NoReturn

from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["Database"]

VERSION = 1
"""Of the tables."""
APPLICATION = 0x564F4D45
"""Marks the file as one of ours: "VOME"."""
NOT_OURS = "it is no file of replies of this version"
BUSY_S = 60.0
"""How long to wait for another process that writes."""
TABLES = """
CREATE TABLE replies (
    key TEXT PRIMARY KEY, role TEXT, model TEXT, text TEXT, finish_reason TEXT,
    failure TEXT, message TEXT,
    input_tokens INTEGER, cached_tokens INTEGER, output_tokens INTEGER,
    cost REAL, seconds REAL, attempts INTEGER, at TEXT
);
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY, key TEXT, role TEXT, item TEXT, model TEXT, started TEXT, ended TEXT,
    outcome TEXT, message TEXT,
    input_tokens INTEGER, cached_tokens INTEGER, output_tokens INTEGER,
    reserved_tokens INTEGER, reserved_cost REAL, spent_tokens INTEGER, spent_cost REAL,
    estimated INTEGER
);
CREATE TABLE spent (tokens INTEGER, cost REAL);
INSERT INTO spent VALUES (0, 0.0);
"""


class Database:
    """One connection for all threads of a process.

    The journal is SQLite's rollback journal and not its write-ahead log, which does not work on
    folders that several machines share.

    Args:
        path: Made where it is missing, with its folder. None keeps everything in memory.

    Raises:
        InputProblems: If the file is damaged, is another file, or cannot be written.
    """

    def __init__(self, path: Path | None) -> None:
        self._place = str(path) if path else "replies in memory"
        self._lock = RLock()
        try:
            if path:
                path.parent.mkdir(parents=True, exist_ok=True)
                if path.exists() and not _may_be_ours(path):
                    self._refuse(NOT_OURS)
            place = path.absolute() if path else ":memory:"  # a file may be called so, too
            self._db = sqlite3.connect(
                place, timeout=BUSY_S, isolation_level=None, check_same_thread=False
            )
        except (sqlite3.Error, OSError, ValueError) as error:  # a path may hold a NUL
            self._refuse(error)
        try:
            self._set_up()
        except BaseException:
            self._db.close()
            raise

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def _set_up(self) -> None:
        with self.writing() as db:
            application, version = (
                db.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("application_id", "user_version")
            )
            tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if not tables:
                for statement in TABLES.split(";"):
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {APPLICATION}")
                db.execute(f"PRAGMA user_version = {VERSION}")
            elif (application, version) != (APPLICATION, VERSION):
                self._refuse(NOT_OURS)
            elif (said := db.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                self._refuse(said)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Hold the connection for this thread.

        Raises:
            InputProblems: If the file cannot be read.
        """
        with self._lock:
            try:
                yield self._db
            except sqlite3.Error as error:
                self._refuse(error)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Hold the file for this process until all is written, or nothing.

        Raises:
            InputProblems: If the file cannot be written.
        """
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    yield self._db
                    self._db.execute("COMMIT")
                except BaseException:
                    if self._db.in_transaction:
                        self._db.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                self._refuse(error)

    def _refuse(self, fault: object) -> NoReturn:
        title = "the replies of the model cannot be kept"
        if "locked" in str(fault):
            hint = "wait for its end"
            problem = Problem("locked", self._place, "another process keeps it locked", hint)
        else:
            hint = "see that it can be written, or move it away; all is then asked again"
            problem = Problem("unreadable", self._place, str(fault), hint)
        raise InputProblems(title, [problem]) from None


def _may_be_ours(path: Path) -> bool:
    """Return whether a file is empty or a database: SQLite writes over very short ones."""
    with path.open("rb") as file:
        return file.read(16) in (b"", b"SQLite format 3\0")
