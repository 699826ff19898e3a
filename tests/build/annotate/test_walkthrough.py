"""The commands of docs/annotate.md, one after the other, on exports of a real Label Studio."""

from __future__ import annotations

import csv
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import HostRun, run_host, write_lines
from tests.label_studio import story
from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.data.releases import read_vidomni

EXPORTS = Path(__file__).parent / "exports"
DOCS = Path(__file__).parents[3] / "docs" / "annotate.md"
STEPS = {
    "Label Studio: make a project from plan/stage1": ("plan/stage1", "stage1.json"),
    "Label Studio: make a project from stage2": ("stage2", "stage2.json"),
}


def documented() -> list[str]:
    """Return the lines of the block of commands."""
    text = DOCS.read_text(encoding="utf-8").split("run by tests/build/annotate/test_walkthrough")[1]
    block = text.split("```sh\n")[1].split("```")[0]
    return block.replace("\\\n", " ").splitlines()


def by_hand(step: str, place: Path) -> None:
    """Do what a person does between two commands."""
    for beginning, (project, name) in STEPS.items():
        if step.startswith(beginning):
            assert step.endswith(f"export it as {name}")
            label(place / project / "tasks.json", place / name)
            return
    if step.startswith("Decide"):
        decide(place / "read" / "adjudicate.csv")
    else:
        assert step.startswith("Answers of a model: responses.jsonl")
        answer(place)


def label(tasks: Path, export: Path) -> None:
    """Take the export that was made from just these tasks."""
    made = json.loads((EXPORTS / export.name).read_text(encoding="utf-8"))
    ours = {task["data"]["pair_id"]: task["data"] for task in json.loads(tasks.read_text("utf-8"))}
    assert {task["data"]["pair_id"]: task["data"] for task in made} == ours
    shutil.copy(EXPORTS / export.name, export)


def decide(path: Path) -> None:
    """Settle the one dispute as the built-in sample has it."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    disputes = [row for row in rows if row["reason"] == "dispute"]
    assert [row["pair_id"] for row in disputes] == [story.DISPUTED]
    disputes[0]["decision"] = "Incorrect"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def answer(place: Path) -> None:
    """Record a model that takes every sentence for wrong."""
    rows = []
    for pair in story.gold().values():
        labels = {f"sentence_{k}": 1 for k in range(1, len(pair.sentences) + 1)}
        rows.append({"id": pair.pair_id, "response": json.dumps(labels)})
    write_lines(place / "responses.jsonl", rows)


def run(line: str, place: Path) -> HostRun | None:
    """Run one line of the page in ``place``; returns the host's run where it was that."""
    words = shlex.split(line)
    env = {}
    while "=" in words[0]:
        name, value = words.pop(0).split("=", 1)
        env[name] = value
    if words[0] == "lmms-eval":
        at = words.index("--output_path")  # run_host adds these two itself
        kept = [w for w in words[1:at] + words[at + 2 :] if w != "--log_samples"]
        return run_host(place / words[at + 1], *kept, **env)
    assert words[0] == "vidomni"
    done = subprocess.run(
        [sys.executable, "-c", "from vidomni_plugin.cli import main; main()", *words[1:]],
        capture_output=True,
        text=True,
        check=False,
        cwd=place,
        env={**os.environ, **env},
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    return None


@pytest.mark.host
def test_the_page_leads_to_a_scored_run(tmp_path):
    for name in ("captions.jsonl", "annotators.yaml"):
        shutil.copy(EXPORTS / name, tmp_path)
    (tmp_path / "data").mkdir()
    shutil.copy(EXPORTS / "videos.jsonl", tmp_path / "data")
    (tmp_path / "data" / "videos").mkdir()
    for video in story.videos():
        clip = mini_root("vidomni").path / "videos" / f"{video.video_id}.mp4"
        shutil.copy(clip, tmp_path / "data" / "videos")
    host = None
    for line in documented():
        if line.startswith("#"):
            by_hand(line.removeprefix("# "), tmp_path)
        else:
            host = run(line, tmp_path)
    merged = {e.record.pair_id: e.record for e in read_vidomni(tmp_path / "data").entries}
    gold = story.gold()
    assert merged.keys() == gold.keys()
    f1 = []
    for pair_id, pair in gold.items():
        labels = [sentence.label for sentence in pair.sentences]
        assert [sentence.label for sentence in merged[pair_id].sentences] == labels
        for ours, theirs in zip(merged[pair_id].sentences, pair.sentences, strict=True):
            assert {(e.text, e.category) for e in theirs.errors} <= {
                (e.text, e.category) for e in ours.errors
            }
        right = labels.count(1)
        f1.append(100 * 2 * right / (2 * right + labels.count(0)))
    assert host is not None
    assert host.code == 0, host.output
    scores = host.scores("vidomni")
    assert scores["f1"] == pytest.approx(sum(f1) / len(f1))
    assert scores["recall"] == 100
    assert scores["unlabelled"] == 0
