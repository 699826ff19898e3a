"""Read which of two captions a judge chose, or why there is no choice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from vidomni_plugin.parsing.thinking import containers, locate

__all__ = ["NO_CHOICE", "Choice", "Reading", "parse_choice"]

Choice = Literal["first", "second", "tie"]
NO_CHOICE = {
    "empty": "there is no answer outside the thinking",
    "unfinished": "the thinking never ends",
    "both": "the line of the verdict names both captions",
    "none": "there is no line with a verdict",
}
"""Why a reply has no choice."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one reply chose; exactly one of the two is set."""

    choice: Choice | None
    reason: str
    """A key of ``NO_CHOICE``; empty where there is a choice."""


_MARKUP = re.compile(
    r"[*_`#>\[\](){}\"\u201c\u201d]|(?<!\w)['\u2018\u2019]|['\u2018\u2019](?!\w)"
    r"|\\(?:text|boxed|textbf)|</?[A-Za-z_]\w*>|<"
)
_RESULT = re.compile(r"\[\s?result\s?\]\s?:?", re.IGNORECASE)
"""How judges of the Prometheus family mark their choice."""
_MARKER = re.compile(
    r"""
      (?: (?:^|[.;!?]\s+) (?:(?:my|the|so|final|overall|therefore,?)\s+){0,3}
          (?:verdict|winner|result|answer|choice|decision|judge?ment) \s* (?:is\b|[:\uff1a=\u2013-])
        | \bverdict\s*[:\uff1a=] )
      \s*:?\s* (?P<said>.*)$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NOUN = r"(?:description|caption|response|option|number)"
_CHOICE = re.compile(
    rf"""
      (?:the\s+)? (?:{_NOUN}\s*)?
      (?: (?P<tie> (?:an?\s+)? (?:tie[ds]?|draw|equal(?:ly)?|neither|both)\b )
        | (?P<first> (?:1|one|first|a)\b(?![.,]\d) )
        | (?P<second> (?:2|two|second|b)\b(?![.,]\d) ) )
      (?:\s+{_NOUN}\b)?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NAMED = re.compile(
    rf"{_NOUN}\s*([12ab]|one|two)\b|\b([12])\b|\b(tie)\b|\bthe\s+(first|second)\b|\bor\s+(\w+)$",
    re.IGNORECASE,
)
"""What a line may name behind its choice: the same caption once more, or another one."""
_WORDS: dict[str, Choice] = {
    **dict.fromkeys(("1", "one", "first", "a"), "first"),
    **dict.fromkeys(("2", "two", "second", "b"), "second"),
    "tie": "tie",
}
_DENIED = re.compile(r"\s*(?:is|was|would\s+be)?\s*(?:not\b|n't\b)", re.IGNORECASE)


def parse_choice(reply: str) -> Reading:
    r"""Return the choice of one reply.

    Thinking is cut off. The last line that says "verdict: X" decides (also winner, result,
    answer, choice, decision, judgement, and ``[RESULT] X``); without one, a last line that is
    nothing but a choice does. A line that names both captions is no choice: nothing is guessed.

    Args:
        reply: What the judge wrote.

    Example:
        >>> parse_choice("The first names colours.\n**Verdict: 1**").choice
        'first'
        >>> parse_choice("<think>Verdict: 1</think>Verdict: Caption 2.").choice
        'second'
        >>> parse_choice("Verdict: 1 or 2").reason
        'both'
    """
    located = locate(reply)
    if located.unfinished is not None:
        return Reading(None, "unfinished")
    answer = located.answer
    if not answer.strip():
        return Reading(None, "empty")
    lines = [_plain(line) for line in _RESULT.sub("Verdict:", answer).splitlines()]
    lines = [line for line in lines if line]
    stated = [found["said"] for found in map(_MARKER.search, lines) if found and found["said"]]
    if stated:
        return _named(stated[-1])
    boxed = [_plain(text) for text in containers(answer)]
    for last in (*boxed[-1:], *lines[-1:]):
        found = _CHOICE.match(last)
        if found and not last[found.end() :].strip(" .!"):
            return _named(last)
    return Reading(None, "none")


def _plain(line: str) -> str:
    return " ".join(_MARKUP.sub(" ", line).split())


def _named(text: str) -> Reading:
    found = _CHOICE.match(text)
    rest = text[found.end() :] if found else ""
    if found is None or _DENIED.match(rest):
        return Reading(None, "none")
    choice: Choice = "first" if found["first"] else "second" if found["second"] else "tie"
    named = (again[again.lastindex or 0].lower() for again in _NAMED.finditer(rest))
    if any(_WORDS.get(word) != choice for word in named):
        return Reading(None, "both")
    return Reading(choice, "")
