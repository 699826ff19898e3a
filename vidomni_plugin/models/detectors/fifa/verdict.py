"""A text's score from its facts and what was said about each of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict
from typing import NamedTuple

from vidomni_plugin.detectors.facts import (
    FactScore,
    Unreadable,
    published_score,
    score_facts,
    yes_or_no,
)
from vidomni_plugin.models.detectors.base import Scored
from vidomni_plugin.models.detectors.fifa.chain import Chain
from vidomni_plugin.models.detectors.fifa.heard import Heard, NotHeard, Outcome, taken

__all__ = ["Judged", "judged"]

NO_PARENTS = "0 | 0"
"""Rows of parents that can be read, and that are of no fact."""
LONGEST_REPLY = 200
"""Characters of a reply that stand in an answer."""


class Judged(NamedTuple):
    """What came of one text."""

    scored: Scored
    again: bool
    """Whether there is no score for a reason that another run may not meet."""


def judged(chain: Chain, said: Mapping[int, Outcome], *, published: bool) -> Judged:
    """Return the score of one text, or why it has none.

    Args:
        chain: What the language model made of the text.
        said: What the VideoQA model said to each question, by the fact's number; nothing where
            the chain gave nothing to ask.
        published: Whether the public code's score is to stand beside.
    """
    verdicts = {
        number: yes_or_no(outcome.answer) if isinstance(outcome, Heard) else None
        for number, outcome in said.items()
    }
    status, message, again = _status(chain, said, verdicts)
    found: FactScore | None = None
    if not status:
        try:
            known = {number: verdict for number, verdict in verdicts.items() if verdict is not None}
            found = score_facts(known, chain.parents)
        except Unreadable as fault:
            status, message = "unreadable", str(fault)
    detail: dict[str, object] = {"status": status, "error": message} if status else {}
    if found is not None:
        detail["without_dependencies"] = found.without_dependencies
    if published:
        detail["published"] = _published(chain, said)
    heard = [*chain.replies.values(), *(one for one in said.values() if isinstance(one, Heard))]
    detail["facts"] = _rows(chain, said, verdicts, found)
    detail["taken"] = asdict(taken(heard))
    return Judged(Scored(found.score if found else None, detail), again)


def _status(
    chain: Chain, said: Mapping[int, Outcome], verdicts: Mapping[int, bool | None]
) -> tuple[str, str, bool]:
    """Return why there is no score, in a word and in words, and whether to ask again."""
    if chain.status:
        return chain.status, chain.message, chain.again
    failed = {number: one for number, one in said.items() if isinstance(one, NotHeard)}
    if failed:
        number = min(failed, key=lambda number: (not failed[number].again, number))
        one = failed[number]
        return one.status, f"question {number}: {one.message}", one.again
    unclear = [number for number, verdict in verdicts.items() if verdict is None]
    if unclear:
        text = f"question {unclear[0]}: the reply says neither yes nor no"
        return "unclear", text, False
    return "", "", False


def _rows(
    chain: Chain,
    said: Mapping[int, Outcome],
    verdicts: Mapping[int, bool | None],
    found: FactScore | None,
) -> list[dict[str, object]]:
    """Return each fact with all that is known of it."""
    listed: list[dict[str, object]] = []
    for number, fact in chain.facts.items():
        row: dict[str, object] = {"number": number, "fact": fact}
        if number in chain.questions:
            row["question"] = chain.questions[number]
        if number in chain.parents:
            row["parents"] = list(chain.parents[number])
        outcome = said.get(number)
        if isinstance(outcome, Heard):
            row["reply"] = (outcome.answer or outcome.text)[:LONGEST_REPLY]
            row["verdict"] = verdicts[number]
        elif outcome is not None:
            row["failed"] = outcome.status
        if found is not None:
            row["counts"] = found.per_fact[number]
        listed.append(row)
    return listed


def _published(chain: Chain, said: Mapping[int, Outcome]) -> float | None:
    """Return the public code's score, or None where its replies were never asked for."""
    if "questions" not in chain.replies:
        return None
    questions = chain.replies["questions"].text
    parents = chain.replies["parents"].text if "parents" in chain.replies else NO_PARENTS
    if chain.status:
        # It gives 1 to rows that it cannot read. Where it could, it would have asked on.
        any_reply: Mapping[str, str] = defaultdict(lambda: "yes")
        return 1.0 if published_score(questions, parents, any_reply).failed else None
    replies: dict[str, str] = {}
    for number, outcome in said.items():
        if isinstance(outcome, NotHeard):
            return None
        replies[chain.questions[number]] = outcome.text
    return published_score(questions, parents, replies).score
