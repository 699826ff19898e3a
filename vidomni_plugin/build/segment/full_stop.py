"""Whether a full stop between two words ends a sentence."""
# ruff: noqa: RUF001 - the marks of many scripts are what this is about

from __future__ import annotations

import re
from functools import lru_cache

import sentencex

from vidomni_plugin.build.segment.words import (
    BEFORE_A_NUMBER,
    CALENDAR,
    CLOSES_LIST,
    LABELS,
    NEVER_LAST,
    ORDINARY,
    STARTERS,
    TITLES,
    UNITS,
)

__all__ = ["full_stop_ends"]

_WORD = re.compile(r"[^\W_]+(?:[.'’/,:-][^\W_]+)*$")
_LONGEST_WORD = 60
"""Characters that are looked at before a full stop."""
_NUMBER = re.compile(r"\d[\d.,:/-]*$")
_LONGEST_LIST_NUMBER = 3
"""Digits of a list's number at the start of a sentence (``12. A man ...``)."""
_MARKUP = " \t\n*_#>-"
"""What may stand around a label."""
_LIST_LETTER = re.compile(r"[a-z]|[ivx]{2,5}")
_INLINE_NUMBER = re.compile(r"(?:[:,;]|\b(?:and|or|then|und))\s+\(?\d{1,2}$")
_COUNTED = re.compile(r"\d(?:st|nd|rd|th)?\s?$")
_GLUED = re.compile(r"\d[\d.,]*([^\W\d]+)")
_DOTTED = re.compile(r"(?:[^\W\d]\.)+[^\W\d]|ph\.d")
_SCRIPTS = (
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
)


def full_stop_ends(before: str, following: str, next_char: str) -> bool:
    """Return whether a single full stop with space behind it ends a sentence.

    What stands around it settles list numbers, initials, titles, units and a few more.
    Everything else is asked of sentencex.

    Args:
        before: The sentence so far, without the full stop.
        following: The next word, or nothing where no word follows.
        next_char: The next character that is no quote, bracket or mark.

    Example:
        >>> full_stop_ends("It rolls 0.5 m", "The", "T"), full_stop_ends("It is 5 m", "long", "l")
        (True, False)
    """
    found = _WORD.search(before, max(0, len(before) - _LONGEST_WORD))
    if found is None:
        return True
    word = found[0].lower()
    first = not any(map(str.isalnum, before[: found.start()]))
    upper = next_char.isupper()
    starter = upper and following.lower() in STARTERS
    dated = following.lower() in CALENDAR and not starter
    if _NUMBER.fullmatch(word):
        short = len(word) <= _LONGEST_LIST_NUMBER
        label = before[: found.start()].strip(_MARKUP).lower()
        listed = (short and (first or label in LABELS)) or _counts_on(word, before)
        return not (listed or dated or _INLINE_NUMBER.search(before[-40:]))
    if (first and _LIST_LETTER.fullmatch(word)) or word in NEVER_LAST:
        return False
    if word in BEFORE_A_NUMBER and next_char.isdigit():
        return False
    if _is_unit(word, before[: found.start()]):
        return upper and not dated
    if word in CLOSES_LIST:
        return upper
    if starter or word == "i" or found[0] in ORDINARY:
        return True
    if len(word) == 1 or _DOTTED.fullmatch(word):
        return not (next_char.isalpha() or next_char.isdigit())
    if word in TITLES and found[0][:1].isupper() and upper:
        return False
    return _segmenter_ends(_language(before), found[0], following or next_char)


def _counts_on(word: str, before: str) -> bool:
    """Return whether the number before it was a list's number, too: ``1. e4 e5 2.``."""
    if not word.isdecimal() or len(word) > _LONGEST_LIST_NUMBER:
        return False
    return re.search(rf"(?<!\d){int(word) - 1}\.\s", before) is not None


def _is_unit(word: str, before: str) -> bool:
    """Return whether a word is a unit behind a number, as in ``0.5 m`` or ``20cm``."""
    if glued := _GLUED.fullmatch(word):
        return glued[1] in UNITS
    return word in {"a.m", "p.m"} or (word in UNITS and _COUNTED.search(before[-6:]) is not None)


def _language(text: str) -> str:
    """Return the language whose abbreviations are looked up, as the script tells it."""
    return next((name for name, letters in _SCRIPTS if letters.search(text[-200:])), "en")


@lru_cache(maxsize=4096)
def _segmenter_ends(language: str, word: str, following: str) -> bool:
    """Return whether sentencex sees a sentence end between a word and the next one.

    It gets the two words alone: quotes that are never closed elsewhere in a caption would
    hide every later sentence end from it.
    """
    plain = "".join(c for c in word if c.isalnum() or c in ".'-/")
    following = "".join(c for c in following if c.isalnum()) or "x"
    return len(list(sentencex.segment(language, f"x {plain}. {following} x."))) > 1
