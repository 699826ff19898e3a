"""Verdicts in a dictionary field or behind an explicit mark such as "verdict:"."""

from __future__ import annotations

import re

from vidomni_plugin.parsing.languages import ANSWER_WORDS
from vidomni_plugin.parsing.scanner import Mapping, Node, Scalar, scan
from vidomni_plugin.parsing.verdict_words import (
    ECHO,
    FOREIGN,
    LABEL,
    OPEN_AFTER,
    OPEN_MARK,
    RETHINKS,
    SUPPORT,
    Word,
    canonical,
    ends,
    negated,
    one_label,
)

__all__ = ["field_verdict", "marked_verdict"]

_NAME = re.compile(
    r"(?:final[\s_-]?)?(?:label|verdict|answer|decision|judge?ment|output|result|response"
    r"|prediction|conclusion|"
    r"classification|status|choice|assessment)",
    re.IGNORECASE,
)


def _node_verdict(node: Node | None) -> Word | None:
    if isinstance(node, Scalar) and not (node.cut and node.quoted):
        head = re.split(r"\s?[-:;,.(]\s|\s\(|\n", node.text.strip(), maxsplit=1)[0]
        return one_label(head) if not ECHO.search(node.text[:60]) else None
    return _mapping_verdict(node) if isinstance(node, Mapping) else None


def _mapping_verdict(node: Mapping) -> Word | None:
    flags: dict[Word, bool] = {}
    said: list[Word | None] = []
    for key, child in node.pairs:
        own = one_label(key)
        if (
            own
            and isinstance(child, Scalar)
            and child.text.strip().lower() in {"true", "false", "yes", "no", "1", "0"}
        ):
            flags[own] = child.text.strip().lower() in {"true", "yes", "1"}
        elif _NAME.fullmatch(key.strip()):
            said.append(_node_verdict(child))
    chosen = [word for word, value in flags.items() if value]
    if len(chosen) == 1 and len(flags) == 2:
        said.append(chosen[0])
    elif len(flags) == 1:
        ((word, value),) = flags.items()
        said.append(word if value else ("REJECT" if word == "ACCEPT" else "ACCEPT"))
    named = {word for word in said if word is not None}
    return named.pop() if len(named) == 1 else None


def field_verdict(text: str) -> Word | None:
    """Return the verdict of the last dictionary that holds one.

    Example:
        >>> field_verdict("{'verdict': 'reject', 'reason': 'I cannot accept it'}")
        'REJECT'
    """
    words = [_mapping_verdict(top.node) for top in scan(text) if isinstance(top.node, Mapping)]
    named = [word for word in words if word is not None]
    return named[-1] if named and len(set(named[-2:])) == 1 else None


_ANSWER_NAMES = "|".join(sorted(map(re.escape, ANSWER_WORDS), key=len, reverse=True))
_MARKER = re.compile(
    rf"(?<!\w)(?P<final>(?:my\s|the\s)?(?:final|overall|ultimate)\s)?(?:my\s"
    rf"|the\s)?(?:final[\s_]?)?"
    rf"(?:verdict|answer|label|decision|judge?ment|conclusion|output|result|response"
    rf"|classification|prediction|"
    rf"ruling|{_ANSWER_NAMES})"
    rf"(?:\s(?:is|would be|should be|must be|remains))?{OPEN_MARK}(?::|=|-{{1,2}}|is"
    rf"|to)?{OPEN_MARK}"
    rf"(?:(?:is|to|an?|therefore|thus)\s){{0,2}}{OPEN_MARK}"
    rf"(?P<label>{LABEL}|{SUPPORT})(?![\w-])(?=(?P<after>[^\n]{{0,60}}))",
    re.IGNORECASE,
)
_FOREIGN_MARKER = re.compile(
    rf"(?<![a-z])(?:{_ANSWER_NAMES})\s?(?:は|是|为|es|est|ist"
    rf"|é)?{OPEN_MARK}[::]?{OPEN_MARK}(?P<word>[^\s.,;:!?*\n]"
    rf"{{1,30}}(?:\s[^\s.,;:!?*\n]{{1,20}}){{0,2}})",
    re.IGNORECASE,
)
_SUPPORT_VERDICT = re.compile(
    rf"[:=].{{0,12}}(?:{SUPPORT})[\s*_`\"')\]]{{0,4}}(?:[.,;(-]|$)", re.IGNORECASE
)


def marked_verdict(text: str) -> tuple[Word | None, bool]:
    """Return the verdict behind an explicit "verdict:" and whether such marks contradict.

    Example:
        >>> marked_verdict("Verdict: ACCEPT"), marked_verdict("Label: ACCEPT. Answer: REJECT.")
        (('ACCEPT', False), (None, True))
    """
    words: list[Word] = []
    final: list[Word] = []
    for found in ends(_MARKER.finditer(text)):
        if OPEN_AFTER.match(found["after"]) or negated(text, found.start("label")):
            continue
        if "support" in found["label"].lower() and not _SUPPORT_VERDICT.search(found[0]):
            continue
        word = canonical(found["label"])
        words.append(word)
        if found["final"] or "final" in found[0][:20].lower():
            final.append(word)
    for found in ends(_FOREIGN_MARKER.finditer(text)):
        parts = found["word"].split()
        for count in range(len(parts), 0, -1):
            if own := FOREIGN.get(" ".join(parts[:count]).casefold()):
                words.append(own)
                break
    if final and len(set(final)) == 1:
        return final[-1], False
    if words and len(set(words)) == 1:
        return words[-1], False
    if len(words) == 2 and RETHINKS.search(text):
        return words[-1], False
    return None, bool(words)
