"""Three calls, and each reply that is not what was asked for: never a fact, never a score."""

from __future__ import annotations

import pytest

from vidomni_plugin.models.detectors.fifa.chain import chain_of
from vidomni_plugin.models.detectors.fifa.heard import Heard, NotHeard

GOOD = {
    "facts": "1 | There is a dog.\n2 | The dog runs.",
    "questions": "1 | Is there a dog?\n2 | Does the dog run?",
    "parents": "1 | 0\n2 | 1",
}


def chain(**replies):
    said = {**GOOD, **replies}
    asked = []

    def ask(role, messages):
        asked.append((role, messages[-1]["content"]))
        reply = said[role]
        return reply if isinstance(reply, NotHeard) else Heard(reply)

    return chain_of("A dog runs.", ask), asked


def test_good():
    found, asked = chain()
    assert found.status == ""
    assert found.facts == {1: "There is a dog.", 2: "The dog runs."}
    assert found.questions == {1: "Is there a dog?", 2: "Does the dog run?"}
    assert found.parents == {1: (), 2: (1,)}
    assert [role for role, _ in asked] == ["facts", "questions", "parents"]
    assert asked[0][1] == "Text: A dog runs."
    assert asked[1][1] == asked[2][1] == f"Text: A dog runs.\nFacts:\n{GOOD['facts']}"


def test_rows_in_a_fence_and_in_any_order():
    found, _ = chain(questions="```\n2 | Does the dog run?\n\n1 | Is there a dog?\n```")
    assert found.status == ""
    assert found.questions[1] == "Is there a dog?"


@pytest.mark.parametrize(
    ("replies", "status", "part", "calls"),
    [
        ({"facts": "0 | none"}, "no_facts", "no fact", 1),
        ({"facts": "0 | None."}, "no_facts", "no fact", 1),
        ({"facts": " "}, "unreadable", "facts: the reply is empty", 1),
        ({"facts": "I cannot see a video."}, "unreadable", "without a number", 1),
        ({"facts": "0 | none\n1 | There is a dog."}, "unreadable", "number 0", 1),
        ({"facts": "1 | A dog.\n1 | A cat."}, "unreadable", "two rows", 1),
        ({"questions": "1 | Is there a dog?"}, "unreadable", "questions: no row for fact 2", 2),
        ({"questions": GOOD["questions"] + "\n3 | A cat?"}, "unreadable", "a row for 3", 2),
        ({"questions": "1 - Is there a dog?"}, "unreadable", "without a number", 2),
        ({"parents": "1 | 0\n2 | the dog"}, "unreadable", "no numbers", 3),
        ({"parents": "1 | 0\n2 | 7"}, "unreadable", "rests on 7", 3),
        ({"parents": "1 | 0"}, "unreadable", "no row for fact 2", 3),
        ({"parents": "1 |\n2 | 1"}, "unreadable", "without a text", 3),
    ],
)
def test_what_cannot_be_used_ends_the_chain(replies, status, part, calls):
    found, asked = chain(**replies)
    assert (found.status, found.again, len(asked)) == (status, False, calls)
    assert part in found.message
    assert not found.parents


@pytest.mark.parametrize("role", list(GOOD))
@pytest.mark.parametrize("again", [True, False])
def test_a_failed_call_ends_the_chain(role, again):
    found, asked = chain(**{role: NotHeard("timeout", "no answer in time", again)})
    assert (found.status, found.message, found.again) == (
        "timeout",
        f"{role}: no answer in time",
        again,
    )
    assert asked[-1][0] == role
    assert role not in found.replies
