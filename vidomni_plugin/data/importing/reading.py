"""Take values out of records as a mapping says; what cannot be taken is noted, never guessed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from vidomni_plugin.data.importing.origins import Value, word
from vidomni_plugin.data.importing.paths import FieldPath, Node, find
from vidomni_plugin.problems import printable

__all__ = ["FROM_FILE", "NOTHING", "Reader", "Unmapped", "shown"]

SHOWN_TEXT = 80
"""Longest piece of data in a message."""
INTEGERS = frozenset(
    {"label", "labels", "complexity_type", "caption_prompt", "start", "end", "sentence"}
)
"""Fields that are whole numbers."""
TEXTS = frozenset({"registered_modalities"})
"""Fields that are lists of texts."""
UNIT_SECONDS = {"seconds": 1.0, "milliseconds": 0.001, "minutes": 60.0}
_CLOCK_PARTS = (1, 2, 3)
"""A clock reads seconds, minutes:seconds or hours:minutes:seconds."""


class _Mark:
    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


NOTHING: Final = _Mark("NOTHING")
"""There is no value."""
FROM_FILE: Final = _Mark("FROM_FILE")
"""The value comes from the video file, which is looked into later."""


@dataclass(frozen=True, slots=True)
class Unmapped:
    """Something that could not be mapped: where it stands, for which field, and why."""

    place: str
    field: str
    """Field of the mapping; empty for a whole record."""
    reason: str


def shown(text: str) -> str:
    """Return a piece of data on one line and not too long."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= SHOWN_TEXT else line[:SHOWN_TEXT] + " ..."


@dataclass(slots=True)
class _Tally:
    tried: int = 0
    found: int = 0
    required: bool = False
    example: tuple[Node, str] | None = None
    """The first place without the next step, and that step."""


