"""Read YAML that people write, without its traps; what is wrong with it is named with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

__all__ = ["NotYaml", "YamlText", "read_yaml"]

DEEPEST = 20
"""Nesting of a file that a person writes; deeper ones exhaust the reader's stack."""


class NotYaml(ValueError):
    """A text cannot be read; ``faults`` holds line (from 1; None: unknown) and reason of each."""

    def __init__(self, faults: list[tuple[int | None, str]]) -> None:
        self.faults = faults
        super().__init__("; ".join(reason for _, reason in faults))


@dataclass(frozen=True, slots=True)
class YamlText:
    """What a text holds, and its nodes with their lines; None for an empty text."""

    value: Any
    tree: yaml.Node | None


class _Loader(yaml.SafeLoader):
    """YAML in which yes, no, on, off and dates are words."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("null", r"null|~|", ["n", "~", ""]),
    ("bool", r"true|false", ["t", "f"]),
    ("int", r"[-+]?(?:0|[1-9][0-9]{0,17})", list("-+0123456789")),
    ("float", r"[-+]?[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?", list("-+0123456789")),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), _first
    )


def read_yaml(content: bytes) -> YamlText:
    r"""Return what a YAML text holds.

    Anchors, aliases and tags are refused: a short text with them can stand for a huge or an
    endless value, or for objects. So are keys that stand twice.

    Args:
        content: UTF-8, with or without a byte-order mark.

    Raises:
        NotYaml: With line and reason.

    Example:
        >>> read_yaml(b"sound: no\nparts: 3").value
        {'sound': 'no', 'parts': 3}
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotYaml([(None, "it is not UTF-8 text")]) from None
    try:
        faults = list(_refused(text))
        tree = None if faults else yaml.compose(text, Loader=_Loader)
        faults += _repeated_keys(tree) if tree is not None else []
        if not faults:
            return YamlText(yaml.load(text, Loader=_Loader), tree)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or str(error)
        faults = [(mark.line + 1 if mark else None, f"it is not YAML: {reason}")]
    raise NotYaml(faults)


def _refused(text: str) -> Iterator[tuple[int | None, str]]:
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        line = event.start_mark.line + 1 if event.start_mark else None
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            yield line, f"it is nested more than {DEEPEST} deep"
            return
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            yield (
                line,
                "anchors and aliases (& and *) are not read: write it out, or put it in quotes",
            )
        if getattr(event, "tag", None) not in (None, "!"):
            yield line, "tags (!) are not read: write it out, or put it in quotes"


def _repeated_keys(node: yaml.Node) -> list[tuple[int | None, str]]:
    if isinstance(node, yaml.SequenceNode):
        return [twice for inner in node.value for twice in _repeated_keys(inner)]
    if not isinstance(node, yaml.MappingNode):
        return []
    seen: set[tuple[str, str]] = set()
    twice: list[tuple[int | None, str]] = []
    for key, inner in node.value:
        name = (key.tag, str(key.value))
        if name in seen:
            twice.append((key.start_mark.line + 1, f"{name[1]!r} stands here twice"))
        seen.add(name)
        twice += _repeated_keys(inner)
    return twice
