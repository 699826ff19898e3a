"""How far a run is: its pairs by category, what was rejected and why, what it cost."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from vidomni_plugin.build.pairs.allocation import Had
from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
from vidomni_plugin.build.pairs.contracts.reasons import MEANINGS, Reason
from vidomni_plugin.build.pairs.session import LAST, STORE, is_at_work
from vidomni_plugin.build.pairs.settings import PairSettings
from vidomni_plugin.build.pairs.store import Store, VideoState
from vidomni_plugin.problems import InputProblems, Problem, field_errors
from vidomni_plugin.records import CATEGORY_OF_LEAF, Category
from vidomni_plugin.tables import Column, Table

__all__ = [
    "Spent",
    "Status",
    "Tally",
    "as_json",
    "left_table",
    "pairs_table",
    "read_status",
    "reasons_table",
    "spent_in",
    "spent_table",
    "tally",
]

CAPS = ("allocation", "commit")
"""Stages in which a candidate ends that nothing is wrong with."""

STAGES = {
    "HCR": "planner: which categories a video bears",
    "FER": "extractor and reflector: facts, and a second look at them",
    "GVP": "generator and verifier: question and answers, and what these claim",
    "CRV": "monitor: both answers against the video",
    "call": "a reply that cannot be used, of any role",
}
"""Stages of the paper, for a reader of the status."""


class Tally(NamedTuple):
    """What a look at a run that works shows."""

    pairs: dict[Category, int]
    looked_at: int
    """Videos whose facts are known."""
    rejected: int
    """Candidates that ended at a gate, those that a cap kept out not counted."""


class Spent(NamedTuple):
    """What all runs on a file of replies took together; requests under way are not in it."""

    requests: int = 0
    failed: int = 0
    """Requests among them without a reply that can be read."""
    tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Status:
    """What stands in a run's folder."""

    settings: PairSettings
    signature: str
    videos: dict[VideoState, int]
    set_aside: dict[str, str]
    had: Had
    committed: int
    tasks: dict[str, int]
    """Pairs by task."""
    rejections: dict[Reason, int]
    at_work: bool
    """Whether a run works in the folder now."""
    last: dict[str, str] | None
    """How the last start ended: state, kind, why, at; empty while it works, or if it was killed.

    None where it was one of an older version.
    """

    @property
    def state(self) -> str:
        """target_reached, sources_used_up, or unfinished."""
        if self.committed >= self.settings.target:
            return "target_reached"
        return "sources_used_up" if set(self.videos) <= {"closed"} else "unfinished"


def read_status(out: Path) -> Status:
    """Return how far the run of a folder is; it may be at work.

    Raises:
        InputProblems: If the folder holds none.
    """
    path = out / STORE
    if not path.is_file():
        hint = "`vidomni build pairs --videos ... --out ...` begins one"
        raise InputProblems(
            "there is no run", [Problem("no-file", str(path), "no such file", hint)]
        )
    store = Store(path)
    try:
        kept = store.setting("settings")
        if kept is None:
            message = "the run was ended before it began"
            raise InputProblems("there is no run", [Problem("no-file", str(path), message)])
        pairs = store.pairs()
        return Status(
            settings=_settings(kept, path),
            signature=store.setting("signature") or "",
            videos=dict(Counter(store.video_states().values())),
            set_aside=store.notes(),
            had=store.had(under_way=False),
            committed=len(pairs),
            tasks=dict(Counter(pair.public.task_type for pair in pairs)),
            rejections=dict(Counter(one.reason for one in store.rejections())),
            at_work=is_at_work(out),
            last=json.loads(store.setting(LAST) or "null"),
        )
    finally:
        store.close()


def _settings(kept: str, path: Path) -> PairSettings:
    try:
        return PairSettings.model_validate_json(kept)
    except ValidationError as error:
        message = f"it was begun by another version: {'; '.join(field_errors(error))}"
        raise InputProblems(
            "the run cannot be read", [Problem("unreadable", str(path), message)]
        ) from None


def pairs_table(status: Status) -> Table:
    """Return the pairs by category, beside the most there may be."""
    rows = [
        (rule.category.upper(), rule.leaf.value, status.had.by_leaf.get(leaf, 0), ceiling)
        for leaf, rule in LEAVES.items()
        for ceiling in [status.settings.ceiling(leaf)]
    ]
    columns = tuple(map(Column, ("category", "leaf", "pairs", "most")))
    return Table("pairs", "Pairs by category", columns, rows)


def reasons_table(status: Status) -> Table:
    """Return how many candidates ended at which gate, in the order of the stages."""
    return _ended("reasons", "Candidates that ended at a gate", status, caps=False)


