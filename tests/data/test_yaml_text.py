"""YAML that people write: what is read, and the traps that are refused."""

from __future__ import annotations

import pytest

from vidomni_plugin.data.yaml_text import DEEPEST, NotYaml, read_yaml

BOMB = "a: &a [x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join(['*' + old] * 9)}]\n"
    for old, new in zip("abcdefghijkl", "bcdefghijklm", strict=True)
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            "sound: no\nday: 2001-02-30\nlabel: 007",
            {"sound": "no", "day": "2001-02-30", "label": "007"},
        ),
        ("a: true\nb: null\nc: -3\nd: 1.5e3", {"a": True, "b": None, "c": -3, "d": 1500.0}),
        ("[a, '*b', \"&c\", '!d']", ["a", "*b", "&c", "!d"]),
        ("a: " + "9" * 5000, {"a": "9" * 5000}),
        ("", None),
    ],
)
def test_values(text: str, value: object) -> None:
    assert read_yaml(b"\xef\xbb\xbf" + text.encode()).value == value


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        pytest.param(BOMB, 1, "anchors and aliases", id="a billion laughs"),
        pytest.param("a: 1\nb: &b [*b]", 2, "anchors and aliases", id="endless"),
        pytest.param("a: !!python/object/apply:os.system [ls]", 1, "tags", id="an object"),
        pytest.param("a: !!int foo", 1, "tags", id="no number"),
        pytest.param("a: !!timestamp foo", 1, "tags", id="no time"),
        pytest.param("a: !!bool foo", 1, "tags", id="no truth"),
        pytest.param("[" * 100_000, 1, f"nested more than {DEEPEST} deep", id="deep list"),
        pytest.param("{a: " * 9_000, 1, f"nested more than {DEEPEST} deep", id="deep object"),
        pytest.param("a: 1\nb: {c: 1, c: 2}", 2, "'c' stands here twice", id="twice"),
        pytest.param("? [a]\n: b", 1, "unhashable", id="a list as a key"),
        pytest.param("a: 1\n---\nb: 2", 2, "another document", id="two documents"),
        pytest.param("a: [", 1, "not YAML", id="cut off"),
        pytest.param("a: \0", None, "not YAML", id="a zero byte"),
    ],
)
def test_what_is_refused_is_named_with_its_line(text: str, line: int | None, reason: str) -> None:
    with pytest.raises(NotYaml, match=reason) as caught:
        read_yaml(text.encode())
    assert caught.value.faults[0][0] == line


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_another_encoding_is_named(encoding: str) -> None:
    with pytest.raises(NotYaml, match="not UTF-8"):
        read_yaml("a: é".encode(encoding))
