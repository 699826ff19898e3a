"""Read back what people decided, from a CSV that a spreadsheet may have saved."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vidomni_plugin.build.annotate.plans import Plan, PlannedPair
from vidomni_plugin.build.annotate.votes import LABELS, Label
from vidomni_plugin.problems import Problem
from vidomni_plugin.tables import plain

if TYPE_CHECKING:
    from _csv import Reader

__all__ = ["Decision", "Decisions", "read_decisions", "unguarded"]

NEEDED = ("pair_id", "sentence", "decision")
"""What a file of decisions must have; the other columns are for the reader."""
NUMBER_DIGITS = 6
"""Longest number of a sentence that is read."""
_INNER_GUARD = re.compile(r";'(?=[=+\-@])")
_WORDS: dict[str, Label] = {label.lower(): label for label in LABELS}


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
    comments: dict[tuple[str, int], str]
    """What is written beside sentences that have no decision yet."""


def unguarded(cell: str) -> str:
    """Return a cell as it was before it was made safe for spreadsheets."""
    return _INNER_GUARD.sub(";", plain(cell)).removeprefix("'")


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
    found = Decisions({}, [], 0, {})
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        message = getattr(error, "strerror", None) or "not UTF-8: save it as CSV UTF-8"
        found.problems.append(Problem("no-file", str(path), message))
        return found
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    csv.field_size_limit(sys.maxsize)  # a sentence may be longer than the default of 128 KiB
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        return _rows(path, reader, plan, found)
    except csv.Error as error:
        hint = "a quotation mark that is not closed? Save the file as CSV again"
        place = f"{path}:{reader.line_num}"
        found.problems.append(Problem("decision", place, f"no CSV: {error}", hint))
        return found


def _rows(path: Path, reader: Reader, plan: Plan, found: Decisions) -> Decisions:
    head = [name.strip() for name in next(reader, [])]
    twice = sorted({name for name in head if name and head.count(name) > 1})
    if twice:
        message = f"the column {twice[0]!r} stands twice in the first line"
        hint = "give a column of your own another name"
        found.problems.append(Problem("decision", f"{path}:1", message, hint))
        return found
    if lacking := [name for name in NEEDED if name not in head]:
        message = f"no column {', '.join(lacking)} in the first line"
        hint = "keep the first line of adjudicate.csv"
        found.problems.append(Problem("decision", f"{path}:1", message, hint))
        return found
    # Ids as the list shows them; two that look the same there cannot be told apart.
    looks = Counter(unguarded(pair_id) for pair_id in plan.pairs)
    pairs = {shown: p for i, p in plan.pairs.items() if looks[shown := unguarded(i)] == 1}
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
            if comment := unguarded(row.get("comment", "")):
                about = _sentence(row, pairs, place)
                if isinstance(about, tuple):
                    found.comments[about[0].pair_id, about[1]] = comment
            continue
        result = _decision(row, word, pairs, place)
        if isinstance(result, Problem):
            found.problems.append(result)
            continue
        earlier = found.by_sentence.setdefault((result.pair_id, result.number), result)
        if earlier.label != result.label:
            message = f"{result.label} here, {earlier.label} at {earlier.place}"
            hint = "decide each sentence once"
            found.problems.append(Problem("decision", place, message, hint))
    return Decisions(found.by_sentence, found.problems, undecided, found.comments)


def _decision(
    row: dict[str, str], word: str, pairs: Mapping[str, PlannedPair], place: str
) -> Decision | Problem:
    hint = f"a decision is one of: {', '.join(LABELS)}; or empty"
    if word.lower() not in _WORDS:
        return Problem("decision", place, f"{plain(word)[:40]!r} is no label", hint)
    about = _sentence(row, pairs, place)
    if isinstance(about, Problem):
        return about
    pair, number = about
    text = unguarded(row.get("text", ""))
    if text and text != unguarded(pair.sentences[number - 1]):
        message = f"sentence {number} of pair {pair.pair_id!r} has another text in the plan"
        hint = "sorting moved some columns only? Sort whole rows, or use the list of this plan"
        return Problem("decision", place, message, hint)
    votes, comment = unguarded(row.get("votes", "")), unguarded(row.get("comment", ""))
    return Decision(pair.pair_id, number, _WORDS[word.lower()], votes, comment, place)


def _sentence(
    row: Mapping[str, str], pairs: Mapping[str, PlannedPair], place: str
) -> tuple[PlannedPair, int] | Problem:
    """Return the pair and the number of the sentence that a row is about."""
    shown = unguarded(row.get("pair_id", ""))
    pair = pairs.get(shown)
    if pair is None:
        message = f"pair {shown[:100]!r} is not in the plan"
        return Problem("decision", place, message, "use the list that belongs to --plan")
    number = row.get("sentence", "").strip()
    whole = number.isascii() and number.isdigit() and len(number) <= NUMBER_DIGITS
    if not (whole and 1 <= int(number) <= len(pair.sentences)):
        message = f"{plain(number)[:40]!r} is no sentence of pair {pair.pair_id!r}"
        return Problem("decision", place, message, f"sentences are 1 to {len(pair.sentences)}")
    return pair, int(number)
