"""All that a run knows, in one SQLite file whose constraints hold what may never be broken."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any, Literal, NamedTuple

from vidomni_plugin.build.pairs.allocation import Candidate, Had
from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.pair import PairRecord
from vidomni_plugin.build.pairs.contracts.reasons import MEANINGS, Reason
from vidomni_plugin.build.pairs.contracts.roles import ProposedFact
from vidomni_plugin.build.pairs.videos import VideoFile
from vidomni_plugin.endpoint.replies import now_text
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.records import Leaf

__all__ = ["Fact", "Rejection", "Store", "VideoState", "given_text"]

VideoState = Literal["waiting", "open", "closed", "set_aside"]
"""waiting: not looked at; open: its facts are known; closed: done with; set_aside: the server
failed, the next run asks again."""
_LEAVES = ", ".join(f"'{leaf.value}'" for leaf in LEAVES)
_REASONS = ", ".join(f"'{reason.value}'" for reason in MEANINGS)
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS videos (
  video_id TEXT PRIMARY KEY,
  place INTEGER NOT NULL UNIQUE,
  sha256 TEXT NOT NULL,
  parent TEXT NOT NULL,
  task TEXT NOT NULL CHECK (task IN ('video_qa', 'video_captioning')),
  state TEXT NOT NULL DEFAULT 'waiting'
    CHECK (state IN ('waiting', 'open', 'closed', 'set_aside')),
  note TEXT NOT NULL DEFAULT ''
);
CREATE TABLE IF NOT EXISTS facts (
  fact_id TEXT PRIMARY KEY,
  video_id TEXT NOT NULL REFERENCES videos,
  leaf TEXT NOT NULL CHECK (leaf IN ({_LEAVES})),
  fact TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting'
    CHECK (state IN ('waiting', 'picked', 'committed', 'rejected', 'left')),
  UNIQUE (video_id, leaf)
);
CREATE TABLE IF NOT EXISTS rejections (
  video_id TEXT NOT NULL REFERENCES videos,
  fact_id TEXT NOT NULL,
  reason TEXT NOT NULL CHECK (reason IN ({_REASONS})),
  detail TEXT NOT NULL,
  given TEXT NOT NULL,
  UNIQUE (video_id, fact_id, reason, given)
);
CREATE TABLE IF NOT EXISTS pairs (
  pair_id TEXT PRIMARY KEY,
  fact_id TEXT NOT NULL UNIQUE REFERENCES facts,
  video_id TEXT NOT NULL REFERENCES videos,
  leaf TEXT NOT NULL CHECK (leaf IN ({_LEAVES})),
  record TEXT NOT NULL,
  UNIQUE (video_id, leaf)
);
CREATE TRIGGER IF NOT EXISTS two_pairs_a_video BEFORE INSERT ON pairs
WHEN (SELECT count(*) FROM pairs WHERE video_id = NEW.video_id) >= 2
BEGIN SELECT RAISE(ABORT, 'a video has at most two pairs'); END;
"""


class Fact(NamedTuple):
    """A fact that passed its gate."""

    fact_id: str
    video_id: str
    leaf: Leaf
    proposed: ProposedFact
    state: str

    @property
    def candidate(self) -> Candidate:
        """It for the allocation."""
        return Candidate(self.video_id, self.fact_id, self.leaf)


class Rejection(NamedTuple):
    """A candidate that ended at a gate."""

    video_id: str
    fact_id: str
    """Empty for a whole video, and for what is no fact."""
    reason: Reason
    detail: str
    given: str
    """What was rejected, as JSON; empty where there was nothing yet."""


