"""Pair accuracies: worked by hand, the paper's Table 5, and their properties."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.records import CATEGORY_OF_LEAF
from vidomni_plugin.scores import EMPTY
from vidomni_plugin.vidhalloc.metrics import (
    GROUPS,
    METRICS,
    Outcomes,
    metric_items,
    outcomes,
    summary,
)

CATEGORIES = tuple(CATEGORY_OF_LEAF.values())
A, R = "ACCEPT", "REJECT"
# arXiv 2609.09895: outcome counts of 800 pairs (both, factual only, counterfactual only,
# neither) and the Factual, Counterfactual and Overall accuracies that its Table 5 prints.
PUBLISHED = {
    "PAC-S": ((58, 324, 397, 21), ("47.75", "56.88", "7.25")),
    "EMScore": ((52, 481, 245, 22), ("66.63", "37.13", "6.50")),
    "Owl-Con": ((265, 275, 209, 51), ("67.50", "59.25", "33.13")),
    "FIFA": ((277, 77, 434, 12), ("44.25", "88.88", "34.63")),
}
VERDICTS = [(A, R), (A, A), (R, R), (R, A)]
"""Verdicts on the factual and the counterfactual answer, in the order of the outcome states."""


def answer(pair_id: str, side: str, label: str | None, **changes: Any) -> dict[str, Any]:
    detail = {
        "benchmark": "vidhalloc",
        "pair_id": pair_id,
        "video_id": "v",
        "side": side,
        "category": "eeh",
        "label": label,
        "reason": "" if label else "no_verdict",
        "missing": 0,
    }
    return detail | changes


def both(pair_id: str, factual: str | None, counterfactual: str | None, **changes: Any):
    return [
        answer(pair_id, "factual", factual, **changes),
        answer(pair_id, "counterfactual", counterfactual, **changes),
    ]


def values(details) -> dict[str, float]:
    return {name: result.value for name, result in summary(details).items()}


def half_up(percent: float) -> str:
    """Round as the paper does: 34.625 becomes 34.63. Shares of 800 are exact in binary."""
    return f"{int(percent * 100 + 0.5) / 100:.2f}"


@pytest.mark.parametrize("method", PUBLISHED)
def test_table_5_from_the_outcome_counts(method):
    counts, printed = PUBLISHED[method]
    details = []
    for state, count in enumerate(counts):
        for k in range(count):
            details += both(f"{state}-{k}", *VERDICTS[state])
    got = values(details)
    assert tuple(half_up(got[name]) for name in ("factual", "counterfactual", "overall")) == printed
    rows = [{**row, "correct": item} for row, item in zip(details, correct(details), strict=True)]
    assert outcomes(rows) == Outcomes(*counts)


def correct(details):
    return [metric_items(detail)["overall"]["correct"] for detail in details]


def test_worked_by_hand():
    details = [
        *both("a", A, R),
        *both("b", A, A, category="aph"),
        *both("c", None, R, category="aph"),
        *both("d", R, None, category="cph"),
    ]
    got = values(details)
    assert got["factual"] == 50
    assert got["counterfactual"] == 50
    assert got["overall"] == 25
    assert (got["overall_ontology"], got["overall_dynamic"]) == (100, 0)
    assert (got["overall_eeh"], got["overall_aph"], got["overall_ech"]) == (100, 0, EMPTY)
    assert got["undecided"] == 25
    assert got["incomplete"] == 0


def test_a_pair_with_one_answer_is_incomplete_and_not_scored():
    got = summary([*both("a", A, R), answer("b", "factual", R)])
    assert (got["factual"].value, got["factual"].over) == (100, 1)
    assert (got["overall"].value, got["incomplete"].value) == (100, 1)


def test_failed_answers_stay_in_every_score_but_one():
    """Worked by hand: four pairs, one of them lost an answer to a failure, one to silence."""
    details = [
        *both("a", A, R),
        *both("b", A, A),
        *both("c", None, R),
        answer("d", "factual", A),
        answer("d", "counterfactual", None, reason="request_failed"),
    ]
    got = summary(details)
    assert got["overall"] == (25.0, 4, "pairs")
    assert got["overall_answered"] == (pytest.approx(100 / 3), 3, "pairs")
    assert got["failed"] == (1.0, 8, "answers")
    assert got["undecided"] == (25.0, 8, "answers")
    assert (got["factual"].value, got["counterfactual"].value) == (75, 50)


def test_where_all_requests_failed_nothing_was_answered():
    got = summary(both("a", None, None, reason="request_failed"))
    assert got["overall_answered"] == (EMPTY, 0, "pairs")
    assert (got["overall"].value, got["failed"].value) == (0, 2)


def test_scores_of_a_detector_worked_by_hand():
    """Of nine cross pairs the factual score is higher in six and the same in one."""
    scores = {"a": (0.9, 0.2), "b": (0.5, 0.6), "c": (0.7, 0.7)}
    details = [
        answer(name, side, None, detector_score=score)
        for name, both_scores in scores.items()
        for side, score in zip(("factual", "counterfactual"), both_scores, strict=True)
    ]
    got = summary(details)
    assert got["auroc"] == (pytest.approx(100 * 6.5 / 9), 3, "pairs")
    assert got["ranking"] == (50.0, 3, "pairs")
    assert got["ties"] == (pytest.approx(100 / 3), 3, "pairs")
    # A pair without one of its scores is in neither; what is no number is no score.
    for none in (None, "0.5", True, float("nan"), float("inf"), 10**400):
        more = [*details, *both("d", A, R, detector_score=0.1)]
        more[-1]["detector_score"] = none
        assert summary(more)["auroc"] == got["auroc"]
        assert summary(more)["ranking"] == got["ranking"]
        assert summary(more)["ties"] == got["ties"]


ACCURACIES = ("factual", "counterfactual", *GROUPS, "overall_answered")


@pytest.mark.parametrize(
    "others",
    [
        pytest.param([], id="all have a score"),
        pytest.param(both("z", None, None, reason="request_failed"), id="some failed"),
        pytest.param(both("z", None, None, reason="no_score"), id="some have no score"),
    ],
)
def test_scores_without_a_threshold_are_no_accuracy(others):
    scored = [
        answer(f"p{k}", side, None, reason="no_threshold", detector_score=score)
        for k in range(3)
        for side, score in (("factual", 0.9), ("counterfactual", 0.1))
    ]
    got = summary([*scored, *others])
    assert {got[name] for name in ACCURACIES} == {(EMPTY, 0, "pairs")}
    assert (got["auroc"].value, got["auroc"].over, got["undecided"].value) == (100.0, 3, 100.0)
    for detail in scored:
        items = metric_items(detail)
        # The host would make 0 +- 0 of it.
        assert "score" not in items["factual"]
        assert "score" not in items["counterfactual"]


@pytest.mark.parametrize("reason", ["request_failed", "no_score", "not_finite", "no_verdict"])
def test_a_run_that_decided_nothing_for_another_reason_is_all_wrong(reason):
    got = summary([*both("a", None, None, reason=reason), *both("b", None, None, reason=reason)])
    assert got["overall"] == got["factual"] == (0.0, 2, "pairs")


def test_one_verdict_makes_all_accuracies_measured():
    details = [*both("a", None, None, reason="no_threshold"), *both("b", A, R)]
    assert summary(details)["overall"] == (50.0, 2, "pairs")


def test_answers_without_scores_have_no_auroc():
    got = summary(both("a", A, R))
    assert got["auroc"] == got["ranking"] == got["ties"] == (EMPTY, 0, "pairs")


def test_a_category_per_row_as_users_ask_for():
    """Two categories, 3 of 4 and 1 of 2 pairs right: both stand in the results by name."""
    details = []
    for k, right in enumerate([True, True, True, False]):
        details += both(f"e{k}", A, R if right else A, category="eqh")
    for k, right in enumerate([True, False]):
        details += both(f"t{k}", A, R if right else A, category="trh")
    got = values(details)
    assert (got["overall_eqh"], got["overall_trh"]) == (75.0, 50.0)
    assert all(type(value) is float for value in got.values())


VERDICT = st.sampled_from([A, R, None])


@given(
    st.lists(st.tuples(VERDICT, VERDICT, st.sampled_from(CATEGORIES)), max_size=20), st.randoms()
)
def test_order_does_not_matter_and_bounds_hold(pairs, rng: random.Random):
    details = [
        row for k, (f, c, cat) in enumerate(pairs) for row in both(str(k), f, c, category=cat)
    ]
    got = values(details)
    assert tuple(got) == METRICS
    assert got == values(rng.sample(details, len(details)))
    assert got["overall"] <= min(got["factual"], got["counterfactual"])
    assert (got["overall_answered"], got["failed"]) == (got["overall"], 0)
    for name, value in got.items():
        assert value == EMPTY or 0 <= value <= 100 or name in {"missing", "incomplete"}


def test_swapping_sides_and_verdicts_swaps_the_two_accuracies():
    details = [*both("a", A, A), *both("b", A, R), *both("c", None, R)]
    swapped = [
        {
            **row,
            "side": "counterfactual" if row["side"] == "factual" else "factual",
            "label": {A: R, R: A, None: None}[row["label"]],
        }
        for row in details
    ]
    one, other = values(details), values(swapped)
    assert (one["factual"], one["counterfactual"]) == (other["counterfactual"], other["factual"])
    assert one["overall"] == other["overall"]
