"""FIFA's score: the public code's own numbers, and ours, which guesses nothing."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.detectors.case_files import table
from vidomni_plugin.detectors.facts import (
    Unreadable,
    published_score,
    read_parents,
    read_rows,
    score_facts,
    yes_or_no,
)

CASES = [pytest.param(case, id=case["name"]) for case in table("fifa")["cases"]]
OTHER_RULE = {
    "chain_reversed_order_does_not_propagate": 0.0,  # a fact falls with any ancestor
}
"""Readable cases in which our score is another one, on purpose."""
NOT_SAID = {"substring_yes_in_eyes", "yes_no_mixed_answer"}
"""Cases with a reply that says neither yes nor no."""


@pytest.mark.parametrize("case", CASES)
def test_published_numbers(case):
    found = published_score(case["questions"], case["dependencies"], case["answers"])
    expected = case["authors"]
    assert found.score == pytest.approx(expected["average_score"], abs=1e-12)
    assert found.without_dependencies == pytest.approx(expected["average_score_without_dep"])
    assert {str(k): v for k, v in found.per_fact.items()} == expected["per_question"]
    assert {str(k): v for k, v in found.valid.items()} == expected["valid"]
    assert found.failed == case["error_path"]


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_read_has_no_score_of_ours(case):
    def ours():
        asked = read_rows(case["questions"])
        said = {
            number: yes_or_no(case["answers"].get(text, "No.")) for number, text in asked.items()
        }
        return said, read_parents(case["dependencies"])

    name = case["name"]
    if name in {"code_fence_questions_raise", "question_with_extra_bar_raises"}:
        # Neither a fence around rows nor a bar in a question is a fault for us.
        assert score_facts(*ours()).score == 0
        return
    if case["error_path"] and name != "missing_parent_raises":
        with pytest.raises(Unreadable):
            ours()
        return
    if name == "non_numeric_parent_filtered":
        with pytest.raises(Unreadable, match="no numbers: '2, background'"):
            ours()
        return
    said, parents = ours()
    if name in NOT_SAID:
        assert None in said.values()
    elif name == "missing_parent_raises":
        with pytest.raises(Unreadable, match="a parent that is no fact: 9"):
            score_facts(said, parents)
    else:
        expected = OTHER_RULE.get(name, case["authors"]["average_score"])
        assert score_facts(said, parents).score == pytest.approx(expected)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("Yes.", True),
        ("**No**, it is not.", False),
        ("no yes", False),
        ("Yes or no: yes.", None),
        ("Yes/no?", None),
        ("yes, or no.", None),
        ("Yes, or so it seems.", True),
        ("The answer is yes.", True),
        ("It is not there, so: No.", False),
        ("Yesterday it was.", None),
        ("I know nothing.", None),
        ("either yes or no", None),
        ("", None),
        ("The eyes are closed.", None),
    ],
)
def test_yes_or_no(reply, said):
    assert yes_or_no(reply) is said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no row"),
        ("```\n```", "no row"),
        ("a dog", "without a number"),
        ("-1 | a dog", "without a number"),
        ("1 | ", "without a text"),
        ("1 | a\n1 | b", "two rows with the number 1"),
        ("1234567 | a", "without a text"),
        ("\n".join(f"{k} | a" for k in range(1002)), "more than 1000 rows"),
    ],
)
def test_rows_that_are_none(text, message):
    with pytest.raises(Unreadable, match=message):
        read_rows(text)


def test_a_fact_that_was_not_verified_has_no_score():
    with pytest.raises(Unreadable, match="fact 2 was neither"):
        score_facts({1: True, 2: None, 3: None}, {})


def test_a_bar_in_a_fact_is_part_of_it():
    assert read_rows("1 | attribute | red") == {1: "attribute | red"}


@st.composite
def graphs(draw):
    said = dict(enumerate(draw(st.lists(st.booleans(), min_size=1, max_size=8)), 1))
    numbers = st.integers(0, len(said))
    return said, draw(st.dictionaries(st.sampled_from(list(said)), st.lists(numbers, max_size=3)))


@settings(max_examples=150, deadline=None)
@given(graph=graphs(), seed=st.integers(0, 99))
def test_any_graph(graph, seed):
    said, parents = graph
    found = score_facts(said, parents)
    assert 0 <= found.score <= found.without_dependencies <= 1
    for fact, counts in found.per_fact.items():
        assert bool(counts) == all(said[other] for other in _rests_on(fact, parents))
    rows = list(parents.items())
    random.Random(seed).shuffle(rows)
    assert score_facts(said, dict(rows)).score == found.score
    # With parents before children the published walk comes to the same.
    forward = {fact: [p for p in listed if p < fact] for fact, listed in sorted(parents.items())}
    walked = published_score(
        "\n".join(f"{fact} | q{fact}" for fact in said),
        "\n".join(f"{f} | {','.join(map(str, ps)) or 0}" for f, ps in forward.items()) or "1 | 0",
        {f"q{fact}": "yes" if yes else "no" for fact, yes in said.items()},
    )
    assert walked.score == pytest.approx(score_facts(said, forward).score)


def _rests_on(fact, parents):
    """Return a fact, its parents, their parents and so on."""
    found = {fact}
    while more := {p for f in found for p in parents.get(f, []) if p} - found:
        found |= more
    return found
