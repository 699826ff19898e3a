"""What was measured of videos, on disk as soon as it is known: one SQLite file in the pool."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from vidomni_plugin.build.pool.database import opened
from vidomni_plugin.build.pool.measure import Facts, Measured, Picture, Role
from vidomni_plugin.build.pool.reasons import Reason

__all__ = ["NAME", "Store", "open_store"]

NAME = "measured.sqlite"
_TABLES = """
CREATE TABLE IF NOT EXISTS measured (
    key TEXT PRIMARY KEY, facts TEXT, hashes BLOB, reason TEXT, detail TEXT
);
CREATE TABLE IF NOT EXISTS pictures (
    key TEXT, role TEXT, number INTEGER, time_s REAL, jpeg BLOB, PRIMARY KEY (key, role, number)
) WITHOUT ROWID;
"""


class Store:
    """Measurements by key; see ``settings.content_key``."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def keys(self) -> set[str]:
        """Return the keys of all that was measured."""
        return {key for (key,) in self._database.execute("SELECT key FROM measured")}

    def keep(self, key: str, measured: Measured) -> None:
        """Keep a video's measurements whole; they are on disk when this returns."""
        facts = json.dumps(asdict(measured.facts)) if measured.facts else None
        reason = measured.reason.value if measured.reason else None
        with self._database:
            self._database.execute(
                "INSERT OR REPLACE INTO measured VALUES (?, ?, ?, ?, ?)",
                (key, facts, measured.hashes, reason, measured.detail),
            )
            self._database.executemany(
                "INSERT OR REPLACE INTO pictures VALUES (?, ?, ?, ?, ?)",
                [(key, *picture) for picture in measured.pictures],
            )

    def get(self, key: str) -> Measured:
        """Return what was measured, without its pictures.

        Raises:
            KeyError: If nothing is kept under the key.
        """
        row = self._database.execute(
            "SELECT facts, hashes, reason, detail FROM measured WHERE key = ?", (key,)
        ).fetchone()
        if row is None:
            raise KeyError(key)
        facts = Facts(**json.loads(row[0])) if row[0] else None
        return Measured(facts, row[1], [], Reason(row[2]) if row[2] else None, row[3])

    def pictures(self, key: str, role: Role) -> list[Picture]:
        """Return the kept pictures of a video in their order."""
        rows = self._database.execute(
            "SELECT role, number, time_s, jpeg FROM pictures WHERE key = ? AND role = ? "
            "ORDER BY number",
            (key, role),
        )
        return [Picture(*row) for row in rows]


@contextmanager
def open_store(folder: Path) -> Iterator[Store]:
    """Open the measurements of a pool; they are made where there are none.

    Raises:
        InputProblems: If the file cannot be read or written, or is no such file.
    """
    with opened(folder / NAME, _TABLES) as database:
        yield Store(database)
