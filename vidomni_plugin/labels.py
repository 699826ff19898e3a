"""Model text -> labels, or the reason why there are none. Pure text, linear time, no guess.

A label is what a careful reader is sure that the model gave. The caption's own words, an
echoed instruction and thinking are never labels; docs/labels.md lists the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vidomni_plugin.detectors.answer import looks_like_answer, read_answer
from vidomni_plugin.parsing.answers import read_structures
from vidomni_plugin.parsing.corrections import legend, read_corrections
from vidomni_plugin.parsing.prose import read_prose
from vidomni_plugin.parsing.reasons import REASONS, SentenceReason, VerdictReason
from vidomni_plugin.parsing.thinking import (
    assistant_part,
    containers,
    final_answer,
    locate,
    reconsiders,
)
from vidomni_plugin.parsing.values import Label, Value
from vidomni_plugin.parsing.verdict import REFUSAL, read_verdict
from vidomni_plugin.parsing.wrapping import fold, strip_markup, unescape

__all__ = ["REASONS", "SentenceLabels", "Verdict", "parse_sentence_labels", "parse_verdict"]

FAILED_REQUEST = "[LMMS_EVAL_REQUEST_FAILED"
"""What the host's API runners answer when a request failed for good."""
HEAD, TAIL = 60_000, 40_000
"""Characters of an answer that are read from its start and end; what is longer is a loop."""


