"""From replies to a score: every case of the public code, and every way to have none."""

from __future__ import annotations

import pytest

from tests.detectors.case_files import table
from vidomni_plugin.detectors.facts import score_facts, yes_or_no
from vidomni_plugin.models.detectors.fifa.chain import chain_of
from vidomni_plugin.models.detectors.fifa.heard import Heard, NotHeard
from vidomni_plugin.models.detectors.fifa.verdict import judged

CASES = [pytest.param(case, id=case["name"]) for case in table("fifa")["cases"]]


def run(facts, questions, parents, replies, *, published=True):
    said = {"facts": facts, "questions": questions, "parents": parents}
    chain = chain_of("A text.", lambda role, messages: Heard(said[role], 10, 4, 2, 0.5))
    outcomes = {
        number: replies[question]
        if isinstance(replies[question], NotHeard)
        else Heard(replies[question], 100, 0, 1, 0.25)
        for number, question in chain.questions.items()
        if not chain.status
    }
    return judged(chain, outcomes, published=published)


@pytest.mark.parametrize("case", CASES)
def test_the_published_score_stands_beside(case):
    replies = {**dict.fromkeys(_questions(case), "No."), **case["answers"]}
    one = run(case["tuples"], case["questions"], case["dependencies"], replies).scored
    if one.detail["published"] is None:  # ours stopped where the public code asks on
        assert one.score is None
        assert not case["error_path"] or not case["tuples"].strip()
        return
    assert one.detail["published"] == pytest.approx(case["authors"]["average_score"], abs=1e-12)
    if case["error_path"]:
        # Where the public code gives 1 for what it cannot read, ours reads it or has no score.
        assert one.score is None or one.score < 1


@pytest.mark.parametrize("case", CASES)
def test_our_score_is_that_of_the_formula_or_none(case):
    replies = {**dict.fromkeys(_questions(case), "No."), **case["answers"]}
    one = run(case["tuples"], case["questions"], case["dependencies"], replies).scored
    if one.score is None:
        assert one.detail["status"] in {"unreadable", "unclear", "no_facts"}
        return
    facts = one.detail["facts"]
    expected = score_facts(
        {row["number"]: yes_or_no(replies[row["question"]]) for row in facts},
        {row["number"]: row["parents"] for row in facts},
    )
    assert one.score == expected.score
    assert one.detail["without_dependencies"] == expected.without_dependencies
    assert {row["number"]: row["counts"] for row in facts} == dict(expected.per_fact)


def _questions(case):
    return [line.partition("|")[2].strip() for line in case["questions"].splitlines()]


FACTS = "1 | There is a dog.\n2 | The dog runs."
QUESTIONS = "1 | Is there a dog?\n2 | Does the dog run?"
PARENTS = "1 | 0\n2 | 1"


def test_a_child_falls_with_its_parent():
    replies = {"Is there a dog?": "No.", "Does the dog run?": "Yes."}
    one = run(FACTS, QUESTIONS, PARENTS, replies).scored
    assert (one.score, one.detail["without_dependencies"], one.detail["published"]) == (0, 0.5, 0)
    assert one.detail["facts"][1] == {
        "number": 2,
        "fact": "The dog runs.",
        "question": "Does the dog run?",
        "parents": [1],
        "reply": "Yes.",
        "verdict": True,
        "counts": 0.0,
    }
    assert one.detail["taken"] == {
        "calls": 5,
        "input": 230,
        "cached": 12,
        "output": 8,
        "cost": 2.0,
        "uncounted": 0,
    }


def test_a_reply_that_says_neither_yes_nor_no_is_no_verdict():
    replies = {"Is there a dog?": "Yes.", "Does the dog run?": "The eyes are closed."}
    found = run(FACTS, QUESTIONS, PARENTS, replies)
    assert found.scored.score is None
    assert not found.again
    assert found.scored.detail["status"] == "unclear"
    assert found.scored.detail["facts"][1]["verdict"] is None
    assert found.scored.detail["published"] == 1  # "eyes" counts there


def test_thinking_of_a_model_is_no_part_of_what_it_says():
    thought = "<think>1 | no row\nIs it there? No, not at first. Yes.</think>\n\n"
    replies = {"Is there a dog?": f"{thought}Yes.", "Does the dog run?": f"{thought}No."}
    one = run(*(thought + rows for rows in (FACTS, QUESTIONS, PARENTS)), replies).scored
    assert one.score == 0.5
    assert [row["reply"] for row in one.detail["facts"]] == ["Yes.", "No."]


def test_thinking_that_never_ends_says_nothing():
    replies = {"Is there a dog?": "<think>Yes, there", "Does the dog run?": "Yes."}
    detail = run(FACTS, QUESTIONS, PARENTS, replies).scored.detail
    assert (detail["status"], detail["facts"][0]["verdict"]) == ("unclear", None)
    assert detail["facts"][0]["reply"] == "<think>Yes, there"
    assert run(f"<think>{FACTS}", "", "", {}).scored.detail["status"] == "unreadable"


@pytest.mark.parametrize("again", [True, False])
def test_a_question_without_a_reply(again):
    failed = NotHeard("timeout", "no answer in time", again)
    replies = {"Is there a dog?": "Yes.", "Does the dog run?": failed}
    found = run(FACTS, QUESTIONS, PARENTS, replies)
    assert (found.scored.score, found.again) == (None, again)
    assert found.scored.detail["status"] == "timeout"
    assert found.scored.detail["error"] == "question 2: no answer in time"
    assert found.scored.detail["published"] is None
    assert found.scored.detail["facts"][1]["failed"] == "timeout"


def test_what_another_run_can_mend_comes_before_what_it_cannot():
    replies = {
        "Is there a dog?": NotHeard("refused", "the model refuses", again=False),
        "Does the dog run?": NotHeard("rate_limited", "status 429", again=True),
    }
    found = run(FACTS, QUESTIONS, PARENTS, replies)
    assert (found.again, found.scored.detail["status"]) == (True, "rate_limited")


def test_without_the_setting_there_is_no_published_score():
    replies = {"Is there a dog?": "Yes.", "Does the dog run?": "yes"}
    one = run(FACTS, QUESTIONS, PARENTS, replies, published=False).scored
    assert one.score == 1
    assert "published" not in one.detail


def test_unreadable_rows_that_the_public_code_takes_for_full_support():
    one = run(FACTS, QUESTIONS, "1 | none\n2 | 1", {}).scored
    assert (one.score, one.detail["status"], one.detail["published"]) == (None, "unreadable", 1)


def test_rows_that_only_the_public_code_would_take():
    one = run(FACTS, QUESTIONS, "1 | 0\n2 | 1\n3 | 0", {}).scored
    assert (one.score, one.detail["status"], one.detail["published"]) == (None, "unreadable", None)
