"""What each role is sent: the memory, the video, the role's own instructions, the task.

Requests about one video begin with the same memory and the same frames, whatever the role, so
that a server which caches what requests begin with reads a video once. Only roles that see the
video get any; a text role's instructions stand in its system message. A reviewer never gets what
another role reported: the functions have no argument for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from vidomni_plugin.build.pairs.contracts.facts import (
    ActionFact,
    AttributeFact,
    CategoryFact,
    ClaimedCameraFact,
    ExistenceFact,
    Fact,
    Interval,
    QuantityFact,
    RelationFact,
    TemporalFact,
    rule_of,
)
from vidomni_plugin.build.pairs.contracts.leaves import (
    CAMERA_CHANGES,
    LEAVES,
    NO_CAMERA_CHANGE,
    FactKind,
)
from vidomni_plugin.build.pairs.contracts.pair import Task
from vidomni_plugin.build.pairs.contracts.roles import (
    SEES_VIDEO,
    Opportunity,
    ProposedFact,
    RecoverableReason,
    Role,
)
from vidomni_plugin.build.pairs.gates.generation import AnswerForm
from vidomni_plugin.build.pairs.gates.verification import Phrases
from vidomni_plugin.build.pairs.policy.policy import Policy
from vidomni_plugin.records import Leaf

__all__ = [
    "Message",
    "Part",
    "compare_messages",
    "extract_messages",
    "generate_messages",
    "monitor_messages",
    "plan_messages",
    "reflect_messages",
    "verify_messages",
]

Part = Mapping[str, Any]
"""One part of a message: text, a picture or a video, as the API takes it."""
Message = Mapping[str, Any]

_SHAPES: dict[FactKind, type[Fact]] = {
    FactKind.ENTITY_EXISTENCE: ExistenceFact,
    FactKind.ENTITY_CATEGORY: CategoryFact,
    FactKind.ENTITY_QUANTITY: QuantityFact,
    FactKind.ATTRIBUTE_VALUE: AttributeFact,
    FactKind.STATIC_RELATION: RelationFact,
    FactKind.ACTION_PREDICATE: ActionFact,
    FactKind.TEMPORAL_RELATION: TemporalFact,
    FactKind.CAMERA_PREDICATE: ClaimedCameraFact,
}
_VALUES: dict[FactKind, list[str]] = {
    FactKind.ENTITY_EXISTENCE: ["true", "false"],
    FactKind.TEMPORAL_RELATION: ["before", "after"],
    FactKind.CAMERA_PREDICATE: [*CAMERA_CHANGES],
}


def plan_messages(
    policy: Policy, video_id: str, task: Task, media: Sequence[Part]
) -> list[Message]:
    """Return what the planner is sent."""
    rules = [
        {
            "leaf_label": rule.leaf.value,
            "fact_kind": rule.kind.value,
            "conflict_slot": rule.slot,
            "search": policy.categorical[rule.leaf]["search"],
        }
        for rule in LEAVES.values()
    ]
    told = {"video_id": video_id, "task_type": task, "leaves": rules}
    return _messages(policy, Role.PLANNER, list(LEAVES), media, told)


def extract_messages(
    policy: Policy, video_id: str, rows: Sequence[Opportunity], media: Sequence[Part]
) -> list[Message]:
    """Return what the extractor is sent: the rows that are constructible, and no others."""
    planned = [
        {
            **row.model_dump(
                mode="json", include={"leaf_label", "evidence_intervals", "anchor_summary"}
            ),
            **_shape(row.fact_kind),
        }
        for row in rows
    ]
    told = {"video_id": video_id, "planned": planned}
    return _messages(policy, Role.EXTRACTOR, list(LEAVES), media, told)


def reflect_messages(
    policy: Policy,
    fact: ProposedFact,
    media: Sequence[Part],
    focused: RecoverableReason | None = None,
) -> list[Message]:
    """Return what the reflector is sent; ``focused`` says why it looks a second time."""
    leaf = rule_of(fact.normalized_fact).leaf
    told = {"leaf_label": leaf.value, "fact": fact.model_dump(mode="json")}
    return _messages(policy, Role.REFLECTOR, list(LEAVES), media, told, focused)


def generate_messages(
    policy: Policy, fact: ProposedFact, task: Task, question: str, form: AnswerForm
) -> list[Message]:
    """Return what the generator is sent: text only."""
    rule = rule_of(fact.normalized_fact)
    told = {
        "leaf_label": rule.leaf.value,
        "task_type": task,
        "source_fact": fact.normalized_fact.model_dump(mode="json"),
        "slot": rule.slot,
        "change": rule.operator,
        "permitted_values": _permitted(rule.kind),
        "question": question,
        "accepted_sentence": fact.natural_language_fact,
        "required_answer_form": form,
    }
    return _messages(policy, Role.GENERATOR, [rule.leaf], (), told)


def verify_messages(policy: Policy, question: str, first: str, second: str) -> list[Message]:
    """Return what the verifier is sent: text only, and no word on what the answers are to be."""
    told = {
        "kinds_of_fact": [_shape(kind, claimed=True) for kind in FactKind],
        "question": question,
        "first": first,
        "second": second,
    }
    return _messages(policy, Role.VERIFIER, list(LEAVES), (), told)


def compare_messages(policy: Policy, question: str, phrases: Sequence[Phrases]) -> list[Message]:
    """Return what the verifier is sent to compare phrases: text only."""
    told = {"question": question, "pairs": [list(pair) for pair in phrases]}
    return _messages(policy, Role.VERIFIER, [], (), told, text="comparer")


def monitor_messages(
    policy: Policy,
    question: str,
    first: str,
    second: str,
    time_scope: Interval,
    media: Sequence[Part],
    focused: RecoverableReason | None = None,
) -> list[Message]:
    """Return what the monitor is sent; it is not told which answer is true, nor the leaf."""
    told = {
        "question": question,
        "first": first,
        "second": second,
        "time_scope": time_scope.model_dump(),
    }
    return _messages(policy, Role.MONITOR, list(LEAVES), media, told, focused)


def _messages(
    policy: Policy,
    role: Role,
    leaves: Sequence[Leaf],
    media: Sequence[Part],
    told: Mapping[str, object],
    focused: RecoverableReason | None = None,
    text: str = "",
) -> list[Message]:
    if media and role not in SEES_VIDEO:
        raise ValueError(f"the {role.value} works with the text alone")
    of_role = [f"role: {role.value}", policy.roles[text or role.value]]
    if focused:
        of_role.append(policy.roles["focused"].format(reason=focused.replace("_", " ")))
    memory = [policy.cognitive, _categories(policy, leaves)]
    data = json.dumps(told, ensure_ascii=False)
    if not media:
        return [_system([*of_role[:1], *memory, *of_role[1:]]), {"role": "user", "content": data}]
    content = [*media, _text(_joined(of_role)), _text(data)]
    return [_system(memory), {"role": "user", "content": content}]


def _system(blocks: Sequence[str]) -> Message:
    return {"role": "system", "content": _joined(blocks)}


def _joined(blocks: Sequence[str]) -> str:
    return "\n\n".join(block.strip() for block in blocks if block)


def _text(text: str) -> Part:
    return {"type": "text", "text": text}


def _categories(policy: Policy, leaves: Sequence[Leaf]) -> str:
    blocks = []
    for leaf in leaves:
        rule = LEAVES[leaf]
        texts = policy.categorical[leaf]
        lines = [f"{leaf.value} (kind {rule.kind.value}, slot {rule.slot})"]
        lines += [f"- {key.replace('_', ' ')}: {text}" for key, text in texts.items()]
        blocks.append("\n".join(lines))
    return "The leaves:\n\n" + "\n\n".join(blocks) if blocks else ""


def _shape(kind: FactKind, *, claimed: bool = False) -> dict[str, object]:
    keys = [key for key in _SHAPES[kind].model_fields if key != "fact_kind"]
    values = _permitted(kind) if claimed else _VALUES.get(kind)
    slot = next(rule.slot for rule in LEAVES.values() if rule.kind is kind)
    permitted = {"values": {slot: values}} if values else {}
    return {"fact_kind": kind.value, "keys": keys, **permitted}


def _permitted(kind: FactKind) -> list[str] | None:
    if kind is FactKind.CAMERA_PREDICATE:
        return [*CAMERA_CHANGES, NO_CAMERA_CHANGE]
    return _VALUES.get(kind)
