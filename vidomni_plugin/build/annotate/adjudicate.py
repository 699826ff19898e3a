"""The list for adjudication: written for people to decide, and read back with care."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vidomni_plugin.build.annotate.plans import Plan
from vidomni_plugin.build.annotate.votes import LABELS, Label, VotedPair, VotedSentence, review
from vidomni_plugin.problems import Problem
from vidomni_plugin.tables import Column, Table, plain

__all__ = [
    "Case",
    "Decision",
    "Decisions",
    "adjudication_table",
    "carry_over",
    "cases",
    "read_decisions",
]

COLUMNS = (
    "pair_id",
    "sentence",
    "text",
    "reason",
    "votes",
    "memos",
    "batch",
    "video_id",
    "video",
    "decision",
    "comment",
)
NEEDED = ("pair_id", "sentence", "decision")
"""What a file of decisions must have; the other columns are for the reader."""
_WORDS: dict[str, Label] = {label.lower(): label for label in LABELS}


@dataclass(frozen=True, slots=True)
class Case:
    """One sentence that a person should decide or look at again."""

    pair_id: str
    number: int
    """Number of the sentence in its caption, from 1."""
    text: str
    reasons: tuple[str, ...]
    votes: str
    memos: str
    batch: str
    video_id: str
    video: str
    decision: Label | None = None
    comment: str = ""

    @property
    def must_decide(self) -> bool:
        """Whether the votes settle nothing."""
        return bool({"dispute", "few votes"} & set(self.reasons))


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one sentence, and where it is written."""

    pair_id: str
    number: int
    label: Label
    votes: str
    """The votes as the list showed them; empty where the column was left out."""
    comment: str
    place: str


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions of a file by pair id and sentence number, and all that is wrong with it."""

    by_sentence: dict[tuple[str, int], Decision]
    problems: list[Problem]
    undecided: int
    """Rows without a decision."""


def _shown_votes(sentence: VotedSentence) -> str:
    return "; ".join(f"{vote.annotator}={vote.label}" for vote in sentence.votes)


def cases(plan: Plan, pairs: Sequence[VotedPair], confident: float) -> list[Case]:
    """Return the sentences of finished pairs to decide or to look at again, in plan order."""
    return [
        Case(
            pair_id=pair.pair_id,
            number=number,
            text=sentence.text,
            reasons=tuple(reasons),
            votes=_shown_votes(sentence),
            memos="; ".join(f"{v.annotator}: {v.memo}" for v in sentence.votes if v.memo),
            batch=pair.batch,
            video_id=pair.video_id,
            video=plan.pairs[pair.pair_id].video,
        )
        for pair in pairs
        if not pair.unfinished()
        for number, sentence in enumerate(pair.sentences, 1)
        if (reasons := review(sentence.votes, confident))
    ]


def adjudication_table(listed: Sequence[Case]) -> Table:
    """Return the cases as the table that becomes ``adjudicate.csv``."""
    rows = [
        (
            case.pair_id,
            case.number,
            case.text,
            ", ".join(case.reasons),
            case.votes,
            case.memos,
            case.batch,
            case.video_id,
            case.video,
            case.decision or "",
            case.comment,
        )
        for case in listed
    ]
    return Table("adjudicate", "To be decided", [Column(name) for name in COLUMNS], rows)


def carry_over(listed: Sequence[Case], earlier: Decisions) -> tuple[list[Case], list[Decision]]:
    """Return the cases with the decisions that still hold, and the decisions that do not.

    A decision holds while the votes are those that it was made on.
    """
    kept, used = [], set()
    for case in listed:
        old = earlier.by_sentence.get((case.pair_id, case.number))
        if old is not None and old.votes == _unguarded(case.votes):
            used.add((case.pair_id, case.number))
            kept.append(replace(case, decision=old.label, comment=old.comment))
        else:
            kept.append(case)
    outdated = [d for key, d in sorted(earlier.by_sentence.items()) if key not in used]
    return kept, outdated


def _unguarded(cell: str) -> str:
    """Return a cell as it was before it was made safe for spreadsheets."""
    return plain(cell).removeprefix("'")


def read_decisions(path: Path, plan: Plan) -> Decisions:
    """Read a file of decisions, as a spreadsheet may have saved it.

    Commas, semicolons or tabs between the cells, with or without a byte-order mark. A row
    without a decision is counted and settles nothing. Rows may be taken away or added: a
    decision is possible on every sentence of the plan.

    Args:
        path: CSV with the columns ``pair_id``, ``sentence`` (number from 1) and ``decision``
            (Correct, Incorrect or Unknown, in any case).
        plan: The plan whose pairs and sentences there are.
    """
    found = Decisions({}, [], 0)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        message = getattr(error, "strerror", None) or "not UTF-8: save it as CSV UTF-8"
        found.problems.append(Problem("no-file", str(path), message))
        return found
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    head = [name.strip() for name in next(reader, [])]
    if lacking := [name for name in NEEDED if name not in head]:
        message = f"no column {', '.join(lacking)} in the first line"
        hint = "keep the first line of adjudicate.csv"
        found.problems.append(Problem("decision", f"{path}:1", message, hint))
        return found
    undecided = 0
    at = reader.line_num + 1
    for cells in reader:
        place, at = f"{path}:{at}", reader.line_num + 1
        row = dict(zip(head, cells, strict=False))
        if not any(cell.strip() for cell in cells):
            continue
        word = row.get("decision", "").strip()
        if not word:
            undecided += 1
            continue
        result = _decision(row, word, plan, place)
        if isinstance(result, Problem):
            found.problems.append(result)
            continue
        earlier = found.by_sentence.setdefault((result.pair_id, result.number), result)
        if earlier.label != result.label:
            message = f"{result.label} here, {earlier.label} at {earlier.place}"
            hint = "decide each sentence once"
            found.problems.append(Problem("decision", place, message, hint))
    return Decisions(found.by_sentence, found.problems, undecided)


def _decision(row: dict[str, str], word: str, plan: Plan, place: str) -> Decision | Problem:
    hint = f"a decision is one of: {', '.join(LABELS)}; or empty"
    if word.lower() not in _WORDS:
        return Problem("decision", place, f"{plain(word)[:40]!r} is no label", hint)
    shown = _unguarded(row["pair_id"])
    names = [name for name in plan.pairs if _unguarded(name) == shown]
    pair = plan.pairs[names[0]] if len(names) == 1 else None
    if pair is None:
        message = f"pair {shown[:100]!r} is not in the plan"
        return Problem("decision", place, message, "use the list that belongs to --plan")
    number = row.get("sentence", "").strip()
    if not (number.isascii() and number.isdigit() and 1 <= int(number) <= len(pair.sentences)):
        message = f"{plain(number)[:40]!r} is no sentence of pair {pair.pair_id!r}"
        return Problem("decision", place, message, f"sentences are 1 to {len(pair.sentences)}")
    text = _unguarded(row.get("text", ""))
    if text and text != _unguarded(pair.sentences[int(number) - 1]):
        message = f"sentence {number} of pair {pair.pair_id!r} has another text in the plan"
        hint = "sorting moved some columns only? Sort whole rows, or use the list of this plan"
        return Problem("decision", place, message, hint)
    votes, comment = _unguarded(row.get("votes", "")), _unguarded(row.get("comment", ""))
    return Decision(pair.pair_id, int(number), _WORDS[word.lower()], votes, comment, place)
