"""Paths into nested data: names, list indexes, ``*`` for each, ``^`` for what is around."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from vidomni_plugin.problems import printable

__all__ = ["EACH", "FieldPath", "Found", "Node", "find", "parse_path"]

EACH: Final = "*"
"""A step that goes to every element of a list or every value of an object."""
_NAME = re.compile(r"[^.\[\]\"^$*\s][^.\[\]\"]*")
_BRACKET = re.compile(r"\[(?:(\d+)|(\*)|\"([^\"]+)\")\]")


class _Step(NamedTuple):
    name: str
    """A key, or the text of a list index."""
    each: bool = False


@dataclass(frozen=True, slots=True)
class FieldPath:
    """A parsed path; ``text`` is how it was written."""

    text: str
    climbs: int
    """How many records outwards it starts."""
    special: str
    """Name behind ``$``: "key" or a lookup table; empty for the record itself."""
    steps: tuple[_Step, ...]

    @property
    def iterates(self) -> bool:
        """Whether the path may lead to more than one value."""
        return any(step.each for step in self.steps)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Node:
    """A value, where it stands, and the record around it."""

    value: Any
    source: str
    """The file, with line or row where it has such."""
    pointer: str = ""
    """JSON pointer (RFC 6901) inside that file, line or row."""
    key: str | int | None = None
    up: Node | None = None
    """The element that holds this one: one ``*`` further out."""
    tables: Mapping[str, Node] = field(default_factory=dict)
    """Rows of lookup tables that belong to this record."""

    @property
    def place(self) -> str:
        """Where a reader finds it: ``file:line#/json/pointer``."""
        return f"{self.source}#{printable(self.pointer)}" if self.pointer else self.source


class Found(NamedTuple):
    """What a path leads to."""

    nodes: list[Node]
    holes: list[tuple[Node, str]]
    """Values that lack the next step, and that step."""


def parse_path(text: object) -> FieldPath:
    """Return a path, checked.

    Args:
        text: Names joined by dots; ``[2]`` an element (from 0), ``[*]`` or ``*`` each element of
            a list or each value of an object, ``["a.b"]`` a name with odd characters; ``$`` the
            record itself, ``$key`` its key or index, ``$name`` a row of a lookup table; each
            ``^.`` before it goes one record outwards.

    Raises:
        ValueError: If the text is no path; says where it stops being one.

    Example:
        >>> parse_path("^.meta.tags[*]").steps
        (_Step(name='meta', each=False), _Step(name='tags', each=False), _Step(name='*', each=True))
    """
    if not isinstance(text, str):
        raise ValueError(f"a path is text, not {text!r}; write it in quotes")
    rest = text.strip()
    climbs = 0
    while rest.startswith("^"):
        climbs += 1
        rest = rest[1:].removeprefix(".")
    special, named = "", False
    if rest.startswith("$"):
        special = re.match(r"\$(\w*)", rest)[1]  # type: ignore[index]
        rest, named = rest[1 + len(special) :], True
    steps: list[_Step] = []
    while rest:
        if found := _BRACKET.match(rest):
            index, each, quoted = found.groups()
            steps.append(_Step(EACH, True) if each else _Step(index or quoted))
            rest = rest[found.end() :]
            continue
        if steps or named:
            if not rest.startswith("."):
                raise ValueError(f"{text!r} is no path: {rest!r} is not understood")
            rest = rest[1:]
        if rest.startswith(EACH):
            steps.append(_Step(EACH, True))
            rest = rest[1:]
        elif found := _NAME.match(rest):
            steps.append(_Step(found[0].strip()))
            rest = rest[found.end() :]
        else:
            raise ValueError(f"{text!r} is no path: {rest!r} is not understood")
    if not (steps or named or climbs):
        raise ValueError("a path is empty; $ is the record itself")
    if special == "key" and steps:
        raise ValueError(f"{text!r} is no path: $key has nothing inside")
    return FieldPath(text, climbs, special, tuple(steps))


def find(node: Node, path: FieldPath) -> Found:
    """Return every value that a path leads to from a record.

    A null or an empty list has no elements; a value without the next step is a hole.
    """
    start: Node = node
    for _ in range(path.climbs):
        if start.up is None:
            return Found([], [(start, "^")])
        start = start.up
    if path.special == "key":
        if start.key is None:
            return Found([], [(start, "$key")])
        return Found([Node(start.key, start.source, start.pointer, up=start)], [])
    if path.special:
        row = _table_row(start, path.special)
        if row is None:
            return Found([], [(start, f"${path.special}")])
        start = row
    found, holes = [_Walk(start, start)], list[tuple[Node, str]]()
    for step in path.steps:
        found = [after for walk in found for after in _go(walk, step, holes)]
    return Found([walk.at for walk in found], holes)


class _Walk(NamedTuple):
    at: Node
    inside: Node
    """The last element that ``*`` led to."""


def _table_row(node: Node, name: str) -> Node | None:
    around: Node | None = node
    while around is not None:
        if name in around.tables:
            return around.tables[name]
        around = around.up
    return None


def _go(walk: _Walk, step: _Step, holes: list[tuple[Node, str]]) -> Iterable[_Walk]:
    value = walk.at.value
    items: Iterable[tuple[str | int, Any]]
    if step.each:
        if isinstance(value, dict):
            items = value.items()
        elif isinstance(value, list):
            items = enumerate(value)
        elif value is None:
            items = ()
        else:
            holes.append((walk.at, step.name))
            return
        for key, inner in items:
            child = _child(walk, key, inner)
            yield _Walk(child, child)
    elif isinstance(value, dict) and step.name in value:
        yield _Walk(_child(walk, step.name, value[step.name]), walk.inside)
    elif isinstance(value, list) and step.name.isdecimal() and int(step.name) < len(value):
        yield _Walk(_child(walk, int(step.name), value[int(step.name)]), walk.inside)
    else:
        holes.append((walk.at, step.name))


def _child(walk: _Walk, key: str | int, value: Any) -> Node:  # noqa: ANN401
    escaped = str(key).replace("~", "~0").replace("/", "~1")
    return Node(value, walk.at.source, f"{walk.at.pointer}/{escaped}", key, walk.inside)
