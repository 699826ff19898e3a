"""``vidomni data stats`` as a user meets it: tables, files, JSON, errors, speed."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from tests.conftest import vidhalloc_record, write_lines
from tests.data.statistics.samples import pair
from vidomni_plugin.cli import app
from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.problems import InputProblems

VIDOMNI_TABLES = (
    "counts",
    "figure4",
    "figure5",
    "figure6",
    "figure7",
    "table1",
    "table10",
    "table2",
)
VIDOMNI_FILES = {
    *(f"{name}.{ending}" for name in VIDOMNI_TABLES for ending in ("csv", "md", "tex")),
    *(f"figure{number}.{ending}" for number in (4, 5, 6, 7) for ending in ("png", "svg")),
    "tables.md",
    "stats.json",
}


def stats(*arguments, columns="200"):
    return CliRunner(env={"COLUMNS": columns}).invoke(app, ["data", "stats", *map(str, arguments)])


def data(root, *records):
    write_lines(root / "pairs.jsonl", list(records))
    return root


def table(folder, name):
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_built_in_samples_give_every_file(tmp_path):
    for benchmark in ("vidomni", "vidhalloc"):
        done = stats(benchmark, "--root", mini_root(benchmark).path, "--out", tmp_path)
        assert done.exit_code == 0, done.output
    assert {path.name for path in (tmp_path / "vidomni").iterdir()} == VIDOMNI_FILES
    written = {path.name for path in (tmp_path / "vidhalloc").iterdir()}
    assert {"table4.png", "table4.csv", "splits.tex", "stats.json"} <= written
    for path in tmp_path.rglob("*.png"):
        with Image.open(path) as image:
            image.load()
            assert min(image.size) > 500
    for path in tmp_path.rglob("*.tex"):
        text = path.read_text(encoding="utf-8")
        rows = text.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
        columns = len(re.search(r"\\begin\{tabular\}\{([lr]+)\}", text)[1])
        assert all(len(re.split(r"(?<!\\)&", row)) == columns for row in rows)


def test_every_number_of_the_json_has_its_denominator_and_its_origin(tmp_path):
    root = data(tmp_path / "d", pair("a", [1, 0], [("Order",)]), pair("b", [None]))
    done = stats("vidomni", "--root", root, "--json")
    found = json.loads(done.stdout)["vidomni"]
    rate = found["statistics"]["table1"]["all"]["incorrect_per_caption"]
    assert rate == {"value": 50.0, "over": 1, "unit": "captions"}
    assert re.fullmatch("[0-9a-f]{64}", found["statistics"]["annotations_sha256"])
    assert found["version"]
    assert "short <= 180 s" in found["settings"]["duration_groups"]
    (row,) = [r for r in found["tables"]["table1"]["rows"] if r[0] == "captioner-a"]
    assert row == ["captioner-a", 2, None, 100.0, None, 50.0, None, 1]


def test_a_subset_is_called_one_and_nothing_is_compared_that_is_not_there(tmp_path):
    root = data(tmp_path / "d", pair("a", [1, 0]), pair("b", [0], caption_source="Qwen3-VL-32B"))
    done = stats("vidomni", "--root", root, "--out", tmp_path / "out")
    assert "These data have 2 captions, published values are for the paper's 2,500." in done.stdout
    rows = {row["caption source"]: row for row in table(tmp_path / "out/vidomni", "table1")}
    assert rows["captioner-a"]["published sentences"] == ""
    assert rows["Qwen3-VL-32B"]["published sentences"] == "11868"
    (long,) = [r for r in table(tmp_path / "out/vidomni", "figure6") if r["group"] == "long"]
    assert (long["Incorrect rate, %"], long["n captions"]) == ("", "0")
    assert stats("vidomni", "--root", root).stdout.count("(-)") > 3


def test_a_second_run_writes_the_same_bytes(tmp_path):
    root = mini_root("vidhalloc").path
    for out in ("one", "two"):
        assert stats("vidhalloc", "--root", root, "--out", tmp_path / out).exit_code == 0
    files = sorted((tmp_path / "one/vidhalloc").iterdir())
    other = tmp_path / "two/vidhalloc"
    assert len(files) == 13
    assert all(file.read_bytes() == (other / file.name).read_bytes() for file in files)


def test_the_order_of_the_lines_changes_no_number(tmp_path):
    records = [
        pair(f"p{k}", [k % 2, 0, 1], [("Order",)] * 2, video_id=f"v{k}", duration_s=100.0 * (k + 1))
        for k in range(20)
    ]
    one = stats("vidomni", "--root", data(tmp_path / "1", *records), "--json")
    two = stats("vidomni", "--root", data(tmp_path / "2", *reversed(records)), "--json")
    tables = [json.loads(done.stdout)["vidomni"]["tables"] for done in (one, two)]
    assert tables[0] == tables[1]


def test_certificates_fill_table_2_and_figure_7(tmp_path):
    root = data(tmp_path / "d", pair("a", [1, 0], duration_s=20.0))
    line = {"pair_id": "a", "sentence": 2, "intervals": [[0.0, 5.0]]}
    file = write_lines(tmp_path / "c.jsonl", [line])
    out = tmp_path / "out"
    done = stats("vidomni", "--root", root, "--out", out, "--certificates", file)
    assert done.exit_code == 0, done.output
    (row,) = [r for r in table(out / "vidomni", "table2") if r["benchmark"] == "these data"]
    assert (row["Certificate Coverage, %"], row["n videos"], row["sentences"]) == ("25.0", "1", "1")
    found = json.loads((out / "vidomni/stats.json").read_text(encoding="utf-8"))
    assert found["statistics"]["certificates_sha256"]
    # The same files as without certificates: the next run leaves nothing of these behind.
    assert {path.name for path in (out / "vidomni").iterdir()} == VIDOMNI_FILES


def test_names_from_data_are_harmless_everywhere(tmp_path):
    name = "=x|<b>[red]$y$\\end{table}\x1b[31m"
    root = data(tmp_path / "d", pair("a", [1, 0], caption_source=name))
    done = stats("vidomni", "--root", root, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "\x1b" not in done.output
    assert "[red]" in done.output
    tex = (tmp_path / "out/vidomni/table1.tex").read_text(encoding="utf-8")
    assert tex.count(r"\end{table}") == 1


@pytest.mark.parametrize("columns", ["60", "80", "120"])
def test_numbers_are_whole_on_any_terminal(columns, full_vidhalloc):
    done = stats("vidhalloc", "--root", full_vidhalloc, columns=columns)
    assert done.stdout.count("1,020") >= 3
    assert "(61.05)" in done.stdout


def test_bad_data_are_an_error_with_every_place(tmp_path):
    root = data(tmp_path / "d", pair("a", [0]), {"pair_id": "b"}, pair("a", [0]))
    done = stats("vidomni", "--root", root)
    assert done.exit_code == 1
    assert "pairs.jsonl:2" in done.stderr
    assert "pairs.jsonl:3" in done.stderr


def test_one_bad_benchmark_does_not_hide_the_other(tmp_path, monkeypatch):
    monkeypatch.setenv("VIDOMNI_DATA", str(data(tmp_path / "o", {"pair_id": "b"})))
    write_lines(tmp_path / "h/Datasets/2000_Orign/2000_Orign.jsonl", [vidhalloc_record()])
    monkeypatch.setenv("VIDHALLOC_DATA", str(tmp_path / "h"))
    done = stats()
    assert done.exit_code == 1
    assert "VidHalLoc Table 4" in done.stdout
    assert "pairs.jsonl:1" in done.stderr


def test_a_benchmark_that_nobody_has_does_not_fail_the_other(tmp_path, monkeypatch):
    monkeypatch.setenv("VIDOMNI_HOME", str(tmp_path))
    monkeypatch.setenv("VIDOMNI_DATA", str(data(tmp_path / "o", pair("a", [0]))))
    done = stats()
    assert done.exit_code == 0
    assert "vidhalloc: no data, not shown" in done.stderr
    assert "VidOmni Table 1" in done.stdout
    assert list(json.loads(stats("--json").stdout)) == ["vidomni"]
    monkeypatch.setenv("VIDHALLOC_DATA", str(tmp_path / "nowhere"))
    assert stats().exit_code == 1
    monkeypatch.delenv("VIDHALLOC_DATA")
    assert stats("vidhalloc").exit_code == 1


def test_no_data_says_where_was_looked_and_asks_no_hub(tmp_path, monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setenv("VIDOMNI_HOME", str(tmp_path))
    monkeypatch.setattr("vidomni_plugin.data.hub.download", lambda *_: pytest.fail("asked the hub"))
    done = stats("vidhalloc")
    assert done.exit_code == 1
    assert "no-data" in done.stderr


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    root = data(tmp_path / "d", pair("a", [0]))
    (tmp_path / "file").write_text("")
    done = stats("vidomni", "--root", root, "--out", tmp_path / "file")
    assert isinstance(done.exception, InputProblems)
    assert "no-folder" in str(done.exception)


@pytest.mark.parametrize(
    "arguments",
    [
        ("video",),
        ("--root", "x"),
        ("vidhalloc", "--certificates", "x"),
        ("vidhalloc", "--spacy-model", "x"),
    ],
)
def test_wrong_usage_ends_with_2(arguments):
    assert stats(*arguments).exit_code == 2


def test_a_full_size_data_set_takes_seconds(tmp_path, full_vidomni):
    code = "from vidomni_plugin.cli import main; main()"
    arguments = ("--root", str(full_vidomni), "--out", str(tmp_path / "out"))
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, "data", "stats", "vidomni", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert time.perf_counter() - start < 15  # measured: 2.5 s; room for a busy machine


def test_a_folder_whose_name_is_no_text_is_an_escape_in_json(tmp_path):
    root = data(Path(os.fsdecode(bytes(tmp_path) + b"/d\xff\x1b[2J")), pair("a", [0]))
    done = stats("vidomni", "--root", root, "--json", "--out", tmp_path / "out")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["vidomni"]["data"]["root"] == str(root)
    written = (tmp_path / "out" / "vidomni" / "stats.json").read_text(encoding="utf-8")
    assert json.loads(written)["data"]["root"] == str(root)
