"""The same pair in many shapes: each mapping gives the same record."""

from __future__ import annotations

import csv
import io
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml

from vidomni_plugin.data.importing.plan import plan_import
from vidomni_plugin.problems import InputProblems

LABELS = {"path": "label", "words": {"ok": 0, "hallucinated": 1, "unsure": None}}
TEXTS = ["A red ball rolls.", "It hits a tall tower twice.", "It may be spring."]
SPANS = [("tall", "Object"), ("twice", "Frequency")]
WORDS = ["ok", "hallucinated", "unsure"]
EXPECTED = {
    "pair_id": "v1__m-1",
    "video_id": "v1",
    "complexity_type": 2,
    "duration_s": 62.5,
    "has_audio": True,
    "audio_category": None,
    "source_dataset": "ActivityNet",
    "caption_source": "m-1",
    "caption_prompt": None,
    "sentences": [
        {"text": TEXTS[0], "label": 0, "errors": []},
        {
            "text": TEXTS[1],
            "label": 1,
            "errors": [{"text": text, "category": category} for text, category in SPANS],
        },
        {"text": TEXTS[2], "label": None, "errors": []},
    ],
}
FACTS = {"vid": "v1", "kind": "Body Motion", "s": 62.5, "sound": True, "from": "ActivityNet"}
FIELDS: dict[str, Any] = {
    "video_id": "vid",
    "complexity_type": {"path": "kind", "words": {"body motion": 2, "static world": 1}},
    "duration_s": "s",
    "has_audio": "sound",
    "source_dataset": "from",
    "caption_source": "model",
}
AROUND = {
    name: f"^.{origin}" if isinstance(origin, str) else origin | {"path": f"^.{origin['path']}"}
    for name, origin in FIELDS.items()
} | {"caption_source": "model"}
FLAT = {**FACTS, "model": "m-1"}
EACH = {"each": "sents[*]", "text": "text", "label": LABELS}
IN_SENTENCE = {"each": "errs[*]", "text": "t", "category": "c"}
OBJECTS = [
    {"text": text, "label": word, "errs": [{"t": t, "c": c} for t, c in SPANS] if k == 1 else []}
    for k, (text, word) in enumerate(zip(TEXTS, WORDS, strict=True))
]
CAPTION = " ".join(TEXTS)


def offsets(text: str, shift: int = 0) -> dict[str, int]:
    start = TEXTS[1].index(text) + shift
    return {"from": start, "to": start + len(text)}


def with_errors(**spec: str | bool) -> dict[str, Any]:
    return {"fields": FIELDS, "sentences": EACH | {"errors": {"each": "errs[*]"} | spec}}


def with_spans(spans: Any) -> list[dict[str, Any]]:
    none = type(spans)()
    return [o | {"errs": spans if k == 1 else none} for k, o in enumerate(OBJECTS)]


