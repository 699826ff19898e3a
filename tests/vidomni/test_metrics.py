"""Pair metrics: worked by hand, against scikit-learn, and their properties."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score

from vidomni_plugin.scores import EMPTY
from vidomni_plugin.vidomni.metrics import (
    METRICS,
    PRF,
    Counts,
    count_labels,
    duration_group,
    metric_items,
    prf,
    score,
    summary,
)


def pair(labels: list[int | None], gold: list[int | None], **changes: Any) -> dict[str, Any]:
    detail = {
        "benchmark": "vidomni",
        "pair_id": "p",
        "video_id": "v",
        "complexity_type": 1,
        "duration_s": 10.0,
        "labels": labels,
        "gold": gold,
        "status": "ok",
        "reason": "",
        "missing": 0,
    }
    return detail | changes


def values(details: list[dict[str, Any]]) -> dict[str, float]:
    return {name: result.value for name, result in summary(details).items()}


@pytest.mark.parametrize(
    ("labels", "gold", "counts", "scores"),
    [
        pytest.param([1, 0], [1, 0], Counts(1, 0, 0, 1, 0), PRF(100, 100, 100), id="all right"),
        pytest.param([1, 1], [1, 0], Counts(1, 1, 0, 0, 0), PRF(50, 100, 200 / 3), id="flags all"),
        pytest.param([0, 0], [1, 0], Counts(0, 0, 1, 1, 0), PRF(0, 0, 0), id="flags nothing"),
        pytest.param([0, 0], [0, 0], Counts(0, 0, 0, 2, 0), PRF(0, 0, 0), id="nothing wrong: 0"),
        pytest.param([1, 0], [0, 0], Counts(0, 1, 0, 1, 0), PRF(0, 0, 0), id="false alarm only"),
        pytest.param(
            [None, 1], [1, 1], Counts(1, 0, 1, 0, 1), PRF(100, 50, 200 / 3), id="no label"
        ),
        pytest.param(
            [1, None], [None, None], Counts(0, 0, 0, 0, 0), PRF(0, 0, 0), id="all Unknown"
        ),
        pytest.param(
            [1, 1, 0], [1, None, 0], Counts(1, 0, 0, 1, 0), PRF(100, 100, 100), id="Unknown"
        ),
    ],
)
def test_worked_by_hand(labels, gold, counts, scores):
    assert count_labels(labels, gold) == counts
    assert prf(counts.tp, counts.fp, counts.fn) == pytest.approx(scores)


def test_a_short_answer_is_an_error_and_not_a_zero():
    with pytest.raises(ValueError, match="1 labels for 2 sentences"):
        count_labels([1], [1, 0])


def test_means_are_over_pairs_and_micro_f1_is_pooled():
    details = [
        pair([1, 0, 0, 0], [1, 0, 0, 0], pair_id="a"),  # F1 100
        pair(
            [1, 1, 0, 0], [1, 0, 1, 1], pair_id="b", complexity_type=2, duration_s=2000.0
        ),  # F1 40
        pair([0, 0], [0, 0], pair_id="c", duration_s=600.0),  # no Incorrect sentence: 0
    ]
    got = values(details)
    assert got["f1"] == pytest.approx((100 + 40 + 0) / 3)
    assert got["precision"] == pytest.approx((100 + 50 + 0) / 3)
    assert got["recall"] == pytest.approx((100 + 100 / 3 + 0) / 3)
    assert got["f1_flawed"] == pytest.approx((100 + 40) / 2)
    assert got["micro_f1"] == pytest.approx(100 * 2 * 2 / (2 * 2 + 1 + 2))
    assert got["f1_type1"] == pytest.approx(50)
    assert got["f1_type2"] == pytest.approx(40)
    assert got["f1_type3"] == EMPTY
    assert (got["f1_short"], got["f1_medium"], got["f1_long"]) == pytest.approx((100, 0, 40))


def test_denominators_are_given():
    got = summary([pair([1, None], [1, 0]), pair([0], [0], pair_id="q")])
    assert (got["f1"].over, got["f1"].unit) == (2, "pairs")
    assert (got["f1_flawed"].over, got["f1_type2"].over) == (1, 0)
    assert (got["unlabelled"].value, got["unlabelled"].over) == (pytest.approx(100 / 3), 3)


def test_without_pairs_every_metric_is_finite():
    got = values([])
    assert all(math.isfinite(value) for value in got.values())
    assert got["f1"] == EMPTY
    assert got["missing"] == 0


def failed(pair_id: str, gold: list[int | None], **changes: Any) -> dict[str, Any]:
    """Return a pair whose request failed."""
    return pair(
        [None] * len(gold), gold, pair_id=pair_id, status="none", reason="request_failed", **changes
    )


def test_failed_pairs_stay_in_every_score_but_one():
    details = [
        pair([1, 0, 0, 0], [1, 0, 0, 0], pair_id="a"),  # F1 100
        pair([1, 1, 0, 0], [1, 0, 1, 1], pair_id="b"),  # F1 40
        pair([None], [1], pair_id="c", status="none", reason="refusal"),  # answered, F1 0
        failed("d", [1, 0, 1, 0]),
    ]
    got = summary(details)
    assert got["f1"] == pytest.approx(((100 + 40 + 0 + 0) / 4, 4, "pairs"))
    assert got["f1_answered"] == pytest.approx(((100 + 40 + 0) / 3, 3, "pairs"))
    assert got["failed"] == (1.0, 4, "pairs")
    assert got["unlabelled"].value == pytest.approx(100 * 5 / 13)


def test_where_all_pairs_failed_nothing_was_answered():
    got = summary([failed("a", [1]), failed("b", [0])])
    assert got["f1_answered"] == (EMPTY, 0, "pairs")
    assert (got["f1"].value, got["failed"].value) == (0, 2)


def test_missing_pairs_are_counted():
    assert values([pair([1], [1], missing=3)])["missing"] == 3


@pytest.mark.parametrize(
    ("seconds", "group"),
    [(4, "short"), (180, "short"), (180.01, "medium"), (1799, "medium"), (1800, "long")],
)
def test_duration_groups(seconds, group):
    assert duration_group(seconds) == group


LABELS = st.lists(
    st.tuples(st.sampled_from([0, 1, None]), st.sampled_from([0, 1, None])), min_size=1, max_size=12
)


@given(st.lists(LABELS, min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_order_of_pairs_and_sentences_does_not_matter(pairs, rng: random.Random):
    def build(rows):
        return [
            pair(
                [a for a, _ in row], [b for _, b in row], pair_id=str(k), complexity_type=1 + k % 5
            )
            for k, row in rows
        ]

    rows = list(enumerate(pairs))
    shuffled = [(k, rng.sample(row, len(row))) for k, row in rng.sample(rows, len(rows))]
    assert values(build(rows)) == values(build(shuffled))


@given(st.lists(LABELS, min_size=1, max_size=8))
def test_scores_are_percents_and_every_key_is_there(pairs):
    details = [
        pair([a for a, _ in row], [b for _, b in row], pair_id=str(k))
        for k, row in enumerate(pairs)
    ]
    got = values(details)
    assert tuple(got) == METRICS
    assert all(
        value == EMPTY or 0 <= value <= 100 for name, value in got.items() if name != "missing"
    )
    assert (got["f1_answered"], got["failed"]) == (got["f1"], 0)
    assert set(metric_items(details[0])) == set(METRICS)


def test_equal_to_scikit_learn_on_random_pairs():
    rng = random.Random(7)
    details, expected = [], []
    for k in range(200):
        n = rng.randint(1, 40)
        gold = [rng.choice([0, 0, 1, None]) for _ in range(n)]
        labels = [rng.choice([0, 1, 1, None]) for _ in range(n)]
        details.append(pair(labels, gold, pair_id=str(k)))
        known = [
            (label == 1, truth)
            for label, truth in zip(labels, gold, strict=True)
            if truth is not None
        ]
        guess, truth = [int(a) for a, _ in known], [b for _, b in known]
        if known:
            scores = [
                metric(truth, guess, zero_division=0)
                for metric in (precision_score, recall_score, f1_score)
            ]
        else:
            scores = [0.0, 0.0, 0.0]
        expected.append(scores)
    got = values(details)
    for name, column in zip(
        ("precision", "recall", "f1"), zip(*expected, strict=True), strict=True
    ):
        assert got[name] == pytest.approx(100 * sum(column) / len(column))


def test_the_host_gets_a_score_only_inside_the_stratum():
    items = metric_items(pair([1], [1], complexity_type=2))
    assert items["f1_type2"]["score"] == 100
    assert "score" not in items["f1_type1"]
    assert score("f1_type1", [items["f1_type1"]]).value == EMPTY
