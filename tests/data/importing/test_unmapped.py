"""What cannot be mapped is named with its place and reason, and never guessed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.data.importing.test_shapes import (
    EACH,
    FIELDS,
    FLAT,
    IN_SENTENCE,
    OBJECTS,
    ROWS,
    TABLE,
    as_csv,
    mapped,
)
from vidomni_plugin.problems import InputProblems

MAPPING: dict[str, Any] = {
    "fields": FIELDS | {"caption_prompt": "prompt", "pair_id": "id"},
    "sentences": EACH | {"errors": IN_SENTENCE},
}
GOOD = {**FLAT, "id": "first", "prompt": 1, "sents": OBJECTS}
S = "sents"


def sentence(**changes: Any) -> dict[str, Any]:
    return {S: [OBJECTS[0], {**OBJECTS[1], **changes}]}


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in GOOD.items() if key != name} | {"id": "second"}


BAD: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "an unknown label": (
        sentence(label="halucinated"),
        "/1/sents/1/label",
        "label",
        "'halucinated' is none of the words 'ok', 'hallucinated', 'unsure'; is it 'hallucinated'?",
    ),
    "a null label": (sentence(label=None), "/1/sents/1/label", "label", "None is none of"),
    "a label as number": (sentence(label=1), "/1/sents/1/label", "label", "1 is none of"),
    "a label list": (sentence(label=["ok"]), "/1/sents/1/label", "label", "a list where a word"),
    "no label": (sentence() | {S: [{"text": "A."}]}, "/1/sents/0", "label", "nothing at label"),
    "an empty text": (sentence(text=""), "/1/sents/1/text", "sentences.text", "is empty"),
    "a text that is blank": (sentence(text=" "), "/1", "sentences.1.text", "text is empty"),
    "a text that is no text": (sentence(text=[1]), "/1/sents/1/text", "sentences.text", "a list"),
    "no sentences": ({S: []}, "/1", "sentences", "at least 1 item"),
    "sentences that are a text": ({S: "A."}, "/1/sents", "sentences.each", "nothing at sents[*]"),
    "a span without category": (
        sentence(errs=[{"t": "tall"}]),
        "/1/sents/1/errs/0",
        "category",
        "nothing at c",
    ),
    "an unknown category": (
        sentence(errs=[{"t": "tall", "c": "Colour"}]),
        "/1",
        "sentences.1.errors.0.category",
        "Input should be 'Object'",
    ),
    "a span in a correct sentence": (
        sentence(label="ok"),
        "/1",
        "sentences.1",
        "errors are marked in a sentence whose label is 0",
    ),
    "an unknown type": ({"kind": "Crowd"}, "/1/kind", "complexity_type", "'Crowd' is none of"),
    "no time": ({"s": "soon"}, "/1/s", "duration_s", "'soon' is no number"),
    "a time of nothing": ({"s": 0}, "/1", "duration_s", "greater than 0"),
    "an endless time": ({"s": "inf"}, "/1/s", "duration_s", "'inf' is no number"),
    "a time that pandas lost": ({"s": float("nan")}, "/1/s", "duration_s", "the value is NaN"),
    "a label that pandas lost": (
        sentence(label=float("nan")),
        "/1/sents/1/label",
        "label",
        "nan is none of the words",
    ),
    "a truth value as time": ({"s": True}, "/1/s", "duration_s", "True is no number"),
    "a sound word without words": ({"sound": "yes"}, "/1/sound", "has_audio", "give it words"),
    "a number as sound": ({"sound": 1}, "/1/sound", "has_audio", "give it words"),
    "an unknown prompt": ({"prompt": 6}, "/1", "caption_prompt", "Input should be 1, 2, 3, 4"),
    "half a prompt": ({"prompt": 1.5}, "/1/prompt", "caption_prompt", "1.5 is no whole number"),
    "an id that leaves the folder": ({"vid": "../v"}, "/1", "video_id", "cannot be in a file name"),
    "an id that is a list": ({"vid": ["v"]}, "/1/vid", "video_id", "a list where a text"),
    "a null id": ({"vid": None}, "/1/vid", "video_id", "the value is null"),
    "no source": (without("from"), "/1", "source_dataset", "there is nothing at from"),
    "an id that was there": ({"id": "first"}, "/1", "pair_id", "'first' is already at"),
    "a video that changed its type": (
        {"kind": "static world"},
        "/1",
        "complexity_type",
        "another value than at",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_record_is_named_and_the_good_one_is_kept(case, tmp_path):
    changes, pointer, field, reason = BAD[case]
    bad = changes if "s" in changes and "sents" in changes else {**GOOD, "id": "second", **changes}
    if case == "no source":
        bad = changes
    plan = mapped(tmp_path, "d.json", json.dumps([GOOD, bad]).encode(), MAPPING)
    assert [placed.pair.pair_id for placed in plan.records] == ["first"]
    (note,) = plan.unmapped
    assert (note.place, note.field) == (f"{tmp_path / 'd.json'}#{pointer}", field)
    assert reason in note.reason


def test_every_fault_of_a_record_is_named(tmp_path):
    bad = {**GOOD, "id": "second", "kind": "?", "s": "?", "sound": "?", **sentence(label="?")}
    plan = mapped(tmp_path, "d.json", json.dumps([GOOD, bad]).encode(), MAPPING)
    assert [note.field for note in plan.unmapped] == [
        "complexity_type",
        "duration_s",
        "has_audio",
        "label",
    ]


def test_lines_and_cells_that_cannot_be_read(tmp_path):
    lines = [json.dumps(GOOD), '{"id": ', '{"id": 1, "id": 2}', '{"s": 1', "[" * 100_000]
    plan = mapped(tmp_path, "d.jsonl", "\n".join(lines).encode() + b"\n\xff\n", MAPPING)
    assert len(plan.records) == 1
    assert [note.place.rsplit(":", 1)[1] for note in plan.unmapped] == list("23456")
    assert "'id' stands twice" in plan.unmapped[1].reason


BAD_ROWS = {
    "a repeated number": ({"nr": "1"}, 3, "order_by", "number 1 is already at"),
    "a gap": ({"nr": "4"}, 4, "order_by", "sentence 2 is missing before number 3"),
    "no number": ({"nr": ""}, 3, "order_by", "there is no number at nr"),
    "another type in one row": ({"kind": "static world"}, 3, "complexity_type", "another value"),
    "an unknown word": ({"label": "maybe"}, 3, "label", "'maybe' is none of the words"),
}


@pytest.mark.parametrize("case", BAD_ROWS)
def test_one_bad_row_leaves_its_whole_pair_out(case, tmp_path):
    changes, line, field, reason = BAD_ROWS[case]
    other = [row | {"vid": "v2"} for row in ROWS]
    rows = [ROWS[0], ROWS[1] | changes, ROWS[2], *other]
    plan = mapped(tmp_path, "t.csv", as_csv(rows), TABLE)
    assert [placed.pair.video_id for placed in plan.records] == ["v2"]
    (note,) = plan.unmapped
    assert (note.place.split("#")[0], note.field) == (f"{tmp_path / 't.csv'}:{line}", field)
    assert reason in note.reason
    assert "pair 'v1__m-1' is left out" in note.reason


@pytest.mark.parametrize(
    "line", [b'v1,"half', b"v1,too,few", b',x,1,yes,o,m-1,1,A.,ok,""'], ids=["quote", "few", "id"]
)
def test_a_row_without_a_pair_ends_the_import(line, tmp_path):
    """Whichever pair it belongs to would lack a sentence, also with --allow-unmapped."""
    with pytest.raises(InputProblems) as caught:
        mapped(tmp_path, "t.csv", as_csv(ROWS) + line + b"\r\n", TABLE)
    assert "t.csv" in caught.value.problems[0].place


def test_cells_that_hold_bad_json(tmp_path):
    rows = [{"id": "a", "x": "[1"}, {"id": "b", "x": "[]"}]
    mapping = {
        "record": "video",
        "json_columns": ["x"],
        "fields": {"video_id": "id", "source_dataset": {"value": "o"}},
    }
    plan = mapped(tmp_path, "t.csv", as_csv(rows), mapping)
    assert [placed.video.video_id for placed in plan.records] == ["b"]
    assert [(note.place[-2:], note.field) for note in plan.unmapped] == [(":2", "x")]


def refused(tmp_path, name: str, content: bytes, mapping: dict[str, Any]) -> str:
    with pytest.raises(InputProblems) as caught:
        mapped(tmp_path, name, content, mapping)
    return str(caught.value)


def test_a_path_that_is_nowhere_is_a_fault_of_the_mapping(tmp_path):
    mapping = MAPPING | {"fields": MAPPING["fields"] | {"source_dataset": "form"}}
    said = refused(tmp_path, "d.json", json.dumps([GOOD] * 3).encode(), mapping)
    assert "source_dataset: nothing at form in any of 3 records; did you mean from?" in said


def test_a_column_with_dots_is_pointed_out(tmp_path):
    rows = [{"meta.id": "v1"}]
    mapping = {
        "record": "video",
        "fields": {"video_id": "meta.id", "source_dataset": {"value": "o"}},
    }
    assert 'written ["meta.id"]' in refused(tmp_path, "t.csv", as_csv(rows), mapping)
    mapping["fields"] = {"video_id": '["meta.id"]', "source_dataset": {"value": "o"}}
    assert len(mapped(tmp_path, "t.csv", as_csv(rows), mapping).records) == 1


def test_an_optional_path_that_is_nowhere_is_a_warning(tmp_path):
    mapping = MAPPING | {"fields": MAPPING["fields"] | {"caption_prompt": "promt"}}
    plan = mapped(tmp_path, "d.json", json.dumps([GOOD]).encode(), mapping)
    assert plan.records[0].pair.caption_prompt is None
    assert plan.warnings == [
        "caption_prompt: nothing at promt in any of 1 records; did you mean prompt?"
    ]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("d.json", b"{", "it is not json"),
        ("d.json", b'{"pairs": [], "n": 1}', "like `records: pairs[*]`"),
        ("d.json", b"[]", "there is no record in it"),
        ("d.json", b'"\xff"', "byte 1 is not UTF-8"),
        ("d.json", b"[" * 100_000, "it is not json"),
        ("d.csv", b"", "there is no record in it"),
        ("d.csv", b"a,a\r\n1,2\r\n", "the column 'a' stands twice"),
        ("d.csv", b"a\r\n\xe9\r\n", "is not UTF-8"),
        ("d.parquet", b"PAR1 no", "it is not parquet"),
        ("d.xlsx", b"", "what is .xlsx?"),
        ("d", b"", "what is a file without an ending?"),
    ],
)
def test_files_that_cannot_be_read_end_the_import(name, content, message, tmp_path):
    assert message in refused(tmp_path, name, content, MAPPING)


def test_records_that_are_elsewhere(tmp_path):
    content = json.dumps({"data": {"list": [GOOD]}}).encode()
    assert "there is no 'pairs' in an object with data" in refused(
        tmp_path, "d.json", content, {"records": "pairs[*]"} | MAPPING
    )
    videos = {"videos": [{"pairs": [GOOD]}, {"none": 1}]}
    plan = mapped(
        tmp_path, "d.json", json.dumps(videos).encode(), {"records": "videos[*].pairs[*]"} | MAPPING
    )
    assert len(plan.records) == 1
    (note,) = plan.unmapped
    assert note.place.endswith("#/videos/1")


def test_a_lookup_with_a_repeated_id_ends_the_import(tmp_path):
    (tmp_path / "m.csv").write_text("id,s\nv1,1\nv1,2\n,3\n")
    mapping = {"lookup": {"m": {"file": "m.csv", "key": "id", "by": "vid"}}} | MAPPING
    said = refused(tmp_path, "d.json", json.dumps([GOOD]).encode(), mapping)
    assert "m.csv:3: the lookup id v1 is already at" in said
    assert "m.csv:4" in said


SPLIT: dict[str, Any] = {
    "fields": FIELDS,
    "sentences": {"split": "caption", "labels": "labels"},
    "errors": {"each": "spans[*]", "text": "t", "start": "from", "end": "to", "category": "c"},
}


@pytest.mark.parametrize(
    ("labels", "span", "reason"),
    [
        ([0], {}, "1 labels for 2 sentences"),
        ([0, 1, 0], {}, "3 labels for 2 sentences"),
        ([0, 1], {"from": 7, "to": 8}, "offset 7 lies in no sentence"),
        ([0, 1], {"from": 4, "to": 9}, "offsets 4 to 9 in a sentence of 7 characters"),
        ([0, 1], {"from": 9, "to": 9}, "offsets 1 to 1 in a sentence"),
        ([0, 1], {"from": 8, "to": 10, "t": "c"}, "the words are 'c', the offsets give 'It'"),
        ([0, 1], {"from": 8, "to": "x"}, "'x' is no whole number"),
    ],
)
def test_texts_that_are_split(labels, span, reason, tmp_path):
    spans = [{"t": "It", "c": "Object"} | span] if span else []
    data = [{**FLAT, "caption": "A runs. It is so.", "labels": labels, "spans": spans}]
    good = {**FLAT, "model": "x", "caption": "A runs. It is so.", "labels": [0, 1]}
    good["spans"] = [{"t": "It", "from": 8, "to": 10, "c": "Object"}]
    plan = mapped(tmp_path, "d.json", json.dumps([*data, good]).encode(), SPLIT)
    assert len(plan.records) == 1
    assert any(reason in note.reason for note in plan.unmapped), plan.unmapped


def test_a_span_of_a_sentence_that_is_not_there(tmp_path):
    mapping = {
        "fields": FIELDS,
        "sentences": EACH,
        "errors": {"each": "spans[*]", "sentence": "n", "text": "t", "category": "c"},
    }
    spans = [{"n": n, "t": "tall", "c": "Object"} for n in (0, 2, 4, "x")]
    data = [{**FLAT, "sents": OBJECTS, "spans": spans}]
    plan = mapped(tmp_path, "d.json", json.dumps(data).encode(), mapping)
    assert [note.place.rsplit("#", 1)[1] for note in plan.unmapped] == [
        "/0/spans/0",
        "/0/spans/2",
        "/0/spans/3/n",
    ]
    assert "there is no sentence 4: 3 from 1 on" in plan.unmapped[1].reason
