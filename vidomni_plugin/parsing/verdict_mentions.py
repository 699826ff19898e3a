"""How ACCEPT and REJECT are mentioned: as the verdict, as an option, as a hypothesis."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from vidomni_plugin.parsing.languages import VERDICT_WORDS
from vidomni_plugin.parsing.verdict_patterns import (
    ALTERNATIVE,
    BUT_INSTEAD,
    BY,
    CLAUSE_START,
    CONCLUSION,
    CONDITION,
    CONDITIONAL,
    FIRST_CLAUSE,
    FIRST_PERSON,
    FIRST_PERSON_VERB,
    FOREIGN_CONCLUSION,
    FOREIGN_VERDICT,
    HYPOTHESIS,
    INTERJECTION,
    IS_THE_LABEL,
    LABEL,
    LATER_CONDITION,
    LEAD_IN,
    NEGATED,
    NO_REASON,
    NOT_BUT,
    OBJECT,
    OTHER_OBJECT,
    OTHERWISE,
    PART,
    PASSIVE,
    PREFIX,
    STATEMENT,
    STOP_BARE,
    SUPPORTED,
    TENTATIVE,
    UNABLE,
    VOID,
    X_NOT_Y,
)

__all__ = ["Event", "VerdictWord", "events"]

VerdictWord = Literal["ACCEPT", "REJECT"]
Kind = Literal[
    "final", "conclusion", "prefix", "bare", "decision", "part", "conditional", "open", "request"
]

MOST_MENTIONS = 24
"""Mentions that are read in one statement; more of them are a loop."""


@dataclass(frozen=True, slots=True)
class Event:
    """One mention that says something, and where it stands."""

    kind: Kind
    label: VerdictWord
    at: int


def _verdict(word: str) -> VerdictWord:
    return "ACCEPT" if word[0] in "aA" else "REJECT"


def _opposite(label: VerdictWord) -> VerdictWord:
    return "REJECT" if label == "ACCEPT" else "ACCEPT"


def _event(
    statement: str, found: re.Match[str], labels: set[VerdictWord], offset: int
) -> Event | None:
    """Return what one mention of a label says; None when it says nothing."""
    label = _verdict(found["label"])
    at = offset + found.start()
    before = statement[max(0, found.start() - 140) : found.start()]
    after = statement[found.end() : found.end() + 140]
    if re.match(r"[\"'*\s]{0,3}\?", after) or statement.rstrip(" *_\"')").endswith("?"):
        return None
    if IS_THE_LABEL.match(after) and not VOID.search(before):
        return Event("prefix", label, at)
    if LEAD_IN.match(before) and re.fullmatch(r"\sis\s?[.!]?\s{0,3}", after):
        return Event("bare", label, at)
    if CONDITION.match(after):
        return Event("conditional", label, at)
    if PART.match(after):
        return Event("part", label, at)
    if HYPOTHESIS.match(after) or TENTATIVE.search(before):
        return None
    if len(labels) == 2 and X_NOT_Y.search(before) and not NOT_BUT.match(after):
        return None
    if len(labels) == 2 and ALTERNATIVE.search(before):
        return Event("part", label, at)
    if LATER_CONDITION.match(after):
        return Event("conditional", label, at)
    if BUT_INSTEAD.search(before) or FOREIGN_CONCLUSION.search(before):
        return Event("conclusion", label, at)
    final = PREFIX.search(before)
    if final:
        kind: Kind = "final" if final["final"] else "prefix"
        return Event(kind, label, at)
    negated = bool(NEGATED.search(before))
    said = _opposite(label) if negated else label
    object_fits = not OTHER_OBJECT.match(after)
    if UNABLE.search(before):
        return Event("request", label, at)
    person = FIRST_PERSON.search(before) or FIRST_PERSON_VERB.search(before)
    if person and not object_fits:
        return Event("request", label, at)
    if negated and label == "REJECT" and NO_REASON.search(before):
        return Event("open", "ACCEPT", at)
    conclusion = bool(CONCLUSION.search(before)) and object_fits
    stops = bool(STOP_BARE.match(after)) or (
        found["label"].isupper() and bool(re.match(r"\s+[A-Z][a-z]", after))
    )
    plain = found["label"].lower() not in {"accepts", "rejects", "accepting", "rejecting"}
    if VOID.search(before) and not conclusion:
        return None
    decided = bool(person and OBJECT.match(after)) or bool(
        PASSIVE.search(before) and not BY.match(after) and (stops or OBJECT.match(after))
    )
    whole = (
        LEAD_IN.match(before)
        or INTERJECTION.search(before)
        or (CLAUSE_START.search(before) and stops)
    )
    if found.start() > 140:
        whole = CLAUSE_START.search(before) if stops else None
    kind = "conclusion" if conclusion else "decision" if decided else "bare"
    if not (
        conclusion
        or decided
        or (whole and stops and plain)
        or (negated and whole_negation(before) and stops)
    ):
        return None
    if negated and label == "REJECT":
        return Event("open", "ACCEPT", at)
    return Event(kind, said, at)


def whole_negation(before: str) -> bool:
    """Return whether nothing but a negation stands in front of a label.

    Example:
        >>> whole_negation("Not "), whole_negation("He did not ")
        (True, False)
    """
    return (
        re.fullmatch(
            r"[\s*_\"'(]*(?:not|cannot be|can't be|cannot|do not|don't)\s(?:be\s"
            r"|an?\s)?[\"'*]?",
            before,
            re.I,
        )
        is not None
    )


def _short(statement: str, first: bool, offset: int) -> Event | None:
    """Return the verdict of a statement in another language or of ``Supported``."""
    clause = FIRST_CLAUSE.split(statement.strip(" *_`\"'#>()[]{}-"), maxsplit=1)[0].strip(
        " *_`\"'.!;:"
    )
    head = clause.split(" : ")[0].split(": ")[0].strip(" *_`\"'.!;:")
    if first and VERDICT_WORDS.get(head.lower()):
        clause = head
    if len(clause) > 80:
        return None
    found = SUPPORTED.fullmatch(clause)
    if found and (first or found["prefix"]):
        return Event(
            "prefix" if found["prefix"] else "bare", "REJECT" if found["not"] else "ACCEPT", offset
        )
    foreign = FOREIGN_VERDICT.fullmatch(clause)
    if foreign:
        word = VERDICT_WORDS.get(foreign["word"].lower())
        if word:
            kind: Kind = "prefix" if foreign["prefix"] else "bare"
            return Event(kind, "ACCEPT" if word == "ACCEPT" else "REJECT", offset)
    return None


def events(text: str) -> list[Event]:
    """Return every mention of a verdict in a text that says something, in order.

    Args:
        text: Text without quotations, struck-out words and echoed options.

    Example:
        >>> events("ACCEPT would be right if the coat were red. REJECT.")
        [Event(kind='bare', label='REJECT', at=44)]
        >>> [event.kind for event in events("If he is the same man, ACCEPT; otherwise REJECT.")]
        ['conditional', 'conditional']
    """
    said: list[Event] = []
    offset = 0
    first = True
    for statement in _statements(text):
        start, offset = offset, offset + len(statement) + 1
        if not statement.strip():
            continue
        mentions = list(LABEL.finditer(statement))
        if not mentions:
            short = _short(statement, first, start)
            if short:
                said.append(short)
            first = False
            continue
        conditional = bool(CONDITIONAL.match(statement)) or bool(OTHERWISE.match(statement))
        labels = {_verdict(found["label"]) for found in mentions}
        if len(mentions) > MOST_MENTIONS:
            mentions = mentions[: MOST_MENTIONS // 2] + mentions[-MOST_MENTIONS // 2 :]
        for found in mentions:
            event = _event(statement, found, labels, start)
            if conditional and (event is None or event.kind != "final"):
                said.append(Event("conditional", _verdict(found["label"]), start + found.start()))
            elif event:
                said.append(event)
        first = False
    return said


def _statements(text: str) -> list[str]:
    """Return the statements of a text: sentences and lines."""
    return STATEMENT.split(text)
