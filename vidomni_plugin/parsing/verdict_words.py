"""The words ACCEPT and REJECT with their inflections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

__all__ = ["LABEL", "SUPPORT", "Word", "canonical", "ends"]

Word = Literal["ACCEPT", "REJECT"]

_A = r"accept(?:ed|s|able|ing|ance)?"
_R = r"reject(?:ed|s|able|ing|ion)?"
LABEL = rf"(?:{_A}|{_R})"
SUPPORT = r"(?:(?:fully|completely|entirely|clearly|well)\s)?supported|(?:not|un|isn't|is not)\s?(?:fully\s)?supported"


def canonical(word: str) -> Word:
    """Return the verdict that a word means.

    Example:
        >>> canonical("Accepted"), canonical("not supported")
        ('ACCEPT', 'REJECT')
    """
    plain = word.lower()
    if "support" in plain:
        return "REJECT" if plain.startswith(("not", "un", "is")) else "ACCEPT"
    return "ACCEPT" if plain.startswith("accept") else "REJECT"


_MOST_MATCHES = 200
"""Mentions that are looked at from each end of an answer; more of them are a loop."""


def ends(matches: Iterator[re.Match[str]]) -> list[re.Match[str]]:
    """Return the first and last matches; what lies between is a loop."""
    found = list(matches)
    if len(found) <= 2 * _MOST_MATCHES:
        return found
    return found[:_MOST_MATCHES] + found[-_MOST_MATCHES:]
