"""Exports of a real Label Studio, imported in one step: the same pairs as by the single steps."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from vidomni_plugin.cli import app
from vidomni_plugin.problems import InputProblems

EXPORTS = Path(__file__).parents[2] / "build" / "annotate" / "exports"


def vidomni(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The root of a data set with its list of videos and a file of decisions."""
    (tmp_path / "data").mkdir()
    rows = [json.loads(line) for line in (EXPORTS / "videos.jsonl").read_text().splitlines()]
    for row in rows:
        row |= {"duration_s": 4.0, "has_audio": False}
    (tmp_path / "data" / "videos.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with (EXPORTS / "adjudicate.csv").open(encoding="utf-8", newline="") as file:
        decided = list(csv.DictReader(file))
    for row in decided:
        row["decision"] = row["decision"] or ("Incorrect" if row["reason"] == "dispute" else "")
    with (tmp_path / "decided.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(decided[0]))
        writer.writeheader()
        writer.writerows(decided)
    return tmp_path / "data"


def imported(root: Path, *more: object, exports: tuple[str, ...] = ("stage1", "stage2")) -> Result:
    files = [EXPORTS / f"{name}.json" for name in exports]
    return vidomni(
        *("data", "import", *files, "--format", "label-studio", "--plan", EXPORTS / "plan"),
        *("--annotators", EXPORTS / "annotators.yaml", "--out", root, *more),
    )


def by_steps(root: Path, place: Path) -> bytes:
    shutil.copytree(root, place / "stepwise")
    common = ("--plan", EXPORTS / "plan", "--annotators", EXPORTS / "annotators.yaml")
    done = vidomni(
        *("build", "annotate", "read", EXPORTS / "stage1.json", *common, "--out", place / "read"),
        *("--draws", "100"),
    )
    assert done.exit_code == 0, done.output
    done = vidomni(
        *("build", "annotate", "merge", *common, "--votes", place / "read" / "votes.jsonl"),
        *("--decisions", place / "decided.csv", "--stage2", EXPORTS / "stage2.json"),
        *("--videos", place / "stepwise" / "videos.jsonl", "--out", place / "stepwise"),
    )
    assert done.exit_code == 0, done.output
    return (place / "stepwise" / "pairs.jsonl").read_bytes()


@pytest.mark.parametrize(
    "exports", [("stage1", "stage2"), ("stage2_min", "stage1_min")], ids=["JSON", "JSON-MIN"]
)
def test_one_step_gives_what_the_steps_give(exports, root, tmp_path):
    done = imported(root, "--decisions", tmp_path / "decided.csv", exports=exports)
    assert done.exit_code == 0, done.output
    assert (root / "pairs.jsonl").read_bytes() == by_steps(root, tmp_path)
    assert (root / "merge.json").is_file()


def test_a_dispute_without_a_decision_is_listed_and_nothing_is_written(root):
    done = imported(root)
    assert isinstance(done.exception, InputProblems)
    assert {problem.code for problem in done.exception.problems} == {"undecided"}
    notes = [json.loads(line) for line in (root / "unmapped.jsonl").read_text().splitlines()]
    assert len(notes) == len(done.exception.problems) >= 1
    assert "without a decision" in notes[0]["reason"]
    assert not (root / "pairs.jsonl").exists()
    assert isinstance(imported(root, "--allow-unmapped").exception, InputProblems)


def test_a_dry_run_writes_nothing(root, tmp_path):
    before = sorted(path.name for path in root.iterdir())
    done = imported(root, "--decisions", tmp_path / "decided.csv", "--dry-run")
    assert done.exit_code == 0, done.output
    assert '"pair_id"' in done.stdout
    assert sorted(path.name for path in root.iterdir()) == before


def test_exports_that_are_none_are_named(root, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('[{"data": {}, "annotations": []}, {"half": ')
    done = vidomni(
        *("data", "import", bad, tmp_path / "none.json", "--format", "label-studio"),
        *("--plan", EXPORTS / "plan", "--out", root),
    )
    assert isinstance(done.exception, InputProblems)
    assert len(done.exception.problems) == 2
    only_words = imported(root, exports=("stage2",))
    assert "none of the exports is of stage 1" in str(only_words.exception)


@pytest.mark.parametrize(
    "options",
    [
        ("--format", "label-studio"),
        ("--format", "label-studio", "--plan", "p"),
        ("--format", "label-studio", "--plan", "p", "--out", "o", "--append"),
        ("--plan", "p", "--out", "o", "--mapping", "m"),
        ("--format", "xml", "--out", "o", "--mapping", "m"),
    ],
)
def test_options_that_do_not_go_together(options):
    assert vidomni("data", "import", "x.json", *options).exit_code == 2


@pytest.mark.parametrize("name", ["pairs.jsonl", "unmapped.jsonl"])
def test_a_place_that_cannot_be_written_is_a_message(name, root, tmp_path):
    (root / name / "in the way").mkdir(parents=True)
    done = imported(root, "--decisions", tmp_path / "decided.csv")
    assert isinstance(done.exception, InputProblems)
    assert f"{name}: Is a directory" in str(done.exception)
    without = imported(root)  # the disputes are named all the same
    assert "undecided" in str(without.exception)


def test_it_ends_with_what_is_next(root, tmp_path):
    done = imported(root, "--decisions", tmp_path / "decided.csv")
    assert f"Put the videos into {root / 'videos'}" in done.output
    assert f"Next: VIDOMNI_DATA={root} lmms-eval" in done.output
