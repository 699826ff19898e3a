"""The commands of docs/audit.md on a release of 2,000 pairs, and what they refuse."""

from __future__ import annotations

import json
import shlex
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from tests.build.audit.exported import PEOPLE, as_json, as_min, export_of, record, release
from tests.conftest import write_lines
from tests.label_studio.audit_story import PEOPLE as OF_PROJECT
from tests.label_studio.audit_story import Judgement
from vidomni_plugin.build.audit.files import read_sample
from vidomni_plugin.build.audit.labels import CODES, INVALID, LABELS
from vidomni_plugin.build.audit.projects import FOLDERS
from vidomni_plugin.cli import app
from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.problems import InputProblems

DOCS = Path(__file__).parents[3] / "docs" / "audit.md"
SECONDS = 60
"""Measured: 2 s; the limit leaves room for a busy machine."""


def run(*arguments: object) -> str:
    """Run the command; returns what it printed, raises what ``main`` would print."""
    done = CliRunner().invoke(app, ["build", "audit", *map(str, arguments)])
    if isinstance(done.exception, InputProblems):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def people(folder: Path) -> Path:
    path = folder / "annotators.yaml"
    listed = [person.model_dump(exclude={"trusted"}) for person in PEOPLE]
    path.write_text(yaml.safe_dump({"annotators": listed}), encoding="utf-8")
    return path


def documented() -> list[str]:
    """Return the lines of the block of commands."""
    text = DOCS.read_text(encoding="utf-8").split("run by tests/build/audit/test_commands")[1]
    block = text.split("```sh\n")[1].split("```")[0]
    return block.replace("\\\n", " ").splitlines()


def judge(folder: Path, write: Any = as_json) -> None:
    """Let all three judge everything: the original, but for the first item of each category."""
    items = read_sample(folder / "audit").items
    first = {
        code: next(i.item for i in items if i.label == label)
        for code, label in zip(CODES, LABELS, strict=False)
    }
    said = {(i.item, name): Judgement(i.label) for i in items for name in OF_PROJECT.values()}
    said[first["ECH"], "cem"] = Judgement(INVALID, ("contradicted",))
    said[first["TRH"], "ann"] = Judgement(LABELS[5])
    said[first["CPH"], "ben"] = Judgement(INVALID, ("supported",))
    for place, name in OF_PROJECT.items():
        export_of(folder / "audit" / place, folder / f"{place}.json", name, said, write)


