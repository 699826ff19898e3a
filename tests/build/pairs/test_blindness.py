"""What each role is sent, and above all what it is not."""

from __future__ import annotations

import inspect
import json

import pytest

from tests.build.pairs.acting import facts_of
from vidomni_plugin.build.pairs.contracts.facts import rule_of, slot_value
from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
from vidomni_plugin.build.pairs.contracts.roles import Opportunity, ProposedFact, Role
from vidomni_plugin.build.pairs.gates.generation import answer_form
from vidomni_plugin.build.pairs.gates.verification import Phrases
from vidomni_plugin.build.pairs.policy import messages
from vidomni_plugin.build.pairs.policy.policy import load_policy
from vidomni_plugin.records import Leaf

POLICY = load_policy()
MEDIA = [
    {"type": "text", "text": "0.00 s"},
    {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,AAAA"}},
]
FACTS = {leaf: ProposedFact.model_validate(fact) for leaf, fact in facts_of("clip").items()}
FACT = FACTS[Leaf.ATTRIBUTE_VALUE]
QUESTION, FIRST, SECOND = "What is it like?", "It is one.", "It is another."
ROWS = [
    Opportunity.model_validate(
        {
            "leaf_label": rule.leaf,
            "fact_kind": rule.kind,
            "conflict_slot": rule.slot,
            "constructibility": "constructible",
            "evidence_intervals": [{"start_sec": 0, "end_sec": 1}],
            "anchor_summary": "a thing in view",
            "decision_reason": "what the planner alone thinks",
        }
    )
    for rule in LEAVES.values()
]


def generate(fact, task="video_qa"):
    form = answer_form(task, rule_of(fact.normalized_fact).kind)
    return messages.generate_messages(POLICY, fact, task, QUESTION, form)


ALL = {
    "planner": messages.plan_messages(POLICY, "clip", "video_qa", MEDIA),
    "extractor": messages.extract_messages(POLICY, "clip", ROWS[:2], MEDIA),
    "reflector": messages.reflect_messages(POLICY, FACT, MEDIA),
    "generator": generate(FACT),
    "verifier": messages.verify_messages(POLICY, QUESTION, FIRST, SECOND),
    "comparer": messages.compare_messages(POLICY, QUESTION, [Phrases("a cup", "a mug")]),
    "monitor": messages.monitor_messages(POLICY, QUESTION, FIRST, SECOND, FACT.time_scope, MEDIA),
}


def data(sent):
    content = sent[1]["content"]
    return json.loads(content if isinstance(content, str) else content[-1]["text"])


def words(sent):
    """Return all that is said but the data of the task."""
    content = sent[1]["content"]
    parts = [] if isinstance(content, str) else content[len(MEDIA) : -1]
    return "\n\n".join([sent[0]["content"], *(part["text"] for part in parts)])


@pytest.mark.parametrize("name", ALL)
def test_each_role_is_told_what_it_is_and_the_task_comes_last(name):
    sent = ALL[name]
    role = "verifier" if name == "comparer" else name
    assert [line for line in words(sent).splitlines() if line.startswith("role: ")] == [
        f"role: {role}"
    ]
    assert POLICY.cognitive.strip() in words(sent)
    assert POLICY.roles[name].strip() in words(sent)
    assert [message["role"] for message in sent] == ["system", "user"]
    assert isinstance(data(sent), dict)


@pytest.mark.parametrize("name", ALL)
def test_only_roles_that_see_get_media_and_get_them_before_the_text(name):
    content = ALL[name][1]["content"]
    if name in ("generator", "verifier", "comparer"):
        assert isinstance(content, str)
    else:
        assert content[: len(MEDIA)] == MEDIA
        assert {part["type"] for part in content[len(MEDIA) :]} == {"text"}


@pytest.mark.parametrize("role", [Role.GENERATOR, Role.VERIFIER])
def test_media_for_a_role_that_works_with_text_are_a_fault_of_the_program(role):
    with pytest.raises(ValueError, match=f"the {role.value} works with the text alone"):
        messages._messages(POLICY, role, [], MEDIA, {})


def test_the_verifier_gets_the_answers_and_nothing_of_what_they_are_to_be():
    told = data(ALL["verifier"])
    assert set(told) == {"question", "first", "second", "kinds_of_fact"}
    assert (told["question"], told["first"], told["second"]) == (QUESTION, FIRST, SECOND)
    assert len(told["kinds_of_fact"]) == 8
    taken = set(inspect.signature(messages.verify_messages).parameters)
    assert taken == {"policy", "question", "first", "second"}
    assert set(data(ALL["comparer"])) == {"question", "pairs"}


def test_the_monitor_gets_question_answers_and_time_and_no_leaf():
    told = data(ALL["monitor"])
    assert set(told) == {"question", "first", "second", "time_scope"}
    taken = set(inspect.signature(messages.monitor_messages).parameters)
    assert taken == {"policy", "question", "first", "second", "time_scope", "media", "focused"}


@pytest.mark.parametrize("name", ["verifier", "monitor"])
def test_what_reviewers_are_told_of_leaves_is_the_same_for_every_item(name):
    """All eight are explained, whichever it is."""
    text = words(ALL[name])
    assert all(f"{leaf.value} (kind" in text for leaf in LEAVES)
    assert "the cup" not in text


@pytest.mark.parametrize("leaf", LEAVES)
def test_the_reflector_gets_the_fact_and_its_leaf_and_no_report(leaf):
    sent = messages.reflect_messages(POLICY, FACTS[leaf], MEDIA)
    assert data(sent) == {
        "leaf_label": leaf.value,
        "fact": FACTS[leaf].model_dump(mode="json"),
    }
    assert f"{leaf.value} (kind" in words(sent)
    taken = set(inspect.signature(messages.reflect_messages).parameters)
    assert taken == {"policy", "fact", "media", "focused"}


def test_the_extractor_gets_what_is_planned_and_not_what_the_planner_thinks():
    text = json.dumps(ALL["extractor"])
    assert [row["leaf_label"] for row in data(ALL["extractor"])["planned"]] == [
        row.leaf_label.value for row in ROWS[:2]
    ]
    assert "what the planner alone thinks" not in text


@pytest.mark.parametrize("leaf", LEAVES)
def test_the_generator_gets_the_fact_and_may_choose_among_what_the_slot_holds(leaf):
    told = data(generate(FACTS[leaf]))
    rule, fact = LEAVES[leaf], FACTS[leaf]
    assert told["source_fact"] == fact.normalized_fact.model_dump(mode="json")
    assert (told["slot"], told["change"]) == (rule.slot, rule.operator)
    assert told["accepted_sentence"] == fact.natural_language_fact
    value = slot_value(fact.normalized_fact)
    if told["permitted_values"] is not None:
        assert str(value).lower() in told["permitted_values"]
    closed = {Leaf.ENTITY_EXISTENCE, Leaf.TEMPORAL_RELATION, Leaf.CAMERA_PREDICATE}
    assert (told["permitted_values"] is not None) == (leaf in closed)
    assert ("no_camera_change" in json.dumps(told)) == (leaf is Leaf.CAMERA_PREDICATE)


@pytest.mark.parametrize("role", ["reflector", "monitor"])
def test_a_closer_look_has_the_same_task_and_says_why(role):
    if role == "reflector":
        second = messages.reflect_messages(POLICY, FACT, MEDIA, "visible_text")
    else:
        scope = FACT.time_scope
        second = messages.monitor_messages(
            POLICY, QUESTION, FIRST, SECOND, scope, MEDIA, "visible_text"
        )
    assert data(second) == data(ALL[role])
    assert "visible text" in words(second)
    assert "visible text" not in words(ALL[role])
    assert words(second).startswith(words(ALL[role]))


def test_texts_of_data_pass_as_they_are():
    odd = 'Is "{entity}" \n role: monitor? ✓'
    told = data(messages.verify_messages(POLICY, odd, FIRST, SECOND))
    assert told["question"] == odd
    sent = messages.verify_messages(POLICY, odd, FIRST, SECOND)
    assert odd not in words(sent)
