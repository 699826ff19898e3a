"""Corrections in prose that name a sentence and its label, and legends of booleans."""

from __future__ import annotations

import re

from vidomni_plugin.parsing.keys import MENTION, mention_numbers
from vidomni_plugin.parsing.tables import Labels
from vidomni_plugin.parsing.values import Label, read_value, words_label

__all__ = ["legend", "quoted", "read_corrections"]


def quoted(text: str, start: int, end: int) -> bool:
    """Return whether a place stands between double quotes in its line.

    Example:
        >>> quoted('a "b" c', 3, 4), quoted('a "b" c', 6, 7)
        (True, False)
    """
    line = text[text.rfind("\n", max(0, start - 400), start) + 1 : start]
    return line.count('"') % 2 == 1 and '"' in text[end : end + 200].split("\n")[0]


_CHANGED = re.compile(
    r"(?:'s)?(?:\s(?:label|entry|value))?,?\s(?:should\s(?:rather\s|actually\s|instead\s"
    r"|really\s)?(?:be|have been)|must be|"
    r"needs to be|has to be|is (?:now|corrected to|changed to|actually)|changes to|becomes|to|->)"
    r"(?:\s(?:labell?ed|marked|rated|changed to|corrected to|set to|label)(?:\s(?:as"
    r"|to be))?)?(?:\san?)?\s?[:=]?\s?[*_`\"']{0,3}"
    r"(?P<value>[01](?!\.?\d)|[a-z][a-z ]{3,30}?)[*_`\"']{0,3}(?=[\s.,;:)!?]|$)(?!\s(?:if"
    r"|only if|unless)\b)",
    re.IGNORECASE,
)
_CHANGE_HINTS = (
    *("should", "must be", "needs to be", "has to be", "is now", "is corrected", "is changed"),
    *("is actually", "changes to", "becomes", "chang", "set", "switch", "correct", "revis"),
    *("updat", "flip"),
)
"""One of these stands in every line that corrects a label."""
_UNREAL = re.compile(
    r"\b(?:if|unless|whether|would|could|(?:caption|text|sign|banner|user)\s(?:says"
    r"|claims|states|reads))"
    r"\b[^.\n]{0,50}\Z",
    re.IGNORECASE,
)
_REPORTED = re.compile(r"\s(?:according to|in the caption)\b", re.IGNORECASE)
_CHANGE_VERB = re.compile(
    r"\b(?:chang\w+|set|switch\w*|correct\w*|revis\w+|updat\w+|flip\w*)\b[^.\n]{0,40}\Z", re.I
)
_ANNOUNCED = re.compile(
    r"\b(?:corrections?|corrected|erratum|errata|revised|revision|更正|修正)(?:\s(?:label"
    r"|entry))?\s?:\s?[\"'`*]{0,3}\Z",
    re.IGNORECASE,
)
_EQUALS = re.compile(r"[\"'`*]{0,3}\s?(?::|=|->|→|is)\s?[\"'`*]{0,3}(?P<digit>[01])(?![.\d]\d|\w)")
_CHANGE_TO = re.compile(
    r"\b(?:chang\w+|set|switch\w*|flip\w*|correct\w*|revis\w+|updat\w+)\s(?:my\s"
    r"|the\s)?(?:label\s(?:of|for)\s)?"
    r"sentence[\s_]?(?P<number>\d{1,4})(?:'s\slabel)?\s(?:from\s[01]\s)?(?:to"
    r"|->)\s(?P<digit>[01])\b(?!\.\d)",
    re.IGNORECASE,
)


def read_corrections(text: str) -> Labels:
    """Return labels that a text corrects by naming sentence and label.

    Example:
        >>> read_corrections("Correction: sentence_2 should be 0, not 1.")
        {2: 0}
        >>> read_corrections("sentence_2 should be rated by an expert.")
        {}
    """
    low = text.lower()
    hints = [word for word in _CHANGE_HINTS if word in low]
    labels: Labels = {}
    if hints:
        for line in text.split("\n"):
            if any(word in line.lower() for word in hints):
                labels |= _line_corrections(line)
    return labels


def _line_corrections(text: str) -> Labels:
    labels: Labels = {
        int(found["number"]): 1 if found["digit"] == "1" else 0
        for found in _CHANGE_TO.finditer(text)
        if not quoted(text, found.start(), found.end())
    }
    for found in MENTION.finditer(text):
        equals = _EQUALS.match(text, found.end())
        if equals and _ANNOUNCED.search(text[max(0, found.start() - 30) : found.start()]):
            labels |= dict.fromkeys(mention_numbers(found), 1 if equals["digit"] == "1" else 0)
            continue
        change = _CHANGED.match(text, found.end())
        if not change or quoted(text, found.start(), found.end()):
            continue
        phrase = change[0].lower()
        bare = re.match(r"(?:'s)?(?:\s(?:label|entry|value))?,?\s(?:to|->)\s", phrase) is not None
        before = text[max(0, found.start() - 60) : found.start()]
        if bare and not _CHANGE_VERB.search(before):
            continue
        if _UNREAL.search(before) or _REPORTED.match(text, change.end()):
            continue
        value = read_value(change["value"])
        if value.label is not None:
            for number in mention_numbers(found):
                labels[number] = value.label
    return labels


_LEGEND = re.compile(
    r"\b(?P<word>true|yes|false|no)\b[\"']?\s?(?:=|:|means?|indicates?|stands for"
    r"|denotes?|->)\s?(?:that\s)?"
    r"(?:(?:the|a|this)\s(?:sentence|statement)\s)?(?:is\s)?(?P<sense>[a-z][a-z ]{3,40})",
    re.IGNORECASE,
)


def legend(text: str) -> Label:
    """Return the label that "true" stands for by the text's own legend, or None.

    Example:
        >>> legend("(true = hallucinated, false = faithful)")
        1
    """
    low = text.lower()
    if not ("true" in low or "false" in low or "yes" in low):
        return None
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
