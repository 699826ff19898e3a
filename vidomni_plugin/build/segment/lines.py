"""The lines of a caption, with wrapped lines put together: no sentence goes across two blocks."""
# ruff: noqa: RUF001 - the marks of many scripts are what this is about

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Block", "blocks"]


class Block(NamedTuple):
    """A stretch of a caption: a paragraph, a list item, a heading, a row of a table."""

    start: int
    end: int


_LINE = re.compile(r"[^\n\r\v\f\x85\u2028\u2029]+")
_FENCE = re.compile(r"\s*(?:```|~~~)[\w+-]*\s*$")
_ITEM = re.compile(
    r"""\s*(?:
        [-*+•◦▪‣·–—●○■□▶►➤✓✔✅→]\s+      # bullets
      | \(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]\s+  # 1. 2) (3) a) iv.
      | \#{1,6}\s | >                           # heading, block quote
      | \|                                      # row of a table
      | [*_]{2}\S                               # bold lead
      | [\[(]?\d{1,2}:\d\d                      # timestamp
    )""",
    re.VERBOSE,
)
_ALONE = re.compile(r"\s*(?:\#{1,6}\s|\||[*_]{2}[^*_]+[*_]{2}:?\s*$)")
"""Lines that never go on in the next one: headings, rows of a table, bold lines."""
_GOES_ON = re.compile(
    r"(?:,|\b(?:a|an|the|and|or|of|from|with|into|onto|between|his|her|its|their|than)"
    r"|\b(?:Mr|Mrs|Ms|Dr|Prof)\.|^\s*\(?\d{1,3}[.)])\s*$"
)
"""Ends of a line that are no end of a sentence, such as a number alone before its list item."""


def blocks(caption: str) -> list[Block]:
    r"""Return the stretches of a caption that sentences stay within, in order.

    A line break is a border. Not so where the line is wrapped: the next line begins in lower
    case, or this one ends in a comma or a word like "the"; headings, list items, rows of a
    table and lines that end in a colon are never wrapped into the next line.

    Example:
        >>> text = "A dog runs\nto the door.\n- A cat\n- A bird"
        >>> [text[start:end] for start, end in blocks(text)]
        ['A dog runs\nto the door.', '- A cat', '- A bird']
    """
    found: list[Block] = []
    opening: int | None = None
    in_fence = False
    last = ""
    for line in _LINE.finditer(caption):
        text = line[0]
        if not text.strip():
            last = ""
            continue
        start = line.start()
        if _FENCE.match(text):
            in_fence = not in_fence
            if in_fence:  # the opening fence belongs to what follows
                opening = start if opening is None else opening
                last = ""
                continue
        if opening is not None:
            found.append(Block(opening, line.end()))
            opening = None
        elif found and last and _joins(last, text, caption[found[-1].end : start]):
            found[-1] = Block(found[-1].start, line.end())
        else:
            found.append(Block(start, line.end()))
        last = text
    if opening is not None:
        found.append(Block(opening, len(caption)))
    return found


def _joins(line: str, following: str, gap: str) -> bool:
    """Return whether a line goes on in the line after it."""
    if gap not in {"\n", "\r\n"} or _ITEM.match(following) or _ALONE.match(line):
        return False
    if not any(map(str.isalnum, following)) or line.rstrip().endswith((":", "：")):
        return False
    first = following.lstrip()[:1]
    return first.islower() or _GOES_ON.search(line) is not None
