"""The verdict that follows a mention of a sentence: at once, or at the end of its explanation."""

from __future__ import annotations

import re

from vidomni_plugin.parsing.values import Label, property_polarity, read_value, words_label

__all__ = ["QUOTED_THEN", "closing_label", "head_label"]

_ABOUT = re.compile(
    r"\s(?:to|with|by|in|from|according to|based on|given|per|as shown in|relative to)\s"
    r"(?:the |this |its )?(?:video|clip|footage|visual\w*|content|evidence|frames?|scene"
    r"|recording)\b.*$"
    r"|\s(?:al?|con el|del|à la|avec la|zum|mit dem|dem|ao|com o|do)\sv[ií]d[eé]o\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_COPULA = re.compile(
    r"\s?(?:[:=*_>|→⇒]|-{1,2}>?|(?:is|are|was|were|remains?|stays?|gets?|receives?|son"
    r"|sont|sind|has"
    r"|have|should be|must be)\b"
    r"|(?:the\s)?(?:label(?:s|led|ed)?|classified|marked|judged|rated|considered|verdict"
    r"|answer|class)\b"
    r"|(?:as|to be|both|all|a(?=\s[01]\b))\b)\s?",
    re.IGNORECASE,
)
_CONTAINS = re.compile(
    r"\s?(?:does|do|did|contains?|includes?|has|have|hallucinates?|there)\b", re.IGNORECASE
)
_HEAD_END = re.compile(
    r"[.,;:!?\n|]|\s[-–]\s|\s?\(|\s(?:because|since|as|due to|but|and|while|whereas"
    r"|although|given|so|except|other than|apart from|besides|excluding)\s|\s?→",
    re.IGNORECASE,
)
_TRUTH = {"true": 0, "false": 1}
_FLAG = re.compile(
    r"[\s:=*_>,-]{0,8}(?P<name>(?:(?:contains|is|has)\s)?(?:a\s)?(?:hallucinat\w+"
    r"|faithful|accurate|correct))\??[\s*_]{0,3}[:=][\s*_]{0,3}"
    r"(?P<value>yes|no|true|false|none|[01])\b(?!\s?(?:/|or\b|but\b))",
    re.IGNORECASE,
)


def _flag_label(found: re.Match[str]) -> Label:
    """Return the label of ``hallucination: no``; a digit beside ``faithful`` says nothing sure."""
    positive = property_polarity(found["name"])
    value = found["value"].lower()
    if value in {"0", "1"} and positive != 1:
        return None
    if positive is None:
        return None
    return positive if value in {"yes", "true", "1"} else 0 if positive else 1


_IN_BRACKETS = re.compile(r"\s?[(\[]\s?(?P<inside>[^()\[\]\n]{1,40}?)\s?[)\]]")


def head_label(tail: str, polarity: Label, *, after_number: bool = False) -> tuple[Label, bool]:
    """Return the label that the words after a mention start with, and whether it is settled.

    Unsettled text is a description, in which a verdict may still follow.
    """
    if flag := _FLAG.match(tail):
        return _flag_label(flag), True
    if bracketed := _IN_BRACKETS.match(tail):
        inside = read_value(bracketed["inside"], polarity)
        if inside.label is not None:
            return inside.label, True
    at, copula = 0, False
    for _ in range(6):
        found = _COPULA.match(tail, at)
        if not found or found.end() == at:
            break
        copula = copula or found[0].strip().lower() in {"is", "are"}
        at = found.end()
    rest = tail[at : at + 200].lstrip("*_`\"' ✅❌✓✔✗✘☑☒")
    end = _HEAD_END.search(rest)
    head = _ABOUT.sub("", rest[: end.start()] if end else rest).strip("*_`\"' ")
    if end and rest[end.start()] == "?":
        return None, True
    if copula and head.lower() in _TRUTH:
        return _TRUTH[head.lower()], True  # type: ignore[return-value]
    if (
        at == 0
        and not after_number
        and not _CONTAINS.match(tail)
        and words_label(head) not in (0, 1)
    ):
        return None, False
    value = read_value(head, polarity)
    if value.label is not None and end and re.match(r"\s?(?:but|/|or)\b", rest[end.start() :]):
        return None, True
    return value.label, value.label is not None


QUOTED_THEN = re.compile(
    r"[\s:*_-]{0,6}\"[^\"\n]{1,400}\"[\s.:,-]{0,4}(?:->|→|=>|(?:this|it|which"
    r"|that)(?: (?:sentence|statement))? is\s)?[\s*_(]{0,4}"
    r"(?P<words>[01](?![.\w])|[A-Za-z][A-Za-z -]{2,40})(?=[\s*_)]{0,4}(?:[.,;:!(]|\s-\s|\n|$))",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\b(?:label|verdict|judge?ment|assessment|classification|conclusion|status|rating|answer)\s?"
    r"(?:is|:|=|->|→)?\s?[*_`\"'(]{0,4}(?P<named>[01]\b(?!\.\d)|[A-Za-z][A-Za-z -]{2,40})"
    r"|(?:\b(?:so|therefore|thus|hence|making it|which makes it|this (?:sentence|statement) is|"
    r"the (?:sentence|statement) is|overall)\b|[→⇒]|->|=>)[\s:,]{0,3}(?:(?:it|this|that"
    r"|the sentence|the statement)\s)?"
    r"(?:is\s)?[*_`\"'(]{0,4}(?P<so>[01]\b(?!\.\d)|[A-Za-z][A-Za-z -]{2,40})",
    re.IGNORECASE,
)


def closing_label(segment: str, polarity: Label) -> Label:
    """Return the verdict at the end of one sentence's explanation, if there is just one."""
    labels: set[int] = set()
    for found in _CLOSING.finditer(segment):
        words = (found["named"] or found["so"] or "").strip()
        head = re.split(r"\s(?:because|since|as|and|but|,)\s?", words)[0]
        value = read_value(_ABOUT.sub("", head), polarity)
        if value.label is not None:
            labels.add(value.label)
    return labels.pop() if len(labels) == 1 else None  # type: ignore[return-value]