SHAPES: dict[str, tuple[Any, dict[str, Any]]] = {
    "a list of objects": (
        [{**FLAT, "sents": OBJECTS}],
        {"fields": FIELDS, "sentences": EACH | {"errors": IN_SENTENCE}},
    ),
    "captions inside videos": (
        {"videos": [{**FACTS, "caps": [{"model": "m-1", "sents": OBJECTS}]}]},
        {
            "records": "videos[*].caps[*]",
            "fields": AROUND,
            "sentences": EACH | {"errors": IN_SENTENCE},
        },
    ),
    "objects by id": (
        {"v1": {**FACTS, "vid": "wrong", "caps": {"m-1": OBJECTS}}},
        {
            "records": "$[*].caps[*]",
            "fields": AROUND | {"video_id": "^$key", "caption_source": "$key"},
            "sentences": EACH | {"each": "$[*]", "errors": IN_SENTENCE},
        },
    ),
    "texts beside labels": (
        [{**FLAT, "texts": TEXTS, "labels": WORDS, "errs": [["tall", "Object", 1]]}],
        {
            "fields": FIELDS,
            "sentences": {"texts": "texts[*]", "labels": LABELS | {"path": "labels[*]"}},
            "errors": {
                "each": "errs[*]",
                "text": "$[0]",
                "category": "$[1]",
                "sentence": "$[2]",
                "first_sentence": 0,
            },
        },
    ),
    "a label dictionary": (
        [{**FLAT, "texts": TEXTS, "labels": dict(zip("abc", WORDS, strict=True))}],
        {
            "fields": FIELDS,
            "sentences": {"texts": "texts[*]", "labels": LABELS | {"path": "labels.*"}},
        },
    ),
    "labels as one list": (
        [{**FLAT, "texts": TEXTS, "labels": [0, 1, None]}],
        {"fields": FIELDS, "sentences": {"texts": "texts[*]", "labels": "labels"}},
    ),
    "one text to split": (
        [
            {
                **FLAT,
                "caption": CAPTION,
                "labels": WORDS,
                "spans": [{**offsets(t, len(TEXTS[0]) + 1), "c": c} for t, c in SPANS],
            }
        ],
        {
            "fields": FIELDS,
            "sentences": {"split": "caption", "labels": LABELS | {"path": "labels[*]"}},
            "errors": {"each": "spans[*]", "start": "from", "end": "to", "category": "c"},
        },
    ),
    "offsets in the sentence": (
        [{**FLAT, "sents": with_spans([{**offsets(t), "c": c} for t, c in SPANS])}],
        with_errors(start="from", end="to", category="c"),
    ),
    "the end included": (
        [
            {
                **FLAT,
                "sents": with_spans(
                    [
                        {"from": offsets(t)["from"], "to": offsets(t)["to"] - 1, "c": c}
                        for t, c in SPANS
                    ]
                ),
            }
        ],
        with_errors(start="from", end="to", category="c", inclusive_end=True),
    ),
    "words by category": (
        [{**FLAT, "sents": with_spans({c: [t] for t, c in SPANS})}],
        {
            "fields": FIELDS,
            "sentences": EACH
            | {"errors": {"each": "errs[*][*]", "text": "$", "category": "^$key"}},
        },
    ),
    "category words": (
        [{**FLAT, "sents": with_spans([{"t": t, "c": c.upper()} for t, c in SPANS])}],
        {
            "fields": FIELDS,
            "sentences": EACH
            | {
                "errors": IN_SENTENCE
                | {
                    "category": {
                        "path": "c",
                        "words": {"object": "Object", "frequency": "Frequency"},
                    }
                }
            },
        },
    ),
    "constants, joins and another unit": (
        [{"vid": "v1", "model": "m-1", "ms": 62500, "sents": OBJECTS}],
        {
            "fields": {
                "pair_id": {"join": ["vid", "model"]},
                "video_id": {"value": "v1"},
                "complexity_type": {"value": 2},
                "duration_s": {"path": "ms", "unit": "milliseconds"},
                "has_audio": {"value": True},
                "audio_category": {"value": None},
                "source_dataset": {"value": "ActivityNet"},
                "caption_source": "model",
            },
            "sentences": EACH | {"errors": IN_SENTENCE},
        },
    ),
}
EXPECTED_ERRORS = {
    "texts beside labels": SPANS[:1],
    "a label dictionary": [],
    "labels as one list": [],
}


def mapped(tmp_path: Path, name: str, content: bytes, mapping: dict[str, Any]) -> Any:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "map.yaml").write_text(yaml.safe_dump(mapping, sort_keys=False))
    return plan_import([tmp_path / name], tmp_path / "map.yaml", "vidomni")


