"""Exports of both stages in both formats, and every way in which one cannot be used."""

from __future__ import annotations

import json

import pytest

from tests.build.annotate.exported import (
    annotation,
    as_json,
    as_min,
    caption,
    plan_of,
    result,
    spans,
    tasks_of,
    verdicts,
)
from vidomni_plugin.build.annotate.exports import Span, read_stage1, read_stage2
from vidomni_plugin.build.annotate.labelling import VERDICTS, stage2_task
from vidomni_plugin.build.annotate.votes import LABELS

PAIR = caption("clip__m", ["A dot \U0001f534 rolls.", "It stops.", "It is red."])
TASK = tasks_of(plan_of([PAIR]))["clip__m"]
WORDS = stage2_task(PAIR, [0, 2], "/v/clip.mp4", ["ann"], "batch-001")["data"]


def test_the_labels_are_those_of_the_project():
    assert tuple(VERDICTS) == LABELS


@pytest.mark.parametrize("write", [as_json, as_min])
def test_stage_1(tmp_path, write):
    made = [
        annotation(1, "ann", verdicts(["Correct", "Incorrect", "Unknown"], {1: "at 0:03"})),
        annotation(2, "ben", verdicts(["Correct", None, "Correct"]), lead_time=None),
        annotation(3, "cai", verdicts(["Correct"]), was_cancelled=True),
    ]
    export = read_stage1([write(tmp_path / "x.json", [(TASK, made)])])
    assert export.problems == []
    ann, ben, *skipped = export.annotations
    assert (ann.pair_id, ann.labels) == ("clip__m", ("Correct", "Incorrect", "Unknown"))
    assert ann.memos == ("", "at 0:03", "")
    assert (ann.lead_time_s, ann.account.number) == (10.0, 2)
    assert ann.account.email == (None if write is as_min else "ann@lab.org")
    assert (ben.labels, ben.lead_time_s) == (("Correct", None, "Correct"), None)
    assert ann.updated < ben.updated
    assert [one.skipped for one in skipped] == ([] if write is as_min else [True])


def test_an_export_of_the_user_interface_has_numbers_only(tmp_path):
    made = [annotation(1, "ann", verdicts(["Correct"] * 3), expanded=False)]
    (one,) = read_stage1([as_json(tmp_path / "x.json", [(TASK, made)])]).annotations
    assert str(one.account) == "account number 2"


def test_several_memos_of_one_sentence_are_kept(tmp_path):
    items = [*verdicts(["Correct"] * 3), result("memo_0", "s", "textarea", {"text": ["a", "b"]})]
    for write in (as_json, as_min):
        path = write(tmp_path / "x.json", [(TASK, [annotation(1, "ann", items)])])
        assert read_stage1([path]).annotations[0].memos[0] == "a; b"


@pytest.mark.parametrize("write", [as_json, as_min])
def test_stage_2(tmp_path, write):
    """Offsets are a browser's: the red dot counts twice."""
    items = spans((0, 9, 14, "rolls", "Action"), (1, 6, 9, "red", "Object"))
    path = write(tmp_path / "x.json", [(WORDS, [annotation(1, "ann", items)])])
    export = read_stage2([path])
    assert export.problems == []
    (one,) = export.annotations
    assert one.numbers == (1, 3)
    assert one.spans == (Span(1, 8, 13, "Action"), Span(3, 6, 9, "Object"))
    assert PAIR.sentences[0].text[8:13] == "rolls"
    path = write(tmp_path / "x.json", [(WORDS, [annotation(1, "ann", [])])])
    assert read_stage2([path]).annotations[0].spans == ()


def test_words_marked_across_sentences_become_one_span_in_each(tmp_path):
    items = spans((0, 9, 5, "rolls.\nIt is", "Order"))
    items[0]["value"]["end"] = "1"
    path = as_json(tmp_path / "x.json", [(WORDS, [annotation(1, "ann", items)])])
    (one,) = read_stage2([path]).annotations
    assert one.spans == (Span(1, 8, 14, "Order"), Span(3, 0, 5, "Order"))


