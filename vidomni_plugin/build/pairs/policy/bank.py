"""The bank of questions: which one an item gets, and the fact's words put into it."""

from __future__ import annotations

import difflib
import hashlib
import string
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from vidomni_plugin.build.pairs.contracts.facts import ActionFact, Fact, rule_of
from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
from vidomni_plugin.build.pairs.contracts.pair import Task
from vidomni_plugin.data.checks.answers import is_polar_question
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.records import Leaf, Text

__all__ = ["Chosen", "QuestionBank", "choose", "read_bank"]

ANCHORS: dict[Leaf, frozenset[str]] = {
    Leaf.ENTITY_EXISTENCE: frozenset({"entity"}),
    Leaf.ENTITY_CATEGORY: frozenset({"entity"}),
    Leaf.ENTITY_QUANTITY: frozenset({"entity_set"}),
    Leaf.ATTRIBUTE_VALUE: frozenset({"entity", "attribute_key"}),
    Leaf.STATIC_RELATION: frozenset({"subject", "object"}),
    Leaf.ACTION_PREDICATE: frozenset({"subject", "object"}),
    Leaf.TEMPORAL_RELATION: frozenset({"event_a", "event_b"}),
    Leaf.CAMERA_PREDICATE: frozenset({"camera_event"}),
}
"""What a question may name: all of the fact but its slot."""
_NO_ARTICLE = frozenset({"entity_set", "attribute_key"})
_EVENTS = frozenset({"event_a", "event_b", "camera_event"})
"""What happens may be called by a verb ("opening a door"), which gets no article."""
_ARTICLES = frozenset({"a", "an", "the"})
_DETERMINING = """
this that these those my your his her its our their some any no each every another both one two
three four five six seven eight nine ten someone somebody something he she it they we you i who
"""
_DETERMINERS = _ARTICLES | frozenset(_DETERMINING.split())
"""A name that begins so, with a capital letter or with a figure gets no article."""

Questions = Annotated[list[Text], Field(min_length=1)]


class ActionQuestions(BaseModel):
    """Questions about an action: on something, and on nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    with_object: Questions
    without_object: Questions


class VideoQaQuestions(BaseModel):
    """Questions of video QA, one list a leaf."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    EntityExistence: Questions
    EntityCategory: Questions
    EntityQuantity: Questions
    AttributeValue: Questions
    StaticRelation: Questions
    ActionPredicate: ActionQuestions
    TemporalRelation: Questions
    CameraPredicate: Questions