class Store:
    """The file of one run; threads may use it at once.

    Args:
        path: The file; made where there is none.

    Raises:
        InputProblems: If it cannot be opened, or is no such file; and later from each method, if
            it can no longer be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = RLock()
        try:
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA foreign_keys = ON")
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.executescript(_SCHEMA)
        except sqlite3.Error as error:
            hint = "take another folder with --out, or put back a copy of this one"
            problem = Problem("unreadable", str(path), f"no file of a run: {error}", hint)
            raise InputProblems("the run cannot be read", [problem]) from None

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._db
            except sqlite3.IntegrityError:
                raise  # a fault of the program
            except sqlite3.Error as error:
                hint = "see that there is room and it can be written; the same command goes on"
                problem = Problem("unreadable", str(self.path), str(error), hint)
                raise InputProblems("the run cannot go on", [problem]) from None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        with self._using() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._using() as db:
            return db.execute(query, values).fetchall()

    # Settings and videos.

    def setting(self, name: str) -> str | None:
        """Return what was kept under a name; None where nothing was."""
        rows = self._rows("SELECT value FROM settings WHERE name = ?", [name])
        return rows[0][0] if rows else None

    def keep(self, name: str, value: str) -> None:
        """Keep something under a name, in the place of what was there."""
        with self._change() as db:
            db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", [name, value])

    def begin(self, settings: Mapping[str, str], videos: Iterable[VideoFile]) -> None:
        """Keep settings and videos of a new run, in the order they are to be worked on."""
        with self._change() as db:
            db.executemany("INSERT INTO settings VALUES (?, ?)", settings.items())
            db.executemany(
                "INSERT INTO videos (video_id, place, sha256, parent, task) VALUES (?, ?, ?, ?, ?)",
                [
                    (video.video_id, place, video.sha256, video.parent, video.task)
                    for place, video in enumerate(videos)
                ],
            )

    def videos(self) -> dict[str, str]:
        """Return the SHA-256 of every video, by id."""
        return dict(self._rows("SELECT video_id, sha256 FROM videos ORDER BY place"))

    def video_states(self) -> dict[str, VideoState]:
        """Return the state of every video, in the order they are worked on."""
        return dict(self._rows("SELECT video_id, state FROM videos ORDER BY place"))

    def video_state(self, video_id: str) -> VideoState:
        """Return the state of one video."""
        query = "SELECT state FROM videos WHERE video_id = ?"
        state: VideoState = self._rows(query, [video_id])[0][0]
        return state

    def notes(self) -> dict[str, str]:
        """Return why videos were set aside."""
        query = "SELECT video_id, note FROM videos WHERE state = 'set_aside' ORDER BY place"
        return dict(self._rows(query))

    def set_state(self, video_id: str, state: VideoState, note: str = "") -> None:
        """Say how far a video is."""
        with self._change() as db:
            values = [state, note, video_id]
            db.execute("UPDATE videos SET state = ?, note = ? WHERE video_id = ?", values)

    # Facts.

    def opened(
        self,
        video_id: str,
        facts: Iterable[tuple[str, Leaf, ProposedFact]],
        rejections: Iterable[Rejection],
    ) -> None:
        """Keep what the first two roles found about a video; again changes nothing."""
        with self._change() as db:
            db.executemany(
                "INSERT OR IGNORE INTO facts (fact_id, video_id, leaf, fact) VALUES (?, ?, ?, ?)",
                [
                    (fact_id, video_id, leaf.value, fact.model_dump_json())
                    for fact_id, leaf, fact in facts
                ],
            )
            _add(db, rejections)
            db.execute("UPDATE videos SET state = 'open', note = '' WHERE video_id = ?", [video_id])

    def facts(self, video_ids: Iterable[str]) -> list[Fact]:
        """Return the facts of some videos, by id."""
        found: list[Fact] = []
        for video_id in video_ids:
            query = "SELECT fact_id, video_id, leaf, fact, state FROM facts WHERE video_id = ?"
            for fact_id, of, leaf, fact, state in self._rows(query, [video_id]):
                proposed = ProposedFact.model_validate_json(fact)
                found.append(Fact(fact_id, of, Leaf(leaf), proposed, state))
        return sorted(found, key=lambda one: one.fact_id)

    def pick(self, chosen: Iterable[Candidate]) -> None:
        """Keep which facts are worked on now, before any of them is."""
        with self._change() as db:
            db.executemany(
                "UPDATE facts SET state = 'picked' WHERE fact_id = ? AND state = 'waiting'",
                [(one.fact_id,) for one in chosen],
            )

    def leave(self, left: Iterable[Rejection]) -> None:
        """Keep which facts of a finished round a cap kept out."""
        with self._change() as db:
            for one in left:
                db.execute("UPDATE facts SET state = 'left' WHERE fact_id = ?", [one.fact_id])
                _add(db, [one])

    def reject(self, video_id: str, fact_id: str, reject: Reject, given: str = "") -> None:
        """Keep why a fact did not become a pair, and what there was; again changes nothing."""
        with self._change() as db:
            db.execute("UPDATE facts SET state = 'rejected' WHERE fact_id = ?", [fact_id])
            _add(db, [Rejection(video_id, fact_id, reject.reason, reject.detail, given)])

    def commit(self, record: PairRecord) -> Reject | None:
        """Keep a pair; returns why it cannot be kept. Again changes nothing.

        Raises:
            sqlite3.IntegrityError: If a cap would be broken: a fault of the program.
        """
        pair_id, video_id = record.public.pair_id, record.public.media.video_id
        text = record.model_dump_json()
        with self._change() as db:
            query = "SELECT fact_id, record FROM pairs WHERE pair_id = ?"
            there = db.execute(query, [pair_id]).fetchone()
            if there is not None and there[0] != record.fact_id:
                return Reject(Reason.DUPLICATE_PAIR_ID, pair_id)
            if there is None:
                values = [pair_id, record.fact_id, video_id, record.leaf.value, text]
                db.execute("INSERT INTO pairs VALUES (?, ?, ?, ?, ?)", values)
            query = "UPDATE facts SET state = 'committed' WHERE fact_id = ?"
            db.execute(query, [record.fact_id])
        return None

    # What came of it.

    def had(self, *, under_way: bool = True) -> Had:
        """Return the counts of all pairs, and of facts under way, which may become some."""
        query = "SELECT video_id, fact_id, leaf FROM facts WHERE state IN ('committed', ?)"
        rows = self._rows(query, ["picked" if under_way else "committed"])
        return Had.of(Candidate(video, fact, Leaf(leaf)) for video, fact, leaf in rows)

    def committed(self) -> int:
        """Return how many pairs there are."""
        count: int = self._rows("SELECT count(*) FROM pairs")[0][0]
        return count

    def of_no_use(self) -> dict[str, Reject]:
        """Return why each video ended, if not one reply of the run was ever of use.

        Nothing comes back once one was.
        """
        ended = self.rejections()
        if self._rows("SELECT 1 FROM facts LIMIT 1") or any(
            MEANINGS[one.reason].stage != "call" for one in ended
        ):
            return {}
        return {one.video_id: Reject(one.reason, one.detail) for one in ended}

    def put_back(self) -> dict[str, Reject]:
        """Let videos wait again whose replies had not the asked form, if none ever had.

        That says something about server and model, and nothing about these videos.

        Returns:
            Why each of them had ended.
        """
        with self._change() as db:
            found = {
                video_id: reject
                for video_id, reject in self.of_no_use().items()
                if MEANINGS[reject.reason].kind == "format"
            }
            ids = [(video_id,) for video_id in found]
            db.executemany("DELETE FROM rejections WHERE video_id = ?", ids)
            query = "UPDATE videos SET state = 'waiting', note = ? WHERE video_id = ?"
            db.executemany(query, [(now_text(), video_id) for video_id in found])
        return found

    def put_back_at(self) -> dict[str, str]:
        """Return when each video was put back that still waits; older replies are of no use."""
        query = "SELECT video_id, note FROM videos WHERE state = 'waiting' AND note <> ''"
        return dict(self._rows(query))

    def pairs(self) -> list[PairRecord]:
        """Return all pairs, by video and id."""
        rows = self._rows("SELECT record FROM pairs ORDER BY video_id, pair_id")
        return [PairRecord.model_validate_json(record) for (record,) in rows]

    def rejections(self) -> list[Rejection]:
        """Return all rejections, by video, fact and reason."""
        query = "SELECT * FROM rejections ORDER BY video_id, fact_id, reason, given"
        return [
            Rejection(video, fact, Reason(reason), detail, given)
            for video, fact, reason, detail, given in self._rows(query)
        ]


def _add(db: sqlite3.Connection, rejections: Iterable[Rejection]) -> None:
    db.executemany(
        "INSERT OR IGNORE INTO rejections VALUES (?, ?, ?, ?, ?)",
        [
            (one.video_id, one.fact_id, one.reason.value, one.detail, one.given)
            for one in rejections
        ],
    )


def given_text(given: object) -> str:
    """Return what a role gave as one line of JSON, cut where it is very long."""
    return json.dumps(given, ensure_ascii=False, sort_keys=True, default=str)[:2000]