def records(plan: Any) -> list[dict[str, Any]]:
    assert plan.unmapped == []
    assert plan.warnings == []
    return [placed.pair.model_dump(mode="json") for placed in plan.records]


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_json(shape, tmp_path):
    data, mapping = SHAPES[shape]
    expected = json.loads(json.dumps(EXPECTED))
    if shape in EXPECTED_ERRORS:
        expected["sentences"][1]["errors"] = [
            {"text": t, "category": c} for t, c in EXPECTED_ERRORS[shape]
        ]
    got = records(mapped(tmp_path, "data.json", json.dumps(data).encode(), mapping))
    assert got == [expected]
    lines = "".join(json.dumps(row) + "\r\n\n" for row in (data if isinstance(data, list) else []))
    if lines and "records" not in mapping:
        assert records(mapped(tmp_path, "data.jsonl", lines.encode("utf-8-sig"), mapping)) == got


ROWS = [
    {
        "vid": "v1",
        "kind": "Body motion",
        "s": "1:02.5",
        "sound": "yes",
        "from": "ActivityNet",
        "model": "m-1",
        "nr": str(number),
        "sentence": text,
        "label": word,
        "errs": json.dumps([{"t": t, "c": c} for t, c in SPANS]) if number == 2 else "",
    }
    for number, (text, word) in enumerate(zip(TEXTS, WORDS, strict=True), 1)
]
TABLE: dict[str, Any] = {
    "record": "sentence",
    "json_columns": ["errs"],
    "fields": FIELDS
    | {
        "duration_s": {"path": "s", "unit": "clock"},
        "has_audio": {"path": "sound", "words": {"yes": True, "no": False}},
    },
    "sentences": {
        "text": "sentence",
        "label": LABELS,
        "order_by": "nr",
        "first_number": 1,
        "errors": IN_SENTENCE,
    },
}


def as_csv(rows: list[dict[str, str]], delimiter: str = ",") -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode("utf-8-sig")


def test_one_row_a_sentence_in_any_order(tmp_path):
    other = [row | {"vid": "v2"} for row in ROWS]
    rows = [ROWS[2], other[1], ROWS[0], other[0], ROWS[1], other[2]]
    got = records(mapped(tmp_path, "t.csv", as_csv(rows), TABLE))
    assert got == [EXPECTED, EXPECTED | {"video_id": "v2", "pair_id": "v2__m-1"}]
    assert records(mapped(tmp_path, "t.tsv", as_csv(rows, "\t"), TABLE)) == got
    semicolons = TABLE | {"delimiter": ";"}
    assert records(mapped(tmp_path, "t.csv", as_csv(rows, ";"), semicolons)) == got


def test_numbers_order_as_numbers(tmp_path):
    rows = [
        ROWS[0] | {"nr": str(number), "sentence": f"Number {number}."} for number in range(1, 13)
    ]
    rows.sort(key=lambda row: row["nr"])
    (got,) = records(mapped(tmp_path, "t.csv", as_csv(rows), TABLE))
    assert [s["text"] for s in got["sentences"]] == [f"Number {n}." for n in range(1, 13)]


def test_a_cell_may_hold_lines_quotes_and_a_long_text(tmp_path):
    long = 'A "quoted"\nline; ' + "word " * 40_000 + "end."
    rows = [ROWS[0] | {"sentence": long}]
    (got,) = records(mapped(tmp_path, "t.csv", as_csv(rows), TABLE))
    assert got["sentences"][0]["text"] == long


def test_parquet_flat_and_nested(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.Table.from_pylist(ROWS), tmp_path / "t.parquet")
    content = (tmp_path / "t.parquet").read_bytes()
    assert records(mapped(tmp_path, "t.parquet", content, TABLE)) == [EXPECTED]
    data, mapping = SHAPES["a list of objects"]
    parquet.write_table(pa.Table.from_pylist(data), tmp_path / "n.parquet")
    content = (tmp_path / "n.parquet").read_bytes()
    assert records(mapped(tmp_path, "n.parquet", content, mapping)) == [EXPECTED]


def test_numbers_that_pandas_made_floats(tmp_path):
    """A column with a gap becomes floats: 1.0 is still the number 1."""
    import pandas as pd

    rows = pd.DataFrame([{**row, "nr": float(row["nr"]), "p": 3.0} for row in ROWS])
    rows.to_parquet(tmp_path / "t.parquet")
    table = TABLE | {"fields": TABLE["fields"] | {"caption_prompt": "p"}}
    content = (tmp_path / "t.parquet").read_bytes()
    (got,) = records(mapped(tmp_path, "t.parquet", content, table))
    assert got == EXPECTED | {"caption_prompt": 3}


