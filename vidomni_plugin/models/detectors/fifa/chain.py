"""From a text to its facts, a question for each, and what each rests on: three calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from vidomni_plugin.detectors.facts import Unreadable, read_parents, read_rows
from vidomni_plugin.models.detectors.fifa.heard import Heard, NotHeard, Outcome
from vidomni_plugin.models.detectors.fifa.prompts import Message, Role, messages

__all__ = ["AskText", "Chain", "chain_of"]

AskText = Callable[[Role, Sequence[Message]], Outcome]
"""Asks the language model."""
NONE = "none"


@dataclass(frozen=True, slots=True)
class Chain:
    """What the language model made of one text, as far as it came."""

    facts: Mapping[int, str] = field(default_factory=dict)
    questions: Mapping[int, str] = field(default_factory=dict)
    parents: Mapping[int, Sequence[int]] = field(default_factory=dict)
    replies: Mapping[Role, Heard] = field(default_factory=dict)
    """As they were given."""
    status: str = ""
    """Why there is nothing to verify; empty where there is."""
    message: str = ""
    again: bool = False
    """Whether another run may come further."""


def chain_of(text: str, ask: AskText) -> Chain:
    """Return the facts of a text, their questions and what they rest on.

    Args:
        text: What is judged.
        ask: Asks the language model; it is called three times, or less where one call fails.
    """
    replies: dict[Role, Heard] = {}
    facts: dict[int, str] = {}
    questions: dict[int, str] = {}
    parents: Mapping[int, Sequence[int]] = {}

    def stopped(status: str, message: str, *, again: bool = False) -> Chain:
        return Chain(facts, questions, {}, replies, status, message, again)

    for role in ("facts", "questions", "parents"):
        outcome = ask(role, messages(role, text, facts if role != "facts" else None))
        if isinstance(outcome, NotHeard):
            return stopped(outcome.status, f"{role}: {outcome.message}", again=outcome.again)
        replies[role] = outcome
        try:
            if role == "facts":
                facts = _facts(outcome.answer)
                if not facts:
                    return stopped("no_facts", "the language model found no fact in the text")
            elif role == "questions":
                found = read_rows(outcome.answer)
                _same_numbers(found, facts)
                questions = found
            else:
                parents = _parents(outcome.answer, facts)
        except Unreadable as fault:
            return stopped("unreadable", f"{role}: {fault}")
    return Chain(facts, questions, parents, replies)


def _facts(reply: str) -> dict[int, str]:
    """Return the facts of a reply; none where it says that there is none."""
    if not reply.strip():
        raise Unreadable("the reply is empty")
    facts = read_rows(reply)
    if set(facts) == {0} and facts[0].strip().strip(".").lower() == NONE:
        return {}
    if 0 in facts:  # among parents 0 means none
        raise Unreadable("a fact with the number 0")
    return facts


def _parents(reply: str, facts: Mapping[int, str]) -> dict[int, tuple[int, ...]]:
    parents = read_parents(reply)
    _same_numbers(parents, facts)
    for fact, listed in parents.items():
        if unknown := set(listed) - facts.keys():
            raise Unreadable(f"fact {fact} rests on {min(unknown)}, which is no fact")
    return parents


def _same_numbers(found: Mapping[int, object], facts: Mapping[int, str]) -> None:
    """Refuse rows that are not one for each fact."""
    if missing := facts.keys() - found.keys():
        raise Unreadable(f"no row for fact {min(missing)}")
    if more := found.keys() - facts.keys():
        raise Unreadable(f"a row for {min(more)}, which is no fact")
