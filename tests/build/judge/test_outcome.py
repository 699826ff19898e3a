"""Two replies a comparison: outcomes worked by hand, rates over every comparison."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.build.judge.outcome import OUTCOMES, Comparison, decide, summary
from vidomni_plugin.build.judge.verdict import Reading

FIRST, SECOND, TIE = (Reading(choice, "") for choice in ("first", "second", "tie"))
NONE = Reading(None, "none")


@pytest.mark.parametrize(
    ("ab", "ba", "outcome"),
    [
        (FIRST, SECOND, "win"),
        (SECOND, FIRST, "loss"),
        (FIRST, FIRST, "tie"),
        (SECOND, SECOND, "tie"),
        (TIE, TIE, "tie"),
        (FIRST, TIE, "tie"),
        (TIE, SECOND, "tie"),
        (FIRST, NONE, "unparsable"),
        (NONE, SECOND, "unparsable"),
        (NONE, NONE, "unparsable"),
        (FIRST, None, "failed"),
        (None, SECOND, "failed"),
        (NONE, None, "failed"),
        (None, None, "failed"),
    ],
)
def test_what_two_replies_amount_to(ab, ba, outcome):
    assert decide(ab, ba) == outcome


def test_a_win_for_one_is_a_loss_for_the_other():
    mirrored = {"win": "loss", "loss": "win"}
    for ab, ba in itertools.product([FIRST, SECOND, TIE, NONE, None], repeat=2):
        outcome = decide(ab, ba)
        assert decide(ba, ab) == mirrored.get(outcome, outcome)


def comparison(ab: str | None, ba: str | None, a: str = "x", b: str = "y") -> Comparison:
    return Comparison("v", "p", "q", a, b, (ab, ba), ("" if ab else "down", "" if ba else "down"))


ONE, TWO = "Verdict: 1", "Verdict: 2"


def test_counts_worked_by_hand():
    rows = [
        comparison(ONE, TWO),
        comparison(ONE, TWO, a="z"),
        comparison(TWO, ONE),
        comparison(ONE, ONE),
        comparison("Verdict: tie", TWO),
        comparison("?", TWO),
        comparison(None, TWO),
        comparison(None, None),
    ]
    result = summary(rows)
    every = result["all"]
    assert [every[name] for name in OUTCOMES] == [2, 1, 2, 1, 2]
    assert every["comparisons"] == 8
    assert every["win_rate"] == 25.0
    assert (every["decided"], every["win_rate_of_decided"]) == (3, pytest.approx(200 / 3))
    assert result["replies"] == {
        "total": 16,
        "first": 5,
        "second": 6,
        "tie": 1,
        "unparsable": 1,
        "failed": 3,
        "unparsable_reasons": {"none": 1},
        "contradicting": 1,
        "chose_first": pytest.approx(500 / 11),
        "chose_first_interval": result["replies"]["chose_first_interval"],
    }
    assert [(row["source_a"], row["win"], row["comparisons"]) for row in result["sources"]] == [
        ("x", 1, 7),
        ("z", 1, 1),
    ]


def test_nothing_compared_has_no_rate():
    result = summary([])
    assert result["all"]["win_rate"] is None
    assert result["replies"]["chose_first"] is None


@given(st.lists(st.tuples(*[st.sampled_from([ONE, TWO, "Verdict: tie", "?", None])] * 2)))
def test_every_comparison_and_every_reply_is_counted_once(replies):
    rows = [comparison(ab, ba, a=str(k % 3)) for k, (ab, ba) in enumerate(replies)]
    result = summary(rows)
    assert sum(result["all"][name] for name in OUTCOMES) == len(rows)
    for name in OUTCOMES:
        assert sum(source[name] for source in result["sources"]) == result["all"][name]
    counted = result["replies"]
    kinds = ("first", "second", "tie", "unparsable", "failed")
    assert sum(counted[kind] for kind in kinds) == counted["total"] == 2 * len(rows)
    assert summary(rows[::-1]) == result
