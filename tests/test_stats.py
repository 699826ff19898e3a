"""Agreement against statsmodels, against counting pairs, and by hand; shares."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats import inter_rater
from statsmodels.stats.proportion import proportion_confint

from vidomni_plugin.stats import agreement, agreement_interval, one_against_rest, wilson

BY_HAND = [
    # Fleiss' own layout: 4 sentences, 2 raters, labels Correct, Incorrect, Unknown.
    # P = (1 + 1 + 0 + 0) / 4 = 0.5; p = (4/8, 3/8, 1/8); chance = 16/64 + 9/64 + 1/64 = 26/64.
    pytest.param(
        [[2, 0, 0], [0, 2, 0], [1, 1, 0], [1, 0, 1]],
        (0.5, 26 / 64, (0.5 - 26 / 64) / (38 / 64)),
        id="two raters",
    ),
    # 2 and 3 raters: P = (1 + 1/3) / 2 = 2/3; p = (1/2 + 1/6, 1/2 * 2/3) = (5/6, 1/6)
    pytest.param(
        [[2, 0], [2, 1]], (2 / 3, 26 / 36, (2 / 3 - 26 / 36) / (10 / 36)), id="two, then three"
    ),
    pytest.param([[2, 0], [0, 2]], (1.0, 0.5, 1.0), id="all agree, two labels"),
    pytest.param([[1, 1], [1, 1]], (0.0, 0.5, -1.0), id="never agree"),
    pytest.param([[2, 0], [0, 2], [1, 0], [0, 0]], (1.0, 0.5, 1.0), id="single votes are left out"),
]


@pytest.mark.parametrize(("counts", "expected"), BY_HAND)
def test_worked_by_hand(counts, expected):
    found = agreement(counts)
    assert (found.observed, found.chance, found.kappa) == pytest.approx(expected)
    assert found.items + found.left_out == len(counts)


def test_a_thousand_random_cases_agree_with_statsmodels():
    """Same number of raters an item, which is all that statsmodels takes."""
    generator = np.random.default_rng(20260921)
    undefined = 0
    for _ in range(1000):
        labels, raters = int(generator.integers(2, 5)), int(generator.integers(2, 7))
        items = int(generator.integers(1, 60))
        shares = generator.dirichlet(np.full(labels, 0.4))
        votes = generator.choice(labels, size=(items, raters), p=shares)
        votes[0, 0] = labels - 1  # statsmodels counts no label that is beyond the last used one
        counts, _ = inter_rater.aggregate_raters(votes, n_cat=labels)
        with np.errstate(invalid="ignore", divide="ignore"):
            expected = inter_rater.fleiss_kappa(counts, method="fleiss")
            per_label = [
                inter_rater.fleiss_kappa(one_against_rest(counts, label)) for label in range(labels)
            ]
        found = agreement(counts)
        if math.isnan(found.kappa):
            undefined += 1
            assert not math.isfinite(expected)
            assert found.reason == "one label only"
        else:
            assert found.kappa == pytest.approx(expected, abs=1e-9)
        for label, value in enumerate(per_label):
            ours = agreement(one_against_rest(counts, label)).kappa
            assert ours == pytest.approx(value, abs=1e-9, nan_ok=True)
        agreeing = [
            np.mean([a == b for a, b in itertools.combinations(row, 2)]) for row in votes.tolist()
        ]
        assert found.observed == pytest.approx(np.mean(agreeing))
    assert 0 < undefined < 100


MATRIX = st.integers(2, 4).flatmap(
    lambda labels: st.lists(
        st.lists(st.integers(0, 4), min_size=labels, max_size=labels), min_size=1, max_size=12
    )
)


def counted_pair_by_pair(counts):
    """The same measures, from the votes themselves and without a formula over counts."""
    rows = [[label for label, n in enumerate(row) for _ in range(n)] for row in counts]
    rows = [row for row in rows if len(row) >= 2]
    if not rows:
        return math.nan, math.nan
    observed = np.mean([np.mean([a == b for a, b in itertools.permutations(r, 2)]) for r in rows])
    shares = [np.mean([row.count(label) / len(row) for row in rows]) for label in range(4)]
    chance = sum(share**2 for share in shares)
    return observed, math.nan if chance > 1 - 1e-12 else (observed - chance) / (1 - chance)


@given(MATRIX)
def test_uneven_numbers_of_raters(counts):
    observed, kappa = counted_pair_by_pair(counts)
    assert agreement(counts).observed == pytest.approx(observed, nan_ok=True)
    assert agreement(counts).kappa == pytest.approx(kappa, abs=1e-9, nan_ok=True)


def test_uneven_numbers_of_raters_as_another_package_has_it():
    """Fleiss' kappa of irrCAC 0.4.4 (which rounds) on ten items with two to five raters."""
    counts = [[2, 0, 0], [2, 1, 0], [0, 2, 0], [1, 2, 1], [4, 0, 0], [0, 1, 2], [1, 1, 0]]
    found = agreement([*counts, [0, 5, 0], [2, 0, 0], [2, 0, 1]])
    expected = (0.6166666667, 0.4084722222, 0.3519605541)
    assert (found.observed, found.chance, found.kappa) == pytest.approx(expected, abs=1e-9)


@given(MATRIX, st.randoms())
def test_order_of_items_and_labels_does_not_matter(counts, random):
    rows = random.sample(counts, len(counts))
    columns = random.sample(range(len(counts[0])), len(counts[0]))
    turned = [[row[c] for c in columns] for row in rows]
    assert agreement(turned).kappa == pytest.approx(agreement(counts).kappa, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ([], "no item with two raters"),
        ([[1, 0]], "no item with two raters"),
        ([[2, 0], [3, 0]], "one label only"),
    ],
)
def test_undefined_kappa_says_why_and_is_never_a_number(counts, reason):
    found = agreement(counts)
    assert math.isnan(found.kappa)
    assert found.reason == reason


@pytest.mark.parametrize("counts", [[[1.5, 1]], [[-1, 2]], [[math.nan, 1]], [1, 2]])
def test_what_is_no_count_is_an_error(counts):
    with pytest.raises(ValueError, match="counts"):
        agreement(counts)


def test_intervals_that_there_are_not():
    never = agreement_interval([[2, 0], [2, 0]], ["a", "b"], seed=0, draws=100)
    assert never.kappa.reason == "undefined in every draw"
    assert never.observed[:2] == (1.0, 1.0)
    some = agreement_interval([[2, 0], [0, 2], [1, 1]], ["a", "b", "c"], seed=0, draws=1000).kappa
    assert 0 < some.undefined < 1000
    assert some.low <= some.high


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="1 clusters for 2 items"):
        agreement_interval([[2, 0], [2, 0]], ["a"], seed=0)


def test_wilson_agrees_with_statsmodels():
    for over in (1, 2, 7, 100, 2500):
        for successes in {0, 1, over // 3, over - 1, over}:
            for level in (0.9, 0.95):
                ours = wilson(successes, over, level)
                theirs = proportion_confint(successes, over, 1 - level, "wilson")
                assert (ours.low, ours.high) == pytest.approx(theirs, abs=1e-12)
                assert 0 <= ours.low <= ours.share <= ours.high <= 1
    with pytest.raises(ValueError, match="3 of 2"):
        wilson(3, 2)
