"""``vidomni data import`` from the command line: exit codes, what is shown, what is left."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

from tests.data.importing.test_shapes import EACH, FIELDS, FLAT, OBJECTS
from vidomni_plugin.cli import app
from vidomni_plugin.problems import InputProblems


def vidomni(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["data", "import", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows: list[dict[str, Any]] = [
        {**FLAT, "sents": OBJECTS},
        {**FLAT, "model": "[bold]m-2", "sents": [OBJECTS[0] | {"label": "hm"}]},
    ]
    (tmp_path / "d.json").write_text(json.dumps(rows))
    (tmp_path / "map.yaml").write_text(
        yaml.safe_dump({"fields": FIELDS, "sentences": EACH}, sort_keys=False)
    )
    return tmp_path


def test_the_example_is_a_mapping_and_needs_nothing_else():
    for to in ("vidomni", "vidhalloc"):
        done = vidomni("--example", "--to", to)
        assert done.exit_code == 0
        assert "video_id" in yaml.safe_load(re.sub(r"\^\.", "", done.stdout))["fields"]


def test_something_unmapped_ends_with_one_and_writes_only_the_list(folder):
    out = folder / "out"
    done = vidomni(folder / "d.json", "--mapping", folder / "map.yaml", "--out", out)
    assert done.exit_code == 1
    assert "1 records mapped, 1 places with something unmapped" in done.stdout
    assert "'hm' is none of the words" in done.stderr
    assert [path.name for path in out.iterdir()] == ["unmapped.jsonl"]
    assert json.loads((out / "unmapped.jsonl").read_text()) == {
        "place": f"{folder / 'd.json'}#/1/sents/0/label",
        "field": "label",
        "reason": "'hm' is none of the words 'ok', 'hallucinated', 'unsure'",
    }


def test_allowed_it_is_written_and_listed_and_the_list_goes_when_all_is_mapped(folder):
    out = folder / "out"
    where = (folder / "d.json", "--mapping", folder / "map.yaml", "--out", out)
    done = vidomni(*where, "--allow-unmapped")
    assert done.exit_code == 0, done.output
    assert sorted(p.name for p in out.iterdir()) == [
        "pairs.jsonl",
        "unmapped.jsonl",
        "videos.jsonl",
    ]
    (folder / "d.json").write_text((folder / "d.json").read_text().replace('"hm"', '"ok"'))
    with pytest.raises(InputProblems, match="--append, or replace it with --force"):
        raise vidomni(*where).exception
    assert vidomni(*where, "--append").exit_code == 0
    assert (out / "pairs.jsonl").read_text().count("\n") == 2
    assert not (out / "unmapped.jsonl").exists()


def test_an_import_without_a_record_writes_no_data_set(folder):
    (folder / "d.json").write_text((folder / "d.json").read_text().replace('"s": 62.5', '"s": -1'))
    out = folder / "out"
    done = vidomni(
        *(folder / "d.json", "--mapping", folder / "map.yaml", "--out", out, "--allow-unmapped")
    )
    assert done.exit_code == 1
    assert [path.name for path in out.iterdir()] == ["unmapped.jsonl"]


def test_a_dry_run_shows_records_and_writes_nothing(folder):
    before = sorted(folder.rglob("*"))
    done = vidomni(
        folder / "d.json", "--mapping", folder / "map.yaml", "--out", folder / "out", "--dry-run"
    )
    assert done.exit_code == 1
    shown = done.stdout[done.stdout.index("{") :]
    assert json.loads(shown)["pair_id"] == "v1__m-1"
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name the files"),
        (("x.json",), "--mapping is needed"),
        (("x.json", "--mapping", "m.yaml"), "--out is needed"),
        (("x.json", "--to", "videomme"), "neither vidomni nor vidhalloc"),
        (("x.json", "--append", "--force"), "exclude each other"),
    ],
)
def test_what_is_missing_is_said(arguments, message):
    done = vidomni(*arguments)
    assert done.exit_code == 2
    assert message in re.sub(r"[│\s]+", " ", done.output)


def test_a_folder_that_cannot_be_written_is_a_message(folder):
    (folder / "file").write_text("")
    done = vidomni(
        *(folder / "d.json", "--mapping", folder / "map.yaml", "--allow-unmapped"),
        *("--out", folder / "file" / "out"),
    )
    assert isinstance(done.exception, InputProblems)


def test_nothing_that_is_shown_is_obeyed_by_a_terminal(folder):
    evil = "a\x1b[2J\x9b31m\u202eb"
    rows = [
        {**FLAT, "sents": [OBJECTS[0] | {"text": evil}]},
        {**FLAT, "model": "m-2", "sents": [OBJECTS[0] | {"label": evil}]},
    ]
    (folder / "d.json").write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    done = vidomni(folder / "d.json", "--mapping", folder / "map.yaml", "--dry-run")
    assert all(line.isprintable() for line in done.output.splitlines())
    shown = json.loads(done.stdout[done.stdout.index("{") :])
    assert shown["sentences"][0]["text"] == evil


def test_times_that_python_has_not_are_a_message(folder):
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table({"v": ["a"], "t": pa.array([2**62], pa.timestamp("us"))})
    parquet.write_table(table, folder / "d.parquet")
    done = vidomni(folder / "d.parquet", "--mapping", folder / "map.yaml", "--dry-run")
    assert isinstance(done.exception, InputProblems)
    assert "out of range" in str(done.exception)
