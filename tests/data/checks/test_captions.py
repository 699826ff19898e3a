"""What counts as a repeat, and when two captions are one; each row says why it is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import vidomni_record, write_lines
from vidomni_plugin.data.checks.run import Options, examine
from vidomni_plugin.data.locate import DataRoot


def found(root: Path, rows: list[dict[str, Any]], *codes: str) -> list[str]:
    write_lines(root / "pairs.jsonl", rows)
    options = Options(videos=False, only=frozenset(codes))
    findings = examine("vidomni", DataRoot(root, "test"), options).findings
    return [f"{problem.code}: {problem.message}" for problem in findings]


def sentence(text: str, label: int | None, *categories: str) -> dict[str, Any]:
    errors = [{"text": text, "category": category} for category in categories]
    return {"text": text, "label": label, "errors": errors}


@pytest.mark.parametrize(
    ("again", "message"),
    [
        pytest.param(("A dog runs.", 0), "is Correct", id="the same"),
        pytest.param(("a DOG runs!", 0), "is Correct", id="letter case and punctuation"),
        pytest.param(("A dog runs.", None), "is Unknown", id="nobody knows"),
        pytest.param(("A dog runs.", 1, "Object"), "is Incorrect with Object", id="not Frequency"),
        pytest.param(("A dog runs.", 1, "Object", "Frequency"), None, id="Frequency and more"),
        pytest.param(("A dog runs.", 1), None, id="not marked yet"),
        pytest.param(("A dog runs again.", 0), None, id="other words"),
    ],
)
def test_a_sentence_that_repeats(again, message, tmp_path):
    sentences = [sentence("A dog runs.", 0), sentence("It sits.", 0), sentence(*again)]
    said = found(tmp_path, [vidomni_record(sentences=sentences)], "sentence-repeats")
    repeats = f"sentence-repeats: sentence 3 repeats sentence 1 and {message}"
    assert said == ([repeats] if message else [])


def test_texts_without_words_repeat_only_if_they_are_the_same(tmp_path):
    sentences = [sentence("...", 0), sentence("!", 0), sentence("...", 0)]
    said = found(tmp_path, [vidomni_record(sentences=sentences)], "sentence-repeats")
    assert said == ["sentence-repeats: sentence 3 repeats sentence 1 and is Correct"]


def test_one_caption_twice_is_no_second_caption_of_its_model(tmp_path):
    rows = [vidomni_record(pair_id="p"), vidomni_record(pair_id="q")]
    said = found(tmp_path, rows, "repeated-caption", "source-twice")
    assert [text.partition(":")[0] for text in said] == ["repeated-caption"]