class QuestionBank(BaseModel):
    """All questions; a name in braces is filled from the fact."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    version: Text
    video_captioning: Questions
    video_qa: VideoQaQuestions

    def lists(self) -> Iterator[tuple[str, Leaf | None, Sequence[str]]]:
        """Yield id, leaf (None for captioning) and questions of each list."""
        yield "video_captioning", None, self.video_captioning
        for leaf in LEAVES:
            found = getattr(self.video_qa, leaf.value)
            if isinstance(found, ActionQuestions):
                yield f"video_qa:{leaf.value}:with_object", leaf, found.with_object
                yield f"video_qa:{leaf.value}:without_object", leaf, found.without_object
            else:
                yield f"video_qa:{leaf.value}", leaf, found

    @model_validator(mode="after")
    def _questions_fit(self) -> QuestionBank:
        faults = [
            f"{name}, question {number}: {fault}"
            for name, leaf, questions in self.lists()
            for number, question in enumerate(questions, 1)
            if (fault := _fault(question, name, leaf, questions[: number - 1]))
        ]
        if faults:
            raise ValueError("; ".join(faults))
        return self


class Chosen(NamedTuple):
    """The question of an item."""

    template: str
    """Its id in the bank: list and number from 0."""
    question: str


def read_bank(path: Path) -> QuestionBank:
    """Return a bank of questions.

    Raises:
        InputProblems: If it cannot be read, or has a fault; all are named.
    """
    title = "the question bank cannot be used"
    try:
        given: Any = yaml.safe_load(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        problem = Problem("no-file", str(path), error.strerror or str(error))
        raise InputProblems(title, [problem]) from None
    except (UnicodeDecodeError, yaml.YAMLError, RecursionError, ValueError) as error:
        message = " ".join(str(error).split())
        raise InputProblems(title, [Problem("questions", str(path), message)]) from None
    try:
        return QuestionBank.model_validate(given)
    except ValidationError as error:
        hint = "docs/question_banks.md says what a bank holds"
        problems = [
            Problem("questions", f"{path}: {'.'.join(map(str, one['loc'])) or 'bank'}", fault, hint)
            for one in error.errors(include_url=False)
            for fault in _told(one).split("; ")
        ]
        raise InputProblems(title, problems) from None


def _told(error: ErrorDetails) -> str:
    """Return what pydantic finds wrong, in the words of a bank."""
    if error["type"] == "extra_forbidden":
        level = (QuestionBank, VideoQaQuestions, ActionQuestions)[len(error["loc"]) - 1]
        name, known = str(error["loc"][-1]), list(level.model_fields)
        meant = {rule.category.upper(): leaf.value for leaf, rule in LEAVES.items()}
        if close := [one for one in (meant.get(name.upper()),) if one in known]:
            return f"no such name, did you mean {close[0]}?"
        lower = {one.lower(): one for one in known}
        if close := difflib.get_close_matches(name.lower(), lower, 1):
            return f"no such name, did you mean {lower[close[0]]}?"
        return f"no such name: there are {', '.join(known)}"
    if error["type"] == "missing":
        return "it is missing"
    if error["type"] in {"model_type", "model_attributes_type"}:
        level = ActionQuestions if error["loc"][1:] else VideoQaQuestions
        known = list((level if error["loc"] else QuestionBank).model_fields)
        return f"it has no {', '.join(known)}"
    if error["type"] == "list_type":
        return "it is no list of questions"
    return error["msg"].removeprefix("Value error, ")


def choose(
    bank: QuestionBank, video_id: str, fact_id: str, fact: Fact, task: Task, seed: int
) -> Chosen:
    """Return the question of an item: drawn by the hash of what it is about, then filled.

    The same item gets the same question in every run with this bank and seed.
    """
    leaf = rule_of(fact).leaf
    name, questions = _list_of(bank, fact, task)
    key = f"{video_id}|{fact_id}|{leaf.value}|{task}|{seed}"
    drawn = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") % len(questions)
    return Chosen(f"{name}:{drawn}", _filled(questions[drawn], fact.model_dump()))


def _list_of(bank: QuestionBank, fact: Fact, task: Task) -> tuple[str, Sequence[str]]:
    if task == "video_captioning":
        return "video_captioning", bank.video_captioning
    name = f"video_qa:{rule_of(fact).leaf.value}"
    if isinstance(fact, ActionFact):
        name += ":without_object" if fact.object is None else ":with_object"
    return next((listed, questions) for listed, _, questions in bank.lists() if listed == name)


def _filled(question: str, values: Mapping[str, object]) -> str:
    """Return a question with the names in braces replaced, in one pass."""
    parts = []
    for text, name, _, _ in string.Formatter().parse(question):
        parts.append(text)
        if name is not None:
            parts.append(_noun(name, str(values[name])))
    return "".join(parts)


def _noun(name: str, text: str) -> str:
    words = text.replace("_", " ").strip().rstrip(".!?").split()
    if not words:
        return text
    first = words[0].casefold()
    if name in _NO_ARTICLE:
        return " ".join(words[1:] if first in _ARTICLES and len(words) > 1 else words)
    if first in _DETERMINERS:
        return " ".join([words[0] if first == "i" else first, *words[1:]])
    known = not words[0][0].islower() or (name in _EVENTS and first.endswith("ing"))
    return " ".join(words if known else ["the", *words])


def _fault(question: str, name: str, leaf: Leaf | None, before: Sequence[str]) -> str:
    try:
        parsed = list(string.Formatter().parse(question))
    except ValueError as error:
        return f"braces that do not pair: {error}"
    names = [part[1] for part in parsed if part[1] is not None]
    if any(part[2] or part[3] for part in parsed):
        return "a name in braces stands alone, without ':' or '!'"
    if question in before:
        return "it stands there twice"
    if leaf is None:
        return f"a request for a caption names nothing, and this names {names}" if names else ""
    allowed = set(ANCHORS[leaf])
    if name.endswith(":without_object"):
        allowed -= {"object"}
    if unknown := sorted(set(names) - allowed):
        return f"{{{unknown[0]}}} cannot be filled: only {', '.join(sorted(allowed))}"
    if missing := sorted(allowed - set(names)):
        return f"{{{missing[0]}}} is not named, so that it is not clear what is asked about"
    if not question.strip().endswith("?"):
        return "it does not end with a question mark"
    if leaf is Leaf.ENTITY_EXISTENCE and not is_polar_question(question):
        return "it does not ask for Yes or No"
    return ""
