"""Replies and attempts on disk: a run that dies loses no reply, and no amount that was spent."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from vidomni_plugin.endpoint.budget import Amount, Budget
from vidomni_plugin.endpoint.call import Call
from vidomni_plugin.endpoint.database import Database
from vidomni_plugin.endpoint.reply import FailureKind, Reply, Usage

__all__ = ["Ended", "Kept", "Opened", "Replies", "now_text"]

SLICE_S = 0.1
"""How often a thread that waits for others looks whether it is to stop."""


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


@dataclass(frozen=True, slots=True)
class Ended:
    """How an attempt ended."""

    outcome: str
    """``ok``, ``interrupted`` or a kind of failure."""
    message: str
    """Why it failed."""
    usage: Usage | None
    """As the server counted."""
    spent: Amount
    """What counts against the budget."""
    estimated: bool
    """Whether that is what had been set aside, since nobody counted."""


class Replies:
    """A file of replies; threads and processes may use it at once.

    Args:
        path: Made where it is missing, with its folder. None keeps everything in memory.

    Raises:
        InputProblems: If the file is damaged, is another file, or cannot be written.
    """

    def __init__(self, path: Path | None) -> None:
        self._file = Database(path)
        self._settled = threading.Condition()
        self._under_way = 0

    def find(self, key: str) -> Kept | None:
        """Return what is known of a call; None if it was never answered."""
        query = (
            "SELECT text, finish_reason, failure, message, input_tokens, cached_tokens,"
            " output_tokens, cost, seconds, attempts FROM replies WHERE key = ?"
        )
        with self._file.reading() as db:
            row = db.execute(query, (key,)).fetchone()
        if row is None:
            return None
        text, finish, failure, message, asked, cached, said, cost, seconds, attempts = row
        usage = None if asked is None else Usage(asked, cached, said)
        reply = Reply(text, finish, usage, seconds, attempts, cost, kept=True)
        return Kept(reply, FailureKind(failure) if failure else None, message)

    def forget(self, key: str, until: str) -> bool:
        """Forget the reply to a call if it is no younger than that; what it cost stays counted.

        Args:
            key: Of the call.
            until: A time as ``now_text`` gives it.

        Returns:
            Whether there was one.
        """
        with self._file.writing() as db:
            query = "DELETE FROM replies WHERE key = ? AND at <= ?"
            return bool(db.execute(query, (key, until)).rowcount)

    def spent(self) -> Amount:
        """Return what all attempts took; one without an end counts with what was set aside."""
        with self._file.reading() as db:
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
        with self._settled, self._file.writing() as db:
            total = Amount(*db.execute("SELECT tokens, cost FROM spent").fetchone())
            wanted = Amount(total.tokens + reserved.tokens, total.cost + reserved.cost)
            if not budget.allows(wanted):
                return None
            made = db.execute(
                "INSERT INTO attempts (key, role, item, model, started, reserved_tokens,"
                " reserved_cost, spent_tokens, spent_cost) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(call.key, _clean(call.role), _clean(item), _clean(call.model), now_text()),
                    *(reserved.tokens, reserved.cost, reserved.tokens, reserved.cost),
                ),
            )
            db.execute("UPDATE spent SET tokens = ?, cost = ?", (wanted.tokens, wanted.cost))
            self._under_way += 1
            return Opened(int(made.lastrowid or 0), reserved)

    def reserve(
        self,
        call: Call,
        item: str,
        reserved: Amount,
        budget: Budget,
        check: Callable[[], None] = lambda: None,
    ) -> Opened | None:
        """Write down an attempt, once those of other threads have left enough of the budget.

        Args:
            call: What is asked.
            item: What it is asked for.
            reserved: The most that the attempt can take.
            budget: Must allow it.
            check: Called while it waits; what it raises ends the wait.

        Returns:
            None if the budget does not allow it and no attempt of this process is under way.
        """
        with self._settled:
            while not (opened := self.open(call, item, reserved, budget)):
                if not self._under_way:
                    return None
                self._settled.wait(SLICE_S)
                check()
            return opened

    def may_allow(self, reserved: Amount, budget: Budget) -> bool:
        """Return whether the budget allows so much more, now or once other threads are done."""
        with self._settled:
            spent = self.spent()
            wanted = Amount(spent.tokens + reserved.tokens, spent.cost + reserved.cost)
            return self._under_way > 0 or budget.allows(wanted)

    def close_attempt(
        self, opened: Opened, ended: Ended, call: Call | None = None, kept: Kept | None = None
    ) -> Kept | None:
        """Write down how an attempt ended, and its reply, if it is one to keep.

        Args:
            opened: The attempt.
            ended: How it ended.
            call: What was asked, where there is a reply to keep.
            kept: The reply; the first one of a call stays.

        Returns:
            What is kept of the call: another process may have been first. None without a reply.
        """
        first = True
        try:
            with self._file.writing() as db:
                db.execute(
                    "UPDATE attempts SET ended = ?, outcome = ?, message = ?, input_tokens = ?,"
                    " cached_tokens = ?, output_tokens = ?, spent_tokens = ?, spent_cost = ?,"
                    " estimated = ? WHERE id = ?",
                    (
                        *(now_text(), ended.outcome, _clean(ended.message), *_tokens(ended.usage)),
                        *(ended.spent.tokens, ended.spent.cost, int(ended.estimated)),
                        opened.number,
                    ),
                )
                left = opened.reserved
                db.execute(
                    "UPDATE spent SET tokens = tokens + ?, cost = cost + ?",
                    (ended.spent.tokens - left.tokens, ended.spent.cost - left.cost),
                )
                if kept is not None and call is not None:
                    first = _keep(db, call, kept)
            return kept if first or call is None else self.find(call.key)
        finally:
            with self._settled:
                self._under_way -= 1
                self._settled.notify_all()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Replies:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _keep(db: sqlite3.Connection, call: Call, kept: Kept) -> bool:
    """Keep a reply, and return whether it is the first one of its call."""
    reply = kept.reply
    made = db.execute(
        f"INSERT OR IGNORE INTO replies VALUES ({', '.join('?' * 14)})",
        (
            *(call.key, _clean(call.role), _clean(call.model), _clean(reply.text)),
            *(_clean(reply.finish_reason), str(kept.failure) if kept.failure else None),
            *(_clean(kept.message), *_tokens(reply.usage), reply.cost, reply.seconds),
            *(reply.attempts, now_text()),
        ),
    )
    return bool(made.rowcount)


def _tokens(usage: Usage | None) -> Sequence[int | None]:
    return (usage.input, usage.cached, usage.output) if usage else (None, None, None)


def now_text() -> str:
    """Return the time as a file of replies keeps it: UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _clean(text: str) -> str:
    """Return text that a file can hold: half a character, which JSON allows, becomes a mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
