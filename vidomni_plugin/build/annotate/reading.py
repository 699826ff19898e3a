"""Read stage 1 back: votes, what people must decide, and how far they agree, as files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vidomni_plugin.build.annotate.adjudicate import (
    Case,
    Choice,
    adjudication_table,
    audit_table,
    carry_over,
    cases,
)
from vidomni_plugin.build.annotate.agreement import (
    agreement_groups,
    agreement_record,
    agreement_table,
)
from vidomni_plugin.build.annotate.annotators import Annotator
from vidomni_plugin.build.annotate.collect import collect_votes, unfinished
from vidomni_plugin.build.annotate.decisions import Decision, Decisions, read_decisions
from vidomni_plugin.build.annotate.exports import read_stage1
from vidomni_plugin.build.annotate.people import annotator_rows, annotator_table
from vidomni_plugin.build.annotate.plans import Plan
from vidomni_plugin.build.annotate.votes import VotedPair
from vidomni_plugin.data.lines import write_bytes, write_jsonl, write_text
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.tables import Column, Table, as_csv, write_table

__all__ = ["Reading", "notes_table", "read_exports", "write_reading"]

ADJUDICATE = "adjudicate.csv"


@dataclass(frozen=True, slots=True)
class Reading:
    """What the exports of stage 1 say."""

    pairs: list[VotedPair]
    cases: list[Case]
    """Sentences to decide or to look at again, with the decisions that still hold."""
    outdated: list[Decision]
    """Earlier decisions on votes that have changed since, or on sentences that are clear now."""
    unfinished: dict[str, str]
    notes: list[Problem]
    agreement: Table
    annotators: Table
    audit: Table | None
    """Batches and what was decided about their audited sentences; None without an audit."""
    record: dict[str, Any]
    """Agreement and annotators as JSON values."""
    decided_in: str
    """SHA-256 of the earlier list for adjudication; empty where there was none."""


def read_exports(
    exports: Sequence[Path],
    plan: Plan,
    people: Sequence[Annotator],
    *,
    earlier: Path | None,
    accept_unassigned: bool,
    choice: Choice,
    draws: int,
) -> Reading:
    """Read exports of stage 1 against the plan.

    Args:
        exports: JSON or JSON-MIN, in any number.
        plan: What was to be judged.
        people: The annotators as they are today.
        earlier: A list for adjudication whose decisions are carried over; None for none.
        accept_unassigned: Whether annotations of people who had not this pair count.
        choice: What is listed for adjudication; its seed is the bootstrap's as well.
        draws: Bootstrap draws.

    Raises:
        InputProblems: With everything that is wrong with the exports; nothing is guessed.
    """
    decided_in = _digest(earlier) if earlier else ""
    export = read_stage1(exports)
    collected = collect_votes(plan, export.annotations, people, accept_unassigned=accept_unassigned)
    problems = [*export.problems, *collected.problems]
    decided = read_decisions(earlier, plan) if earlier else Decisions({}, [], 0, {})
    problems += decided.problems
    if not problems and not collected.pairs:
        problems.append(Problem("export", str(exports[0]), "no pair has a vote in it"))
    if problems:
        raise InputProblems("exports of stage 1", problems)
    listed = cases(plan, collected.pairs, choice)
    listed, outdated = carry_over(plan, collected.pairs, listed, decided)
    seed = choice.seed
    groups = agreement_groups(collected.pairs, seed=seed, draws=draws)
    rows = annotator_rows(collected.pairs)
    return Reading(
        pairs=collected.pairs,
        cases=listed,
        outdated=outdated,
        unfinished=unfinished(plan, collected.pairs),
        notes=[*export.notes, *collected.notes],
        agreement=agreement_table(groups, seed=seed),
        annotators=annotator_table(rows),
        audit=audit_table(listed) if choice.audit else None,
        record=agreement_record(groups, rows, seed=seed, draws=draws),
        decided_in=decided_in,
    )


def write_reading(folder: Path, reading: Reading) -> None:
    """Write everything that was read; each file whole or not at all.

    Earlier decisions that do not hold any more are added to ``outdated.jsonl`` before the
    list that held them is replaced.

    Raises:
        InputProblems: If somebody saved decisions since they were read; nothing is written.
        OSError: If the folder cannot be written.
    """
    if _digest(folder / ADJUDICATE) not in ("", reading.decided_in):
        message = "it was saved while this ran, and would be lost"
        problem = Problem("exists", str(folder / ADJUDICATE), message, "read the export again")
        raise InputProblems("nothing is written", [problem])
    _keep_outdated(folder / "outdated.jsonl", reading.outdated)
    write_jsonl(folder / "votes.jsonl", reading.pairs)
    write_text(folder / ADJUDICATE, as_csv(adjudication_table(reading.cases)))
    write_jsonl(folder / "adjudicate.jsonl", [asdict(case) for case in reading.cases])
    write_text(folder / "unfinished.csv", as_csv(_unfinished_table(reading.unfinished)))
    write_text(folder / "notes.csv", as_csv(notes_table(reading.notes)))
    write_table(reading.agreement, folder)
    write_table(reading.annotators, folder)
    if reading.audit is not None:
        write_table(reading.audit, folder)
    text = json.dumps(reading.record, ensure_ascii=False, indent=1, allow_nan=False)
    write_text(folder / "agreement.json", text + "\n")


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file; empty where none can be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _keep_outdated(path: Path, outdated: Sequence[Decision]) -> None:
    lines = path.read_bytes().split(b"\n") if path.exists() else []
    lines += [json.dumps(asdict(decision), ensure_ascii=False).encode() for decision in outdated]
    if outdated:
        write_bytes(path, b"".join(line + b"\n" for line in dict.fromkeys(filter(None, lines))))


def _unfinished_table(waiting: dict[str, str]) -> Table:
    columns = [Column("pair_id"), Column("reason")]
    return Table("unfinished", "Pairs that cannot be used yet", columns, list(waiting.items()))


def notes_table(notes: Sequence[Problem]) -> Table:
    """Return what did not count as the table that becomes ``notes.csv``."""
    columns = [Column("kind"), Column("place"), Column("note")]
    rows = [(note.code, note.place, note.message) for note in notes]
    return Table("notes", "What did not count, and why", columns, rows)
