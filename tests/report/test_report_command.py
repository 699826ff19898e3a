"""``vidomni report``: what it writes, what it says of runs that are not whole, what it leaves."""

from __future__ import annotations

import csv
import gc
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.report.synthetic_logs import synthetic_logs
from vidomni_plugin.cli import app
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.tables import rounded

PAIRS = 30
DRAWS = ("--draws", "200")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two models, three tasks, the first documents of each."""
    folder = tmp_path_factory.mktemp("logs")
    return synthetic_logs(folder, models=2, limit=2 * PAIRS)


@pytest.fixture(autouse=True)
def _figures_are_written_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare each test the start of other processes; ``made`` has them, as users do."""
    monkeypatch.setattr("vidomni_plugin.report.draw.helpers", lambda: 0)


def report(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["report", *map(str, arguments), *DRAWS])


def index(out: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((out / "report.json").read_text(encoding="utf-8"))
    return loaded


def results_file(run: Path) -> Path:
    (path,) = run.rglob("*_results.json")
    return path


def samples_file(run: Path, task: str) -> Path:
    (path,) = run.rglob(f"*_samples_{task}.jsonl")
    return path


def edit(path: Path, change: Callable[[str], str]) -> None:
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


@pytest.fixture(scope="module")
def made(logs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    out = tmp_path_factory.mktemp("made") / "report"
    return out, report(*logs, "--out", out)


def test_the_last_line_says_where_to_look(made):
    out, result = made
    assert result.exit_code == 0
    last = result.stdout.splitlines()[-1]
    assert last.startswith("2 runs, 3 tasks, ")
    assert last.endswith(f": open {out / 'report.html'}")


def test_every_file_that_is_listed_is_there_and_no_other(made):
    out, _ = made
    found = sorted(p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file())
    assert found == sorted([*index(out)["files"], "report.json"])
    stems = {Path(name).stem for name in found if name.startswith("tables/")}
    assert {f"tables/{s}.{e}" for s in stems for e in ("csv", "md", "tex")} <= set(found)
    drawn = {Path(name).stem for name in found if name.startswith("figures/")}
    assert {f"figures/{s}.{e}" for s in drawn for e in ("svg", "png")} <= set(found)
    assert {"vidomni_table3", "vidhalloc_accuracy", "vidhalloc_outcomes"} <= stems
    assert {"vidomni_precision_recall", "vidhalloc_radar"} <= drawn


def test_scores_are_those_of_the_host(made, logs):
    out, _ = made
    with (out / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    seen = set()
    for run in logs:
        results = json.loads(results_file(run).read_text(encoding="utf-8"))["results"]
        for row in rows:
            if row["run"] == f"example/{run.name}" or run.name in row["run"]:
                host = results[row["task"]][f"{row['metric']},none"]
                assert float(row["score"]) == pytest.approx(host), row
                seen.add((run.name, row["task"]))
    assert len(seen) == 6
    for row in rows:
        if row["low"]:
            assert float(row["low"]) <= float(row["score"]) <= float(row["high"])


def test_what_it_was_made_with_is_recorded(made, logs):
    out, _ = made
    found = index(out)
    assert found["settings"] == {
        "seed": 20260906,
        "gap_seed": 20260825,
        "category_seed": 20260826,
        "draws": 200,
        "level": 0.95,
    }
    assert {run["folder"] for run in found["runs"]} == {
        str(results_file(run).parent) for run in logs
    }
    task = next(task for task in found["tasks"] if task["task"] == "vidomni")
    assert task["signature"]["frames"] == "32"
    assert task["signature"]["limit"] == f"{2 * PAIRS} of 2500"
    assert task["scored"] == task["evaluated"] == 2 * PAIRS
    assert found["libraries"].keys() == {"numpy", "scipy", "matplotlib"}


def test_a_limit_is_said_on_the_terminal_and_on_the_page(made):
    out, result = made
    assert result.stderr.count("[limited]") == 6
    assert "a run over 60 of 2500 documents" in result.stderr
    assert "a run over 60 of 2500 documents" in (out / "report.html").read_text(encoding="utf-8")


def test_the_same_runs_give_the_same_bytes(made, logs, tmp_path):
    out, _ = made
    report(*logs, "--out", tmp_path / "again")
    for name in [*index(out)["files"], "report.json"]:
        if name != "report.html":  # links to videos depend on where the page lies
            assert (out / name).read_bytes() == (tmp_path / "again" / name).read_bytes(), name


def test_a_seed_is_used_for_every_interval(logs, made, tmp_path):
    out = tmp_path / "report"
    only = samples_file(logs[0], "vidhalloc")
    assert report(only, "--out", out, "--seed", 7, "--no-page").exit_code == 0
    settings = index(out)["settings"]
    assert settings["seed"] == settings["gap_seed"] == settings["category_seed"] == 7
    assert not (out / "report.html").exists()
    assert "seed 7" in (out / "tables" / "vidhalloc_accuracy.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def damaged(
    logs: list[Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Result, list[Path]]:
    """A report of two runs with everything that may be wrong with them."""
    folder = tmp_path_factory.mktemp("damaged")
    first, second = (Path(shutil.copytree(run, folder / run.name)) for run in logs)
    broken = samples_file(first, "vidomni")
    edit(broken, lambda text: text.replace("\n{", '\n{"doc_id": 1,\n{', 1))
    edit(samples_file(first, "vidhalloc"), lambda text: "\n".join(text.split("\n")[:20]))
    edit(samples_file(second, "vidomni"), lambda text: text.replace('"missing": 0', '"missing": 3'))
    old = json.loads(results_file(second).read_text(encoding="utf-8"))
    digest = old["configs"]["vidomni"]["process_docs"].split()[-1]
    edit(results_file(second), lambda text: text.replace(digest, "f" * 16))
    out = folder / "report"
    return out, report(first, second, "--out", out), [broken]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(":2: not whole JSON", id="a broken line"),
        pytest.param("vidhalloc: 20 usable samples of 60", id="a run that was cut short"),
        pytest.param("3 pairs were left out of the run", id="missing videos"),
        pytest.param("vidomni: different data: ", id="different data"),
        pytest.param("a run over 60 of 2500 documents", id="a limit"),
    ],
)
def test_what_is_wrong_is_said_everywhere(damaged, said):
    out, result, _ = damaged
    assert result.exit_code == 0
    assert said in result.stderr
    assert said in (out / "report.html").read_text(encoding="utf-8")
    problems = index(out)["problems"]
    assert any(said in f"{problem['place']}: {problem['message']}" for problem in problems)


def test_the_rest_of_a_damaged_run_is_scored(damaged):
    out, _, (broken,) = damaged
    scored = {(task["task"], task["scored"]) for task in index(out)["tasks"]}
    assert {("vidhalloc", 20), ("vidhalloc", 60), ("vidomni", 60)} <= scored
    assert any(problem["place"] == f"{broken}:2" for problem in index(out)["problems"])


def test_nothing_readable_is_an_error_and_leaves_nothing(tmp_path):
    (tmp_path / "empty").mkdir()
    result = report(tmp_path / "empty", "--out", tmp_path / "report")
    assert result.exit_code == 1
    assert isinstance(result.exception, InputProblems)
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]


def test_an_earlier_report_is_replaced_only_when_asked(logs, tmp_path):
    out = tmp_path / "report"
    one, two = (samples_file(run, "vidhalloc") for run in logs)
    assert report(one, "--out", out, "--no-page").exit_code == 0
    before = index(out)
    refused = report(one, two, "--out", out, "--no-page")
    assert refused.exit_code == 1
    assert "there is a report already" in str(refused.exception)
    assert index(out) == before
    assert report(one, two, "--out", out, "--no-page", "--force").exit_code == 0
    assert len(index(out)["runs"]) == 2
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    kept = report(one, "--out", out, "--force")
    assert "notes.txt" in str(kept.exception)


def test_a_large_page_is_told_and_how_to_make_it_smaller(made, logs, tmp_path, monkeypatch):
    out, first = made
    assert "slow to open" not in first.stderr
    monkeypatch.setattr("vidomni_plugin.commands.report.LARGE", 1000)
    whole = report(*logs, "--out", tmp_path / "whole")
    assert "--no-answers or fewer runs make it smaller" in whole.stderr
    small = report(*logs, "--out", tmp_path / "small", "--no-answers")
    assert "to open: fewer runs make it smaller" in small.stderr
    sizes = [(folder / "report.html").stat().st_size for folder in (out, tmp_path / "small")]
    assert sizes[1] < sizes[0] - 5_000
    assert "slow" not in report(*logs, "--out", tmp_path / "none", "--no-page").stderr


def test_options_that_contradict_are_refused(logs, tmp_path):
    result = report(*logs, "--out", tmp_path / "report", "--no-page", "--posters")
    assert result.exit_code == 2
    assert "--posters is for the page" in result.stderr


def test_rounded_scores_of_a_table_are_those_of_the_host(made, logs):
    out, _ = made
    table = (out / "tables" / "vidhalloc_accuracy.md").read_text(encoding="utf-8")
    head, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table.splitlines()
        if line.startswith("|")
    ]
    names = {task["run"]: task for task in index(out)["tasks"] if task["task"] == "vidhalloc"}
    shown = {row[0]: row[head.index("Overall")] for row in rows if row[0] in names}
    hosts = [
        json.loads(results_file(run).read_text(encoding="utf-8"))["results"]["vidhalloc"]
        for run in logs
    ]
    of_host = sorted(rounded(result["overall,none"], 2) for result in hosts)
    assert sorted(shown.values()) == of_host
    for name, overall in shown.items():
        assert rounded(names[name]["scores_of_the_host"]["overall"], 2) == overall


def test_runs_are_called_what_the_user_calls_them_and_memory_is_given_back(logs, tmp_path):
    out = tmp_path / "out"
    done = report(f"mine={logs[0]}", f"yours={logs[1]}", "--out", out, "--no-page")
    assert done.exit_code == 0, done.output
    with (out / "leaderboard.csv").open(encoding="utf-8") as file:
        assert {row["run"] for row in csv.DictReader(file)} == {"mine", "yours"}
    assert gc.get_freeze_count() == 0


def test_pictures_that_cannot_be_made_are_told(logs, tmp_path):
    done = report(*logs, "--out", tmp_path / "report", "--posters")
    assert done.exit_code == 0, done.output
    (note,) = [line for line in done.stderr.splitlines() if line.startswith("note: --posters")]
    missing, total = re.search(r"([\d,]+) of ([\d,]+) videos not on this machine", note).groups()
    assert missing == total != "0"
