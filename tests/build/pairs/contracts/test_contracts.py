"""The taxonomy of the paper and its release, and how strictly facts and replies are read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from vidomni_plugin.build.pairs.contracts.facts import (
    ClaimedFact,
    Interval,
    SourceFact,
    claimed_fact,
    mutated,
    rule_of,
    slot_value,
)
from vidomni_plugin.build.pairs.contracts.leaves import (
    CAMERA_CHANGES,
    LEAVES,
    NO_CAMERA_CHANGE,
    FactKind,
    leaf_of_kind,
)
from vidomni_plugin.build.pairs.contracts.reasons import MEANINGS, Reason
from vidomni_plugin.build.pairs.contracts.roles import (
    SEES_VIDEO,
    BackParse,
    Equivalence,
    ExtractedFacts,
    Generated,
    Judgement,
    OpportunityMatrix,
    Reflection,
    Role,
)
from vidomni_plugin.endpoint import structured
from vidomni_plugin.endpoint.reply import FailureKind
from vidomni_plugin.endpoint.schema import strict_schema

TAXONOMY = """
eeh EntityExistence existence toggle_entity_existence OH
ech EntityCategory category replace_entity_category OH
eqh EntityQuantity count change_entity_count OH
avh AttributeValue attribute_value replace_attribute_value OH
srh StaticRelation relation_predicate invert_static_relation OH
aph ActionPredicate predicate replace_action_predicate DH
trh TemporalRelation order reverse_temporal_order DH
cph CameraPredicate camera_predicate replace_camera_predicate DH
"""
FACTS = {
    "entity_existence": {"entity": "a cup", "existence": True},
    "entity_category": {"entity": "the thing", "category": "cup"},
    "entity_quantity": {"entity_set": "cups", "count": 3},
    "attribute_value": {"entity": "the cup", "attribute_key": "colour", "attribute_value": "red"},
    "static_relation": {"subject": "a cup", "relation_predicate": "on", "object": "the box"},
    "action_predicate": {"subject": "the man", "predicate": "runs", "object": None},
    "temporal_relation": {"event_a": "a jump", "order": "before", "event_b": "a fall"},
    "camera_predicate": {"camera_event": "the shot", "camera_predicate": "zoom_in"},
}
SOURCE, CLAIMED = TypeAdapter(SourceFact), TypeAdapter(ClaimedFact)
KINDS = pytest.mark.parametrize("kind", FACTS)


def test_the_eight_leaves():
    rows = [
        f"{rule.category} {rule.leaf.value} {rule.slot} {rule.operator} "
        f"{'OH' if rule.ontology else 'DH'}"
        for rule in LEAVES.values()
    ]
    assert rows == TAXONOMY.split("\n")[1:-1]
    assert [leaf_of_kind(kind) for kind in FactKind] == list(LEAVES.values())
    assert {kind.value for kind in FactKind} == set(FACTS)


@KINDS
def test_a_fact_has_exactly_the_keys_of_its_kind(kind):
    given_ = {"fact_kind": kind, **FACTS[kind]}
    for adapter in (SOURCE, CLAIMED):
        fact = adapter.validate_json(json.dumps(given_))
        assert fact.model_dump(mode="json") == given_
        assert leaf_of_kind(FactKind(kind)) is rule_of(fact)
        assert slot_value(fact) == FACTS[kind][rule_of(fact).slot]
        for key in given_:
            with pytest.raises(ValidationError):
                adapter.validate_python({k: v for k, v in given_.items() if k != key})
        with pytest.raises(ValidationError):
            adapter.validate_python({**given_, "note": "more"})


@KINDS
def test_names_are_text_that_can_be_seen(kind):
    given_ = {"fact_kind": kind, **FACTS[kind]}
    for key in FACTS[kind]:
        for junk in ("", "  ", 7.5, [], {}, ["a cup"]):
            if key == "attribute_value" and junk == 7.5:
                continue
            with pytest.raises(ValidationError):
                SOURCE.validate_python({**given_, key: junk})


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        *(("entity_existence", value) for value in (1, 0, "true", "yes", None)),
        *(("entity_quantity", value) for value in (-1, 2.5, 2.0, "2", True, 10_001, None)),
        *(("attribute_value", value) for value in (None, "", float("nan"), float("inf"))),
        *(("temporal_relation", value) for value in ("simultaneous", "Before", "during", None)),
        *(("camera_predicate", value) for value in ("stationary", "zoom in", "", None)),
    ],
)
def test_values_that_a_slot_cannot_hold(kind, value):
    fact = claimed_fact({"fact_kind": kind, **FACTS[kind]})
    with pytest.raises(ValidationError):
        mutated(fact, value)


@pytest.mark.parametrize("kind", ["entity_reference", "action_binding", "causal_relation", ""])
def test_kinds_that_are_left_out(kind):
    with pytest.raises(ValidationError):
        claimed_fact({"fact_kind": kind, "entity": "a cup", "existence": True})


def test_no_camera_change_can_be_claimed_and_is_no_source():
    still = {"fact_kind": "camera_predicate", "camera_event": "the shot"}
    for change in CAMERA_CHANGES:
        SOURCE.validate_python({**still, "camera_predicate": change})
    CLAIMED.validate_python({**still, "camera_predicate": NO_CAMERA_CHANGE})
    with pytest.raises(ValidationError):
        SOURCE.validate_python({**still, "camera_predicate": NO_CAMERA_CHANGE})


def test_types_of_an_attribute_are_kept():
    given_ = {"fact_kind": "attribute_value", **FACTS["attribute_value"]}
    for value in (True, False, 1, 0, 1.5, "1", "true"):
        fact = SOURCE.validate_json(json.dumps({**given_, "attribute_value": value}))
        assert type(slot_value(fact)) is type(value)
    # A number too long to be shown is a float, and no digits are written out for it.
    assert type(slot_value(mutated(fact, 10**300))) is float


TIMES = st.integers(0, 12)


@given(TIMES, TIMES, TIMES, TIMES)
def test_overlap_is_more_than_touching(a, b, c, d):
    one, other = Interval(start_sec=a, end_sec=b), Interval(start_sec=c, end_sec=d)
    # Half seconds of the one that are also of the other; a point is itself.
    seconds = [
        {a * 2} if a == b else {2 * s + 1 for s in range(a, b)},
        {c * 2} if c == d else {2 * s + 1 for s in range(c, d)},
    ]
    assert one.overlaps(other) == other.overlaps(one)
    if a != b and c != d:
        assert one.overlaps(other) == bool(seconds[0] & seconds[1])


@pytest.mark.parametrize(
    "value", [-0.1, float("nan"), float("inf"), "later", None, [1], 10**400], ids=str
)
def test_times_that_are_none(value):
    with pytest.raises(ValidationError):
        Interval(start_sec=value, end_sec=5)


REPLIES = [
    OpportunityMatrix,
    ExtractedFacts,
    Reflection,
    Generated,
    BackParse,
    Equivalence,
    Judgement,
]


@pytest.mark.parametrize("model", REPLIES)
def test_a_server_can_enforce_the_shape_of_each_reply(model):
    """Strict mode of an OpenAI-compatible server: closed objects, every field asked for."""

    def objects(schema):
        if isinstance(schema, dict):
            if schema.get("type") == "object":
                yield schema
            for part in schema.values():
                yield from objects(part)
        elif isinstance(schema, list):
            for part in schema:
                yield from objects(part)

    found = list(objects(strict_schema(model)))
    assert found
    for schema in found:
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])


def test_every_reason_has_a_meaning_and_every_failure_of_a_call_a_reason():
    assert set(MEANINGS) == set(Reason)
    codes = {reason.value for reason in Reason}
    assert set(structured.Reason.__args__) <= codes
    infra = {reason for reason, told in MEANINGS.items() if told.kind == "infra"}
    kinds = {kind.value for kind in FailureKind}
    assert {reason.value for reason in infra} <= kinds
    assert all(told.text == told.text.strip(" .") for told in MEANINGS.values())


def test_who_sees_the_video():
    assert {role.value for role in SEES_VIDEO} == {"planner", "extractor", "reflector", "monitor"}
    assert {role.value for role in set(Role) - SEES_VIDEO} == {"generator", "verifier"}
