"""Where two answers may differ, and how a text must be written."""

from __future__ import annotations

import pytest

from vidomni_plugin.build.pairs.contracts.facts import claimed_fact, mutated
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.reasons import Reason
from vidomni_plugin.build.pairs.contracts.roles import Generated
from vidomni_plugin.build.pairs.gates.generation import realized
from vidomni_plugin.build.pairs.gates.texts import on_one_line
from vidomni_plugin.build.pairs.gates.wording import changes_elsewhere, denies

SLOTS = {
    "entity_existence": ("entity", "existence"),
    "entity_category": ("entity", "category"),
    "entity_quantity": ("entity_set", "count"),
    "action_predicate": ("subject", "predicate"),
    "attribute_value": ("entity", "attribute_value"),
}


def fact(kind, value):
    anchor, slot = SLOTS[kind]
    given = {"fact_kind": kind, anchor: "what it is about", slot: value}
    given |= {"object": None} if kind == "action_predicate" else {}
    given |= {"attribute_key": "look"} if kind == "attribute_value" else {}
    return claimed_fact(given)


SLOT_ALONE = [
    ("action_predicate", "picks up", "puts down", "He picks it up.", "He puts it down."),
    ("action_predicate", "takes off", "puts on", "She takes her hat off.", "She puts her hat on."),
    ("action_predicate", "opens", "paints", "She opens the door.", "She is painting the door."),
    ("entity_quantity", 2, 1, "Two dogs run and they bark.", "One dog runs and it barks."),
    ("entity_quantity", 1, 4, "There is one man in the room.", "There are four men in the room."),
    ("entity_category", "cat", "owl", "A cat is the pet here.", "An owl is the pet here."),
    ("entity_existence", True, False, "Yes, a lamp is here.", "No, there is no lamp here."),
    ("entity_existence", True, False, "Yes, there is a lamp.", "No, a lamp is not visible."),
    ("entity_existence", True, False, "Yes, dogs appear.", "No, dogs do not appear at all."),
    ("entity_existence", False, True, "No, there isn't any dog here.", "Yes, a dog is here."),
]
MORE = [
    (
        "attribute_value",
        "red",
        "blue",
        "The red cup is by a red box.",
        "The blue cup is by a blue box.",
    ),
    ("action_predicate", "picks up", "puts down", "He picks the box up.", "She puts the box down."),
    ("action_predicate", "opens", "closes", "A man opens a door.", "A woman closes a gate."),
    ("action_predicate", "runs", "sleeps", "A girl on a beach runs.", "A girl on a pier sleeps."),
    ("entity_quantity", 2, 3, "Two dogs see two cats.", "Three dogs see three cats."),
    ("entity_existence", True, False, "Yes, a lamp is here.", "No, there is no lamp in the hall."),
    (
        "entity_existence",
        True,
        False,
        "Yes, a red lamp is in view.",
        "No, a blue lamp is not in view.",
    ),
]


@pytest.mark.parametrize(("kind", "true", "false", "answer", "other"), SLOT_ALONE)
def test_places_of_one_slot(kind, true, false, answer, other):
    source = fact(kind, true)
    assert changes_elsewhere(answer, other, source, mutated(source, false)) == []
    assert changes_elsewhere(other, answer, mutated(source, false), source) == []


@pytest.mark.parametrize(("kind", "true", "false", "answer", "other"), MORE)
def test_more_than_the_slot(kind, true, false, answer, other):
    source = fact(kind, true)
    assert changes_elsewhere(answer, other, source, mutated(source, false))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No, there is a cup.", False),
        ("Yes, no cup is there.", True),
        ("The cup isn\u2019t there.", True),
        ("The cup is missing.", True),
        ("The knot is there.", False),
    ],
)
def test_denials(text, expected):
    assert denies(text) is expected


@pytest.mark.parametrize(
    ("true", "given", "found"),
    [
        (4, "7", 7),
        (4, " 7 ", 7),
        (4, 7.0, 7),
        (4, "seven", None),
        (4, "7.5", None),
        (4, "\u0667", None),
        (4, "9" * 5000, None),
        (4, True, None),
        (4, 10_001, None),
        (True, "false", False),
        (True, 0, None),
        (True, "absent", None),
    ],
)
def test_values_that_a_model_writes_as_text(true, given, found):
    """A server in strict mode may return a number as text; nothing else is read into it."""
    source = fact("entity_quantity" if type(true) is int else "entity_existence", true)
    answers = ("There are four cups.", "There are not some cups.")
    reply = Generated(
        replacement_value=given, question="q?", answer=answers[0], counterfactual_answer=answers[1]
    )
    end = realized(reply, source, answers[0], "q?", "video_captioning")
    if found is None:
        assert isinstance(end, Reject)
        assert end.reason is Reason.REPLACEMENT_INVALID
    else:
        assert getattr(end, "count", getattr(end, "existence", None)) is found


@pytest.mark.parametrize(
    "text",
    [
        *("", "A cup.\n", " A cup.", "A\tcup.", "A\u2028cup.", "A \u202ecup.", "A\u0000cup."),
        *("A \u200bcup.", "x" * 101),
    ],
)
def test_texts_that_are_no_line(text):
    assert on_one_line(text, 100) is (text == "")


@pytest.mark.parametrize(
    "text", ["A caf\u00e9.", "\u65e5\u672c\u3002", "\U0001f468\u200d\U0001f469 smile."]
)
def test_texts_of_any_script(text):
    assert on_one_line(text, 100)
