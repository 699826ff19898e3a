"""The ``vidomni`` command: what it prints, and its exit codes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import CLIP, vidomni_data, vidomni_record
from vidomni_plugin import __version__
from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.vidomni.metrics import metric_items
from vidomni_plugin.vidomni.task import detail


def vidomni(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from vidomni_plugin.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **env},
    )


def test_version_and_path():
    assert vidomni("--version").stdout == f"vidomni {__version__}\n"
    folder = Path(vidomni("path").stdout.strip())
    assert (folder / "vidhalloc" / "vidhalloc.yaml").is_file()


@pytest.mark.parametrize("command", [(), ("--help",), ("score", "--help"), ("data", "check", "-h")])
def test_help_teaches(command):
    assert "Usage" in vidomni(*command).stdout + vidomni(*command).stderr


def test_good_data_pass():
    for benchmark in ("vidomni", "vidhalloc"):
        done = vidomni("data", "check", benchmark, "--root", str(mini_root(benchmark).path))
        assert done.returncode == 0, done.stderr
        assert "0 problems" in done.stdout


def test_bad_data_are_listed_and_end_with_one(tmp_path):
    root = vidomni_data(tmp_path, [vidomni_record(pair_id="p1"), vidomni_record(pair_id="p2")])
    with (root / "pairs.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"half": \n' + json.dumps(vidomni_record(pair_id="../x")) + "\n")
    (root / "videos" / "clip.mp4").write_bytes(CLIP.read_bytes()[:500])
    done = vidomni("data", "check", "vidomni", "--root", str(root))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    for part in ("pairs.jsonl:3", "pairs.jsonl:4", "clip.mp4", "VIDOMNI_ALLOW_MISSING=1"):
        assert part in done.stdout


@pytest.mark.parametrize("command", [("data", "check"), ("doctor",)])
def test_no_data_anywhere(command, tmp_path):
    done = vidomni(*command, VIDOMNI_HOME=str(tmp_path))
    assert done.returncode == 1
    text = done.stdout + done.stderr
    assert "VIDOMNI_DATA" in text
    assert "VIDHALLOC_DATA" in text
    assert "Traceback" not in text


def test_the_doctor_is_content_with_a_whole_set_up(tmp_path):
    done = vidomni(
        "doctor",
        VIDOMNI_DATA=str(mini_root("vidomni").path),
        VIDHALLOC_DATA=str(mini_root("vidhalloc").path),
        VIDOMNI_HOME=str(tmp_path),
    )
    assert done.returncode == 0, done.stdout
    for part in (
        "lmms-eval: 0.7.3",
        "vidhalloc_mini",
        "24 pairs",
        "decord",
        "PyAV reads the sound",
    ):
        assert part in done.stdout


def test_the_doctor_names_missing_videos(tmp_path):
    shutil.copytree(mini_root("vidomni").path, tmp_path / "data")
    (tmp_path / "data" / "videos" / "trio.mp4").unlink()
    done = vidomni("doctor", VIDOMNI_DATA=str(tmp_path / "data"), VIDOMNI_HOME=str(tmp_path))
    assert done.returncode == 1
    assert "no video 'trio'" in done.stdout
    assert "vidomni data check vidomni" in done.stdout


def test_the_doctor_only_notes_a_benchmark_that_nobody_laid_out(tmp_path):
    videos = tmp_path / "vidomni" / "videos"
    videos.mkdir(parents=True)
    (videos / "clip.mp4").write_bytes(CLIP.read_bytes())
    line = {"video_id": "clip", "source_dataset": "other"}
    (tmp_path / "vidomni" / "videos.jsonl").write_text(json.dumps(line) + "\n")
    done = vidomni("doctor", VIDOMNI_HOME=str(tmp_path))
    assert "ok     vidomni: no pairs yet, 1 videos to be captioned" in done.stdout
    assert "note   vidhalloc: no data" in done.stdout
    assert done.returncode == 0, done.stdout
    named = vidomni("doctor", VIDOMNI_HOME=str(tmp_path), VIDHALLOC_DATA=str(tmp_path / "no"))
    assert "BROKEN vidhalloc: no data" in named.stdout
    assert named.returncode == 1


def sample(pair_id: str, response: str) -> dict[str, object]:
    doc = {
        **vidomni_record(pair_id=pair_id),
        "media_digest": "0",
        "file_has_audio": False,
        "gold": [0, 1, None],
        "errors": [[], ["Object"], []],
        "sentences": ["a", "b", "c"],
        "missing": 0,
    }
    return {"doc_id": 0, "filtered_resps": response, **metric_items(detail(doc, response))}


def test_score_prints_every_metric_with_its_denominator(tmp_path):
    file = tmp_path / "x_samples_vidomni.jsonl"
    rows = [sample("p1", '{"sentence_1": 0, "sentence_2": 1, "sentence_3": 0}'), sample("p2", "")]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    scores = json.loads(vidomni("score", str(file), "--json").stdout)[str(file)]
    assert scores["f1"] == {"value": 50.0, "over": 2, "unit": "pairs"}
    assert scores["unlabelled"] == {"value": 50.0, "over": 4, "unit": "sentences"}
    shown = vidomni("score", str(file)).stdout
    assert "4 sentences" in shown
    assert "empty 1" in shown


def test_a_detector_without_a_threshold_has_no_score_of_0(tmp_path):
    from vidomni_plugin.detectors.answer import answer
    from vidomni_plugin.vidhalloc import task

    rows = []
    for side, score in (("factual", 0.75), ("counterfactual", 0.25)):
        doc = dict.fromkeys(task.IN_DETAIL) | {"pair_id": "p", "video_id": "v", "side": side}
        doc |= {"category": "eeh", "missing": 0}
        response = answer(score, None)
        rows.append({"filtered_resps": response, **task.process_results(doc, [response])})
    file = tmp_path / "x_samples_vidhalloc.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    shown = vidomni("score", str(file)).stdout
    values = {line.split()[1]: line.split()[3] for line in shown.splitlines() if "pairs" in line}
    assert (values["overall"], values["factual"], values["auroc"]) == ("-", "-", "100.0000")
    scores = json.loads(vidomni("score", str(file), "--json").stdout)[str(file)]
    assert scores["overall"] == {"value": -1.0, "over": 0, "unit": "pairs"}


def test_score_names_the_line_of_a_broken_sample(tmp_path):
    file = tmp_path / "samples.jsonl"
    good, bad = sample("p1", ""), sample("p2", "")
    del bad["f1"]["gold"]  # type: ignore[attr-defined]
    lines = [json.dumps(good), json.dumps(bad), json.dumps(good)[:80], '{"other": 1}']
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = vidomni("score", str(file))
    assert done.returncode == 1
    assert f"{file}:3" in done.stderr
    assert f"{file}:4" in done.stderr
    file.write_text("\n".join(lines[:2]) + "\n", encoding="utf-8")
    done = vidomni("score", str(file))
    assert f"{file}:2: field 'gold' is missing" in done.stderr
    assert "Traceback" not in done.stderr


def test_text_from_a_file_is_not_markup(tmp_path):
    file = tmp_path / "[red]samples.jsonl"
    file.write_text(json.dumps(sample("[bold]p", "")) + "\n", encoding="utf-8")
    assert "[red]samples.jsonl" in vidomni("score", str(file)).stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_what_the_output_cannot_hold_is_spelled_out(tmp_path, encoding):
    source = "caf\xe9 \u200b\u6f22 \U0001f600"
    root = vidomni_data(tmp_path, [vidomni_record(caption_source=source)])
    command = [sys.executable, "-c", "from vidomni_plugin.cli import main; main()"]
    command += ["data", "stats", "vidomni", "--root", str(root)]
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    text = subprocess.run(command, capture_output=True, env=env, check=False)
    assert text.returncode == 0, text.stderr
    machine = subprocess.run([*command, "--json"], capture_output=True, env=env, check=False)
    assert machine.returncode == 0, machine.stderr
    try:
        shown = machine.stdout.decode(encoding)
    except UnicodeDecodeError:
        shown = machine.stdout.decode()  # click writes UTF-8 where only ASCII is promised
    assert source in json.loads(shown)["vidomni"]["statistics"]["table1"]["groups"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_behind_the_output_is_told(tmp_path):
    command = [sys.executable, "-c", "from vidomni_plugin.cli import main; main()"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*command, "data", "check", "--list"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"No space left" in done.stderr


def test_an_interrupt_before_click_listens_is_no_traceback():
    code = (
        "import vidomni_plugin.cli as cli\n"
        "def app(): raise KeyboardInterrupt\n"
        "cli.app = app\ncli.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr == "Aborted!\n"
