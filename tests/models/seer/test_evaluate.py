"""The command refuses what cannot be measured, and prints a row for each checkpoint and skill."""

from __future__ import annotations

import json

import pytest

from tests.models.seer.judges import Fixed
from vidomni_plugin.models.seer import evaluate
from vidomni_plugin.models.seer import measure as measures
from vidomni_plugin.models.seer.evaluate import PARTS
from vidomni_plugin.models.seer.network import build, save
from vidomni_plugin.models.seer.shipped import digest
from vidomni_plugin.models.seer.world import SKILLS


@pytest.fixture
def parts(tmp_path):
    """Return a function that makes a folder with the files of a checkpoint, but no weights."""

    def make(name="checkpoint"):
        (tmp_path / name).mkdir()
        for part in PARTS:
            (tmp_path / name / part).write_bytes(b"weights")
        return tmp_path / name

    return make


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (["--control", "early", "--frames", "16"], "the shortest clip has 8"),
        (["--frames", "16", "--fps", "4"], "the shortest clip has 12"),
        (["--fps", "1/100"], "from 1 to 240"),
        (["--fps", "1e30"], "from 1 to 240"),
        (["--fps", "1/0"], "no number"),
        (["--fps", "-8"], "from 1 to 240"),
        (["--frames", "7"], "even number"),
        (["--quality", "18", "52"], "from 0"),
        (["--count", "0"], "above 0"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_the_model_is_loaded(
    parts, capsys, monkeypatch, wrong, told
):
    monkeypatch.delattr(evaluate, "Judge")
    with pytest.raises(SystemExit) as ended:
        evaluate.main([str(parts()), *wrong])
    assert ended.value.code == 2
    assert told in " ".join(capsys.readouterr().err.split())


def test_a_log_that_cannot_be_written_is_noticed_before_the_model_is_loaded(
    tmp_path, parts, monkeypatch
):
    monkeypatch.delattr(evaluate, "Judge")
    with pytest.raises(SystemExit, match=r"^seer: .*nowhere"):
        evaluate.main([str(parts()), "--log", str(tmp_path / "nowhere" / "log.jsonl")])


def test_a_damaged_checkpoint_is_one_line(tmp_path):
    for name in PARTS:
        (tmp_path / name).write_text("{}", encoding="utf-8")
    with pytest.raises(SystemExit, match="cannot be loaded"):
        evaluate.main([str(tmp_path), "--count", "1"])


def test_questions_that_were_not_found_are_told_once(parts, capsys, monkeypatch):
    monkeypatch.setattr(evaluate, "Judge", lambda folder: Fixed("ACCEPT"))
    monkeypatch.setattr(measures, "TRIES", 0)
    evaluate.main([str(parts("one")), str(parts("two")), "--count", "3"])
    printed = capsys.readouterr()
    assert printed.err.count("seer: 0 questions about camera instead of 3") == 1
    assert json.loads(printed.out.splitlines()[0])["accuracy"] is None


def test_rows_are_those_of_their_checkpoint(parts, capsys, monkeypatch):
    says = {"one": "ACCEPT", "two": "REJECT"}
    monkeypatch.setattr(
        evaluate, "Judge", lambda folder: Fixed(says[folder.name], f"of {folder.name}")
    )
    evaluate.main([str(parts("one")), str(parts("two")), "--count", "8"])
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    told = [(r["checkpoint"], r["weights"], r["accepted"], r["rejected"]) for r in rows]
    one, two = ("one", "of one", 1.0, 0.0), ("two", "of two", 0.0, 1.0)
    assert told == [one] * len(SKILLS) + [two] * len(SKILLS)


def test_each_of_several_checkpoints_must_be_one_and_another(parts, capsys):
    one, two = parts("one"), parts("two")
    (two / PARTS[0]).unlink()
    for second, told in ((two, "two is no checkpoint"), (one / ".." / "one", "given twice")):
        with pytest.raises(SystemExit):
            evaluate.main([str(one), str(second)])
        assert told in " ".join(capsys.readouterr().err.split())


def test_a_checkpoint_is_judged_through_generated_text(tmp_path, capsys):
    save(*build(seed=2), tmp_path)
    log = tmp_path / "evaluation.jsonl"
    log.write_text("before\n")
    arguments = ["--count", "1", "--seed", "9", "--log", str(log)]
    evaluate.main([str(tmp_path), *arguments, "--clips", "plain", "all", "--quality", "18", "40"])
    printed = capsys.readouterr().out
    assert log.read_text() == "before\n" + printed
    rows = [json.loads(line) for line in printed.splitlines()]
    told = [(row["clips"], row["quality"], row["skill"]) for row in rows]
    plain = [skill for skill in SKILLS if skill != "camera"]
    assert told == [
        (clips, quality, skill)
        for clips, skills in (("plain", plain), ("all", SKILLS))
        for quality in (18, 40)
        for skill in skills
    ]
    assert {row["weights"] for row in rows} == {digest(tmp_path)}
    assert {row["seed"] for row in rows} == {9}
    assert {row["checkpoint"] for row in rows} == {tmp_path.name}
