"""A model that plays all six roles well: what it says follows from the video's id alone.

``reply(seen)`` answers a request of the scripted server. A test that wants a fault gives the
server another act for one role, item or turn, and this for all others.
"""

from __future__ import annotations

import hashlib
import json
from itertools import product
from typing import Any

from tests.endpoint.scripted import Act, Seen, says
from vidomni_plugin.build.pairs.contracts.leaves import LEAVES, FactKind
from vidomni_plugin.records import Leaf

__all__ = ["facts_of", "reply", "task_of", "told"]

COLOURS = ("red", "blue", "green", "white")
ANIMALS = ("dog", "cat", "horse", "cow")
VERBS = ("opens", "lifts", "paints", "washes")


def told(seen: Seen) -> dict[str, Any]:
    """Return the task data that a request ends with."""
    content = seen.request["messages"][1]["content"]
    texts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
    data = next(text for text in texts if text.startswith("{"))
    return json.loads(data.split("\n\nAnswer with one JSON object")[0])


def task_of(seen: Seen) -> str:
    """Return the role, with the verifier's two tasks told apart."""
    return "compare" if "pairs" in told(seen) else seen.role


def facts_of(video_id: str) -> dict[Leaf, dict[str, Any]]:
    """Return the facts of a video: all eight leaves, drawn by its id."""
    drawn = hashlib.sha256(video_id.encode()).digest()
    colour, animal, verb = COLOURS[drawn[0] % 4], ANIMALS[drawn[1] % 4], VERBS[drawn[2] % 4]
    count = drawn[3] % 5 + 2
    sentences = {
        Leaf.ENTITY_EXISTENCE: (
            "A lamp stands in the room.",
            {"entity": "a lamp", "existence": True},
        ),
        Leaf.ENTITY_CATEGORY: (
            f"The thing on the mat is a {animal}.",
            {"entity": "the thing on the mat", "category": animal},
        ),
        Leaf.ENTITY_QUANTITY: (
            f"There are {count} plates on the shelf.",
            {"entity_set": "plates on the shelf", "count": count},
        ),
        Leaf.ATTRIBUTE_VALUE: (
            f"The cup is {colour}.",
            {"entity": "the cup", "attribute_key": "colour", "attribute_value": colour},
        ),
        Leaf.STATIC_RELATION: (
            "The book is inside the box.",
            {"subject": "the book", "relation_predicate": "inside", "object": "the box"},
        ),
        Leaf.ACTION_PREDICATE: (
            f"The woman {verb} the door.",
            {"subject": "the woman", "predicate": verb, "object": "the door"},
        ),
        Leaf.TEMPORAL_RELATION: (
            "The bell rings before the boy sits down.",
            {"event_a": "the bell rings", "order": "before", "event_b": "the boy sits down"},
        ),
        Leaf.CAMERA_PREDICATE: (
            "The shot of the garden shows a zoom in.",
            {"camera_event": "the shot of the garden", "camera_predicate": "zoom_in"},
        ),
    }
    return {
        leaf: {
            "natural_language_fact": sentence,
            "time_scope": {"start_sec": 0.1, "end_sec": 0.8},
            "normalized_fact": {"fact_kind": LEAVES[leaf].kind.value, **fact},
        }
        for leaf, (sentence, fact) in sentences.items()
    }


def false_value(fact: dict[str, Any]) -> Any:
    """Return a false value for the slot of a normalised fact."""
    rule = next(rule for rule in LEAVES.values() if rule.kind.value == fact["fact_kind"])
    value = fact[rule.slot]
    choices: dict[FactKind, Any] = {
        FactKind.ENTITY_EXISTENCE: not value,
        FactKind.ENTITY_CATEGORY: "parrot",
        FactKind.ENTITY_QUANTITY: 9,
        FactKind.ATTRIBUTE_VALUE: "yellow",
        FactKind.STATIC_RELATION: "outside",
        FactKind.ACTION_PREDICATE: "kicks",
        FactKind.TEMPORAL_RELATION: "after",
        FactKind.CAMERA_PREDICATE: "pan_left",
    }
    return choices[rule.kind]


def _words(value: object) -> str:
    return str(value).replace("_", " ")


def _plan(seen: Seen) -> dict[str, Any]:
    rows = [
        {
            "leaf_label": rule.leaf.value,
            "fact_kind": rule.kind.value,
            "conflict_slot": rule.slot,
            "constructibility": "constructible",
            "evidence_intervals": [{"start_sec": 0.0, "end_sec": 0.9}],
            "anchor_summary": "what is in view",
            "decision_reason": "it is clearly seen",
        }
        for rule in LEAVES.values()
    ]
    return {"video_id": told(seen)["video_id"], "opportunities": rows}


def _extract(seen: Seen) -> dict[str, Any]:
    data = told(seen)
    facts = facts_of(data["video_id"])
    return {"facts": [facts[Leaf(row["leaf_label"])] for row in data["planned"]]}


