"""Gate of generation: forms, polarity and the false value (VidHalLoc section 3, stage GVP)."""

from __future__ import annotations

from typing import Literal

from pydantic import ValidationError

from vidomni_plugin.build.pairs.contracts.facts import (
    Fact,
    SlotValue,
    mutated,
    rule_of,
    slot_value,
)
from vidomni_plugin.build.pairs.contracts.leaves import FactKind
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.pair import Task
from vidomni_plugin.build.pairs.contracts.reasons import Reason
from vidomni_plugin.build.pairs.contracts.roles import Generated
from vidomni_plugin.build.pairs.gates.phrases import compatible, same_phrase
from vidomni_plugin.build.pairs.gates.texts import is_one_sentence, on_one_line
from vidomni_plugin.build.pairs.gates.wording import changes_elsewhere, denies
from vidomni_plugin.data.checks.answers import (
    bare,
    is_polar_question,
    polar_form,
    polarity,
)

__all__ = ["AnswerForm", "answer_form", "realized"]

AnswerForm = Literal[
    "caption_complete_sentence", "polar_explained_sentence", "direct_complete_sentence"
]
LONGEST_ANSWER = 1000
"""Characters; the papers' answers have some 15 words."""
LONGEST_VALUE = 200
MOST_DIGITS = 15


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
    true = slot_value(source)
    false = _as_meant(generated.replacement_value, true)
    try:
        changed = mutated(source, false)
    except ValidationError:
        changed = None
    if changed is None or not _is_like(true, false):
        return Reject(Reason.REPLACEMENT_INVALID, f"{rule_of(source).slot} {str(false)[:200]!r}")
    if same_phrase(true, false):
        return Reject(Reason.REPLACEMENT_EQUAL, f"{true!r} and {false!r}")
    if not isinstance(true, bool | int | float) and compatible(true, false):
        return Reject(Reason.REPLACEMENT_COMPATIBLE, f"{true!r} and {false!r}")
    return changed


def _as_meant(false: SlotValue, true: SlotValue) -> SlotValue:
    """Return a number or a truth value that a model wrote as text, as what it is."""
    if isinstance(false, float) and isinstance(true, int) and false.is_integer():
        return int(false)
    if not isinstance(false, str):
        return false
    text = false.strip()
    if isinstance(true, bool):
        return {"true": True, "false": False}.get(text.casefold(), text)
    if isinstance(true, int) and text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS:
        return int(text)
    return text


def _is_like(true: SlotValue, false: SlotValue) -> bool:
    """Return whether a false value is of the sort of the true one: text of one line, or such."""
    if isinstance(true, bool) or isinstance(false, bool):
        return isinstance(true, bool) and isinstance(false, bool)
    return not isinstance(false, str) or on_one_line(false, LONGEST_VALUE)


def _form_fault(
    generated: Generated, source: Fact, counterfactual: Fact, form: AnswerForm
) -> Reject | None:
    answers = (generated.answer, generated.counterfactual_answer)
    polar = form == "polar_explained_sentence"
    for answer in answers:
        formed = polar_form(answer) if polar else not polarity(answer)
        if not formed or not is_one_sentence(answer, LONGEST_ANSWER):
            return Reject(Reason.ANSWER_FORM_INVALID, answer[:200])
    if polar:
        if not is_polar_question(generated.question):
            return Reject(Reason.ANSWER_FORM_INVALID, generated.question)
        for answer, fact in zip(answers, (source, counterfactual), strict=True):
            if (polarity(answer) == "Yes") != slot_value(fact):
                return Reject(Reason.POLARITY_WRONG, answer)
        yes, no = sorted(answers, key=polarity, reverse=True)
        if bare(yes).split()[1:] == bare(no).split()[1:] or (denies(yes) and not denies(no)):
            return Reject(Reason.POLARITY_WRONG, f"{yes} {no}")
    if bare(answers[0]) == bare(answers[1]):
        return Reject(Reason.REPLACEMENT_EQUAL, answers[1])
    words = [sorted(bare(answer).split()) for answer in answers]
    if words[0] == words[1] and rule_of(source).kind is not FactKind.TEMPORAL_RELATION:
        return Reject(Reason.ANCHOR_CHANGED, "the same words in another order")
    if elsewhere := changes_elsewhere(*answers, source, counterfactual):
        return Reject(Reason.MULTIPLE_CHANGED_SLOTS, "; ".join(elsewhere))
    return None
