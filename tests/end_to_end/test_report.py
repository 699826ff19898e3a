"""From the real host to a report: two models on both built-in samples, and what can go wrong."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from answers import gold, noise
from typer.testing import CliRunner

from tests.conftest import HostRun, run_host
from vidomni_plugin.cli import app

pytestmark = pytest.mark.host
TASKS = "vidomni_mini,vidhalloc_mini"


def replay(folder: Path, answers: dict[str, str], *more: str) -> HostRun:
    responses = folder.with_suffix(".jsonl")
    rows = ({"id": name, "response": text} for name, text in answers.items())
    responses.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    arguments = ["--model", "vidomni_replay", "--model_args", f"responses={responses}"]
    done = run_host(folder, *arguments, "--tasks", TASKS, *more)
    assert done.code == 0, done.output
    return done


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, HostRun]:
    """A model that is right, one that guesses, and the first documents only."""
    folder = tmp_path_factory.mktemp("runs")
    return {
        "right": replay(folder / "right", gold()),
        "guesses": replay(folder / "guesses", noise()),
        "limited": replay(folder / "limited", gold(), "--limit", "7"),
    }


def test_a_report_of_everything(runs, tmp_path):
    right, guesses, limited = runs.values()
    broken = guesses.samples_file("vidomni_mini")
    whole = broken.read_text(encoding="utf-8")
    broken.write_text(whole[:-40], encoding="utf-8")  # the last line is cut
    out = tmp_path / "report"
    folders = [str(run.folder) for run in (right, guesses, limited)]
    done = CliRunner().invoke(app, ["report", *folders, "--out", str(out), "--draws", "300"])
    broken.write_text(whole, encoding="utf-8")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1].startswith("3 runs, 2 tasks, ")
    assert f"{broken}:24: not whole JSON" in done.stderr
    assert "vidomni_mini: 23 usable samples of 24" in done.stderr
    assert "vidhalloc_mini: a run over 7 of 80 documents" in done.stderr
    assert "vidhalloc_mini: 1 pair has one answer only" in done.stderr

    index = json.loads((out / "report.json").read_text(encoding="utf-8"))
    scored = {(task["run"], task["task"]): task["scored"] for task in index["tasks"]}
    assert sorted(scored.values()) == [7, 7, 23, 24, 80, 80]
    with (out / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["metric"] == "overall"]
    best = {row["run"]: float(row["score"]) for row in rows}
    host = sorted(run.scores("vidhalloc_mini")["overall"] for run in runs.values())
    assert sorted(best.values()) == pytest.approx(host)
    assert max(best.values()) == 100

    page = (out / "report.html").read_text(encoding="utf-8")
    assert "not whole JSON" in page
    assert len(page) > 100_000
    assert (out / "figures" / "vidomni_table3.svg").stat().st_size > 1000
    assert (out / "tables" / "vidhalloc_outcomes.tex").read_text(encoding="utf-8").count(
        "toprule"
    ) == 1


def test_posters_are_pictures_of_the_built_in_clips(runs, tmp_path):
    pages = {}
    for name, more in (("plain", ()), ("posters", ("--posters",))):
        out = tmp_path / name
        only = str(runs["right"].samples_file("vidhalloc_mini"))
        done = CliRunner().invoke(app, ["report", only, "--out", str(out), "--draws", "100", *more])
        assert done.exit_code == 0, done.output
        pages[name] = (out / "report.html").stat().st_size
    assert pages["posters"] > pages["plain"] + 20_000