def _reflect(seen: Seen) -> dict[str, Any]:
    return {
        "verdict": "supported",
        "unique_grounding": True,
        "leaf_correct": True,
        "mutation_viable": True,
        "evidence_interval": {"start_sec": 0.1, "end_sec": 0.8},
        "evidence_summary": "seen in the middle of the video",
        "recoverable_reason": None,
    }


def _generate(seen: Seen) -> dict[str, Any]:
    data = told(seen)
    fact, sentence = data["source_fact"], data["accepted_sentence"]
    value = false_value(fact)
    if data["required_answer_form"] == "polar_explained_sentence":
        answer, other = "Yes, a lamp is in the room.", "No, a lamp is not in the room."
    elif fact["fact_kind"] == "entity_existence":
        answer, other = sentence, sentence.replace("stands", "never stands")
    else:
        answer = sentence
        other = sentence.replace(_words(fact[data["slot"]]), _words(value))
    return {
        "replacement_value": value,
        "question": data["question"],
        "answer": answer,
        "counterfactual_answer": other,
    }


def _claim(answer: str) -> dict[str, Any]:
    """Read an answer as the verifier does: from its words alone."""
    words = answer.rstrip(".")
    if "lamp" in words:
        denied = " not " in words or " never " in words
        return {"fact_kind": "entity_existence", "entity": "a lamp", "existence": not denied}
    for video in product(range(4), range(4), range(4)):
        colour, animal, verb = COLOURS[video[0]], ANIMALS[video[1]], VERBS[video[2]]
        for said in (animal, "parrot"):
            if words == f"The thing on the mat is a {said}":
                return {
                    "fact_kind": "entity_category",
                    "entity": "the thing on the mat",
                    "category": said,
                }
        for said in (colour, "yellow"):
            if words == f"The cup is {said}":
                return {
                    "fact_kind": "attribute_value",
                    "entity": "cup",
                    "attribute_key": "colour",
                    "attribute_value": said,
                }
        for said in (verb, "kicks"):
            if words == f"The woman {said} the door":
                return {
                    "fact_kind": "action_predicate",
                    "subject": "the woman",
                    "predicate": said,
                    "object": "the door",
                }
    if "plates" in words:
        return {
            "fact_kind": "entity_quantity",
            "entity_set": "the plates on the shelf",
            "count": int(words.split()[2]),
        }
    if "book" in words:
        return {
            "fact_kind": "static_relation",
            "subject": "the book",
            "relation_predicate": "inside" if "inside" in words else "outside",
            "object": "the box",
        }
    if "bell" in words:
        return {
            "fact_kind": "temporal_relation",
            "event_a": "the bell rings",
            "order": "before" if " before " in words else "after",
            "event_b": "the boy sits down",
        }
    return {
        "fact_kind": "camera_predicate",
        "camera_event": "the shot of the garden",
        "camera_predicate": "zoom_in" if "zoom in" in words else "pan_left",
    }


def _verify(seen: Seen) -> dict[str, Any]:
    data = told(seen)
    return {
        "first": {"claims": [_claim(data["first"])]},
        "second": {"claims": [_claim(data["second"])]},
        "can_both_be_true": False,
    }


def _compare(seen: Seen) -> dict[str, Any]:
    return {"same": [True for _ in told(seen)["pairs"]]}


FALSE_WORDS = (
    *("parrot", "yellow", "kicks", "outside", " 9 ", " after ", "pan left"),
    *(" not ", " never "),
)


def _judgement(answer: str) -> dict[str, Any]:
    false = any(word in answer for word in FALSE_WORDS)
    return {
        "verdict": "contradicted" if false else "supported",
        "true_elsewhere": False,
        "other_errors": 0,
        "evidence_interval": {"start_sec": 0.1, "end_sec": 0.8},
        "evidence_summary": "seen in the middle of the video",
    }


def _monitor(seen: Seen) -> dict[str, Any]:
    data = told(seen)
    kind = _claim(data["first"])["fact_kind"]
    leaf = next(rule.leaf.value for rule in LEAVES.values() if rule.kind.value == kind)
    return {
        "first": _judgement(data["first"]),
        "second": _judgement(data["second"]),
        "differs_in": leaf,
        "single_difference": True,
        "recoverable_reason": None,
    }


PARTS = {
    "planner": _plan,
    "extractor": _extract,
    "reflector": _reflect,
    "generator": _generate,
    "verifier": _verify,
    "compare": _compare,
    "monitor": _monitor,
}


def content(seen: Seen) -> dict[str, Any]:
    """Return a good reply as data, for a test that changes it."""
    return PARTS[task_of(seen)](seen)


def reply(seen: Seen) -> Act:
    """Answer a request well."""
    return says(json.dumps(content(seen)), tokens=(1000, 0, 100))
