"""The card shows what the logs hold, and is not written of half a run."""

import json

import pytest

from vidomni_plugin.models.seer.card import LOSSES, card, conditions, main, training
from vidomni_plugin.models.seer.world import SKILLS

PLAN = {"plan": {"steps": 400, "looks": 100, "clips": 16, "seed": 3}, "torch": "2.0"}
END = {"step": 400, "seconds": 1800, "evaluation": {}}


def step(number, **skills):
    return {"step": number, "seconds": 4 * number, **dict.fromkeys(LOSSES, 0.5), **skills}


def result(skill, accuracy, **other):
    row = {"checkpoint": "seer", "skill": skill, "clips": "plain", "control": "none"}
    row |= {"questions": 20, "quality": 18, "frames": 8, "fps": 8.0}
    return row | {"accuracy": accuracy, "unreadable": 1} | other


def cells(text, first):
    (line,) = (line for line in text.splitlines() if line.startswith(f"| {first} |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_accuracies_stand_under_their_skill():
    text = card([PLAN, step(400), END], [result("cut", 0.975), result("colour", None)])
    shown = cells(text, "plain")
    assert shown[1] == "20"
    assert shown[2 + SKILLS.index("cut")] == "97.5"
    assert shown.count("-") == len(SKILLS) - 1
    assert "2 of 40 answers could not be read" in text


def test_conditions_are_named_by_what_is_unusual():
    rows = [
        result("cut", 0.5),
        result("cut", 0.6, quality=30),
        result("cut", 0.7, clips="all", fps=4.0, checkpoint="checkpoint_half"),
        result("cut", 0.9),
    ]
    found = conditions(rows)
    assert list(found) == ["plain", "plain, crf 30", "half: all, 4 frames a second"]
    assert found["plain"]["cut"]["accuracy"] == 0.9  # the later one


def test_the_log_is_thinned_out_and_keeps_its_end():
    log = [PLAN, *(step(n, cut=n / 1000) for n in range(100, 501, 10)), END]
    text = card(log, [result("cut", 1.0)])
    assert cells(text, "500")[-2] == "50"
    assert sum(line.startswith(("| 1", "| 2", "| 3", "| 4", "| 5")) for line in text.splitlines()) < 20


@pytest.mark.parametrize("log", [[], [PLAN], [END], [PLAN, END | {"step": 300}]])
def test_half_a_run_has_no_card(log):
    with pytest.raises(ValueError, match="last step"):
        training(log)


def test_how_often_a_run_was_taken_up_is_told():
    assert "without a stop" in training([PLAN, END])
    assert "taken up 2 times" in training([PLAN, {"resumed": 200}, {"resumed": 300}, END])


def test_the_command_writes_the_card(tmp_path, capsys):
    with pytest.raises(SystemExit, match="no card can be written"):
        main([str(tmp_path)])
    for name, rows in (("log", [PLAN, step(400), END]), ("evaluation", [result("cut", 1.0)])):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    main([str(tmp_path)])
    assert "100.0" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert capsys.readouterr().out.strip() == str(tmp_path / "README.md")
