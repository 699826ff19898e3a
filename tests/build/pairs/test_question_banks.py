"""The page about question banks: its bank, its rules and its errors are the program's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.build.pairs.acting import reply
from tests.build.pairs.running import a_plan, go, lines
from tests.endpoint.scripted import ScriptedServer
from vidomni_plugin.build.pairs.policy.bank import ANCHORS, read_bank
from vidomni_plugin.build.pairs.policy.policy import load_policy
from vidomni_plugin.build.pairs.session import REPLIES, Plan
from vidomni_plugin.problems import InputProblems

PAGE = (Path(__file__).parents[3] / "docs" / "question_banks.md").read_text(encoding="utf-8")


@pytest.fixture
def example(tmp_path: Path) -> Path:
    (block,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path / "bank.yaml"
    path.write_text(block, encoding="utf-8")
    return path


def test_the_table_names_what_may_be_filled():
    rows = re.findall(r"^\| `(\w+)(?:: (\w+))?` \| ([^|]+) \|", PAGE, re.MULTILINE)
    told = {(leaf, of): set(re.findall(r"`(\w+)`", names)) for leaf, of, names in rows}
    assert told.pop(("video_captioning", "")) == set()
    known = {(leaf.value, ""): set(names) for leaf, names in ANCHORS.items()}
    action = known.pop(("ActionPredicate", ""))
    known["ActionPredicate", "with_object"] = action
    known["ActionPredicate", "without_object"] = action - {"object"}
    assert told == known


def test_the_errors_are_those_that_are_shown(example, tmp_path, monkeypatch):
    bank = yaml.safe_load(example.read_text(encoding="utf-8"))
    bank["video_qa"]["EntityExistence"] = ["Where is {entity}?"]
    bank["video_qa"]["AttributeValue"] = ["What is {entity} like?"]
    bank["video_qa"]["CameraPredicate"] = ["Is it {camera_predicate} in {camera_event}?"]
    example.write_text(yaml.safe_dump(bank), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputProblems) as raised:
        read_bank(Path("bank.yaml"))
    (shown,) = re.findall(r"```\n(no pairs can be made.*?)\n```", PAGE, re.DOTALL)
    told = [text.split(":", 1)[1].split() for text in (str(raised.value), shown)]
    assert told[0] == told[1]  # but for where long lines are broken


@pytest.mark.parametrize(
    ("level", "name", "meant"),
    [
        ("video_qa", "EEH", "EntityExistence"),
        ("video_qa", "cph", "CameraPredicate"),
        ("video_qa", "entity_existence", "EntityExistence"),
        ("video_qa", "AtributeValue", "AttributeValue"),
        ("ActionPredicate", "without_objects", "without_object"),
        ("", "video_captions", "video_captioning"),
    ],
)
def test_a_wrong_name_is_told_with_the_one_that_is_meant(example, level, name, meant):
    bank = yaml.safe_load(example.read_text(encoding="utf-8"))
    places = {"": bank, "video_qa": bank["video_qa"]}
    places["ActionPredicate"] = bank["video_qa"]["ActionPredicate"]
    places[level][name] = places[level].pop(meant)
    example.write_text(yaml.safe_dump(bank), encoding="utf-8")
    with pytest.raises(InputProblems) as raised:
        read_bank(example)
    said = {one.place.rpartition(".")[2].rpartition(": ")[2]: one for one in raised.value.problems}
    assert said[name].message == f"no such name, did you mean {meant}?"
    assert said[meant].message == "it is missing"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"colour": ["?"]}, "no such name: there are version, video_captioning, video_qa"),
        ({"video_qa": ["?"]}, "it has no EntityExistence, EntityCategory, "),
        ({"video_captioning": "Describe it."}, "it is no list of questions"),
    ],
)
def test_a_bank_of_another_shape_is_told_in_its_own_words(example, change, said):
    bank = yaml.safe_load(example.read_text(encoding="utf-8")) | change
    example.write_text(yaml.safe_dump(bank), encoding="utf-8")
    with pytest.raises(InputProblems) as raised:
        read_bank(example)
    assert said in str(raised.value)
    assert "Input should be" not in str(raised.value)


def test_items_have_its_questions_and_the_facts_are_not_asked_for_again(example, videos, tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    plan = a_plan(videos, target=8)
    own = Plan(plan.settings, load_policy(example), plan.videos)
    assert own.signature != plan.signature
    with ScriptedServer(reply) as server:
        go(server, plan, old)
        before = len(server.seen)
        go(server, own, new, replies=old / REPLIES)
        asked = {seen.role for seen in server.seen[before:]}
    assert asked == {"generator", "verifier", "monitor"}
    pairs = lines(new, "pairs_extended.jsonl")
    assert len(pairs) == 8
    assert {pair["question_template"].rpartition(":")[2] for pair in pairs} <= {"0", "1"}
    questions = {pair["public"]["question"] for pair in pairs}
    assert any("operation" in question for question in questions)
    assert questions.isdisjoint(
        {pair["public"]["question"] for pair in lines(old, "pairs_extended.jsonl")}
    )
