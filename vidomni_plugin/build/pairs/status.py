"""How far a run is: its pairs by category, what was rejected and why, what it cost."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from vidomni_plugin.build.pairs.allocation import Had
from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
from vidomni_plugin.build.pairs.contracts.reasons import MEANINGS, Reason
from vidomni_plugin.build.pairs.session import REPLIES, STORE
from vidomni_plugin.build.pairs.settings import PairSettings
from vidomni_plugin.build.pairs.store import Store, VideoState
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.tables import Column, Table

__all__ = ["Status", "pairs_table", "read_status", "reasons_table", "spent_table"]


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
            settings=PairSettings.model_validate_json(kept),
            signature=store.setting("signature") or "",
            videos=dict(Counter(store.video_states().values())),
            set_aside=store.notes(),
            had=store.had(),
            committed=len(pairs),
            tasks=dict(Counter(pair.public.task_type for pair in pairs)),
            rejections=dict(Counter(one.reason for one in store.rejections())),
        )
    finally:
        store.close()


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
    """Return how many candidates ended with which reason, in the order of the stages."""
    rows = [
        (meaning.stage, reason.value, status.rejections[reason], meaning.text)
        for reason, meaning in MEANINGS.items()
        if status.rejections.get(reason)
    ]
    columns = tuple(map(Column, ("stage", "reason", "count", "meaning")))
    return Table("reasons", "Candidates that ended at a gate", columns, rows)


def spent_table(out: Path) -> Table | None:
    """Return attempts, tokens and money by role, as the file of replies has them."""
    path = out / REPLIES
    if not path.is_file():
        return None
    query = (
        "SELECT role, count(*), sum(outcome = 'ok'), sum(input_tokens), sum(cached_tokens), "
        "sum(output_tokens), sum(spent_cost) FROM attempts GROUP BY role ORDER BY role"
    )
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        rows = db.execute(query).fetchall()
    titles = ("role", "requests", "answered", "input", "cached", "output", "cost")
    columns = tuple(Column(title, 4) for title in titles)
    return Table("spent", "Requests and tokens by role", columns, rows)
