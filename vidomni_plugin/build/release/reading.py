"""Read the pairs of runs: each once, of one content one task, at most two pairs and one a leaf."""

from __future__ import annotations

import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from vidomni_plugin.build.pairs.contracts.pair import PairRecord, Task
from vidomni_plugin.build.pairs.export import EXTENDED
from vidomni_plugin.build.pairs.session import STORE
from vidomni_plugin.data.layout import OWN_POLICIES, PAIR_SCHEMA, SLOT_OF_LEAF
from vidomni_plugin.data.releases import Entry, Release, read_records
from vidomni_plugin.problems import InputProblems, Problem, refuse_start
from vidomni_plugin.wording import counted

__all__ = ["TITLE", "Content", "Pairs", "read_runs"]

TITLE = "no release can be made"
MOST = 2
"""Pairs of one video, as in the public release."""


@dataclass(frozen=True, slots=True)
class Content:
    """One video, whatever it is called, and its pairs."""

    sha256: str
    task: Task
    source_id: str
    """Its id in the run; the first by name where runs call it differently."""
    parents: frozenset[str]
    """The recordings that it was cut from."""
    records: tuple[PairRecord, ...]
    places: tuple[str, ...]
    """Where they stand."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """All that runs give for a release."""

    contents: tuple[Content, ...]
    """In the order of their tasks, ids and hashes."""
    digest: str
    """SHA-256 of the files that were read, in the order of the folders."""
    notes: tuple[str, ...]
    """What the reader should know, and need not stop at."""


def read_runs(folders: Sequence[Path]) -> Pairs:
    """Read the extended records of the folders of runs.

    Raises:
        InputProblems: If there is no pair in one of them, a record cannot be used, or pairs do
            not go together; all are named.
    """
    once = {os.path.realpath(folder): folder for folder in folders}
    if len(once) < len(folders):
        refuse_start(TITLE, "--pairs", "one folder is named twice", "name each run once")
    files = [folder / EXTENDED for folder in folders]
    hint = "name folders of `vidomni build pairs`; a run writes its pairs when it ends or stops"
    release: Release[PairRecord] = read_records(files, PairRecord, "pair_id", hint=hint)
    if any(one.code == "repeated-id" for one in release.problems):
        _refuse_copies(folders)
    problems = [one for one in release.problems if one.code != "no-pairs"]
    told = [entry.place for entry in release.entries] + [one.place for one in problems]
    problems += [
        Problem("no-pairs", str(file), "there is no pair in it", hint)
        for file in files
        if not any(place == str(file) or place.startswith(f"{file}:") for place in told)
    ]
    for entry in release.entries:
        problems += [Problem("record", entry.place, text) for text in _faults(entry.record)]
    of_content: dict[str, list[Entry[PairRecord]]] = defaultdict(list)
    for entry in release.entries:
        of_content[entry.record.video_sha256].append(entry)
    for entries in of_content.values():
        problems += _together(entries)
    if problems:
        raise InputProblems(TITLE, problems)
    contents = sorted(
        (_content(entries) for entries in of_content.values()),
        key=lambda one: (one.task, one.source_id, one.sha256),
    )
    return Pairs(tuple(contents), release.digest, tuple(_notes(folders, release)))


def _refuse_copies(folders: Sequence[Path]) -> None:
    """Refuse runs that have the same pairs: one line a run, and not one a pair."""
    ids: list[set[str]] = []
    problems = []
    for folder in folders:
        release: Release[PairRecord] = read_records([folder / EXTENDED], PairRecord, "pair_id")
        own = {entry.record.pair_id for entry in release.entries}
        for other, earlier in zip(folders, ids, strict=False):
            if both := own & earlier:
                message = f"it has {counted(len(both), 'pair')} of {other}: give one of them"
                problems.append(Problem("repeated-id", str(folder), message))
                break
        ids.append(own)
    if problems:
        raise InputProblems(TITLE, problems)


def _faults(record: PairRecord) -> Iterator[str]:
    public = record.public
    if public.schema_version != PAIR_SCHEMA:
        yield f"schema_version is {public.schema_version!r}, not {PAIR_SCHEMA!r}"
    if public.media.evidence_policy_id not in OWN_POLICIES:
        yield f"evidence_policy_id is {public.media.evidence_policy_id!r}, none of this schema"
    if public.conflict_slot != SLOT_OF_LEAF[public.leaf_label.value]:
        yield f"{public.leaf_label.value} does not change {public.conflict_slot!r}"


def _together(entries: Sequence[Entry[PairRecord]]) -> Iterator[Problem]:
    """Yield what keeps the pairs of one content from being in one release."""
    first = entries[0]
    leaves = {first.record.leaf: first.place}
    facts = {first.record.fact_id: first.place}
    for number, entry in enumerate(entries[1:], 2):
        record, place = entry.record, entry.place
        if record.public.task_type != first.record.public.task_type:
            message = f"the video is used for {first.record.public.task_type} at {first.place}"
            hint = "a video has one task: leave one of its pairs out"
            yield Problem("record", place, message, hint)
        elif record.fact_id in facts:
            message = f"fact {record.fact_id!r} is already used at {facts[record.fact_id]}"
            yield Problem("repeated-id", place, message, "leave one of them out")
        elif record.leaf in leaves:
            message = f"the video has a pair of {record.leaf.value} at {leaves[record.leaf]}"
            yield Problem("record", place, message, "leave one of them out")
        elif number > MOST:
            message = f"pair {number} of one video, whose first is at {first.place}"
            yield Problem("record", place, message, f"keep {MOST} of a video")
        leaves.setdefault(record.leaf, place)
        facts.setdefault(record.fact_id, place)


def _content(entries: Sequence[Entry[PairRecord]]) -> Content:
    records = sorted((entry.record for entry in entries), key=lambda one: one.fact_id)
    return Content(
        sha256=records[0].video_sha256,
        task=records[0].public.task_type,
        source_id=min(record.public.media.video_id for record in records),
        parents=frozenset(record.parent for record in records),
        records=tuple(records),
        places=tuple(entry.place for entry in entries),
    )


def _notes(folders: Sequence[Path], release: Release[PairRecord]) -> Iterator[str]:
    """Yield what a killed run has kept and not written."""
    for folder in folders:
        store = folder / STORE
        if not store.is_file():
            continue
        written = sum(entry.place.startswith(f"{folder / EXTENDED}:") for entry in release.entries)
        try:
            with closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as db:
                kept = db.execute("SELECT count(*) FROM pairs").fetchone()[0]
        except sqlite3.Error:
            continue  # the records were read; the store only tells whether there are more
        if kept > written:
            yield (
                f"{folder}: its store has {kept} pairs, {EXTENDED} {written}: the run was killed, "
                "or is at work; the same `vidomni build pairs` goes on and writes the rest"
            )
