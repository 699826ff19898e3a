"""Which label a value means: digits, words of the two classes, named properties."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from vidomni_plugin.parsing.languages import FAITHFUL, HALLUCINATED

__all__ = ["Label", "Value", "property_polarity", "read_value", "words_label"]

Label = Literal[0, 1] | None
Kind = Literal["label", "score", "number", "boolean", "placeholder", "both", "open", "text"]


@dataclass(frozen=True, slots=True)
class Value:
    """What one value says; ``label`` is set exactly when ``kind`` is ``label``."""

    label: Label
    kind: Kind


_FILLER = (
    r"(?:clearly|definitely|certainly|completely|entirely|fully|totally|factually|indeed"
    r"|still|also|"
    r"therefore|thus|so|hence|overall|both|all|again|visually)"
)
_ADJECTIVES_0 = r"faithful|correct|accurate|factual|supported|truthful|consistent|grounded|right"
_ADJECTIVES_1 = (
    r"hallucinated|hallucinatory|hallucinating|incorrect|inaccurate|unfaithful|unsupported|"
    r"inconsistent|wrong|fabricated|contradicted|nonfactual|untrue|erroneous"
)
_WHOLE = r"(?:(?:a|an|any|some|one|clear|major|minor|actual|visible|obvious)\s){0,3}"
_CLASS_WORDS = re.compile(
    rf"""(?:{_FILLER}\s){{0,3}}
    (?:
      (?P<never>(?:not|never|isn't|aren't|non)[\s-](?:(?:been|be|a|an|very)\s)?)?
        (?:{_FILLER}\s){{0,2}}
        (?:(?P<zero>{_ADJECTIVES_0})|(?P<one>{_ADJECTIVES_1}))
        (?:\s(?:sentence|statement|description|caption|claim))?
    | (?P<free>(?:no|without|zero|free\sof|free\sfrom)\s{_WHOLE}hallucinations?
        |hallucination[\s-]free|not\s{_WHOLE}hallucinations?|non[\s-]?hallucinat(?:ed|ion)
        |(?:does|do|did)\s?(?:not|n't)\s(?:contain|have|include|exhibit|show|involve)\s{_WHOLE}hallucinations?
        |(?:contains?|has|have|includes?|shows?)\s(?:no|zero)\s{_WHOLE}hallucinations?
        |there\s(?:is|are)\s(?:no|not\sany)\s{_WHOLE}hallucinations?|(?:does|do)\s?(?:not|n't)\shallucinate)
    | (?P<made>{_WHOLE}hallucinations?
        |(?:contains?|has|have|includes?|shows?|exhibits?|involves?)\s{_WHOLE}hallucinations?
        |there\s(?:is|are)\s{_WHOLE}hallucinations?|hallucinates?)
    )
    (?:\s(?:found|detected|present|here|at\sall|identified))?""",
    re.IGNORECASE | re.VERBOSE,
)


def words_label(words: str) -> Label:
    """Return the label that words mean as a whole, or None.

    Example:
        >>> words_label("not accurate"), words_label("does not contain any hallucination")
        (1, 0)
        >>> words_label("partly correct") is None
        True
    """
    words = " ".join(words[:120].replace("_", " ").split()).lower().replace("doesn't", "does not")
    words = words.replace("don't", "do not").replace("didn't", "did not")
    if words in FAITHFUL and words not in {"exact"}:
        return 0
    if words in HALLUCINATED:
        return 1
    found = _CLASS_WORDS.fullmatch(words)
    if not found:
        return None
    if found["free"]:
        return 0
    if found["made"]:
        return 1
    return 0 if bool(found["zero"]) != bool(found["never"]) else 1


_DIGIT = re.compile(
    r"(?:(?:label|class|category|value|verdict|judge?ment|answer|prediction|y)\s?[:=]?\s?)?"
    r"[(\[<]?(?P<digit>[01])(?:\.0{1,6})?[)\]>]?(?P<rest>(?:\s?[(\[:,;.=|/-]|\s(?:because"
    r"|since|as)\b|->|$).*)?",
    re.IGNORECASE | re.DOTALL,
)
_NUMBER = re.compile(r"[-+]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})\s?%?")
_BOTH = re.compile(
    r"[<\[({]?\s?[01]\s?(?:or|\||,|and)\s?[01]\s?[>\])}]?(?!\d)|0\s?-\s?1"
    r"|[<{\[].{0,40}[>}\]]|\.{2,}|x|\?|_+|label|int",
    re.I,
)
_SLASHED = re.compile(r"[01]\s?/\s?[01]")
_BOOLEAN = {"true": True, "false": False, "yes": True, "no": False, "y": True, "n": False}
_OPEN = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|likely|unclear|uncertain|unknown|unsure|cannot|can't|"
    r"partial\w*|partly|mostly|somewhat|n/?a|none|null|undetermined|not sure|may|might|ambiguous|"
    r"not applicable|unverifiable|either|insufficient|nan|skip\w*)\b",
    re.IGNORECASE,
)
_WORD_PREFIX = re.compile(
    r"(?:label|class|verdict|judge?ment|answer|prediction|classification|status|it is"
    r"|this is|is)\s?[:=]?\s",
    re.IGNORECASE,
)
_REASON_STARTS = re.compile(r"\s-\s|\s?[(:;,.]\s?|\s(?:because|since|as|due to)\b|\.$")


@lru_cache(maxsize=4096)
def read_value(text: str, polarity: Label = None) -> Value:
    """Return what one value says.

    Args:
        text: The value without its quotes.
        polarity: Label that a true boolean stands for, where a name or a legend says so.

    Example:
        >>> read_value("Label 1"), read_value("0.0").label, read_value("0.5").kind
        (Value(label=1, kind='label'), 0, 'score')
        >>> read_value("true").kind, read_value("true", polarity=1).label
        ('boolean', 1)
        >>> read_value("0 or 1").kind, read_value("no hallucination").label
        ('placeholder', 0)
    """
    text = text.strip()[:600].strip("*`'\"_~ \t\n✅❌✓✔✗✘☑☒🟢🔴").strip()
    bare = text.rstrip(".!").strip().lower()
    if bare in _BOOLEAN:
        if polarity is None:
            return Value(None, "boolean")
        return Value(polarity if _BOOLEAN[bare] else _flip(polarity), "label")
    in_brackets = len(bare) == 3 and bare[0] in "[(<{" and bare[1] in "01"
    if _BOTH.fullmatch(bare) and not in_brackets:
        return Value(None, "placeholder")
    if _SLASHED.fullmatch(bare):
        return Value(None, "both")
    if _NUMBER.fullmatch(text):
        return _number(text)
    if found := _DIGIT.fullmatch(text):
        return _digit_with_words(int(found["digit"]), found["rest"] or "")
    label = words_label(bare)
    if label is None:
        head = _WORD_PREFIX.sub("", text, count=1) if _WORD_PREFIX.match(text) else text
        head = _REASON_STARTS.split(head, maxsplit=1)[0]
        boolean = _BOOLEAN.get(head.strip().lower()) if polarity is not None else None
        if boolean is not None and polarity is not None:
            return Value(polarity if boolean else _flip(polarity), "label")
        inside = re.fullmatch(
            r"[^()]{1,60}\(\s?(?:label\s?)?[:=]?\s?([01])\s?\)\.?", text, re.IGNORECASE
        )
        label = words_label(head)
        if label is not None and inside and int(inside[1]) != label:
            return Value(None, "open")
    if label is not None:
        return Value(label, "label")
    if bare in {"", "null", "none", "-"} or (len(text) < 60 and _OPEN.search(bare)):
        return Value(None, "open")
    return Value(None, "text")


def _flip(label: Label) -> Label:
    return None if label is None else (0 if label else 1)


def _number(text: str) -> Value:
    """Return the label of a bare number; scores are never rounded."""
    if re.fullmatch(r"\+?[01](?:\.0{1,20})?", text):
        return Value(1 if text.lstrip("+")[0] == "1" else 0, "label")
    return Value(None, "score" if "." in text or "%" in text else "number")


def _digit_with_words(digit: int, rest: str) -> Value:
    """Return the label of a digit with words behind it, unless they contradict each other."""
    if re.match(r"\s?[-/|,.]\s?\d|:\d", rest) or re.match(r"\s?/", rest):
        return Value(None, "open")
    word = re.match(r"\s?[(\[:,;.=|-]{1,2}\s?([^()\[\].,;:]{1,60})", rest)
    said = words_label(word[1]) if word else None
    if said is not None and said != digit:
        return Value(None, "open")
    return Value(1 if digit else 0, "label")


_HALLUCINATION_NAME = re.compile(
    r"(?:is|has|contains|contain|contains_a|includes|there_is|any"
    r"|sentence)?_?(?:an?_)?hallucinat(?:ed|ion|ions|ory|es)"
    r"(?:_?(?:present|detected|label|flag|found|status|exists))?|is_?(?:incorrect"
    r"|inaccurate|wrong|unfaithful|unsupported)"
    r"|incorrect|inaccurate|unfaithful|unsupported"
)
_FAITHFUL_NAME = re.compile(
    r"(?:is|are)?_?(?:faithful|correct|accurate|supported|factual"
    r"|consistent)(?:_to_(?:the_)?video|ly|ness)?"
)


def property_polarity(name: str) -> Label:
    """Return the label that ``true`` stands for under this name, or None.

    Example:
        >>> property_polarity("Contains hallucination?"), property_polarity("is_faithful")
        (1, 0)
    """
    plain = "_".join(re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1_\2", name[:60]).lower()))
    if _HALLUCINATION_NAME.fullmatch(plain):
        return 1
    return 0 if _FAITHFUL_NAME.fullmatch(plain) else None
