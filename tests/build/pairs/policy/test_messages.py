"""What each role is sent: all that its gate asks for, nothing that it must not know."""

from __future__ import annotations

import json
from typing import Any

import pytest

from vidomni_plugin.build.pairs.contracts.leaves import CAMERA_CHANGES, LEAVES, NO_CAMERA_CHANGE
from vidomni_plugin.build.pairs.contracts.roles import (
    REPLIES,
    AnswerJudgement,
    Interval,
    Judgement,
    Opportunity,
    OpportunityMatrix,
    ProposedFact,
    RecoverableReason,
    Reflection,
    Role,
)
from vidomni_plugin.build.pairs.policy import messages
from vidomni_plugin.build.pairs.policy.policy import load_policy
from vidomni_plugin.endpoint.schema import strict_schema

POLICY = load_policy()
MEDIA = [{"type": "image_url", "image_url": {"url": "data:,x"}}]
QUESTION, TRUE, FALSE = "What colour has the cup?", "The cup is red.", "The cup is blue."
SCOPE = {"start_sec": 1.0, "end_sec": 2.0}


def fact(kind: str = "attribute_value", **keys: Any) -> ProposedFact:
    keys = keys or {"entity": "the cup", "attribute_key": "colour", "attribute_value": "red"}
    return ProposedFact.model_validate(
        {
            "natural_language_fact": TRUE,
            "time_scope": SCOPE,
            "normalized_fact": {"fact_kind": kind, **keys},
        }
    )


def row(leaf: Any) -> Opportunity:
    rule = LEAVES[leaf]
    return Opportunity(
        leaf_label=leaf,
        fact_kind=rule.kind,
        conflict_slot=rule.slot,
        constructibility="constructible",
        evidence_intervals=[Interval(**SCOPE)],
        anchor_summary="the cup on the table",
        decision_reason="a reason of the planner",
    )


def sent() -> dict[str, list[Any]]:
    """Return what every call sends."""
    form = "direct_complete_sentence"
    scope = Interval(**SCOPE)
    return {
        "plan": messages.plan_messages(POLICY, "v", "video_qa", MEDIA),
        "extract": messages.extract_messages(POLICY, "v", [*map(row, LEAVES)], MEDIA),
        "reflect": messages.reflect_messages(POLICY, fact(), MEDIA),
        "reflect again": messages.reflect_messages(POLICY, fact(), MEDIA, "visible_text"),
        "generate": messages.generate_messages(POLICY, fact(), "video_qa", QUESTION, form),
        "verify": messages.verify_messages(POLICY, QUESTION, TRUE, FALSE),
        "monitor": messages.monitor_messages(POLICY, QUESTION, TRUE, FALSE, scope, MEDIA),
        "monitor again": messages.monitor_messages(
            POLICY, QUESTION, TRUE, FALSE, scope, MEDIA, "visible_text"
        ),
    }


SEE = ("plan", "extract", "reflect", "reflect again", "monitor", "monitor again")


def text_of(sent: Any) -> str:
    return "\n".join(
        part
        for message in sent
        for part in (
            [message["content"]]
            if isinstance(message["content"], str)
            else [one.get("text", "") for one in message["content"]]
        )
    )


def test_all_looks_at_a_video_begin_alike():
    """What a server caches: the memory and the frames, whatever the role."""
    begins = set()
    for name in SEE:
        system, user = sent()[name]
        assert user["content"][: len(MEDIA)] == MEDIA
        assert user["content"][len(MEDIA)]["text"].startswith("role: ")
        begins.add(json.dumps([system, user["content"][: len(MEDIA)]]))
    assert len(begins) == 1


@pytest.mark.parametrize("name", ["generate", "verify"])
def test_a_text_role_gets_text_alone(name):
    system, user = sent()[name]
    assert system["content"].startswith("role: ")
    assert isinstance(user["content"], str)
    with pytest.raises(ValueError, match="text alone"):
        messages._messages(POLICY, Role.VERIFIER, [], MEDIA, {})


