"""Answers without what is struck out, quoted, or only an option."""

from __future__ import annotations

import re

__all__ = ["LONGEST_END", "OPTIONS", "plain_answer"]

LONGEST_END = 24_000
"""Characters that are read from each end of an answer; a verdict stands at one of them."""
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~|<(del|strike)>[^<]{0,200}</\1>", re.IGNORECASE)
_UNTICKED = re.compile(r"(?:\[\s?\]|☐|⬜|◻)\s?[*\"']{0,2}(?:accept|reject)\w*", re.IGNORECASE)
_TICKED = re.compile(
    r"(?:\[\s?[xX✓✔]\s?\]|☑|☒|✅|✔|✓|◼)\s?(?=[*\"']{0,2}(?:accept|reject))", re.IGNORECASE
)
_MARKS = re.compile(r"[✅❌👍👎✔✖✗✘✓🔴🟢🚫⛔]")
_SPACED = re.compile(
    r"(?<!\w)(?:A[\s.\-_*]{1,2}C[\s.\-_*]{1,2}C[\s.\-_*]{1,2}E[\s.\-_*]{1,2}P[\s.\-_*]{1,2}(?P<a>T)|R[\s.\-_*]{1,2}E[\s.\-_*]{1,2}J[\s.\-_*]{1,2}E[\s.\-_*]{1,2}C[\s.\-_*]{1,2}T)(?!\w)",
    re.IGNORECASE,
)
_GLUED = re.compile(
    r"(?<![^\W_])(?:(?:accept[ ,]{0,2}){2,}|(?:reject[ ,]{0,2}){2,})(?![^\W_])", re.IGNORECASE
)
_BETWEEN = (
    r"[\"'`*]{0,3}\s{0,3}(?:/|\||\\|\bor\b|\bvs\.?|\bversus\b|\bnor\b|\boder\b|\bou\b"
    r"|\bo\b|\bили\b|或|还是)\s{0,3}(?:to\s)?[\"'`*]{0,3}"
)
OPTIONS = re.compile(
    rf"(?<![^\W_])(?:accept{_BETWEEN}reject|reject{_BETWEEN}accept)(?![^\W_])"
    rf"|[\[({{]\s?[\"']?accept[\"']?\s?,\s?[\"']?reject[\"']?\s?[\])}}]",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"(?<![\w])\"([^\"\n]{1,300})\"|(?<![\w])'([^'\n]{1,200})'(?!\w)|`([^`\n]{1,200})`"
)
_ONE_LABEL = re.compile(r"\s?(?:accept(?:ed|able)?|reject(?:ed)?)[.!]?\s?", re.IGNORECASE)
_EMPHASIS = re.compile(
    r"\*{1,4}|(?<![^\W_])_{1,3}(?=\w)|(?<=\w)_{1,3}(?![^\W_])|`+|\$+|\\(?:text|textbf"
    r"|mathrm|mathbf)\s?|^#{1,6}\s",
    re.MULTILINE,
)


def plain_answer(text: str) -> str:
    """Return the text without what is struck out, quoted, or only an option."""
    if len(text) > 2 * LONGEST_END:
        text = text[:LONGEST_END].rsplit(None, 1)[0] + "\n" + text[-LONGEST_END:].split(None, 1)[-1]
    text = _TICKED.sub("", _UNTICKED.sub(" ", _STRUCK.sub(" ", text)))
    text = _SPACED.sub(lambda found: "ACCEPT" if found["a"] else "REJECT", text)
    text = _EMPHASIS.sub("", OPTIONS.sub(" options ", _MARKS.sub("", text)))
    text = OPTIONS.sub(" options ", text)
    text = _GLUED.sub(
        lambda found: ("ACCEPT" if found[0][0] in "aA" else "REJECT") + _end_of(found[0]), text
    )
    return _QUOTED.sub(_unquote, text)


def _end_of(loop: str) -> str:
    """Return the space or stop behind the last word of a loop."""
    return loop[len(loop.rstrip(" \n\t,.")) :]


def _unquote(found: re.Match[str]) -> str:
    """Return a quoted verdict as it is where an answer stands, other quotations as nothing."""
    inner = str(found[1] or found[2] or found[3])
    if not _ONE_LABEL.fullmatch(inner):
        return " … "
    line_start = found.string.rfind("\n", 0, found.start()) + 1
    before = found.string[max(line_start, found.start() - 60) : found.start()].strip()
    if before in {"", "-"} or re.search(
        r"(?:[:=]|\b(?:is|answer|so|therefore|say|with|be|choose))$", before, re.IGNORECASE
    ):
        return inner
    return " … "
