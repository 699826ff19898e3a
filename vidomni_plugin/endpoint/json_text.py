"""The one JSON object in a model's reply, bare, in a fence, or behind a sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from vidomni_plugin.parsing.thinking import locate

__all__ = ["NoObject", "object_text"]

MOST_OPEN = 20
"""Braces that nothing closes and that are passed over; more of them are a loop."""
_MARK = re.compile(r'[{}"\\]')


class NoObject(ValueError):
    """A text without a JSON object; says why."""


def object_text(text: str) -> str:
    r"""Return the JSON object of a reply: the whole text, or else the largest object in it.

    Thinking does not count. The object is strict JSON: NaN, a key that comes twice and a number
    of thousands of digits are none.

    Raises:
        NoObject: If there is none.

    Example:
        >>> object_text('Here it is:\n```json\n{"dogs": 2}\n```')
        '{"dogs": 2}'
    """
    located = locate(text)
    if located.unfinished is not None and not located.answer.strip():
        raise NoObject("the thinking never ends")
    answer = located.answer.strip()
    if fault := _fault(answer):
        for candidate in sorted(_balanced(answer), key=len, reverse=True):
            if not (inner := _fault(candidate)):
                return candidate
            fault = inner
        raise NoObject(fault if "{" in answer else "there is no JSON object in the reply")
    return answer


def _fault(text: str) -> str:
    """Return why a text is no JSON object; empty for one."""
    try:
        read = json.loads(text, object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
    except RecursionError:
        return "it is nested too deeply"
    except ValueError as error:
        return str(error)
    return "" if isinstance(read, dict) else "it is no object"


def _balanced(text: str) -> Iterator[str]:
    """Yield the parts of a text that run from a brace to the one that closes it."""
    start, still_open = text.find("{"), 0
    while start >= 0 and still_open < MOST_OPEN:
        if end := _closing(text, start):
            yield text[start:end]
        else:
            still_open += 1
        start = text.find("{", end or start + 1)


def _closing(text: str, start: int) -> int:
    """Return the place behind the brace that closes the one at ``start``; 0 without one."""
    depth, quoted, escaped = 0, False, -1
    for mark in _MARK.finditer(text, start):
        place, char = mark.start(), mark[0]
        if place == escaped:
            continue
        if char == "\\":
            escaped = place + 1 if quoted else -1
        elif char == '"':
            quoted = not quoted
        elif not quoted:
            depth += 1 if char == "{" else -1
            if depth == 0:
                return place + 1
    return 0


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice[:40]!r} comes twice")
    return read


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