def test_a_lookup_file_joins_by_id(tmp_path):
    meta = [{**FACTS, "vid": None, "id": "v1"}, {**FACTS, "id": "V1", "s": 1}]
    (tmp_path / "meta.json").write_text(json.dumps(meta))
    mapping = {
        "lookup": {"meta": {"file": "meta.json", "key": "id", "by": "vid"}},
        "fields": {
            name: f"$meta.{origin}"
            if isinstance(origin, str)
            else origin | {"path": f"$meta.{origin['path']}"}
            for name, origin in FIELDS.items()
        }
        | {"video_id": "vid", "caption_source": "model"},
        "sentences": EACH | {"errors": IN_SENTENCE},
    }
    data = [{"vid": "v1", "model": "m-1", "sents": OBJECTS}]
    assert records(mapped(tmp_path, "d.json", json.dumps(data).encode(), mapping)) == [EXPECTED]
    data.append({"vid": "v3", "model": "m-1", "sents": OBJECTS})
    plan = mapped(tmp_path, "d.json", json.dumps(data).encode(), mapping)
    assert [placed.pair.video_id for placed in plan.records] == ["v1"]
    assert {note.place for note in plan.unmapped} == {f"{tmp_path / 'd.json'}#/1"}
    assert [note.field for note in plan.unmapped] == [
        "complexity_type",
        "duration_s",
        "has_audio",
        "source_dataset",
    ]


def test_videos_alone(tmp_path):
    mapping = {
        "record": "video",
        "fields": {"video_id": "id", "source_dataset": {"value": "other"}, "youtube_id": "yt"},
    }
    data = [{"id": 7, "yt": "abcdefghijk"}, {"id": "b"}, {"id": "c", "yt": "too short"}]
    plan = mapped(tmp_path, "d.json", json.dumps(data).encode(), mapping)
    assert [(p.video.video_id, p.video.youtube_id) for p in plan.records] == [
        ("7", "abcdefghijk"),
        ("b", None),
    ]
    (note,) = plan.unmapped
    assert (note.place, note.field) == (f"{tmp_path / 'd.json'}#/2", "youtube_id")


@pytest.mark.parametrize("to", ["vidomni", "vidhalloc"])
def test_the_printed_examples_map_what_they_describe(to, tmp_path):
    example = files("vidomni_plugin.data.importing") / "examples" / f"{to}.yaml"
    (tmp_path / "map.yaml").write_text(example.read_text(encoding="utf-8"))
    vidomni = {
        "videos": [
            {
                "id": "v1",
                "type": "hand-object",
                "length": "1:00:01",
                "sound": "no",
                "sound_kind": "none",
                "origin": "Ego4D",
                "captions": [
                    {
                        "model": "m",
                        "prompt": 5,
                        "sentences": [
                            {"text": "A.", "verdict": "ok", "errors": []},
                            {
                                "text": "B b.",
                                "verdict": "hallucinated",
                                "errors": [{"words": "b", "kind": "state"}],
                            },
                        ],
                    }
                ],
            }
        ]
    }
    vidhalloc = {
        "items": [
            {
                "id": "p1",
                "video": "v1",
                "kind": "qa",
                "question": "What rolls?",
                "right": "A ball rolls.",
                "wrong": "A cube rolls.",
                "topic": "category",
                "part": "dev",
            }
        ]
    }
    (tmp_path / "d.json").write_text(json.dumps(vidomni if to == "vidomni" else vidhalloc))
    plan = plan_import([tmp_path / "d.json"], tmp_path / "map.yaml", to)
    assert plan.unmapped == []
    assert plan.warnings == []
    (placed,) = plan.records
    if to == "vidomni":
        assert placed.pair.duration_s == 3601
        assert placed.pair.sentences[1].errors[0].category == "State Change"
    else:
        assert (placed.split, placed.pair.conflict_slot) == ("Eval_set", "category")


