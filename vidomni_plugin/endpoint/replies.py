"""Replies and attempts on disk: a run that dies loses no reply, and no amount that was spent."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import NoReturn

from vidomni_plugin.endpoint.budget import Amount, Budget
from vidomni_plugin.endpoint.call import Call
from vidomni_plugin.endpoint.reply import FailureKind, Reply, Usage
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["Kept", "Opened", "Replies"]

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
    input_tokens INTEGER, cached_tokens INTEGER, output_tokens INTEGER, cost REAL,
    reserved_tokens INTEGER, reserved_cost REAL, spent_tokens INTEGER, spent_cost REAL,
    estimated INTEGER
);
CREATE TABLE spent (tokens INTEGER, cost REAL);
INSERT INTO spent VALUES (0, 0.0);
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """A reply on disk."""

    reply: Reply
    failure: FailureKind | None
    """Set where the model was cut off or refused."""
    message: str


@dataclass(frozen=True, slots=True)
class Opened:
    """An attempt that is under way."""

    number: int
    reserved: Amount


class Replies:
    """A file of replies; threads and processes may use it at once.

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
            self._db = sqlite3.connect(
                path or ":memory:", timeout=BUSY_S, isolation_level=None, check_same_thread=False
            )
        except (sqlite3.Error, OSError) as error:
            self._refuse(error)
        try:
            self._set_up()
        except BaseException:
            self._db.close()
            raise

    def find(self, key: str) -> Kept | None:
        """Return what is known of a call; None if it was never answered."""
        query = (
            "SELECT text, finish_reason, failure, message, input_tokens, cached_tokens,"
            " output_tokens, cost, seconds, attempts FROM replies WHERE key = ?"
        )
        with self._reading() as db:
            row = db.execute(query, (key,)).fetchone()
        if row is None:
            return None
        text, finish, failure, message, asked, cached, said, cost, seconds, attempts = row
        usage = None if asked is None else Usage(asked, cached, said)
        reply = Reply(text, finish, usage, seconds, attempts, cost, kept=True)
        return Kept(reply, FailureKind(failure) if failure else None, message)

    def spent(self) -> Amount:
        """Return what all attempts took; one without an end counts with what was set aside."""
        with self._reading() as db:
            return Amount(*db.execute("SELECT tokens, cost FROM spent").fetchone())

    def open(self, call: Call, item: str, reserved: Amount, budget: Budget) -> Opened | None:
        """Write down an attempt before it is made.

        Args:
            call: What is asked.
            item: What it is asked for.
            reserved: The most that the attempt can take.
            budget: Must allow it, on top of all that is spent and set aside by any process.

        Returns:
            None, with nothing written, if the budget does not allow it.
        """
        with self._writing() as db:
            total = Amount(*db.execute("SELECT tokens, cost FROM spent").fetchone())
            wanted = Amount(total.tokens + reserved.tokens, total.cost + reserved.cost)
            if not budget.allows(wanted):
                return None
            made = db.execute(
                "INSERT INTO attempts (key, role, item, model, started, reserved_tokens,"
                " reserved_cost, spent_tokens, spent_cost) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(call.key, _clean(call.role), _clean(item), _clean(call.model), _now()),
                    *(reserved.tokens, reserved.cost, reserved.tokens, reserved.cost),
                ),
            )
            db.execute("UPDATE spent SET tokens = ?, cost = ?", (wanted.tokens, wanted.cost))
            return Opened(int(made.lastrowid or 0), reserved)

    def close_attempt(
        self,
        opened: Opened,
        outcome: str,
        message: str,
        usage: Usage | None,
        spent: Amount,
        *,
        estimated: bool,
        call: Call | None = None,
        kept: Kept | None = None,
    ) -> None:
        """Write down how an attempt ended, and its reply, if it is one to keep.

        Args:
            opened: The attempt.
            outcome: ``ok``, ``interrupted`` or a kind of failure.
            message: Why it failed.
            usage: As the server counted.
            spent: What counts against the budget.
            estimated: Whether that is what had been set aside, since nobody counted.
            call: What was asked, where there is a reply to keep.
            kept: The reply; the first one of a call stays.
        """
        tokens = (usage.input, usage.cached, usage.output) if usage else (None, None, None)
        with self._writing() as db:
            db.execute(
                "UPDATE attempts SET ended = ?, outcome = ?, message = ?, input_tokens = ?,"
                " cached_tokens = ?, output_tokens = ?, cost = ?, spent_tokens = ?,"
                " spent_cost = ?, estimated = ? WHERE id = ?",
                (
                    *(_now(), outcome, _clean(message), *tokens),
                    *(None if usage is None else spent.cost, spent.tokens, spent.cost),
                    *(int(estimated), opened.number),
                ),
            )
            db.execute(
                "UPDATE spent SET tokens = tokens + ?, cost = cost + ?",
                (spent.tokens - opened.reserved.tokens, spent.cost - opened.reserved.cost),
            )
            if kept is not None and call is not None:
                reply = kept.reply
                db.execute(
                    f"INSERT OR IGNORE INTO replies VALUES ({', '.join('?' * 14)})",
                    (
                        *(call.key, _clean(call.role), _clean(call.model), _clean(reply.text)),
                        *(_clean(reply.finish_reason), str(kept.failure) if kept.failure else None),
                        *(_clean(kept.message), *tokens, reply.cost, reply.seconds),
                        *(reply.attempts, _now()),
                    ),
                )

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> Replies:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _set_up(self) -> None:
        with self._writing() as db:
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
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._db
            except sqlite3.Error as error:
                self._refuse(error)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Hold the file for this process until all is written, or nothing."""
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


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _clean(text: str) -> str:
    """Return text that a file can hold: half a character, which JSON allows, becomes a mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
