"""FIFA's score of one answer: the share of its facts that hold, where the facts they rest on do.

Written from the published figures and the behaviour of the public code, which has no licence and
was not copied. ``score_facts`` is ours: what cannot be read has no score. ``published_score`` is
what the public code gives, which counts every such answer as full support.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = [
    "FactScore",
    "Unreadable",
    "published_score",
    "read_parents",
    "read_rows",
    "score_facts",
    "yes_or_no",
]

MOST_FACTS = 1000
"""More rows than this are no list of the facts of one answer."""
_FENCE = re.compile(r"\s*```\w*\s*\Z")
_OUTPUT = re.compile(r"\s*output:", re.IGNORECASE)
_FIRST_WORD = re.compile(
    r"[\s\W_]{0,8}(yes|no)\b(?!\s{0,8}(?:/|,?\s{0,8}or\b)\s{0,8}(?:yes|no)\b)", re.IGNORECASE
)
_WORD = re.compile(r"\b(yes|no)\b", re.IGNORECASE)


class Unreadable(ValueError):
    """A reply of the language model, or a set of them, that is not what was asked for."""


@dataclass(frozen=True, slots=True)
class FactScore:
    """Score of one answer in [0, 1], higher is more support."""

    score: float
    """Mean over facts, where a fact without its parents counts 0."""
    without_dependencies: float
    """Mean over facts of what was said about each."""
    per_fact: Mapping[int, float]
    """1 for a fact that counts, by its number."""
    valid: Mapping[int, bool]
    """Whether the parents of a fact hold; only for facts whose parents are known."""
    failed: bool = False
    """True where the public code met an error and so gave 1."""


def read_rows(text: str) -> dict[int, str]:
    r"""Return the rows ``number | text`` of a reply, in their order.

    A code fence around them, a label ``output:`` before them and empty lines are left out.

    Raises:
        Unreadable: If there is no row, one has no number or no text, or a number comes twice.

    Example:
        >>> read_rows("1 | Is there a dog?\n2 | Does it run?")
        {1: 'Is there a dog?', 2: 'Does it run?'}
    """
    rows: dict[int, str] = {}
    for line in _OUTPUT.sub("", text, count=1).splitlines():
        if not line.strip() or _FENCE.match(line):
            continue
        number, bar, rest = line.partition("|")
        if not bar or not (number.strip().isascii() and number.strip().isdigit()):
            raise Unreadable(f"a row without a number: {line[:80]!r}")
        if not rest.strip() or len(number.strip()) > 6:
            raise Unreadable(f"a row without a text: {line[:80]!r}")
        if int(number) in rows:
            raise Unreadable(f"two rows with the number {int(number)}")
        rows[int(number)] = rest.strip()
        if len(rows) > MOST_FACTS:
            raise Unreadable(f"more than {MOST_FACTS} rows")
    if not rows:
        raise Unreadable("no row at all")
    return rows


def read_parents(text: str) -> dict[int, tuple[int, ...]]:
    r"""Return the parents of each fact from rows ``number | list of numbers``; 0 is no parent.

    Raises:
        Unreadable: As ``read_rows``, and if a parent is no number.

    Example:
        >>> read_parents("1 | 0\n2 | 1\n3 | 1, 2")
        {1: (), 2: (1,), 3: (1, 2)}
    """
    parents: dict[int, tuple[int, ...]] = {}
    for number, listed in read_rows(text).items():
        named = [part.strip() for part in listed.split(",")]
        if not all(part.isascii() and part.isdigit() and len(part) <= 6 for part in named):
            raise Unreadable(f"parents of fact {number} that are no numbers: {listed[:80]!r}")
        parents[number] = tuple(int(part) for part in named if int(part))
    return parents


def yes_or_no(reply: str) -> bool | None:
    """Return what a reply says, or None where it says neither or both.

    Only whole words count, the first word before any other; "yes or no" is neither.

    Example:
        >>> yes_or_no("Yes, it is."), yes_or_no("No."), yes_or_no("The eyes are closed.")
        (True, False, None)
    """
    if found := _FIRST_WORD.match(reply):
        return found[1].lower() == "yes"
    said = {word.lower() for word in _WORD.findall(reply)}
    return said == {"yes"} if len(said) == 1 else None


def score_facts(said: Mapping[int, bool], parents: Mapping[int, Sequence[int]]) -> FactScore:
    """Return the share of facts that hold together with all the facts they rest on.

    Unlike in the public code the order of the rows plays no part: a fact falls with any of its
    ancestors. Facts that rest on each other in a circle stand or fall together.

    Args:
        said: Whether each fact was verified, by its number.
        parents: Facts that each rests on; a fact without an entry rests on none.

    Raises:
        Unreadable: If there is no fact, one was not verified, or a parent is none of them.

    Example:
        >>> score_facts({1: False, 2: True, 3: True}, {2: [1]}).score
        0.3333333333333333
    """
    if not said:
        raise Unreadable("no fact to verify")
    if unsaid := sorted(fact for fact, holds in said.items() if holds is None):
        raise Unreadable(f"fact {unsaid[0]} was neither confirmed nor denied")
    known = {fact: [p for p in listed if p] for fact, listed in parents.items() if fact in said}
    if unknown := {p for listed in known.values() for p in listed} - said.keys():
        raise Unreadable(f"a parent that is no fact: {min(unknown)}")
    children: dict[int, list[int]] = {}
    for fact, listed in known.items():
        for parent in listed:
            children.setdefault(parent, []).append(fact)
    fallen = {fact for fact, holds in said.items() if not holds}
    waiting = list(fallen)
    while waiting:
        for child in children.get(waiting.pop(), []):
            if child not in fallen:
                fallen.add(child)
                waiting.append(child)
    valid = {fact: not any(p in fallen for p in listed) for fact, listed in known.items()}
    return _score({fact: float(fact not in fallen) for fact in said}, said, valid)


def published_score(questions: str, parents: str, replies: Mapping[str, str]) -> FactScore:
    """Return what the public code gives (commit f75b4fd), for comparison with published numbers.

    A reply that holds the letters "yes" anywhere is a yes. Rows are walked once in their order, a
    fact becoming 0 when a parent is 0 at that moment. Whatever cannot be read gives 1.

    Args:
        questions: Rows ``number | question``.
        parents: Rows ``number | list of numbers``.
        replies: Reply of the model that sees the video, by question.
    """
    try:
        asked = _published_rows(_OUTPUT.sub("", questions, count=1))
        rows = _published_rows(_OUTPUT.sub("", parents.replace("```", ""), count=1))
        known = {int(number): _published_parents(listed) for number, listed in rows}
        said = {int(number): "yes" in replies[question].lower() for number, question in asked}
        now = {number: float(yes) for number, yes in said.items()}
        valid = {}
        for number, listed in known.items():
            if number in now:
                valid[number] = all(now[parent] for parent in listed)
                now[number] *= valid[number]
    except (ValueError, KeyError):
        return FactScore(1.0, 1.0, {}, {}, failed=True)
    return _score(now, said, valid)


def _published_rows(text: str) -> list[tuple[str, str]]:
    rows = [line.split("|") for line in text.strip().split("\n")]
    if any(len(row) != 2 for row in rows):
        raise ValueError("a row without just one bar")
    return [(number.strip(), rest.strip()) for number, rest in rows]


def _published_parents(listed: str) -> list[int]:
    if "," not in listed:
        return [number for number in [int(listed)] if number]
    return [int(part) for part in listed.split(",") if part.strip().isdigit() and int(part)]


def _score(
    now: Mapping[int, float], said: Mapping[int, bool], valid: Mapping[int, bool]
) -> FactScore:
    return FactScore(
        sum(now.values()) / len(now), sum(said.values()) / len(said), dict(now), dict(valid)
    )