MARKED_COLUMNS = [
    {k: v for k, v in row.items() if k != "errs"} | {"Wrong words": "", "Error": ""} for row in ROWS
]
MARKED_COLUMNS[1] |= {"Wrong words": "tall", "Error": "Object"}
COLUMNS_OF_ERRORS: dict[str, Any] = {"each": "$", "text": "Wrong words", "category": "Error"}
TABLE_OF_COLUMNS = {key: value for key, value in TABLE.items() if key != "json_columns"} | {
    "sentences": TABLE["sentences"] | {"errors": COLUMNS_OF_ERRORS}
}


def test_columns_of_errors_are_empty_where_nothing_is_marked(tmp_path):
    (got,) = records(mapped(tmp_path, "t.csv", as_csv(MARKED_COLUMNS), TABLE_OF_COLUMNS))
    marked = [sentence["errors"] for sentence in got["sentences"]]
    assert marked == [[], [{"text": "tall", "category": "Object"}], []]


@pytest.mark.parametrize(
    ("cells", "field"),
    [
        ({"Wrong words": "tall", "Error": ""}, "category"),
        ({"Wrong words": " ", "Error": "Object"}, "errors"),
        ({"Wrong words": "", "Error": "Object"}, "errors.text"),
    ],
)
def test_columns_of_errors_that_are_half_filled_are_noted(tmp_path, cells, field):
    rows = [MARKED_COLUMNS[0], MARKED_COLUMNS[1] | cells, MARKED_COLUMNS[2]]
    plan = mapped(tmp_path, "t.csv", as_csv(rows), TABLE_OF_COLUMNS)
    assert plan.records == []
    assert any(field in note.field for note in plan.unmapped), plan.unmapped


def test_columns_of_errors_with_a_wrong_name_are_a_fault_of_the_mapping(tmp_path):
    wrong = COLUMNS_OF_ERRORS | {"text": "Wrong word"}
    mapping = TABLE | {"sentences": TABLE["sentences"] | {"errors": wrong}}
    with pytest.raises(InputProblems, match="did you mean Wrong words"):
        mapped(tmp_path, "t.csv", as_csv(MARKED_COLUMNS), mapping)


def test_the_table_of_the_docs_is_imported_with_the_mapping_of_the_docs(tmp_path):
    page = (Path(__file__).parents[3] / "docs" / "import.md").read_text()
    table = re.search(r"```csv\n(.*?)```", page, re.DOTALL)
    mapping = re.search(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert table
    assert mapping
    (tmp_path / "sheet.csv").write_text(table[1])
    (tmp_path / "map.yaml").write_text(mapping[1])
    got = records(plan_import([tmp_path / "sheet.csv"], tmp_path / "map.yaml", "vidomni"))
    assert [len(pair["sentences"]) for pair in got] == [3, 1]
    assert [s["label"] for s in got[0]["sentences"]] == [0, 1, None]
    assert [len(s["errors"]) for s in got[0]["sentences"]] == [0, 1, 0]


def test_a_list_of_texts_without_its_star_says_how_it_is_written(tmp_path):
    data = json.dumps([{**FLAT, "sents": TEXTS, "labels": [0, 1, None]}]).encode()
    mapping = {"fields": FIELDS, "sentences": {"texts": "sents", "labels": "labels"}}
    plan = mapped(tmp_path, "d.json", data, mapping)
    assert any("write sents[*]" in note.reason for note in plan.unmapped), plan.unmapped


def test_a_list_of_objects_without_its_star_says_how_it_is_written(tmp_path):
    data = json.dumps([{**FLAT, "sents": OBJECTS}]).encode()
    with pytest.raises(InputProblems, match=r"\[\*\] behind its path"):
        mapped(tmp_path, "d.json", data, {"fields": FIELDS, "sentences": EACH | {"each": "sents"}})
