"""Gate of generation: forms, polarity and the false value (VidHalLoc section 3, stage GVP)."""

from __future__ import annotations

from typing import Literal

from pydantic import ValidationError

from vidomni_plugin.build.pairs.contracts.facts import Fact, mutated, rule_of, slot_value
from vidomni_plugin.build.pairs.contracts.leaves import FactKind
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.pair import Task
from vidomni_plugin.build.pairs.contracts.reasons import Reason
from vidomni_plugin.build.pairs.contracts.roles import Generated
from vidomni_plugin.build.pairs.gates.phrases import compatible, same_phrase
from vidomni_plugin.data.checks.answers import (
    bare,
    is_polar_question,
    is_sentence,
    places_of_change,
    polar_form,
    polarity,
)

__all__ = ["AnswerForm", "answer_form", "realized"]

AnswerForm = Literal[
    "caption_complete_sentence", "polar_explained_sentence", "direct_complete_sentence"
]
LONGEST_ANSWER = 1000
"""Characters; the papers' answers have some 15 words."""


def answer_form(task: Task, kind: FactKind) -> AnswerForm:
    """Return the form that both answers have.

    Example:
        >>> answer_form("video_qa", FactKind.ENTITY_EXISTENCE)
        'polar_explained_sentence'
    """
    if task == "video_captioning":
        return "caption_complete_sentence"
    if kind is FactKind.ENTITY_EXISTENCE:
        return "polar_explained_sentence"
    return "direct_complete_sentence"


def realized(
    generated: Generated, source: Fact, sentence: str, question: str, task: Task
) -> Fact | Reject:
    """Return the counterfactual fact, or why the pair is not let through.

    Args:
        generated: The generator's reply.
        source: The accepted fact.
        sentence: It in words; but for Yes/No items the factual answer, character for character.
        question: The question that was given.
        task: What the video is used for.
    """
    if generated.question != question:
        return Reject(Reason.QUESTION_CHANGED, generated.question)
    form = answer_form(task, rule_of(source).kind)
    if form != "polar_explained_sentence" and generated.answer != sentence:
        return Reject(Reason.ANSWER_CHANGED, generated.answer)
    counterfactual = _counterfactual(generated, source)
    if isinstance(counterfactual, Reject):
        return counterfactual
    return _form_fault(generated, source, counterfactual, form) or counterfactual


def _counterfactual(generated: Generated, source: Fact) -> Fact | Reject:
    true, false = slot_value(source), generated.replacement_value
    if isinstance(false, str):
        false = false.strip()
    try:
        changed = mutated(source, false)
    except ValidationError:
        return Reject(Reason.REPLACEMENT_INVALID, f"{rule_of(source).slot} {false!r}")
    if same_phrase(true, false):
        return Reject(Reason.REPLACEMENT_EQUAL, f"{true!r} and {false!r}")
    if not isinstance(true, bool | int | float) and compatible(true, false):
        return Reject(Reason.REPLACEMENT_COMPATIBLE, f"{true!r} and {false!r}")
    return changed


def _form_fault(
    generated: Generated, source: Fact, counterfactual: Fact, form: AnswerForm
) -> Reject | None:
    answers = (generated.answer, generated.counterfactual_answer)
    polar = form == "polar_explained_sentence"
    for answer in answers:
        if len(answer) > LONGEST_ANSWER or "\n" in answer or answer != answer.strip():
            return Reject(Reason.ANSWER_FORM_INVALID, answer[:200])
        if not is_sentence(answer) or (polar and not polar_form(answer)):
            return Reject(Reason.ANSWER_FORM_INVALID, answer)
        if not polar and polarity(answer):
            return Reject(Reason.ANSWER_FORM_INVALID, answer)
    if polar:
        if not is_polar_question(generated.question):
            return Reject(Reason.ANSWER_FORM_INVALID, generated.question)
        for answer, fact in zip(answers, (source, counterfactual), strict=True):
            if (polarity(answer) == "Yes") != slot_value(fact):
                return Reject(Reason.POLARITY_WRONG, answer)
    if bare(answers[0]) == bare(answers[1]):
        return Reject(Reason.REPLACEMENT_EQUAL, answers[1])
    places = places_of_change(*answers)
    if len(places) > 1:
        return Reject(Reason.MULTIPLE_CHANGED_SLOTS, "; ".join(places))
    return None
