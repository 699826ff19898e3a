"""Labels from one dictionary or list: what it says of each sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from vidomni_plugin.parsing.keys import PROPERTY_REST, key_numbers
from vidomni_plugin.parsing.scanner import Mapping, Node, Scalar, Sequence
from vidomni_plugin.parsing.values import Label, Value, property_polarity, read_value, words_label

__all__ = ["Reading", "read"]

Entry = Value | None
"""What is said of one sentence; None where the text ends before it."""
CONFLICT = Value(None, "open")
_LABEL_FIELD = re.compile(
    r"(?:final_?)?(?:label|value|verdict|judge?ment|prediction|pred|answer|class|classification|"
    r"decision|result|assessment|status|hallucination_label|标签|etiqueta|étiquette)",
    re.IGNORECASE,
)
_NUMBER_FIELD = re.compile(
    r"(?:sentence|statement)?[_\s]?(?:id|idx|index|number|no|num|key)?\.?|#|句子|sentence",
    re.IGNORECASE,
)
_EXPLAINING = re.compile(
    r"expla|reason|rational|comment|note|why|evidence|justif|thought|analysis|confiden|prob|"
    r"example|format|template|schema|caption|text|original|draft|initial|previous|理由|解释",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Reading:
    """What dictionaries and lists say; numbers are those of the keys, 0 and extra ones too."""

    entries: dict[int, Entry] = field(default_factory=dict)
    placeholder: bool = False
    wrong_length: int | None = None
    """Length of a list that does not match the number of sentences."""
    duplicate: bool = False
    closed: bool = True
    end: int = 0

    def labelled(self) -> set[int]:
        """Return the numbers that have a label."""
        return {
            number for number, value in self.entries.items() if value and value.label is not None
        }

    def complete(self, n: int) -> bool:
        """Return whether all n sentences are labelled, counted from 1 or from 0."""
        numbers = self.labelled()
        return set(range(1, n + 1)) <= numbers or set(range(n)) <= numbers

    def covers(self, n: int) -> bool:
        """Return whether a finished dictionary names every sentence; scores are no answer."""
        numbers = self.entries.keys()
        every = set(range(1, n + 1)) <= numbers or set(range(n)) <= numbers
        scores = any(value and value.kind == "score" for value in self.entries.values())
        return every and self.closed and bool(self.labelled()) and not scores

    def put(self, number: int, value: Entry) -> None:
        """Note a value; two different labels for one sentence leave none."""
        if number in self.entries:
            old = self.entries[number]
            if old is None or value is None:
                value = old or value
            elif old.label != value.label:
                self.duplicate = True
                value = CONFLICT
        self.entries[number] = value
        self.placeholder = self.placeholder or (value is not None and value.kind == "placeholder")


def _scalar(node: Scalar, polarity: Label) -> Entry:
    if node.cut and node.quoted:
        return None
    return read_value(node.text, polarity)


def _value(node: Node | None, polarity: Label) -> Entry:
    """Return what one value says of its sentence."""
    if node is None:
        return None
    if isinstance(node, Scalar):
        return _scalar(node, polarity)
    if isinstance(node, Sequence):
        said = [_value(item, polarity) for item in node.items[:8]]
        labels = [value for value in said if value and value.label is not None]
        first = said[0] if said else None
        same = len({value.label for value in labels}) == 1
        alone = len(labels) == 1 or (same and len(labels) > 2)
        return first if first and first.label is not None and alone else Value(None, "open")
    found: list[Entry] = []
    for key, child in node.pairs:
        named = property_polarity(key)
        if named is not None:
            found.append(_value(child, named))
        elif _LABEL_FIELD.fullmatch(key.strip()):
            found.append(_value(child, polarity))
    labels = [value for value in found if value and value.label is not None]
    if labels and len({value.label for value in labels}) == 1:
        return labels[0]
    if labels:
        return CONFLICT
    return found[0] if found else Value(None, "text")


_FRACTION = re.compile(r"0?\.\d{0,20}[1-9]\d{0,20}|\d{1,3}(?:\.\d{1,9})?\s?%")
_TEMPLATE_KEY = re.compile(r"sentence[_\s-]?(?:n|k|i|x)", re.IGNORECASE)


def _drop_scores(node: Mapping, reading: Reading) -> None:
    """Take back 0.0 and 1.0 where they stand among scores, and all of a template."""
    scalars = [(key, child.text) for key, child in node.pairs if isinstance(child, Scalar)]
    if any(_FRACTION.fullmatch(text) for _, text in scalars):
        for key, text in scalars:
            if re.fullmatch(r"[01]\.0{1,20}", text):
                reading.entries |= dict.fromkeys(key_numbers(key), Value(None, "score"))
    template = any(_TEMPLATE_KEY.fullmatch(key.strip()) for key, _ in node.pairs)
    reading.placeholder = reading.placeholder or template


def _record_number(node: Mapping) -> int | None:
    for key, child in node.pairs:
        if isinstance(child, Scalar) and _NUMBER_FIELD.fullmatch(key.strip()) and key.strip():
            numbers = key_numbers(child.text)
            if len(numbers) == 1:
                return numbers[0]
    return None


def _group_numbers(node: Node | None) -> list[int]:
    items = node.items if isinstance(node, Sequence) else [node] if isinstance(node, Scalar) else []
    numbers: list[int] = []
    for item in items:
        if isinstance(item, Scalar):
            numbers.extend(key_numbers(item.text))
    return numbers


def _read_mapping(node: Mapping, n: int, polarity: Label) -> Reading:
    reading = Reading(closed=node.closed)
    numbered = [(key_numbers(key), key, child) for key, child in node.pairs]
    if any(numbers for numbers, _, _ in numbered):
        for numbers, key, child in numbered:
            named = PROPERTY_REST.search(key)
            value = _value(child, 1 if named else polarity)
            for number in numbers:
                reading.put(number, value)
        _drop_scores(node, reading)
        return reading
    own = _record_number(node)
    if own is not None and any(
        _LABEL_FIELD.fullmatch(key.strip()) or property_polarity(key) is not None
        for key, _ in node.pairs
    ):
        reading.put(own, _value(node, polarity))
        return reading
    for key, child in node.pairs:
        words = re.sub(r"[_\s]+(?:sentences?|statements?|ids?|list)$", "", key.strip(), flags=re.I)
        label = words_label(words)
        if label is not None and isinstance(child, Sequence):
            for member in _group_numbers(child):
                reading.put(member, Value(label, "label"))
    if reading.entries:
        return reading
    best: Reading | None = None
    for key, child in node.pairs:
        if isinstance(child, Scalar) or child is None or _EXPLAINING.search(key):
            continue
        sense = property_polarity(key)
        inner = read(child, n, polarity if sense is None else sense)
        if inner.labelled() or (best is None and (inner.entries or inner.wrong_length is not None)):
            best = inner
    return best or reading


def _read_sequence(node: Sequence, n: int, polarity: Label) -> Reading:
    reading = Reading(closed=node.closed)
    scalars = [item for item in node.items if isinstance(item, Scalar)]
    if len(scalars) == len(node.items):
        pairs = [re.fullmatch(r"([^:=]{1,40}?)\s?(?::|=|->)\s?(.{1,200})", s.text) for s in scalars]
        if scalars and all(pair and key_numbers(pair[1]) for pair in pairs):
            for pair in pairs:
                if pair:
                    for number in key_numbers(pair[1]):
                        reading.put(number, read_value(pair[2], polarity))
            return reading
        values = [_scalar(item, polarity) for item in scalars]
        readable = [value for value in values if value and value.kind != "text"]
        if len(readable) < len(values) or not any(v and v.label is not None for v in values):
            return reading
        if len(values) != n or not node.closed or node.ellipsis:
            reading.wrong_length = len(values)
            return reading
        reading.entries = dict(enumerate(values, start=1))
        return reading
    if all(isinstance(item, Sequence) and len(item.items) == 2 for item in node.items):
        return _read_pairs(node, polarity)
    for item in node.items:
        if isinstance(item, Mapping):
            inner = _read_mapping(item, n, polarity)
            for number, value in inner.entries.items():
                reading.put(number, value)
            reading.placeholder = reading.placeholder or inner.placeholder
    if not reading.entries and all(
        isinstance(item, Mapping) and len(_label_fields(item)) == 1 for item in node.items
    ):
        values = [_value(item, polarity) for item in node.items]
        if len(values) == n and node.closed:
            reading.entries = dict(enumerate(values, start=1))
        else:
            reading.wrong_length = len(values)
    return reading


def _read_pairs(node: Sequence, polarity: Label) -> Reading:
    """Return what a list of [number, label] pairs says, if its numbers count up from one."""
    reading = Reading(closed=node.closed)
    for number, item in enumerate(node.items, start=1):
        key = item.items[0] if isinstance(item, Sequence) else None
        if not isinstance(key, Scalar) or key_numbers(key.text) != (number,):
            return Reading()
        reading.put(number, _value(item.items[1], polarity) if isinstance(item, Sequence) else None)
    return reading


def _label_fields(node: Mapping) -> list[str]:
    return [
        key
        for key, _ in node.pairs
        if _LABEL_FIELD.fullmatch(key.strip()) or property_polarity(key) is not None
    ]


def read(node: Node, n: int, polarity: Label) -> Reading:
    """Return what one dictionary or list says.

    Args:
        node: A node of the scanner.
        n: Number of sentences.
        polarity: Label that a true boolean stands for, where a legend says so.

    Example:
        >>> from vidomni_plugin.parsing.scanner import scan
        >>> (top,) = scan('{"labels": [1, 0]}')
        >>> sorted(read(top.node, 2, None).labelled())
        [1, 2]
    """
    if isinstance(node, Mapping):
        return _read_mapping(node, n, polarity)
    if isinstance(node, Sequence):
        return _read_sequence(node, n, polarity)
    return Reading()
