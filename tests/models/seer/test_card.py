"""The card shows what the logs hold, and is not written of half a run."""

import json

import pytest

from vidomni_plugin.models.seer.card import (
    LINES,
    LOSSES,
    card,
    checkpoints,
    conditions,
    main,
    training,
)
from vidomni_plugin.models.seer.shipped import WEIGHTS
from vidomni_plugin.models.seer.world import SKILLS

PLAN = {"plan": {"steps": 400, "looks": 100, "clips": 16, "seed": 3}, "torch": "2.0", "threads": 2}
END = {"step": 400, "seconds": 1800, "evaluation": {}}
NAMES = {"w1": "", "h1": "half"}


def step(number, **skills):
    return {"step": number, "seconds": 4 * number, **dict.fromkeys(LOSSES, 0.5), **skills}


def result(skill, accuracy, **other):
    row = {"checkpoint": "seer", "weights": "w1", "seed": 9, "skill": skill}
    row |= {"clips": "plain", "control": "none"}
    row |= {"questions": 20, "quality": 18, "frames": 8, "fps": 8.0}
    return row | {"accuracy": accuracy, "unreadable": 1} | other


def cells(text, first):
    (line,) = (line for line in text.splitlines() if line.startswith(f"| {first} |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_accuracies_stand_under_their_skill():
    text = card([PLAN, step(400), END], [result("cut", 0.975), result("colour", None)], NAMES)
    shown = cells(text, "plain")
    assert shown[1] == "20"
    assert shown[2 + SKILLS.index("cut")] == "97.5"
    assert shown.count("-") == len(SKILLS) - 1
    assert "2 of 40 answers could not be read" in text


def test_conditions_are_named_by_what_is_unusual():
    rows = [
        result("cut", 0.5),
        result("cut", 0.6, quality=30),
        result("cut", 0.7, clips="all", fps=4.0, weights="h1"),
        result("cut", 0.9),
        result("cut", 0.1, weights="w0"),
        {key: value for key, value in result("cut", 0.2).items() if key != "weights"},
    ]
    found = conditions(rows, NAMES)
    assert list(found) == ["plain", "plain, crf 30", "half: all, 4 frames a second"]
    assert found["plain"]["cut"]["accuracy"] == 0.9  # the later one


def test_the_log_is_thinned_out_and_keeps_its_end():
    log = [PLAN, *(step(n, cut=n / 1000) for n in range(100, 501, 10)), END]
    text = card(log, [result("cut", 1.0)], NAMES)
    assert cells(text, "100")[2 + len(LOSSES) + SKILLS.index("cut")] == "10"
    assert cells(text, "500")[2 + len(LOSSES) + SKILLS.index("cut")] == "50"
    rows = text.split("## Training log")[1].splitlines()
    assert sum(line.startswith("| ") for line in rows) == 2 + LINES


def test_an_accuracy_that_is_not_known_is_no_number():
    text = card([PLAN, step(400, cut=None), END], [result("cut", 1.0)], NAMES)
    assert cells(text, "400").count("-") == len(SKILLS)


@pytest.mark.parametrize("log", [[], [PLAN], [END], [PLAN, END | {"step": 300}]])
def test_half_a_run_has_no_card(log):
    with pytest.raises(ValueError, match="last step"):
        training(log)


def test_how_often_a_run_was_taken_up_is_told():
    assert "without a stop" in training([PLAN, END])
    stops = [{"resumed": 200, "threads": 2}, {"resumed": 300, "threads": 1}]
    assert "taken up 2 times" in training([PLAN, *stops, END])
    assert "`--threads 1 and 2`" in training([PLAN, *stops, END])


def test_a_run_that_was_begun_anew_counts_from_there():
    log = [PLAN, step(100), {"resumed": 100, "threads": 7}, END, PLAN | {"threads": 1}, END]
    assert "without a stop" in training(log)
    assert "`--threads 1`" in training(log)
    with pytest.raises(ValueError, match="last step"):
        training(log[:-1])


def test_checkpoints_that_were_measured_together_stand_apart():
    rows = [
        result("cut", 0.5, weights=weights, clips=clips)
        for clips in ("plain", "all")
        for weights in ("w2", "w1")
    ]
    found = conditions(rows, {"w1": "", "w2": "half"})
    assert list(found) == ["plain", "all", "half: plain", "half: all"]


def test_results_of_other_weights_alone_make_no_card():
    with pytest.raises(ValueError, match="no row of these weights"):
        card([PLAN, END], [result("cut", 1.0, weights="w0")], NAMES)


@pytest.fixture
def folder(tmp_path):
    """A checkpoint with another of half its training beneath it, and both logs."""
    for place, content in ((tmp_path, b"whole"), (tmp_path / "half", b"half")):
        place.mkdir(exist_ok=True)
        (place / WEIGHTS).write_bytes(content)
    whole, half = checkpoints(tmp_path)
    results = [result("cut", share, weights=w) for w, share in ((whole, 0.75), (half, 0.5))]
    for name, rows in (("log", [PLAN, step(400), END]), ("evaluation", results)):
        write(tmp_path / f"{name}.jsonl", rows)
    return tmp_path


def write(path, rows):
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def test_the_command_writes_the_card(folder, capsys):
    main([str(folder)])
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert "75.0" in cells(text, "plain")
    assert "50.0" in cells(text, "half: plain")
    printed = capsys.readouterr()
    assert printed.out.strip() == str(folder / "README.md")
    assert printed.err == ""


def test_rows_of_other_weights_are_left_out_aloud(folder, capsys):
    write(folder / "evaluation.jsonl", [result("cut", 0.125, weights="w0")])
    main([str(folder)])
    assert "1 rows of evaluation.jsonl are of other weights" in capsys.readouterr().err
    assert "12.5" not in (folder / "README.md").read_text(encoding="utf-8")


def test_what_is_missing_is_told_in_one_line(folder, capsys):
    write(folder / "log.jsonl", [{k: v for k, v in PLAN.items() if k != "threads"}, END])
    with pytest.raises(SystemExit, match=r"^seer: no card .* has no 'threads'"):
        main([str(folder)])
    (folder / "log.jsonl").unlink()
    with pytest.raises(SystemExit, match=r"^seer: no card .*log\.jsonl"):
        main([str(folder)])
    (folder / WEIGHTS).unlink()
    with pytest.raises(SystemExit, match="2"):
        main([str(folder)])
    assert "is no checkpoint" in capsys.readouterr().err
