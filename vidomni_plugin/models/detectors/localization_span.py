"""The span of seconds that a reply names, and which of its tokens name it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from vidomni_plugin.parsing.thinking import locate

__all__ = ["ROUNDED_S", "NoSpan", "Span", "digit_tokens", "ends_of", "read_span", "why_not_scored"]

NoSpan = Literal[
    "unfinished", "no_span", "several_spans", "span_backwards", "span_empty", "span_outside"
]
"""Why a reply gets no score."""
ROUNDED_S = 1.0
"""How far beyond a video its last second may be named: models round, and so do frame rates."""
TIME = r"(?<![\d.:])(-?\d+(?::[0-5]?\d){0,2}(?:\.\d+)?)(?![\d:]|\.\d)"
"""Seconds, or ``minutes:seconds``; a minus makes it lie outside of the video."""
SECONDS = r"\s*(?:s|secs?|seconds?)?\s*"
OTHER_UNIT = r"(?!\s*(?:%|(?:m|mins?|minutes?|h|hours?|frames?)\b))"
GOES_ON = (
    r"(?:s|secs?|seconds?|in|into|of|on|at|as|when|while|and|during|where|with|after|before|for|is"
    r"|was|because)\b"
)
COUNTS = rf"(?!\s+(?!{GOES_ON})[a-z])"
"""Not followed by a thing that is counted: ``2 to 3 dogs`` are no seconds."""
FIRST = rf"(?<!\d,)(?<!\d-)(?<!\d - ){TIME}"
LAST = rf"{TIME}(?!,\d|\s*-\s*\d){OTHER_UNIT}{COUNTS}"
"""``1,5`` may be one number or two: it is part of no time, but in brackets; ``1-2-3`` is a date."""
FORMS = (
    rf"{FIRST}{SECONDS}(?:-|\u2013|\u2014|\bto\b|\buntil\b){SECONDS}{LAST}",
    rf"\bbetween\s+{TIME}{SECONDS}and\s+{LAST}",
    rf"[\[(]\s*{TIME}{SECONDS},\s*{TIME}{SECONDS}[\])]{OTHER_UNIT}",
    rf"\bstart[^\d\-]{{1,12}}{TIME}{SECONDS}\W{{1,6}}(?:and\W)?end[^\d\-]{{1,12}}{LAST}",
)


class Span(NamedTuple):
    """A span of a video as a reply names it, in seconds."""

    start: float
    end: float
    places: tuple[tuple[int, int], ...] = ()
    """First character of each of both times in the reply, and the one after its last."""


def read_span(reply: str) -> Span | NoSpan:
    """Return the one span that a reply names, or why it names none.

    Read are ``[1.5, 4]``, ``1.5 to 4``, ``1.5-4 s``, ``between 1.5 and 4``, ``starts at 1.5 and
    ends at 4``, and a JSON object with ``start`` and ``end``. A span that is named twice counts
    once; two spans are no answer. What stands inside of thinking is none.

    Args:
        reply: What the model wrote, without its end mark.

    Example:
        >>> read_span("From 1.5 to 4 seconds.")[:2]
        (1.5, 4.0)
        >>> read_span("It never happens.")
        'no_span'
    """
    located = locate(reply)
    if located.unfinished is not None:
        return "unfinished"
    start = len(reply) - len(located.answer)
    found: dict[tuple[float, float], Span] = {}
    for form in FORMS:
        for match in re.compile(form, re.IGNORECASE).finditer(reply, start):
            times = _seconds(match[1]), _seconds(match[2])
            found.setdefault(times, Span(*times, (match.span(1), match.span(2))))
    if not found:
        return "no_span"
    return next(iter(found.values())) if len(found) == 1 else "several_spans"


def why_not_scored(span: Span, duration_s: float) -> NoSpan | None:
    """Return why a span is none of a video, or None where it is.

    Args:
        span: As the model named it.
        duration_s: Of the video, in seconds.

    Example:
        >>> why_not_scored(Span(2.0, 5.0), 4.5), why_not_scored(Span(2.0, 9.0), 4.5)
        (None, 'span_outside')
    """
    if span.start > span.end:
        return "span_backwards"
    if span.start < 0 or span.start >= duration_s or span.end > duration_s + ROUNDED_S:
        return "span_outside"
    return "span_empty" if span.start == span.end else None


def digit_tokens(reply: str, ends: Sequence[int], span: Span) -> list[int]:
    """Return which tokens of a reply write the two times: those with a digit of theirs.

    Args:
        reply: The text.
        ends: How many characters of it are there with each token.
        span: As ``read_span`` found it in this text.

    Example:
        >>> digit_tokens("at 1.5-4 s", [2, 4, 5, 6, 7, 8, 10], Span(1.5, 4.0, ((3, 6), (7, 8))))
        [1, 3, 5]
    """
    digits = {i for first, after in span.places for i in range(first, after) if reply[i].isdigit()}
    starts = [0, *ends[:-1]]
    return [
        number
        for number, (first, after) in enumerate(zip(starts, ends, strict=True))
        if not digits.isdisjoint(range(first, after))
    ]


def ends_of(texts: Sequence[str]) -> tuple[int, ...]:
    """Return how many characters of a reply are there with each token.

    A tokenizer may write several marks for a character of which a token is still to come.

    Args:
        texts: What the first token writes, the first two, and so on.

    Example:
        >>> ends_of(["a", "a??", "a\u2013", "a\u20131"])
        (1, 2, 2, 3)
    """
    return tuple(accumulate(map(len, reversed(texts)), min))[::-1]


def _seconds(time: str) -> float:
    total = 0.0
    for part in time.lstrip("-").split(":"):
        total = total * 60 + float(part)
    return -total if time.startswith("-") else total
