"""The annotators' file: what is read, and every mistake named at once."""

from __future__ import annotations

import pytest

from vidomni_plugin.build.annotate.annotators import read_annotators
from vidomni_plugin.problems import InputProblems

GOOD = """
annotators:
  - {name: ann, email: Ann@Lab.org, trusted: true, label_studio_id: 2}
  - name: Ben Bo
    email: ben@lab.org
"""


def test_a_good_file(tmp_path):
    path = tmp_path / "people.yaml"
    path.write_text(GOOD, encoding="utf-8")
    ann, ben = read_annotators(path)
    assert (ann.name, ann.email, ann.trusted, ann.label_studio_id) == (
        "ann",
        "ann@lab.org",
        True,
        2,
    )
    assert (ben.name, ben.trusted, ben.label_studio_id) == ("Ben Bo", False, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("annotators: [", "people.yaml:1"),
        ("", "one entry `annotators:`"),
        ("- {name: ann, email: a@b}", "one entry `annotators:`"),
        ("annotators: []", "annotators: "),
        ("annotators: [{name: a, email: none}]", "annotators.1.email"),
        ("annotators: [{name: 'a|b', email: a@b}]", "name 'a|b'"),
        ("annotators: [{name: 'a, b', email: a@b}]", "no commas"),
        ("annotators: [{name: a, email: a@b, trusted: perhaps}]", "annotators.1.trusted"),
        ("annotators: [{name: a, email: a@b}, {name: A, email: c@d}]", "name used twice: a"),
        ("annotators: [{name: a, email: a@b}, {name: b, email: A@B}]", "email used twice: a@b"),
        ("annotators: [{name: a, email: a@b, label_studio_id: 0}]", "label_studio_id"),
        ("annotators: [{name: a, email: a@b, role: boss}]", "annotators.1.role"),
    ],
)
def test_mistakes(tmp_path, text, expected):
    path = tmp_path / "people.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputProblems) as caught:
        read_annotators(path)
    assert expected in str(caught.value)


def test_no_file(tmp_path):
    with pytest.raises(InputProblems, match="No such file"):
        read_annotators(tmp_path / "people.yaml")


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "people.yaml"
    path.write_bytes(b"\xff\xfe\x00a")
    with pytest.raises(InputProblems, match="not UTF-8 text"):
        read_annotators(path)
