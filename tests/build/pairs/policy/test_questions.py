"""The questions of the bank read as English, whatever the fact calls its things."""

from __future__ import annotations

import re
from typing import Any

import pytest

from vidomni_plugin.build.pairs.contracts.facts import claimed_fact
from vidomni_plugin.build.pairs.policy.bank import choose
from vidomni_plugin.build.pairs.policy.policy import load_policy

BANK = load_policy().bank
FACTS: list[dict[str, Any]] = [
    {"fact_kind": "entity_existence", "entity": "dogs", "existence": True},
    {"fact_kind": "entity_category", "entity": "things on the mat", "category": "cats"},
    {"fact_kind": "entity_quantity", "entity_set": "the cups on the table", "count": 2},
    {
        "fact_kind": "attribute_value",
        "entity": "curtains",
        "attribute_key": "the colour",
        "attribute_value": "red",
    },
    {
        "fact_kind": "static_relation",
        "subject": "boys",
        "relation_predicate": "left",
        "object": "girls",
    },
    {"fact_kind": "action_predicate", "subject": "boys", "predicate": "paint", "object": "walls"},
    {"fact_kind": "action_predicate", "subject": "boys", "predicate": "jump", "object": None},
]


def all_questions(given: dict[str, Any]) -> set[str]:
    """Return every question of the bank for a fact."""
    fact = claimed_fact(given)
    return {choose(BANK, "v", f"f{n}", fact, "video_qa", 42).question for n in range(200)}


@pytest.mark.parametrize("given", FACTS, ids=lambda given: given["fact_kind"])
def test_no_verb_has_to_agree_with_a_plural(given):
    found = all_questions(given)
    assert len(found) >= 6
    plural = r"(the )?(dogs|things|curtains|boys|girls|walls)\b"
    for question in found:
        assert not re.search(rf"\b(is|does|has|was) {plural}", question), question
        assert not re.search(rf"\b{plural} (is|are|has|have)\b", question), question


@pytest.mark.parametrize(
    ("name", "read"),
    [
        pytest.param("jump of the dog", "the jump of the dog", id="a noun"),
        pytest.param("opening the door", "opening the door", id="a verb"),
        pytest.param("The jump of the dog.", "the jump of the dog", id="with a capital"),
        pytest.param("Anna's jump", "Anna's jump", id="a name"),
    ],
)
def test_an_event_is_named_as_in_a_sentence(name, read):
    given = {"fact_kind": "temporal_relation", "event_a": name, "order": "before", "event_b": "b"}
    for question in all_questions(given):
        assert read in question
        assert f"the {read}" not in question


def test_a_set_loses_its_article_and_a_property_too():
    assert all("the cups" not in question for question in all_questions(FACTS[2]))
    assert all("the the" not in question for question in all_questions(FACTS[3]))