def test_drafts_are_named_and_are_no_annotations(tmp_path):
    path = as_json(tmp_path / "x.json", [(TASK, [annotation(1, "ann", verdicts(["Correct"] * 3))])])
    tasks = json.loads(path.read_text())
    tasks[0]["drafts"] = [{"id": 9, "user": "ben@lab.org", "result": []}]
    path.write_text(json.dumps(tasks))
    export = read_stage1([path])
    assert len(export.annotations) == 1
    assert "ben@lab.org" in export.notes[0].message


def test_rows_of_tasks_that_nobody_judged_are_passed_over(tmp_path):
    path = tmp_path / "min.json"
    row = {**TASK, "id": 1, "annotation_id": None, "annotator": None}
    path.write_text(json.dumps([row]))
    (problem,) = read_stage1([path]).problems
    assert "no annotation in it" in problem.message


def broken(write, change):
    def make(path):
        entry = (dict(TASK), [annotation(1, "ann", verdicts(["Correct"] * 3))])
        change(entry)
        return write(path, [entry])

    return make


BROKEN = {
    "unknown word": (
        broken(as_json, lambda e: e[1][0]["result"].append(verdicts(["Banana"])[0])),
        "sentence 1: 'Correct, Banana' is not one of",
    ),
    "unknown word in JSON-MIN": (
        broken(as_min, lambda e: e[1][0]["result"].append(verdicts(["Banana"])[0])),
        "sentence 1: 'Banana'",
    ),
    "sentence that there is not": (
        broken(
            as_min,
            lambda e: e[1][0]["result"].append(
                result("verdict_99", "sentence_99", "choices", {"choices": ["Correct"]})
            ),
        ),
        "'verdict_99' is no control of one of the 3 sentences",
    ),
    "no pair id": (broken(as_json, lambda e: e[0].pop("pair_id")), "data.pair_id"),
    "no sentences": (broken(as_min, lambda e: e[0].pop("sentences")), "sentences"),
    "unsafe pair id": (broken(as_json, lambda e: e[0].update(pair_id="../x")), "cannot be in a"),
    "other stage": (broken(as_json, lambda e: e[0].update(stage=2)), "is of stage 2"),
    "time that is none": (
        broken(as_json, lambda e: e[1][0].update(updated_at="soon")),
        "updated_at",
    ),
    "not JSON": (lambda path: _text(path, '[{"id": 1,'), "not whole JSON"),
    "no list": (lambda path: _text(path, '{"id": 1}'), "not a list of tasks"),
    "no object": (lambda path: _text(path, "[3]"), "entry 1"),
    "deep": (lambda path: _text(path, "[" * 100_000), "not whole JSON"),
    "no file": (lambda path: path, "No such file"),
    "empty list": (lambda path: _text(path, "[]"), "no annotation in it"),
}


def _text(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_used_is_named(tmp_path, name):
    make, expected = BROKEN[name]
    export = read_stage1([make(tmp_path / "x.json")])
    assert export.annotations == []
    assert expected in "\n".join(map(str, export.problems))
    assert all(str(tmp_path / "x.json") in problem.place for problem in export.problems)


def moved(**changes):
    items = spans((0, 9, 14, "rolls", "Action"))
    items[0]["value"] |= changes
    return items


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (moved(startOffset=8, text="olls."), "is not where its offsets say"),
        (moved(endOffset=99), "offset 99"),
        (moved(startOffset=7), "an offset is within"),  # in the middle of the red dot
        (moved(start="2", end="2"), "sentences 2 to 2 are not in the task"),
        (moved(start="1", end="0"), "are not in the task"),
        (moved(startOffset=8, endOffset=9, text=""), "no word in the marked text"),
        (moved(paragraphlabels=["Colour"]), "'Colour' is none of the ten categories"),
        (moved(paragraphlabels=[]), "marked words without a category"),
        (moved(startOffset="x"), "startOffset"),
        (verdicts(["Correct"]), "'verdict_0' is no control of stage 2"),
    ],
)
def test_spans_that_cannot_be_used(tmp_path, items, expected):
    path = as_json(tmp_path / "x.json", [(WORDS, [annotation(7, "ann", items)])])
    export = read_stage2([path])
    assert export.annotations == []
    (problem,) = export.problems
    assert expected in problem.message
    assert problem.place == f"{path}: task 1, annotation 7"
