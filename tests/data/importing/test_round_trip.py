"""The built-in samples, written in another shape and imported: the same data again."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import yaml
from typer.testing import CliRunner

from vidomni_plugin.cli import app
from vidomni_plugin.data.locate import mini_root

ORIGIN = "Datasets/2000_Orign/2000_Orign.jsonl"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run(*arguments: object) -> None:
    done = CliRunner().invoke(app, ["data", *map(str, arguments)])
    assert done.exit_code == 0, done.output


def as_table(path: Path, records: list[dict[str, Any]]) -> None:
    rows = [
        {
            **{name: value for name, value in record.items() if name != "sentences"},
            "number": number,
            "sentence": sentence["text"],
            "label": {0: "right", 1: "wrong", None: "?"}[sentence["label"]],
            "errors": json.dumps(sentence.get("errors", [])),
        }
        for record in records
        for number, sentence in enumerate(record["sentences"])
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_vidomni_as_a_table_of_sentences(tmp_path):
    root = mini_root("vidomni").path
    records = lines(root / "pairs.jsonl")
    as_table(tmp_path / "sentences.csv", records)
    same = ("pair_id", "video_id", "complexity_type", "source_dataset", "caption_source")
    same += ("audio_category", "caption_prompt")
    mapping = {
        "record": "sentence",
        "json_columns": ["errors"],
        "fields": {name: name for name in same}
        | {
            "duration_s": {"from": "file"},
            "has_audio": {"path": "has_audio", "words": {"True": True, "False": False}},
        },
        "sentences": {
            "text": "sentence",
            "label": {"path": "label", "words": {"right": 0, "wrong": 1, "?": None}},
            "order_by": "number",
            "first_number": 0,
            "errors": {"each": "errors[*]", "text": "text", "category": "category"},
        },
    }
    (tmp_path / "map.yaml").write_text(yaml.safe_dump(mapping))
    run(
        *("import", tmp_path / "sentences.csv", "--mapping", tmp_path / "map.yaml"),
        *("--out", tmp_path / "out", "--videos", root / "videos"),
    )
    imported = lines(tmp_path / "out" / "pairs.jsonl")
    for ours, theirs in zip(imported, records, strict=True):
        assert abs(ours.pop("duration_s") - theirs.pop("duration_s")) < 0.2
        for sentence in theirs["sentences"]:
            sentence.setdefault("errors", [])
        defaults = {"audio_category": None, "caption_prompt": None}
        assert ours == defaults | theirs
    run("check", "vidomni", "--root", tmp_path / "out")


def test_vidhalloc_as_one_object(tmp_path):
    root = mini_root("vidhalloc").path
    records = lines(root / ORIGIN)
    data = {
        record["pair_id"]: {
            "clip": record["media"]["video_id"],
            "media": record["media"],
            "what": {"video_qa": "Q", "video_captioning": "C"}[record["task_type"]],
            "answers": [record["answer"], record["counterfactual_answer"]],
            **{name: record[name] for name in ("question", "leaf_label")},
        }
        for record in records
    }
    (tmp_path / "d.json").write_text(json.dumps(data))
    mapping = {
        "records": "$[*]",
        "fields": {
            "pair_id": "$key",
            "video_id": "clip",
            "task_type": {"path": "what", "words": {"q": "video_qa", "c": "video_captioning"}},
            "question": "question",
            "answer": "answers[0]",
            "counterfactual_answer": "answers[1]",
            "leaf_label": "leaf_label",
            "registered_modalities": "media.registered_modalities",
            "evidence_policy_id": "media.evidence_policy_id",
        },
    }
    (tmp_path / "map.yaml").write_text(yaml.safe_dump(mapping))
    (tmp_path / "clips").mkdir()
    for folder in ("videoqa", "video caption"):
        for clip in (root / folder).iterdir():
            (tmp_path / "clips" / clip.name).symlink_to(clip)
    run(
        *("import", tmp_path / "d.json", "--mapping", tmp_path / "map.yaml", "--to", "vidhalloc"),
        *("--out", tmp_path / "out", "--videos", tmp_path / "clips"),
    )
    assert lines(tmp_path / "out" / ORIGIN) == records
    run("check", "vidhalloc", "--root", tmp_path / "out")
