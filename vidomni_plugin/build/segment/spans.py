"""Quotes and brackets in a line: no sentence ends inside them."""
# ruff: noqa: RUF001 - the marks of many scripts are what this is about

from __future__ import annotations

from itertools import accumulate

__all__ = ["inside"]

LONGEST_QUOTE = 300
"""Characters; a longer quote is a speech, and is split as other text is."""
LONGEST_SINGLE_QUOTE = 120
"""Single quotes are also apostrophes: two that are far apart are not a pair."""
_CLOSER = {
    "“": "”",
    "„": "“”",
    "«": "»",
    "»": "«",
    "‹": "›",
    "「": "」",
    "『": "』",
    "《": "》",
    "‘": "’",
    "'": "'",
    '"': '"',
    "(": ")",
    "[": "]",
    "（": "）",
    "【": "】",
}
_SINGLE = "'‘"


def inside(text: str) -> list[bool]:
    """Return for each offset of ``text`` whether it lies in a quote or in brackets.

    A mark that is never closed, or closed too far away, opens nothing. A pair around the
    whole text is no pair either: there the text itself is split.

    Example:
        >>> [k for k, hidden in enumerate(inside('He (who?) ran')) if hidden]
        [4, 5, 6, 7, 8]
    """
    openers: dict[str, int] = {}
    steps = [0] * (len(text) + 1)
    whole = len(text.rstrip(" .!?。")) - 1
    begin = len(text) - len(text.lstrip())
    for at, char in enumerate(text):
        opener = next((o for o, k in openers.items() if char in _CLOSER[o]), None)
        if opener is not None and _may_close(text, at, char):
            opened = openers.pop(opener)
            longest = LONGEST_SINGLE_QUOTE if opener in _SINGLE else LONGEST_QUOTE
            if at - opened <= longest and not (opened == begin and at == whole):
                steps[opened + 1] += 1
                steps[at + 1] -= 1
        elif char in _CLOSER and _may_open(text, at, char):
            openers[char] = at
    return [depth > 0 for depth in accumulate(steps)]


def _may_open(text: str, at: int, char: str) -> bool:
    if char not in "'\"»":
        return True
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    # 27" and the boys' open nothing, nor does the year '98.
    if char == "'" and not after.isalpha():
        return False
    return bool(after.strip()) and not (before.isalnum() or (before and before in ".,!?%"))


def _may_close(text: str, at: int, char: str) -> bool:
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if char == '"':  # one that stands like an opening mark is one; the first was never closed
        return bool(before.strip()) or not after.strip()
    return char not in "'’" or (not after.isalnum() and bool(before.strip()))
