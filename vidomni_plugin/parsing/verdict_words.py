"""The two verdicts as words, and what denies, echoes or refuses them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from vidomni_plugin.parsing.languages import VERDICT_WORDS

__all__ = [
    "ECHO",
    "FOREIGN",
    "LABEL",
    "OPEN_AFTER",
    "OPEN_MARK",
    "REFUSAL",
    "RETHINKS",
    "SUPPORT",
    "Word",
    "canonical",
    "ends",
    "negated",
    "one_label",
]

Word = Literal["ACCEPT", "REJECT"]
REFUSAL = re.compile(
    r"\b(?:cannot|can't|can not|could not|couldn't|unable to|not able to|impossible to"
    r"|don't have (?:access|the ability)|"
    r"do not have (?:access|the ability)|no way to)\s?(?:(?!accept|reject)\w+\s){0,3}"
    r"(?:determine|judge|assess|view|watch|see|open|access|process|verify|evaluate|tell"
    r"|say|decide|analy[sz]e|play|"
    r"provide|give|help|assist|comply|answer|to (?:the )?video)\b"
    r"|\breject (?:this|your|the) request\b|(?:\b|can|n')(?:no)?t accept (?:video|media"
    r"|such|these|this type|image|file|attachment)\w*"
    r"|\bas an? (?:ai|language model)\b|\bi'm sorry\b|\bi am sorry\b|无法(?:判断|观看|确定|处理)|"
    r"no puedo (?:determinar|ver)|ich kann (?:das )?video nicht|je ne peux pas",
    re.IGNORECASE,
)
_A = r"accept(?:ed|s|able|ing|ance)?"
_R = r"reject(?:ed|s|able|ing|ion)?"
LABEL = rf"(?:{_A}|{_R})"
SUPPORT = (
    r"(?:(?:fully|completely|entirely|clearly|well)\s)?supported|(?:not|un|isn't|is "
    r"not)\s?(?:fully\s)?supported"
)
OPEN_MARK = r"[\s*_`\"'(\[<{#>~$-]{0,8}"


def canonical(word: str) -> Word:
    """Return the verdict that a word of the patterns of this module stands for.

    Example:
        >>> canonical("Accepted"), canonical("not supported")
        ('ACCEPT', 'REJECT')
    """
    plain = word.lower()
    if "support" in plain:
        return "REJECT" if plain.startswith(("not", "un", "is")) else "ACCEPT"
    return "ACCEPT" if plain.startswith("accept") else "REJECT"


_BARE = re.compile(
    rf"[\W_]{{0,20}}(?P<label>{LABEL}|{SUPPORT})(?:(?!\?)[\W_]){{0,20}}", re.IGNORECASE
)


def one_label(text: str) -> Word | None:
    """Return the verdict of a text that is nothing but one, in any language.

    Example:
        >>> one_label("**Reject**."), one_label("It accepts coins.")
        ('REJECT', None)
    """
    text = text.strip()[:200]
    if found := _BARE.fullmatch(text):
        return canonical(found["label"])
    words = text.strip(" .!*_`\"'()[]:;-\n").casefold()
    return FOREIGN.get(words)


FOREIGN: dict[str, Word] = {
    word.casefold(): "ACCEPT" if label == "ACCEPT" else "REJECT"
    for word, label in VERDICT_WORDS.items()
}
ECHO = re.compile(
    rf"\b(?:accept|reject)\s?(?:/|\||or|and/or|oder|o|ou|または"
    rf"|或)\s?[*_`\"']{{0,3}}(?:accept|reject)\b"
    rf"|\beither\s\W{{0,3}}{LABEL}|\breturn\s\W{{0,3}}{LABEL}\W{{0,3}}\s(?:only\s)?(?:when|if)\b"
    rf"|\breturn\sexactly\b|\b(?:respond|answer|reply)\swith\b",
    re.IGNORECASE,
)
_MOST_MATCHES = 200
"""Mentions that are looked at from each end of an answer; more of them are a loop."""


def ends(matches: Iterator[re.Match[str]]) -> list[re.Match[str]]:
    """Return the first and last matches; what lies between so many is a loop.

    Example:
        >>> len(ends(re.finditer("a", "a" * 1000)))
        400
    """
    found = list(matches)
    if len(found) <= 2 * _MOST_MATCHES:
        return found
    return found[:_MOST_MATCHES] + found[-_MOST_MATCHES:]


OPEN_AFTER = re.compile(
    r"[\s*_`\"')]{0,4}(?:/|\||(?:or|if|unless|when|only|but only)\b|for (?:the )?(?:first"
    r"|second|one|part)|would|could)",
    re.IGNORECASE,
)
RETHINKS = re.compile(
    r"\b(?:wait|hmm+|on second thought|scratch that|correction|no, actually|actually, no"
    r"|i change|changed? my mind|let me re)\b",
    re.I,
)
_NEGATION = re.compile(
    r"(?:\bnot|\bnever|\bcannot|n't|\bno (?:reason|need|grounds) to|\brefuse to"
    r"|\bfail(?:s|ed)? to|\bunable to|"
    r"\binstead of|\brather than|\bover|\bwithout)\s(?:(?:be|fully|really|possibly|simply|just"
    r"|to|have|been|an?|it as)\s){0,2}[*_`\"']{0,3}\Z",
    re.IGNORECASE,
)


def negated(text: str, at: int) -> bool:
    """Return whether a denial stands right before a place.

    Example:
        >>> negated("would not ACCEPT", 10), negated("so ACCEPT", 3)
        (True, False)
    """
    return _NEGATION.search(text[max(0, at - 50) : at]) is not None