def test_the_page_runs_the_papers_design(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    release(tmp_path / "VidHalLoc")
    people(tmp_path)
    begun = time.monotonic()
    printed = []
    for line in documented():
        if line.startswith("# Label Studio: export the three as"):
            assert line.endswith("as reference.json, worker-1.json and worker-2.json")
            judge(tmp_path)
        elif line.startswith("#"):
            assert line.startswith("# Label Studio: make a project from each of audit/reference")
        else:
            words = shlex.split(line)
            assert words[:3] == ["vidomni", "build", "audit"]
            printed.append(run(*words[3:]))
    assert time.monotonic() - begun < SECONDS
    assert "800 items, 30 to practise on" in printed[0]
    assert "no pair" not in printed[0]
    assert "In brackets: published." in printed[2]
    assert "cem: audit/reference, 830 tasks" in printed[1]
    assert "799 of 800 original labels equal the reference" in printed[2]
    assert "agree on 798" in printed[2]
    assert "3 items to look at" in printed[2]
    record = json.loads((tmp_path / "scored" / "audit.json").read_text(encoding="utf-8"))
    assert record["bootstrap"] | {"numpy": ""} == {
        "generator": "PCG64",
        "seed": 20260818,
        "draws": 10_000,
        "level": 0.95,
        "strata": list(CODES),
        "numpy": "",
    }
    assert record["sample"]["seed"] == 20260818
    assert record["paper"]["cohen_kappa"] == 0.962
    assert [record["figures"][code]["items"] for code in CODES] == [100] * 8
    assert record["figures"]["ECH"]["accuracy"]["value"] == 0.99
    assert record["figures"]["TRH"]["agreement"]["value"] == 0.99
    whole = record["figures"]["all"]["accuracy"]
    assert whole["low"] == 0.99625
    assert whole["high"] == 1
    table = (tmp_path / "scored" / "audit.md").read_text(encoding="utf-8")
    assert "| ECH | 100 | 99 | 99.00 | 93.00 |" in table
    assert "| InvalidSample | - | - |" in table
    assert "98.75" in (tmp_path / "scored" / "audit.tex").read_text(encoding="utf-8")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with an audit of the built-in sample, its projects and exports."""
    sample(tmp_path)
    projects(tmp_path)
    judge(tmp_path, as_min)
    return tmp_path


def sample(folder: Path, *more: object) -> str:
    return run(
        *("sample", "mini", "--out", folder / "audit", "--per-category", 3, "--calibration", 2),
        *more,
    )


def projects(folder: Path, *more: object, videos: Path | None = None) -> str:
    who = ("--worker", "ann", "--worker", "ben", "--reference", "cem")
    where = ("--videos", videos or mini_root("vidhalloc").path)
    given = ("--audit", folder / "audit", "--annotators", people(folder))
    return run("projects", *given, *where, *(more or who))


def score(folder: Path, *more: object) -> str:
    exports = [folder / f"{name}.json" for name in FOLDERS]
    given = ("--audit", folder / "audit", "--out", folder / "scored", "--draws", 200)
    return run("score", *exports, *given, *more)


def test_everything_again_changes_nothing(place):
    score(place)
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    sample(place)
    projects(place)
    score(place)
    assert {path: path.read_bytes() for path in before} == before


def test_all_files_of_a_score(place):
    score(place)
    names = {path.name for path in (place / "scored").iterdir()}
    tables = ("audit", "labels", "checks", "calibration")
    assert names == {f"{t}.{e}" for t in tables for e in ("md", "csv", "tex")} | {
        *("look.csv", "look.jsonl", "notes.csv", "audit.json")
    }


def test_another_sample_does_not_replace_one(place):
    with pytest.raises(InputProblems, match="another sample is there"):
        sample(place, "--seed", 1)
    (place / "audit" / "sample.json").write_text("{}")
    with pytest.raises(InputProblems, match="not what an audit writes"):
        score(place)
    sample(place, "--seed", 1, "--overwrite")
    with pytest.raises(InputProblems, match="is not in the sample"):
        score(place)


def test_projects_of_other_people_do_not_replace_ones(place):
    other = ("--worker", "ann", "--worker", "cem", "--reference", "ben")
    with pytest.raises(InputProblems, match="projects of other people"):
        projects(place, *other)
    projects(place, *other, "--overwrite")
    score(place)  # the same three in other parts: what they said stays theirs
    record = json.loads((place / "scored" / "audit.json").read_text(encoding="utf-8"))
    assert (record["reference"], record["workers"]) == ("ben", ["ann", "cem"])


def test_people_are_checked(place):
    with pytest.raises(InputProblems) as raised:
        projects(place, "--worker", "ann", "--worker", "eve", "--worker", "x", "--reference", "ann")
    told = str(raised.value)
    assert "'eve' is nobody there: ann, ben, cem" in told
    assert "3 are named, it takes two" in told
    assert "must be three people" in told


def test_videos_that_are_not_there_are_named(place):
    with pytest.raises(InputProblems) as raised:
        projects(place, videos=place)
    assert len(raised.value.problems) > 10
    assert "no file of video 'videoqa_00" in str(raised.value)


def test_a_score_without_projects(tmp_path):
    sample(tmp_path)
    with pytest.raises(InputProblems, match="no projects were made"):
        score(tmp_path)


def test_a_file_of_pairs_and_a_flat_folder_of_videos(tmp_path):
    root = mini_root("vidhalloc").path
    pairs = root / "Datasets" / "2000_Orign" / "2000_Orign.jsonl"
    (tmp_path / "my videos").mkdir()
    for path in [*root.glob("video*/*.mp4")]:
        (tmp_path / "my videos" / path.name).touch()
    made = ("--out", tmp_path / "audit", "--per-category", 3, "--calibration", 2)
    run("sample", pairs, *made)
    projects(tmp_path, videos=tmp_path / "my videos")
    shown = (tmp_path / "audit" / "reference" / "tasks.json").read_text(encoding="utf-8")
    assert '"/data/local-files/?d=my%20videos/videoqa_00' in shown
    before = (tmp_path / "audit" / "sample.jsonl").read_bytes()
    (tmp_path / "made").mkdir()
    shutil.copy(pairs, tmp_path / "made" / "pairs.jsonl")
    run("sample", tmp_path / "made", *made)  # the same pairs, so the same sample: no --overwrite
    sample(tmp_path)
    assert (tmp_path / "audit" / "sample.jsonl").read_bytes() == before


def test_a_release_without_a_category_can_be_audited(tmp_path):
    root = mini_root("vidhalloc").path
    text = (root / "Datasets" / "2000_Orign" / "2000_Orign.jsonl").read_text(encoding="utf-8")
    kept = [line for line in text.splitlines() if '"CameraPredicate"' not in line]
    (tmp_path / "pairs.jsonl").write_text("\n".join(kept) + "\n", encoding="utf-8")
    for path in [*root.glob("video*/*.mp4")]:
        (tmp_path / path.name).touch()
    given = ("sample", tmp_path / "pairs.jsonl", "--out", tmp_path / "audit", "--calibration", 0)
    with pytest.raises(InputProblems, match="CPH: 0 pairs, 1 are wanted"):
        run(*given, "--per-category", 1)
    printed = run(*given, "--per-category", 1, "--allow-fewer")
    assert "CPH: no pair, so no item" in printed
    following = printed[printed.index("Next: vidomni build audit ") :].split()[4:]
    names = iter(("ann", "ben", "cem"))
    filled = {"annotators.yaml": people(tmp_path), "VIDEOS": tmp_path}
    run(*(next(names) if word == "NAME" else filled.get(word, word) for word in following))
    said = {
        (item.item, name): Judgement(item.label)
        for item in read_sample(tmp_path / "audit").items
        for name in OF_PROJECT.values()
    }
    for place, name in OF_PROJECT.items():
        export_of(tmp_path / "audit" / place, tmp_path / f"{place}.json", name, said, as_json)
    score(tmp_path)
    table = (tmp_path / "scored" / "audit.md").read_text(encoding="utf-8")
    assert "| CPH | 0 | 0 | - |" in table
    assert "The sample has no item of CPH." in table
    record = json.loads((tmp_path / "scored" / "audit.json").read_text(encoding="utf-8"))
    assert record["bootstrap"]["strata"] == list(CODES[:-1])
    assert record["figures"]["CPH"]["accuracy"]["value"] is None


@pytest.mark.parametrize("name", ["nowhere", "nowhere.jsonl"])
def test_a_source_that_is_not_there(tmp_path, name):
    with pytest.raises(InputProblems, match=f"{name}.*(no-data|no-file)"):
        run("sample", tmp_path / name, "--out", tmp_path / "audit")


def test_every_bad_line_of_a_source_is_named(tmp_path):
    rows = [record(k, LABELS[k % 8], k) for k in range(20)]
    path = write_lines(tmp_path / "pairs.jsonl", [*rows, {"pair_id": "x"}, rows[3]])
    with pytest.raises(InputProblems) as raised:
        run("sample", path, "--out", tmp_path / "audit")
    places = {problem.place for problem in raised.value.problems}
    assert places == {f"{path}:21", f"{path}:22"}


def test_accounts_may_change_after_the_projects_were_made(place):
    path = place / "now.yaml"
    moved = [
        {**p.model_dump(exclude={"trusted"}), "label_studio_id": p.label_studio_id + 10}
        for p in PEOPLE
    ]
    path.write_text(yaml.safe_dump({"annotators": moved}), encoding="utf-8")
    with pytest.raises(InputProblems, match="account number 4 is no annotator"):
        score(place, "--annotators", path)
