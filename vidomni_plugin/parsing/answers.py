"""Which of the dictionaries and lists of a text are the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vidomni_plugin.parsing.reasons import SentenceReason
from vidomni_plugin.parsing.scanner import Sequence, Top, scan
from vidomni_plugin.parsing.structured import Reading, read
from vidomni_plugin.parsing.values import Label

__all__ = ["read_structures", "usable"]

BEFORE = 200
"""Characters before a dictionary that may say what it is."""
_CLAUSE = re.compile(r"[.!?]\s|\n\s{0,20}\n|\n")
_EXAMPLE = re.compile(
    r"\b(?:examples?|e\.g|such as|for instance|format(?:ted)?|template|reference|schema"
    r"|sample output|"
    r"looks? like|like this|in the form|must be|should (?:be|look)|structure|beispiel"
    r"|ejemplo|exemple|"
    r"exemplo)\b|例如|示例|格式|例：|예시|пример",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\b(?:confidences?|certaint(?:y|ies)|probabilit(?:y|ies)|scores?|evidence"
    r"|visibility)\W{0,8}\Z",
    re.IGNORECASE,
)
_MINE = re.compile(
    r"\b(?:my|here (?:is|are)|final|result|follow(?:s|ing)|i (?:label|assign|give"
    r"|answer))\b",
    re.IGNORECASE,
)
_GIVEN = r"(?:labels?|values?|entr(?:y|ies)|answers?|judge?ments?|zeros?|ones?|dictionary|guess\w*)"
_DISOWNED = re.compile(
    rf"\b(?:placeholders?|(?:dummy|arbitrary|random|made[- ]up|default) {_GIVEN}"
    rf"|default(?:ed|ing)? to|not (?:a |an )?(?:real|actual) "
    r"(?:judge?ment|answer|label)s?|"
    r"to keep the (?:required )?format|for the sake of the format|randomly (?:chosen"
    r"|assigned|picked|guess\w*)|"
    r"(?:disregard|ignore) (?:this|the (?:above|following|dictionary)))\b|占位",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"\b(?:correct(?:ed|ion|ing)|revis(?:ed|ion|ing)|updat(?:e|ed|ing)|amend(?:ed|ment)?|"
    r"chang(?:e|ed|ing)|instead|fix(?:ed)?|replac\w+|adjust\w*|overrid\w+|errata"
    r"|erratum)\b|更正|修正|修改",
    re.IGNORECASE,
)
_FINAL = re.compile(r"\b(?:final(?:ly|ized)?|conclu\w+|definitive)\b|最终", re.IGNORECASE)
_QUOTING = re.compile(
    r"\b(?:reads?|says?|shows?|shown|displays?|displayed|written|prints?|printed|states?"
    r"|typed|quotes?)\b"
    r"[^.{]{0,60}$",
    re.IGNORECASE,
)
_SOURCE = re.compile(
    r"\b(?:caption|screen|banner|sign|slide|board|blackboard|whiteboard|poster|subtitle"
    r"|overlay|terminal|"
    r"monitor|laptop|editor|paper|video|clip)\b",
    re.IGNORECASE,
)


def _clause_before(text: str, start: int, after: int) -> str:
    """Return the last clause that is not empty before a place and behind the last dictionary."""
    window = text[max(after, start - BEFORE) : start].rstrip(" \t\n\"'`(")
    borders = [found.end() for found in _CLAUSE.finditer(window)]
    return window[borders[-1] :] if borders else window


_EXPLAINED = re.compile(r"\n\s{0,8}\n|\n\W{0,6}(?:sentence|s?\d)", re.IGNORECASE)
"""Where the explanations after a dictionary begin; their words are about the video."""


def usable(text: str, top: Top, last: int) -> bool:
    """Return whether a dictionary is given as an answer, not as an example or a quotation."""
    before = _clause_before(text, top.start, last)
    after = _EXPLAINED.split(text[top.end : top.end + 90], maxsplit=1)[0]
    if _OTHER.search(before):
        return False
    if _EXAMPLE.search(before) and not _MINE.search(before):
        return False
    if _DISOWNED.search(text[max(last, top.start - BEFORE) : top.start]) or _DISOWNED.search(after):
        return False
    if re.match(
        r"[\s)\"'`.]{0,4}\s?(?:is|was|are)\s(?:just |only |merely )?(?:an? )?(?:example"
        r"|format|template)",
        after,
    ):
        return False
    quoted = text[top.start - 1 : top.start] in {'"', "'", "`"} if top.start else False
    return not (_QUOTING.search(before) and (quoted or _SOURCE.search(before)))


_LIST_LEAD = re.compile(
    r"(?:^|\n|[:=>.]|\b(?:is|are|labels?|list|answer|output"
    r"|result)\b)[\s*_`\"'(#$>-]{0,12}\Z",
    re.IGNORECASE,
)


def _inside_sentence(text: str, top: Top) -> bool:
    """Return whether a list is part of a sentence, such as a span of seconds."""
    return not _LIST_LEAD.search(text[max(0, top.start - 40) : top.start])


def _tops(text: str, n: int, polarity: Label) -> Iterator[tuple[Top, Reading]]:
    for top in scan(text):
        reading = read(top.node, n, polarity)
        reading.end = top.end
        yield top, reading


@dataclass(frozen=True, slots=True)
class Structures:
    """The answer that the dictionaries of a text give together."""

    reading: Reading
    reason: SentenceReason
    """Why dictionaries that are there were not used."""


def read_structures(text: str, n: int, polarity: Label = None) -> Structures:
    """Return the answer of the dictionaries and lists of a text.

    The last complete dictionary wins. Dictionaries for other sentences add up; a later one for
    some sentences replaces its entries when it is announced as a correction. Examples,
    placeholders, quotations and disowned dictionaries never count.

    Example:
        >>> found = read_structures('{"sentence_1": 0} {"sentence_2": "1"}', 2).reading
        >>> {number: value.label for number, value in found.entries.items()}
        {1: 0, 2: 1}
    """
    state = Reading()
    reason: SentenceReason = ""
    last = end = 0
    for top, reading in _tops(text, n, polarity):
        last, end = end, top.end
        if not reading.entries and reading.wrong_length is None:
            continue
        if not usable(text, top, last):
            disowned = _DISOWNED.search(text[max(last, top.start - BEFORE) : top.end + 90])
            reason = "placeholder" if disowned else "echo"
            continue
        both = any(value and value.kind == "both" for value in reading.entries.values())
        if reading.placeholder or (both and not reading.labelled()):
            reason = "echo"
            continue
        if isinstance(top.node, Sequence) and _inside_sentence(text, top):
            continue
        if reading.wrong_length is not None:
            if not state.entries:
                state.wrong_length = reading.wrong_length
            continue
        before = _clause_before(text, top.start, last)
        state = _combine(state, reading, before, n)
    return Structures(state, reason)


def _combine(state: Reading, new: Reading, before: str, n: int) -> Reading:
    overlap = state.entries.keys() & new.entries.keys()
    if not state.entries or new.complete(n) or new.covers(n):
        return new
    if _CORRECTION.search(before) and new.labelled():
        state.entries |= {k: v for k, v in new.entries.items() if v and v.label is not None}
        state.end = new.end
        return state
    if overlap and (state.complete(n) or not new.closed):
        return state
    if overlap and _FINAL.search(before):
        return new
    for number, value in new.entries.items():
        state.put(number, value)
    state.end = new.end
    state.closed = new.closed
    return state