REPLY_OF = {"plan": Opportunity, "reflect": Reflection, "monitor": AnswerJudgement}


@pytest.mark.parametrize("name", [*REPLY_OF])
def test_each_key_of_a_reply_is_told(name):
    told = text_of(sent()[name])
    assert [key for key in REPLY_OF[name].model_fields if key not in told] == []


def test_each_key_of_the_judgement_and_each_recoverable_reason_is_told():
    reasons = RecoverableReason.__args__  # type: ignore[attr-defined]
    for name in ("reflect", "monitor"):
        assert [one for one in reasons if one not in text_of(sent()[name])] == []
    assert [key for key in Judgement.model_fields if key not in text_of(sent()["monitor"])] == []


def test_what_a_reviewer_must_not_know_is_not_sent():
    planners = ("a reason of the planner", "the cup on the table")
    for name in ("reflect", "monitor", "verify", "generate"):
        assert not any(said in text_of(sent()[name]) for said in planners)
    for name in ("verify", "monitor"):
        data = text_of(sent()[name][1:])
        told = data[data.index("\n{") + 1 :] if "\n{" in data else data
        keys = set(json.loads(told))
        assert keys <= {"question", "first", "second", "kinds_of_fact", "time_scope"}
    swapped = messages.monitor_messages(POLICY, QUESTION, FALSE, TRUE, Interval(**SCOPE), MEDIA)
    # Only the places of the answers tell one order from the other.
    turned = text_of(swapped).replace(TRUE, "#").replace(FALSE, TRUE).replace("#", FALSE)
    assert turned == text_of(sent()["monitor"])


def test_the_verifier_may_find_that_nothing_changes():
    data = json.loads(sent()["verify"][1]["content"])
    camera = data["kinds_of_fact"][-1]
    assert camera["values"] == {"camera_predicate": [*CAMERA_CHANGES, NO_CAMERA_CHANGE]}
    planned = text_of(sent()["extract"][1:])
    assert NO_CAMERA_CHANGE not in planned


def test_what_was_seen_is_written_before_the_verdict():
    for model in (Reflection, AnswerJudgement):
        keys = list(strict_schema(model)["properties"])
        assert keys.index("evidence_summary") < keys.index("verdict")
    keys = list(strict_schema(Opportunity)["properties"])
    assert keys.index("decision_reason") < keys.index("constructibility")


LIMIT_PROPERTIES, LIMIT_DEPTH = 100, 5
"""The strictest that strict mode ever was."""


@pytest.mark.parametrize("model", REPLIES, ids=lambda model: model.__name__)
def test_the_schemas_are_within_the_limits_of_strict_mode(model):
    schema = strict_schema(model)
    text = json.dumps(schema)
    assert schema["type"] == "object"
    assert not any(f'"{word}":' in text for word in ("oneOf", "allOf", "const", "discriminator"))
    objects = [schema, *schema.get("$defs", {}).values()]
    assert sum(len(one.get("properties", {})) for one in objects) <= LIMIT_PROPERTIES
    assert _depth(schema, schema.get("$defs", {})) <= LIMIT_DEPTH
    facts = [one for one in objects if "fact_kind" in one.get("properties", {})]
    for one in facts:
        if model is not OpportunityMatrix:  # the union is told apart by its first key
            first, how = next(iter(one["properties"].items()))
            assert (first, len(how["enum"])) == ("fact_kind", 1)


def _depth(schema: Any, defs: Any) -> int:
    if "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    inner += [schema["items"]] if "items" in schema else []
    below = max((_depth(one, defs) for one in inner), default=0)
    return below + (schema.get("type") == "object")


def test_a_changed_shape_of_a_reply_is_another_policy(monkeypatch):
    from vidomni_plugin.build.pairs.policy import policy

    monkeypatch.setattr(policy, "REPLIES", REPLIES[1:])
    assert load_policy().digest != POLICY.digest
