"""Labels from tables and from lines that hold labels and nothing else."""

from __future__ import annotations

import re

from vidomni_plugin.parsing.keys import key_numbers
from vidomni_plugin.parsing.values import Label, property_polarity, read_value

__all__ = ["Labels", "plain_list", "read_table"]

Labels = dict[int, Label]
"""Sentence number -> label; None where the text leaves it open or contradicts itself."""
_LABEL_HEADER = re.compile(
    r"(?:(?:initial|final|first|draft|corrected|revised|my|binary)\s)?(?:label|verdict"
    r"|judge?ment|class\w*|value|result|assessment|status|rating)"
    r"|标签|判断",
    re.I,
)
_NUMBER_HEADER = re.compile(
    r"sentence.{0,12}|statement.{0,10}|#|no\.?|id|idx|index|number|nr\.?|句子|key", re.I
)


def read_table(text: str, polarity: Label) -> Labels:
    r"""Return the labels of a table whose rows are lines with ``|`` between the cells.

    Example:
        >>> read_table("| # | Label |\n|---|---|\n| 1 | 0 |\n| 2 | 1 |", None)
        {1: 0, 2: 1}
    """
    if "|" not in text:
        return {}
    rows = [
        [cell.strip(" *_`\t") for cell in line.strip().strip("|").split("|")]
        for line in text.split("\n")
        if line.count("|") >= 1
    ][:5000]
    rows = [row for row in rows if len(row) >= 2 and not all(set(c) <= set("-: ") for c in row)]
    if not rows:
        return {}
    columns: list[int] = []
    named = polarity
    for row in rows:
        columns = [
            k
            for k, c in enumerate(row)
            if _LABEL_HEADER.fullmatch(c) or property_polarity(c) is not None
        ]
        final = [k for k in columns if row[k].lower().startswith(("final", "corrected", "revised"))]
        columns = final or columns
        numbered = [k for k, c in enumerate(row) if _NUMBER_HEADER.fullmatch(c)]
        if columns and (numbered or not key_numbers(row[0])):
            header = property_polarity(row[columns[-1]])
            named = header if header is not None else polarity
            break
        columns = []
    body = [row for row in rows if len(key_numbers(row[0])) == 1]
    if not columns and body:
        width = min(len(row) for row in body)
        readable = [
            k
            for k in range(1, width)
            if all(read_value(row[k], polarity).label is not None for row in body)
        ]
        columns = readable if len(readable) == 1 else []
    labels: Labels = {}
    for row in body if columns else ():
        number = key_numbers(row[0])[0]
        label = read_value(row[columns[-1]], named).label if columns[-1] < len(row) else None
        labels[number] = label if labels.get(number, label) == label else None
    return labels


_BARE_LIST = re.compile(
    r"(?:labels?|answers?|output|result)?\s?[:=]?\s?\(?([01](?:\s?[,;\s]\s?[01]){1,2000})"
    r"\)?\s?\.?",
    re.I,
)
_INLINE_PAIR = re.compile(r"\(?(\d{1,4})\)?\s?(?::|=|->)\s?([01])(?=[\s,;.)]|$)")
_INLINE_PAIRS = re.compile(
    rf"(?:labels?\s?[:=]\s?)?(?:{_INLINE_PAIR.pattern}[\s,;.]{{0,4}}){{2,2000}}", re.I
)


_PAIR_LINE = re.compile(r"(?:sentence|s)[ _]?(\d{1,4})[\s,;]{1,4}([01])\.?", re.IGNORECASE)


def plain_list(text: str, n: int, polarity: Label) -> Labels:
    """Return the labels of n lines, or of one line, that hold labels and nothing else.

    Example:
        >>> plain_list("0, 1", 2, None), plain_list("0, 1", 3, None)
        ({1: 0, 2: 1}, {})
    """
    lines = [line.strip().strip("*_`-•").strip() for line in text.split("\n") if line.strip()]
    if not lines:
        return {}
    found = _BARE_LIST.fullmatch(lines[0])
    if found:
        digits = re.findall(r"[01]", found[1])
        if len(digits) == n:
            return {k: 1 if digit == "1" else 0 for k, digit in enumerate(digits, 1)}
        return {}
    if _INLINE_PAIRS.fullmatch(lines[0]):
        return {
            int(number): 1 if digit == "1" else 0
            for number, digit in _INLINE_PAIR.findall(lines[0])
        }
    pairs = [_PAIR_LINE.fullmatch(line) for line in lines]
    if all(pairs):
        keyed = [(int(pair[1]), pair[2]) for pair in pairs if pair]
        if len({number for number, _ in keyed}) == len(keyed):
            return {number: 1 if digit == "1" else 0 for number, digit in keyed}
    if len(lines) == n > 1:
        values = [read_value(line, polarity) if len(line) < 40 else None for line in lines]
        if all(value and value.label is not None for value in values):
            return {k: value.label for k, value in enumerate(values, 1) if value}
    return {}