def left_table(status: Status) -> Table:
    """Return how many good candidates were not needed."""
    return _ended("left", "Candidates that were not needed", status, caps=True)


def _ended(name: str, title: str, status: Status, *, caps: bool) -> Table:
    rows = [
        (meaning.stage, reason.value, status.rejections[reason], meaning.text)
        for reason, meaning in MEANINGS.items()
        if status.rejections.get(reason) and (meaning.stage in CAPS) == caps
    ]
    columns = tuple(map(Column, ("stage", "reason", "count", "meaning")))
    met = {row[0] for row in rows}
    notes = tuple(f"{name}: {text}" for name, text in STAGES.items() if name in met)
    return Table(name, title, columns, rows, notes)


def spent_table(path: Path) -> Table | None:
    """Return attempts, tokens and money by role, as a file of replies has them.

    Args:
        path: The file; None comes back where there is none.

    Raises:
        InputProblems: If it is no file of replies.
    """
    query = (
        "SELECT role, count(*), sum(outcome = 'ok'), sum(ended IS NULL), sum(input_tokens), "
        "sum(cached_tokens), sum(output_tokens), sum(spent_tokens), sum(spent_cost) "
        "FROM attempts GROUP BY role ORDER BY role"
    )
    found = _replies(path, query)
    if found is None:
        return None
    priced = any(row[-1] for row in found)
    rows: list[list[Any]] = [[*row[:-1], row[-1] if priced else None] for row in found]
    if rows:
        totals = [sum(row[k] or 0 for row in rows) for k in range(1, 8)]
        money = sum(row[-1] for row in rows) if priced else None
        rows.append(["all", *totals, money])
    heads = ("role", "requests", "answered", "open", "input", "cached", "output", "counted")
    columns = (*map(Column, heads), Column("cost", 4))
    notes = (
        "counted: tokens that count in a budget; where no server counted, what was set aside.",
        "open: under way, or cut off by the end of the program.",
    )
    return Table("spent", "Requests and tokens by role", columns, rows, notes)


def tally(db: sqlite3.Connection) -> Tally:
    """Return the counts of a run's file."""
    pairs = dict(db.execute("SELECT leaf, count(*) FROM pairs GROUP BY leaf"))
    by_category = {CATEGORY_OF_LEAF[leaf.value]: pairs.get(leaf.value, 0) for leaf in LEAVES}
    waiting = "SELECT count(*) FROM videos WHERE state IN ('open', 'closed')"
    at_caps = [reason.value for reason, meaning in MEANINGS.items() if meaning.stage in CAPS]
    marks = ", ".join("?" * len(at_caps))
    at_gates = f"SELECT count(*) FROM rejections WHERE reason NOT IN ({marks})"
    return Tally(
        by_category, db.execute(waiting).fetchone()[0], db.execute(at_gates, at_caps).fetchone()[0]
    )


def spent_in(path: Path) -> Spent:
    """Return what stands in a file of replies; nothing where there is none."""
    query = (
        "SELECT count(*), coalesce(sum(outcome <> 'ok'), 0), coalesce(sum(spent_tokens), 0), "
        "coalesce(sum(spent_cost), 0.0) FROM attempts WHERE ended IS NOT NULL"
    )
    found = _replies(path, query)
    return Spent(*found[0]) if found else Spent()


def _replies(path: Path, query: str) -> list[tuple[Any, ...]] | None:
    if not path.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            return db.execute(query).fetchall()
    except sqlite3.Error as error:
        problem = Problem("unreadable", str(path), f"no file of replies: {error}")
        raise InputProblems("what was spent cannot be told", [problem]) from None


def as_json(status: Status, replies: Path) -> str:
    """Return all of it as JSON; tables are lists of rows by column."""

    def rows(table: Table | None) -> list[dict[str, Any]] | None:
        if table is None:
            return None
        titles = [column.title for column in table.columns]
        return [dict(zip(titles, row, strict=True)) for row in table.rows]

    told = {
        "state": status.state,
        "at_work": status.at_work,
        "last_start": status.last or None,
        "pairs": status.committed,
        "target": status.settings.target,
        "signature": status.signature,
        "tasks": status.tasks,
        "videos": status.videos,
        "set_aside": status.set_aside,
        "categories": rows(pairs_table(status)),
        "rejected": rows(reasons_table(status)),
        "not_needed": rows(left_table(status)),
        "spent": rows(spent_table(replies)),
        "settings": status.settings.model_dump(mode="json"),
    }
    return json.dumps(told, ensure_ascii=False, indent=1)