@dataclass(frozen=True, slots=True)
class SentenceLabels:
    """The labels of one answer; ``reason`` says why some are missing."""

    labels: tuple[Label, ...]
    """One a sentence: 0 faithful, 1 hallucinated, None not given."""
    status: Literal["ok", "partial", "none"]
    """Whether all, some or none of the sentences have a label."""
    reason: SentenceReason


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of one answer; ``reason`` says why there is none."""

    label: Literal["ACCEPT", "REJECT"] | None
    reason: VerdictReason


def _shortened(text: str) -> str:
    if len(text) <= HEAD + TAIL:
        return text
    return f"{text[:HEAD]}\n\n{text[-TAIL:]}"


def _result(entries: dict[int, Label], n: int, reason: SentenceReason) -> SentenceLabels:
    labels = tuple(entries.get(k) for k in range(1, n + 1))
    found = sum(label is not None for label in labels)
    if found == n:
        return SentenceLabels(labels, "ok", "")
    return SentenceLabels(labels, "partial" if found else "none", reason)


def _missing_reason(values: dict[int, Value | None], n: int, *, closed: bool) -> SentenceReason:
    """Return why a dictionary does not label every sentence; the first cause that applies."""
    kinds = {
        value.kind for k, value in values.items() if 1 <= k <= n and value and value.label is None
    }
    if kinds & {"score", "number"}:
        return "out_of_range"
    if kinds & {"boolean", "both", "open", "text"}:
        return "ambiguous"
    return "missing_sentences" if closed else "truncated"


def _read_answer(text: str, n: int) -> SentenceLabels:
    """Read an answer that is outside thinking."""
    polarity = legend(text)
    found = read_structures(text, n, polarity)
    reading = found.reading
    if reading.entries and reading.labelled():
        numbers = reading.entries.keys()
        shift = 1 if 0 in numbers and n not in numbers else 0
        entries = {
            k + shift: value.label if value else None for k, value in reading.entries.items()
        }
        corrected = read_corrections(text[reading.end :])
        entries |= {k: label for k, label in corrected.items() if k in entries}
        moved = {k + shift: value for k, value in reading.entries.items()}
        reason = _missing_reason(moved, n, closed=reading.closed)
        return _result(entries, n, "duplicate_conflict" if reading.duplicate else reason)
    if reading.wrong_length is not None:
        return _result({}, n, "wrong_length_list")
    if found.reason:
        return _result({}, n, found.reason)
    if reading.entries:
        reason = _missing_reason(reading.entries, n, closed=reading.closed)
        return _result({}, n, "duplicate_conflict" if reading.duplicate else reason)
    prose = read_prose(text, n, polarity)
    if any(label is not None for k, label in prose.items() if 1 <= k <= n):
        missing: SentenceReason = "ambiguous" if None in prose.values() else "missing_sentences"
        return _result(prose, n, missing)
    return _result({}, n, "refusal" if REFUSAL.search(text[:20_000]) else "no_labels")


def _best(text: str, n: int) -> SentenceLabels:
    """Read the explicit answer containers first, then the text as a whole."""
    text = assistant_part(text)
    for content in reversed(containers(text)):
        inner = _read_answer(strip_markup(content), n)
        if inner.status != "none":
            return inner
    return _read_answer(strip_markup(text), n)


def parse_sentence_labels(text: str, n: int) -> SentenceLabels:
    """Read the sentence labels of one model output.

    Args:
        text: The raw output, with or without thinking.
        n: Number of sentences, at least 0.

    Returns:
        n labels, a status and the reason for missing ones (codes in ``REASONS``).

    Example:
        >>> parse_sentence_labels('{"sentence_1": 0, "sentence_2": 1}', 2).labels
        (0, 1)
        >>> parse_sentence_labels('<think>{"sentence_1": 0}', 1)
        SentenceLabels(labels=(None,), status='none', reason='unfinished_thinking')
        >>> parse_sentence_labels("Sentence 1 is fine, I guess.", 1).status
        'none'
    """
    plain = unescape(fold(text))
    if not plain.strip():
        return _result({}, n, "empty")
    if plain.lstrip().startswith(FAILED_REQUEST):
        return _result({}, n, "request_failed")
    located = locate(plain)
    result = _best(_shortened(located.answer), n)
    if result.status == "none" and located.thought and result.reason != "placeholder":
        if located.earlier.strip():
            earlier = _best(_shortened(located.earlier), n)
            if earlier.status != "none":
                return earlier
        if located.unfinished is not None:
            final = final_answer(located.unfinished)
            if final is not None and not reconsiders(final):
                complete = _best(_shortened(final), n)
                if complete.status == "ok":
                    return complete
            return _result({}, n, "unfinished_thinking")
        if not located.answer.strip():
            return _result({}, n, "thinking_only")
    return result


def parse_verdict(text: str) -> Verdict:
    """Read the verdict of one model output.

    Args:
        text: The raw output, with or without thinking, or the JSON that a detector answers with.

    Returns:
        "ACCEPT" or "REJECT", or None with the reason (codes in ``REASONS``).

    Example:
        >>> parse_verdict("<think>REJECT?</think> Verdict: accept.").label
        'ACCEPT'
        >>> parse_verdict("I would not accept this: the coat is blue.").label
        'REJECT'
        >>> parse_verdict("ACCEPT or REJECT").reason
        'echo'
    """
    if looks_like_answer(text):  # words in its detail are no verdict
        scored = read_answer(text)
        if scored is None:
            return Verdict(None, "no_verdict")
        return Verdict(scored.label, scored.reason)
    plain = unescape(fold(text))
    if not plain.strip():
        return Verdict(None, "empty")
    if plain.lstrip().startswith(FAILED_REQUEST):
        return Verdict(None, "request_failed")
    located = locate(plain)
    answer = _shortened(located.answer)
    label, reason = _verdict(answer)
    if label is None and located.thought:
        if located.earlier.strip() and not located.answer.strip():
            label, reason = _verdict(_shortened(located.earlier))
            if label is not None:
                return Verdict(label, "")
        if located.unfinished is not None:
            final = final_answer(located.unfinished)
            if final is not None and not reconsiders(final):
                label, _ = _verdict(_shortened(final))
            return Verdict(label, "" if label else "unfinished_thinking")
        if not located.answer.strip():
            return Verdict(None, "thinking_only")
    return Verdict(label, "" if label else reason)


def _verdict(text: str) -> tuple[Literal["ACCEPT", "REJECT"] | None, VerdictReason]:
    """Read the explicit answer containers first, then the text as a whole."""
    text = assistant_part(text)
    inside = [read_verdict(strip_markup(content))[0] for content in containers(text)]
    named = [label for label in inside if label is not None]
    if named:
        return named[-1], ""
    return read_verdict(strip_markup(text))
