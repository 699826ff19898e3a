"""What a text says about its own labels: corrections, and the sense of true and false."""

from __future__ import annotations

import re

from vidomni_plugin.parsing.keys import MENTION, mention_numbers
from vidomni_plugin.parsing.values import Label, Labels, read_value, words_label
from vidomni_plugin.parsing.wrapping import in_quotes

__all__ = ["legend", "read_corrections"]

_CHANGED = re.compile(
    r"(?:'s)?(?:\s(?:label|entry|value))?,?\s(?:should\s(?:rather\s|actually\s|instead\s|really\s)?(?:be|have been)|must be|"
    r"needs to be|has to be|is (?:now|corrected to|changed to|actually)|changes to|becomes|to|->)"
    r"(?:\s(?:labell?ed|marked|changed to|corrected to|set to|label))?\s?[:=]?\s?[*_`\"']{0,3}"
    r"(?P<value>[01](?!\.?\d)|[a-z][a-z ]{3,30}?)[*_`\"']{0,3}(?=[\s.,;:)!?]|$)(?!\s(?:if|only if|unless)\b)",
    re.IGNORECASE,
)
_CHANGE_VERB = re.compile(
    r"\b(?:chang\w+|set|switch\w*|correct\w*|revis\w+|updat\w+|flip\w*)\b[^.\n]{0,40}\Z", re.I
)


_CHANGE_TO = re.compile(
    r"\b(?:chang\w+|set|switch\w*|flip\w*|correct\w*|revis\w+|updat\w+)\s(?:my\s|the\s)?(?:label\s(?:of|for)\s)?"
    r"sentence[\s_]?(?P<number>\d{1,4})(?:'s\slabel)?\s(?:from\s[01]\s)?(?:to|->)\s(?P<digit>[01])\b(?!\.\d)",
    re.IGNORECASE,
)


_CORRECTING = (
    "should", "must be", "needs to", "has to be", "is now", "is actually", "chang", "becomes", "->",
    "set ", "switch", "flip", "corrected", "correction", "revis", "updat",
)  # fmt: skip
"""Without one of these there is no correction: most answers are not read a second time."""


def read_corrections(text: str) -> Labels:
    """Return labels that a text corrects by naming sentence and label.

    Example:
        >>> read_corrections("Correction: sentence_2 should be 0, not 1.")
        {2: 0}
        >>> read_corrections("sentence_2 should be rated by an expert.")
        {}
    """
    lowered = text.lower()
    if not any(word in lowered for word in _CORRECTING):
        return {}
    labels: Labels = {
        int(found["number"]): 1 if found["digit"] == "1" else 0
        for found in _CHANGE_TO.finditer(text)
        if not in_quotes(text, found.start(), found.end())
    }
    for found in MENTION.finditer(text):
        change = _CHANGED.match(text, found.end())
        if not change or in_quotes(text, found.start(), found.end()):
            continue
        phrase = change[0].lower()
        bare = re.match(r"(?:'s)?(?:\s(?:label|entry|value))?,?\s(?:to|->)\s", phrase) is not None
        before = text[max(0, found.start() - 60) : found.start()]
        if bare and not _CHANGE_VERB.search(before):
            continue
        if re.search(r"\b(?:if|unless|whether|would|could)\b[^.\n]{0,50}\Z", before, re.IGNORECASE):
            continue
        value = read_value(change["value"])
        if value.label is not None:
            for number in mention_numbers(found):
                labels[number] = value.label
    return labels


_LEGEND = re.compile(
    r"\b(?P<word>true|yes|false|no)\b[\"']?\s?(?:=|:|means?|indicates?|stands for|denotes?|->)\s?(?:that\s)?"
    r"(?:(?:the|a|this)\s(?:sentence|statement)\s)?(?:is\s)?(?P<sense>[a-z][a-z ]{3,40})",
    re.IGNORECASE,
)


def legend(text: str) -> Label:
    """Return the label that "true" stands for by the text's own legend, or None.

    Example:
        >>> legend("(true = hallucinated, false = faithful)")
        1
    """
    senses: set[int] = set()
    for found in _LEGEND.finditer(text):
        words = found["sense"].strip()
        label = words_label(words)
        if label is None:
            label = words_label(" ".join(words.split()[:3])) if len(words.split()) > 2 else None
        if label is not None:
            positive = found["word"].lower() in {"true", "yes"}
            senses.add(label if positive else 1 - label)
    return senses.pop() if len(senses) == 1 else None  # type: ignore[return-value]
