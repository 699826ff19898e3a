"""Which text stands for an answer, and files of statements with all that can be wrong in them."""

import os
from pathlib import Path

import pytest

from vidomni_plugin.detectors.text import read_statements, text_kind, text_of
from vidomni_plugin.problems import InputProblems

DOC = {"answer_id": "p/factual", "question": " Who runs? ", "candidate_answer": " A dog.\n"}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("answer", "A dog."), ("question_answer", "Who runs? A dog."), ("statement", "A dog runs.")],
)
def test_what_is_compared(kind, expected):
    assert text_of(DOC, text_kind(kind), {"p/factual": "A dog runs."}) == expected


def test_no_question_leaves_no_space():
    assert text_of({**DOC, "question": " "}, "question_answer") == "A dog."


def test_an_answer_without_a_statement_is_an_error():
    with pytest.raises(KeyError):
        text_of(DOC, "statement", {"p/counterfactual": "A cat runs."})


@pytest.mark.parametrize("kind", ["", "question", None, True])
def test_an_unknown_kind(kind):
    with pytest.raises(ValueError, match="give one of answer, question_answer, statement"):
        text_kind(kind)


def test_a_file_of_statements(tmp_path):
    path = tmp_path / "statements.jsonl"
    path.write_text(
        '\ufeff{"id": "p/factual", "statement": " A dog runs. "}\n\n'
        '{"id": "p/counterfactual", "statement": "A cat\\u2028runs."}\n',
        encoding="utf-8",
    )
    assert read_statements(path) == {
        "p/factual": "A dog runs.",
        "p/counterfactual": "A cat\u2028runs.",
    }


def test_every_bad_line_is_named_at_once(tmp_path):
    path = tmp_path / "statements.jsonl"
    lines = [
        '{"id": "a", "statement": "Good."}',
        '{"id": "a", "statement": "Twice."}',
        '{"id": "b", "statement": " "}',
        '{"id": "c"}',
        '{"id": 3, "statement": "A number."}',
        '{"id": "d", "statement": "More.", "by": "me"}',
        "[" * 100_000,
        "{",
        '{"id": "e", "statement": "Half a \\ud800."}',
        '{"id": "\\udfff", "statement": "Half an id."}',
    ]
    path.write_text("\n".join(lines))
    with pytest.raises(InputProblems) as refused:
        read_statements(path)
    assert [problem.place for problem in refused.value.problems] == [
        f"{path}:{number}" for number in (2, 3, 4, 5, 6, 7, 8, 9, 10)
    ]


@pytest.mark.parametrize("content", [None, b"", b"\n\n", b"\xff\xfe"])
def test_what_is_no_file_of_statements(content, tmp_path):
    path = tmp_path / "statements.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputProblems, match=r"statements\.jsonl"):
        read_statements(path)


def test_a_path_that_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "a\0b", Path("/dev/zero")):
        with pytest.raises(InputProblems, match=r"list|no file|null"):
            read_statements(path)