@dataclass(slots=True)
class Reader:
    """Takes values out of records, and collects notes on what it could not take."""

    notes: list[Unmapped] = field(default_factory=list)
    _tally: dict[tuple[str, str], _Tally] = field(default_factory=dict)

    def taken_notes(self) -> list[Unmapped]:
        """Return the notes since the last call."""
        notes, self.notes = self.notes, []
        return notes

    def note(self, node: Node, name: str, reason: str) -> None:
        """Note that a field cannot be mapped."""
        self.notes.append(Unmapped(node.place, name, reason))

    def nodes(
        self, node: Node, path: FieldPath, name: str, *, required: bool = True
    ) -> list[Node] | None:
        """Return what a path leads to; None where something is missing, noted if required."""
        found = find(node, path)
        tally = self._tally.setdefault((name, path.text), _Tally(required=required))
        tally.tried += 1
        if not found.holes:
            tally.found += 1
            return found.nodes
        tally.example = tally.example or found.holes[0]
        if required:
            self.note(found.holes[0][0], name, f"there is nothing at {path}")
        return None

    def all_empty(self, node: Node, specs: Iterable[Value | None]) -> bool:
        """Return whether each of these fields is there and holds nothing; a constant does hold."""
        paths = [spec.path for spec in specs if spec is not None]
        found = [find(node, path) if path is not None else None for path in paths]
        return all(
            one is not None and not one.holes and all(_is_empty(n.value) for n in one.nodes)
            for one in found
        )

    def one(self, node: Node, spec: Value | None, name: str, *, required: bool = True) -> Any:  # noqa: ANN401
        """Return the value of one field, ``NOTHING`` where there is none (noted if required)."""
        if spec is None:
            return NOTHING
        if spec.from_:
            return FROM_FILE
        if spec.path is None and spec.join is None:
            return spec.value
        if spec.join is not None:
            return self._join(node, spec, name)
        assert spec.path is not None
        found = self.nodes(node, spec.path, name, required=required)
        if found is None:
            return NOTHING
        if name in TEXTS:
            return self._texts(found, name)
        if len(found) != 1:
            self.note(node, name, f"{spec.path} leads to {len(found)} values, not to one")
            return NOTHING
        return self.value(found[0], spec, name, required=required)

    def each(self, node: Node, spec: Value, name: str) -> list[Any] | None:
        """Return the values of a field whose path leads to several."""
        assert spec.path is not None
        found = self.nodes(node, spec.path, name)
        if found is None:
            return None
        if len(found) == 1 and isinstance(found[0].value, list):
            inner = found[0]
            found = [
                Node(value, inner.source, f"{inner.pointer}/{index}", index, inner)
                for index, value in enumerate(inner.value)
            ]
        return [self.value(each, spec, name, required=True) for each in found]

    def value(self, node: Node, spec: Value, name: str, *, required: bool) -> Any:  # noqa: ANN401
        """Return one found value in the shape of its field, or ``NOTHING`` with a note."""
        value = node.value
        if spec.words is not None:
            return self._word(node, spec.words, name)
        if value is None and name in {"label", "labels"}:
            return None  # null is Unknown, in the data as here
        if value is None or value == "" or value != value:  # NaN is how pandas writes "none"
            if required:
                empty = {None: "the value is null", "": "the text is empty"}
                self.note(node, name, empty.get(value, "the value is NaN"))
            return NOTHING
        if name in INTEGERS:
            return self._number(node, name, whole=True)
        if name == "duration_s":
            return self._seconds(node, spec.unit)
        if name == "has_audio":
            if isinstance(value, bool):
                return value
            self.note(node, name, f"{shown(repr(value))} is not true or false: give it words")
            return NOTHING
        return self.text(node, name)

    def text(self, node: Node, name: str, path: FieldPath | None = None) -> Any:  # noqa: ANN401
        """Return a value that must be a text; a whole number is one, too.

        ``path`` is what led there, where it may lead to several texts.
        """
        value = node.value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value:
            if not any(map(_is_surrogate, value)):
                return value
            self.note(node, name, "half of a surrogate pair stands in it, which is no character")
            return NOTHING
        kind = "an empty text" if value == "" else f"a {type(value).__name__}"
        way_out = f"; for each of its elements write {path}[*]" if path and kind == "a list" else ""
        self.note(node, name, f"{kind} where a text is needed{way_out}")
        return NOTHING

    def _word(self, node: Node, words: dict[str, Any], name: str) -> Any:  # noqa: ANN401
        if isinstance(node.value, (dict, list)):
            self.note(node, name, f"a {type(node.value).__name__} where a word is needed")
            return NOTHING
        key = word(node.value)
        if key in words:
            return words[key]
        near = difflib.get_close_matches(key, words, 1)
        mean = f"; is it {near[0]!r}?" if near else ""
        known = ", ".join(repr(known) for known in words)
        self.note(node, name, f"{shown(repr(node.value))} is none of the words {known}{mean}")
        return NOTHING

    def _join(self, node: Node, spec: Value, name: str) -> Any:  # noqa: ANN401
        parts = []
        for path in spec.join or ():
            found = self.nodes(node, path, name)
            if found is None:
                return NOTHING
            if len(found) != 1:
                self.note(node, name, f"{path} leads to {len(found)} values, not to one")
                return NOTHING
            part = self.text(found[0], name)
            if part is NOTHING:
                return NOTHING
            parts.append(part)
        return spec.between.join(parts)

    def _texts(self, found: list[Node], name: str) -> Any:  # noqa: ANN401
        values = [node.value for node in found]
        if len(values) == 1 and isinstance(values[0], list):
            values = values[0]
        if all(isinstance(value, str) for value in values):
            return values
        self.note(found[0], name, "not a list of texts")
        return NOTHING

    def _number(self, node: Node, name: str, *, whole: bool) -> Any:  # noqa: ANN401
        number = as_number(node.value)
        if number is None or (whole and not number.is_integer()):
            kind = "whole number" if whole else "number"
            self.note(node, name, f"{shown(repr(node.value))} is no {kind}")
            return NOTHING
        return int(number) if whole else number

    def _seconds(self, node: Node, unit: str) -> Any:  # noqa: ANN401
        if unit != "clock":
            number = self._number(node, "duration_s", whole=False)
            return number if number is NOTHING else number * UNIT_SECONDS[unit]
        parts = [as_number(part) for part in str(node.value).split(":")]
        if len(parts) in _CLOCK_PARTS and all(part is not None and part >= 0 for part in parts):
            seconds = 0.0
            for part in parts:
                seconds = 60 * seconds + (part or 0.0)
            return seconds
        self.note(node, "duration_s", f"{shown(repr(node.value))} is no time like 1:02:03.5")
        return NOTHING

    def never_found(self) -> list[tuple[str, bool]]:
        """Return what to say of each path that led nowhere in any record, and if it is needed."""
        said = []
        for (name, path), tally in self._tally.items():
            if tally.found or tally.example is None:
                continue
            node, step = tally.example
            message = f"{name}: nothing at {path} in any of {tally.tried} records"
            if isinstance(node.value, dict) and path in node.value:
                message += f'; a name with dots is written ["{path}"]'
            elif isinstance(node.value, list):
                message += "; there is a list: [*] behind its path leads to its elements"
            elif isinstance(node.value, dict) and node.value:
                keys = [str(key) for key in node.value]
                near = difflib.get_close_matches(step, keys, 1)
                listed = ", ".join(shown(key) for key in keys[:12])
                message += f"; did you mean {near[0]}?" if near else f"; there are {listed}"
            said.append((message, tally.required))
        return said


def _is_empty(value: object) -> bool:
    """Return whether nothing is there; NaN is how pandas writes that."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or value == [] or value != value


def _is_surrogate(character: str) -> bool:
    return "\ud800" <= character <= "\udfff"


def as_number(value: object) -> float | None:
    """Return a number, or a text that is one; None for anything else.

    Example:
        >>> as_number("12.5"), as_number(3), as_number(True), as_number("1e400"), as_number("1_0")
        (12.5, 3.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, str) and "_" in value:
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < float("inf") else None
