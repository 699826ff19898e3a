"""Which names of a fact give its slot away, and which words of them belong to something else."""

from __future__ import annotations

import pytest

from vidomni_plugin.build.pairs.contracts.facts import claimed_fact
from vidomni_plugin.build.pairs.contracts.leaves import FactKind
from vidomni_plugin.build.pairs.gates.leaks import leaks

KEYS = {
    FactKind.ENTITY_EXISTENCE: ("entity", "existence"),
    FactKind.ENTITY_CATEGORY: ("entity", "category"),
    FactKind.ENTITY_QUANTITY: ("entity_set", "count"),
    FactKind.ATTRIBUTE_VALUE: ("entity", "attribute_key", "attribute_value"),
    FactKind.STATIC_RELATION: ("subject", "relation_predicate", "object"),
    FactKind.ACTION_PREDICATE: ("subject", "predicate", "object"),
    FactKind.TEMPORAL_RELATION: ("event_a", "order", "event_b"),
    FactKind.CAMERA_PREDICATE: ("camera_event", "camera_predicate"),
}
LEAKING = [
    ("entity_category", "the cat on the mat", "cat"),
    ("entity_category", "the running dogs", "dog"),
    ("entity_quantity", "the two cups", 2),
    ("entity_quantity", "2 cups on the table", 2),
    ("entity_quantity", "both cups", 2),
    ("entity_quantity", "the only cup", 1),
    ("entity_quantity", "a dozen eggs", 12),
    ("attribute_value", "the red cup", "colour", "red"),
    ("attribute_value", "the man in the red shirt", "shirt colour", "red"),
    ("attribute_value", "the man by the door in the red shirt", "shirt colour", "red"),
    ("attribute_value", "the cup", "red colour", "red"),
    ("attribute_value", "the door that is open", "state", "open"),
    ("attribute_value", "the sign with the number 7", "number", 7),
    ("static_relation", "the cup on the left", "left of", "the plate"),
    ("static_relation", "the left cup", "left", "the plate"),
    ("static_relation", "the cup", "above", "the plate below"),
    ("static_relation", "the book in the box", "inside", "the box"),
    ("static_relation", "the cup", "on", "the plate under the cup"),
    ("static_relation", "the lamp left of the sofa", "to the left of", "the sofa"),
    ("action_predicate", "the man opening the door", "opens", "the door"),
    ("action_predicate", "the runner", "lights", "the lit torch that lights the way"),
    ("action_predicate", "the man turning on the lamp", "turns on", None),
    ("temporal_relation", "the man sits down first", "before", "the bell rings"),
    ("temporal_relation", "the man sits down", "before", "then the bell rings"),
    ("temporal_relation", "the man sits down after lunch", "before", "the bell rings"),
    ("camera_predicate", "the zoom on the face", "zoom_in"),
    ("camera_predicate", "the moment when the camera pans over the crowd", "pan_left"),
    ("camera_predicate", "the pan to the left", "pan_left"),
    ("camera_predicate", "the cut to the garden", "cut"),
    ("camera_predicate", "the refocusing on the hand", "focus_change"),
]
NOT_LEAKING = [
    ("entity_existence", "a cat", True),
    ("entity_category", "the thing next to the cat", "cat"),
    ("entity_category", "the pet of the catering firm", "cat"),
    ("entity_quantity", "cups on the two tables", 2),
    ("entity_quantity", "pairs of gloves", 2),
    ("entity_quantity", "dogs", 1),
    ("attribute_value", "the cup on the red mat", "colour", "red"),
    ("attribute_value", "the hundred cups", "colour", "red"),
    ("attribute_value", "the true copy", "is open", True),
    ("static_relation", "the cup in the man's left hand", "left of", "the plate"),
    ("static_relation", "the cup right of the vase", "left of", "the plate"),
    ("static_relation", "the lamp", "above", "the shelf above the sink"),
    ("static_relation", "the book on the table", "left of", "the plate on the table"),
    ("static_relation", "the book on the table", "on", "the newspaper"),
    ("action_predicate", "the man next to the running dog", "runs", None),
    ("action_predicate", "the girl on the stage", "jumps", "the rope"),
    ("temporal_relation", "the dog runs after the ball", "before", "the boy looks after it"),
    ("temporal_relation", "a man following a dog sits down", "after", "the bell rings"),
    ("camera_predicate", "the shot of the man cutting bread", "cut"),
    ("camera_predicate", "the view of the frying pan", "pan_left"),
    ("camera_predicate", "the shot of the street", "zoom_in"),
]


def fact(kind, *values):
    return claimed_fact({"fact_kind": kind, **dict(zip(KEYS[FactKind(kind)], values, strict=True))})


@pytest.mark.parametrize("given", LEAKING, ids=str)
def test_leaks(given):
    assert leaks(fact(*given))


@pytest.mark.parametrize("given", NOT_LEAKING, ids=str)
def test_does_not_leak(given):
    assert leaks(fact(*given)) == ""
