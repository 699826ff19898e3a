"""ACCEPT or REJECT: what the text says in answer position, and nothing else."""

from __future__ import annotations

import re

from vidomni_plugin.parsing.reasons import VerdictReason
from vidomni_plugin.parsing.verdict_fields import field_verdict, marked_verdict
from vidomni_plugin.parsing.verdict_prose import asserted, opening_verdict
from vidomni_plugin.parsing.verdict_words import (
    ECHO,
    LABEL,
    OPEN_MARK,
    REFUSAL,
    RETHINKS,
    SUPPORT,
    Word,
    canonical,
    negated,
    one_label,
)

__all__ = ["read_verdict"]

_OPTION_KEYS = re.compile(rf"\s?\{{\s{{0,9}}[\"']?{LABEL}[\"']?\s?:", re.IGNORECASE)
"""A dictionary with the verdicts as keys, such as their probabilities."""
_SPACED = re.compile(
    r"(?<!\w)(?:A[ .-]C[ .-]C[ .-]E[ .-]P[ .-]T|R[ .-]E[ .-]J[ .-]E[ .-]C[ .-]T)(?!\w)",
    re.IGNORECASE,
)
_STRUCK = re.compile(
    r"~~[^~\n]{1,400}~~|<(?P<tag>del|s|strike)>[^<]{0,400}</(?P=tag)>", re.IGNORECASE
)
_QUOTED = re.compile(r'"[^"\n]{1,400}"|(?<!\w)\'[^\'\n]{1,300}\'(?!\w)')
_BOTH_PARTS = re.compile(
    rf"\s(?:the|this|that|it)\s[^.!?\n]{{0,80}}\b(?:but|and|while|whereas|yet)\s{LABEL}\b",
    re.IGNORECASE,
)
_LAST_LINE = re.compile(
    rf"(?:^|\n|[.!?:]\s){OPEN_MARK}(?P<label>{LABEL}|{SUPPORT})(?:(?!\?)[\W_]){{0,12}}\Z",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(r"\b(?:otherwise|else|if not)\b", re.IGNORECASE)


def read_verdict(text: str) -> tuple[Word | None, VerdictReason]:
    """Return the verdict of an answer without thinking, or why there is none.

    In this order: a dictionary field; a bare label; an explicit "verdict:"; a label that opens
    the answer; a label that closes it; the one label that the text asserts or concludes with.

    Example:
        >>> read_verdict("I first leaned to REJECT, but the door is open, so ACCEPT.")
        ('ACCEPT', '')
        >>> read_verdict("ACCEPT for the first half, REJECT for the second half.")
        (None, 'conflict')
    """
    text = _STRUCK.sub(" ", text).strip()
    text = _SPACED.sub(lambda found: re.sub(r"[ .-]", "", found[0]).upper(), text)
    if own := one_label(text):
        return own, ""
    lines = [line for line in text.split("\n") if line.strip()]
    repeated = {one_label(line) for line in lines}
    if len(repeated) == 1 and None not in repeated:
        return repeated.pop(), ""
    if word := field_verdict(text):
        return word, ""
    if _OPTION_KEYS.match(text):
        return None, "ambiguous"
    plain = _QUOTED.sub(lambda found: found[0].strip("\"'") if one_label(found[0]) else " ", text)
    marked, contradictory = marked_verdict(plain)
    if marked:
        return marked, ""
    if contradictory:
        return None, "conflict"
    return _free(plain)


def _free(text: str) -> tuple[Word | None, VerdictReason]:
    """Read an answer that has neither a field nor a mark for its verdict."""
    first, end = opening_verdict(text)
    closing = _LAST_LINE.search(text[-200:])
    last = (
        canonical(closing["label"])
        if closing and not negated(text[-200:], closing.start("label"))
        else None
    )
    apart = closing is not None and len(text) - len(text[-200:]) + closing.start("label") >= end
    if first and last and first != last and apart:
        return (last, "") if RETHINKS.search(text) else (None, "conflict")
    if first and _BOTH_PARTS.match(text, end):
        return None, "conflict"
    if first:
        later = [word for _, word, concludes in asserted(text[end:]) if concludes and word != first]
        if later and RETHINKS.search(text[end:]):
            return later[-1], ""
        return first, ""
    found = asserted(text)
    if last and closing and not _echo_only(text):
        listed = text[-200:][: closing.start("label")].rstrip(" *_`\"'(")[-1:] == ":"
        if not listed or {word for _, word, _ in found} <= {last}:
            return last, ""
    refused = REFUSAL.search(text[:4000]) is not None
    concluding = [word for _, word, concludes in found if concludes]
    if concluding and len(set(concluding)) == 1:
        return concluding[-1], ""
    words = {word for _, word, _ in found}
    if len(words) == 1 and not _CONDITIONAL.search(text) and not refused:
        return words.pop(), ""
    if refused:
        return None, "refusal"
    if ECHO.search(text):
        return None, "echo"
    if words and _CONDITIONAL.search(text):
        return None, "conditional"
    if words:
        return None, "conflict"
    named = {canonical(found[0]) for found in re.finditer(rf"\b{LABEL}\b", text, re.IGNORECASE)}
    if named and _CONDITIONAL.search(text):
        return None, "conditional"
    return None, ("no_verdict", "ambiguous", "conflict")[len(named)]


def _echo_only(text: str) -> bool:
    """Return whether the closing label is the end of the echoed instruction."""
    line = text.rstrip().rsplit("\n", maxsplit=1)[-1]
    sentence = re.split(r"[.!?]\s", line.strip(" .!"))[-1]
    return ECHO.search(sentence) is not None
