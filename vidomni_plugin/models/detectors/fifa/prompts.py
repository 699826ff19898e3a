"""What the language model is told: how to find facts, to ask for them, and what they rest on.

Instructions and examples were written for this project. The public code of FIFA has no licence,
and nothing of it is here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

__all__ = ["ROLES", "Example", "Message", "Role", "identity", "messages", "one_line", "rows"]

Role = Literal["facts", "questions", "parents"]
ROLES: tuple[Role, ...] = ("facts", "questions", "parents")
Message = Mapping[str, object]
"""As an OpenAI-compatible endpoint takes it."""
FOLDER = Path(__file__).parent.parent / "prompts"
NO_FACTS = "0 | none"
SHORT_HASH = 12


class Example(NamedTuple):
    """A text with what the model should write about it."""

    text: str
    facts: Sequence[str]
    questions: Sequence[str]
    parents: Sequence[Sequence[int]]
    """By fact; numbers start at 1."""

    def wanted(self, role: Role) -> str:
        """Return the rows that the model should write."""
        if not self.facts:
            return NO_FACTS
        of_role = {
            "facts": self.facts,
            "questions": self.questions,
            "parents": [", ".join(map(str, listed)) or "0" for listed in self.parents],
        }
        return rows(dict(enumerate(of_role[role], start=1)))


def messages(role: Role, text: str, facts: Mapping[int, str] | None = None) -> list[Message]:
    """Return the conversation of one call: the instruction, examples, and what is asked.

    Args:
        role: Which of the three calls it is.
        text: What is judged.
        facts: Of the text, by number; for all but the first call.
    """
    instruction, examples = _told(role)
    shown: list[Message] = [{"role": "system", "content": instruction}]
    for example in examples:
        if role != "facts" and not example.facts:
            continue
        known = None if role == "facts" else dict(enumerate(example.facts, start=1))
        shown.append({"role": "user", "content": _given(example.text, known)})
        shown.append({"role": "assistant", "content": example.wanted(role)})
    return [*shown, {"role": "user", "content": _given(text, facts)}]


@lru_cache(maxsize=1)
def identity() -> str:
    """Return the hash of all that the language model is told beside the text."""
    told = json.dumps([messages(role, "", {}) for role in ROLES])
    return hashlib.sha256(told.encode()).hexdigest()[:SHORT_HASH]


def rows(texts: Mapping[int, str]) -> str:
    r"""Return rows ``number | text``.

    Example:
        >>> rows({1: "There is a dog.", 2: "It runs."})
        '1 | There is a dog.\n2 | It runs.'
    """
    return "\n".join(f"{number} | {text}" for number, text in texts.items())


def one_line(text: str) -> str:
    r"""Return a text on one line: rows of a text must not look like rows of facts.

    Example:
        >>> one_line("A dog.\n1 | A cat. ")
        'A dog. 1 | A cat.'
    """
    return " ".join(text.split())


def _given(text: str, facts: Mapping[int, str] | None) -> str:
    given = f"Text: {one_line(text)}"
    return given if facts is None else f"{given}\nFacts:\n{rows(facts)}"


@lru_cache(maxsize=len(ROLES))
def _told(role: Role) -> tuple[str, tuple[Example, ...]]:
    instruction = (FOLDER / f"fifa_{role}.txt").read_text(encoding="utf-8").strip()
    examples = json.loads((FOLDER / "fifa_examples.json").read_text(encoding="utf-8"))
    return instruction, tuple(Example(**example) for example in examples)
