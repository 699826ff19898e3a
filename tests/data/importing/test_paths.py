"""Paths: each row worked by hand; pointers are checked against an independent reader."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.data.importing.paths import Node, find, parse_path

DATA = {
    "a": {"b": [10, 20, {"c": 30}], "odd.name": 1, "x y": 2},
    "list": [{"n": 1}, {"n": 2}, {}],
    "by_id": {"v1": {"t": 5}, "v2": {"t": 6}},
    "none": None,
    "empty": [],
    "0": "zero",
}


@pytest.mark.parametrize(
    ("path", "values", "holes"),
    [
        ("a.b[0]", [10], 0),
        ("a.b.1", [20], 0),
        ("a.b[2].c", [30], 0),
        ("a.b[3]", [], 1),
        ('a["odd.name"]', [1], 0),
        ("a.x y", [2], 0),
        ("$", [DATA], 0),
        ("$.a.b[0]", [10], 0),
        ('$["none"]', [None], 0),
        ("list[*].n", [1, 2], 1),
        ("list.*.n", [1, 2], 1),
        ("by_id.*.t", [5, 6], 0),
        ("by_id[*].t", [5, 6], 0),
        ("none[*]", [], 0),
        ("empty[*].n", [], 0),
        ("a.b[*].c", [30], 2),
        ("by_id.v3.t", [], 1),
        ("0", ["zero"], 0),
        ("list[*][*]", [1, 2], 0),
        ("$[*]", list(DATA.values()), 0),
        ("0[*]", [], 1),
        ("^.a", [], 1),
        ("$meta.a", [], 1),
        ("$key", [], 1),
    ],
)
def test_what_a_path_leads_to(path, values, holes):
    found = find(Node(DATA, "f.json"), parse_path(path))
    assert [node.value for node in found.nodes] == values
    assert len(found.holes) == holes


def test_outwards_and_keys():
    (_, second) = find(Node(DATA, "f.json"), parse_path("by_id[*]")).nodes
    (time,) = find(second, parse_path("t")).nodes
    assert find(second, parse_path("$key")).nodes[0].value == "v2"
    assert find(second, parse_path("^.list[0].n")).nodes[0].value == 1
    assert find(time, parse_path("^$key")).nodes[0].value == "v2"
    assert find(time, parse_path("^^.a.b[1]")).nodes[0].value == 20
    assert time.place == "f.json#/by_id/v2/t"
    (_, row, _) = find(Node(DATA, "f.json"), parse_path("list[*]")).nodes
    assert find(row, parse_path("$key")).nodes[0].value == 1


@pytest.mark.parametrize(
    "text", ["", " ", "a..b", "a[", "a[x]", "[]", "a b]", ".a", "a.", "$key.a", "a^b.^c", 3, None]
)
def test_what_is_no_path(text):
    with pytest.raises(ValueError, match="path"):
        parse_path(text)


def by_pointer(value: Any, pointer: str) -> Any:
    """RFC 6901, written apart from the code under test."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


NESTED = st.recursive(
    st.integers() | st.none() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


@given(NESTED, st.integers(1, 3))
def test_a_place_leads_back_to_its_value(data, depth):
    for node in find(Node(data, "f"), parse_path("$" + "[*]" * depth)).nodes:
        assert by_pointer(data, node.pointer) == node.value
        assert node.up is not None
