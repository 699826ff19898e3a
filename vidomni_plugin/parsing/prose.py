"""Labels from text without a dictionary: one verdict a sentence in words."""

from __future__ import annotations

import re

from vidomni_plugin.parsing.corrections import quoted
from vidomni_plugin.parsing.heads import QUOTED_THEN, closing_label, head_label
from vidomni_plugin.parsing.keys import MENTION, key_numbers, mention_numbers
from vidomni_plugin.parsing.tables import Labels, plain_list, read_table
from vidomni_plugin.parsing.values import Label, read_value, words_label

__all__ = ["read_prose"]

_SUBJECT_START = re.compile(
    r"(?:^|\n|[.!?;]\s|,\s(?:while|and|but|whereas)\s)[\s>*_#\-•·+✓✗✅❌☑\"']{0,12}\Z"
)
_HAN_START = re.compile(r"[,;]\s?\Z")
_IN_A_ROW = re.compile(r"[,;{]\s?[\"'`*]{0,2}\Z")
_PAIRED = re.compile(r"[\"'`*]{0,2}\s?(?::|=|->)\s?[\"'`*]{0,2}[01](?=[\s,;.\"'`*}]|$)")
_ONLY = re.compile(r"\bonly\s(?:the\s)?\Z", re.IGNORECASE)
_LINE_NUMBER = re.compile(r"(?:^|\n)[\s>*_#\-•·+(\[]{0,12}(\d{1,4})[)\].:,;\t =_*-]{1,6}(?=\S)")
_ALL = re.compile(
    r"\b(?:all|every|each|both)(?:\sof)?(?:\sthe)?(?:\s\w{1,8})?\s(?:sentences?|statements?)\b"
    r"(?:(?:\s(?:in|of)\s(?:the|this)\scaption)?,?\s(?:except|but|other than|apart from|besides"
    r"|excluding)(?:\sfor)?\s(?P<but>[^.\n]{1,80}?)(?=,|\s(?:is|are|have|contain|has)\b))?",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    r"^[^.\n]{0,80}?\b(?:except|other than|apart from|besides|excluding"
    r"|but not)(?:\sfor)?(?:\s(?:the\s)?(?:sentences?|statements?|numbers?))?"
    r"[\s_#]{0,2}(?P<numbers>[^.\n]{0,80})",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\b(?:none of the|no|neither)\s(?:sentences?|statements?)\s(?:is|are|contains?|has"
    r"|have|includes?)\s"
    r"(?:any\s|an?\s)?(?:hallucinat\w+|incorrect|inaccurate|wrong|false|unfaithful)",
    re.IGNORECASE,
)
_REST = re.compile(
    r"\b(?:the\srest|(?:all\s)?(?:the\s)?(?:other"
    r"|remaining)(?:\s(?:\w{1,6}\s)?(?:sentences|statements|ones))"
    r"|(?:all\s)?(?:the\s)?others)\b(?:\sof\sthe\s(?:sentences|caption))?",
    re.IGNORECASE,
)


def _mentions(text: str) -> list[tuple[int, int, tuple[int, ...], bool]]:
    """Return the subjects of verdicts: start, end, numbers, and whether "only" goes before."""
    found: list[tuple[int, int, tuple[int, ...], bool]] = []
    for match in MENTION.finditer(text):
        before = text[max(0, match.start() - 30) : match.start()]
        only = _ONLY.search(before)
        if only:
            before = before[: only.start()]
        start_ok = _SUBJECT_START.search(before) or (
            match.start() <= 12 and not before.strip(" *_#>-•\n")
        )
        if (match["han"] or found) and not start_ok:
            start_ok = bool(_HAN_START.search(before))
        if _IN_A_ROW.search(before) and _PAIRED.match(text, match.end()):
            start_ok = True
        if (start_ok or only) and not quoted(text, match.start(), match.end()):
            found.append((match.start(), match.end(), mention_numbers(match), bool(only)))
    taken = {start for start, _, _, _ in found}
    for match in _LINE_NUMBER.finditer(text):
        if not any(
            abs(match.start(1) - start) < 25 for start in (match.start(1),) if start in taken
        ):
            found.append((match.start(1), match.end(), (int(match[1]),), False))
    return sorted(found)


def read_prose(text: str, n: int, polarity: Label = None) -> Labels:
    """Return the labels that a text without a dictionary gives in words, lists or tables.

    Example:
        >>> read_prose("Sentences 1 and 3 are faithful. Sentence 2 is not accurate.", 3)
        {1: 0, 3: 0, 2: 1}
        >>> read_prose("Sentence 1: The teacher marks the answer as incorrect.", 1)
        {}
    """
    table = read_table(text, polarity)
    if any(label is not None for label in table.values()):
        return table
    plain = plain_list(text, n, polarity)
    if plain:
        return plain
    labels: Labels = {}

    def put(number: int, label: Label) -> None:
        if number in labels and labels[number] != label:
            labels[number] = None
        else:
            labels[number] = label

    mentions = _mentions(text)
    previous: Label = None
    only_numbers: set[int] = set()
    only_label: Label = None
    for index, (start, end, numbers, only) in enumerate(mentions):
        stop = mentions[index + 1][0] if index + 1 < len(mentions) else len(text)
        whole = text[end : min(stop, end + 1500)]
        segment = _without_own_text(whole)
        label, settled = head_label(segment, polarity, after_number=text[start].isdigit())
        if label is None and previous is not None and _IS_NOT.match(segment):
            label, settled = (0 if previous else 1), True
        digit = _LINE_DIGIT.match(segment) if settled and label is not None else None
        if digit and int(digit[1]) != label:
            label = None
        previous = label
        if label is None and not settled and (quoted := QUOTED_THEN.match(whole)):
            label = read_value(quoted["words"], polarity).label
        if label is None and not settled:
            label = closing_label(segment.split("\n\n", maxsplit=1)[0], polarity)
        if label is None and not settled and not _hedged(segment):
            continue
        for number in numbers:
            put(number, label)
        if only and label is not None:
            only_numbers, only_label = set(numbers), label
    for number, label in _named_groups(text).items():
        labels.setdefault(number, label)
    _add_groups(text, n, polarity, labels)
    if only_label is not None:
        for number in range(1, n + 1):
            if number not in only_numbers:
                labels.setdefault(number, 0 if only_label else 1)
    return labels


_OWN_TEXT = re.compile(r'\s?[:.-]?[\s*_]{0,4}"(?P<quote>[^"\n]{8,600})"')
_LINE_DIGIT = re.compile(
    r"[^\n]{0,600}?(?:->|=>|[→⇒]|\blabel\s?[:=]?)\s?([01])\s?\.?\s?(?:\n|$)", re.IGNORECASE
)


def _without_own_text(segment: str) -> str:
    """Return what follows a mention, without the sentence itself where it is quoted."""
    found = _OWN_TEXT.match(segment)
    if found is None or found["quote"].count(" ") < 2 or words_label(found["quote"]) is not None:
        return segment
    return segment[found.end() :]


_IS_NOT = re.compile(r"\s(?:is|are)(?:\snot|n't)\s?(?:[.;\n]|$)", re.IGNORECASE)
_GROUP = re.compile(
    r"(?:^|\n|[.;]\s)[\s*_#>-]{0,8}(?P<words>label [01]|[A-Za-z][A-Za-z ]{2,40}?)(?:\s(?:sentences?"
    r"|statements?))?[*_]{0,2}(?:\s?:|(?<=s)\sare)[*_]{0,2}\s?"
    r"(?:sentences?\s)?(?P<numbers>\d{1,4}(?:(?:\s?(?:,|and|&|,\sand)\s?"
    r"|-)\d{1,4}){0,200})\s?(?=[.;\n]|$)",
    re.IGNORECASE,
)


def _named_groups(text: str) -> Labels:
    """Return the labels of lines such as "Hallucinated sentences: 2, 4"."""
    labels: Labels = {}
    for found in _GROUP.finditer(text):
        words = found["words"].lower().removeprefix("the ")
        label = read_value(words).label if words[-1] in "01" else words_label(words)
        if label is not None:
            for number in key_numbers(f"sentences {found['numbers']}"):
                labels[number] = label if labels.get(number, label) == label else None
    return labels


_HEDGE = re.compile(
    r"\b(?:may|might|maybe|perhaps|possibly|probably|unclear|uncertain|cannot|can't|not "
    r"sure|seems?|appears?)\b",
    re.I,
)


def _hedged(segment: str) -> bool:
    return _HEDGE.search(segment[:80]) is not None


def _add_groups(text: str, n: int, polarity: Label, labels: Labels) -> None:
    """Add "all sentences are ...", "none of the sentences ..." and "the rest is ..."."""
    if _NONE.search(text) and not labels:
        labels.update(dict.fromkeys(range(1, n + 1), 0))
        return
    for found in _ALL.finditer(text):
        label, settled = head_label(text[found.end() : found.end() + 200], polarity)
        if settled and label is not None and not quoted(text, found.start(), found.end()):
            but = (
                set(
                    key_numbers(
                        "sentences "
                        + found["but"].removeprefix("sentence").removeprefix("s").strip()
                    )
                )
                if found["but"]
                else set()
            )
            if found["but"] and not but:
                continue
            if not but and (behind := _EXCEPT.search(text[found.end() : found.end() + 200])):
                but = set(key_numbers(f"sentences {behind['numbers']}"))
                if not but:
                    continue
            for number in range(1, n + 1):
                if number in but:
                    labels.setdefault(number, 0 if label else 1)
                else:
                    labels.setdefault(number, label)
    for found in _REST.finditer(text):
        label, settled = head_label(text[found.end() : found.end() + 200], polarity)
        if settled and label is not None and labels:
            for number in range(1, n + 1):
                labels.setdefault(number, label)
