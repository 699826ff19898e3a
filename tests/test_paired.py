"""Tests on paired data against scipy and statsmodels, and by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import DescrStatsW

from vidomni_plugin.bootstrap import sums_of_draws
from vidomni_plugin.joint import joint_means
from vidomni_plugin.paired import (
    bootstrap_p,
    holm,
    mcnemar,
    one_sample_t,
    paired_difference,
    stars,
)
from vidomni_plugin.published import rows


def verdicts(both, only_a, only_b, neither):
    """Return what two methods got right, with this many items of each kind."""
    kinds = [(True, True)] * both + [(True, False)] * only_a
    kinds += [(False, True)] * only_b + [(False, False)] * neither
    a = {f"i{k}": first for k, (first, _) in enumerate(kinds)}
    return a, {f"i{k}": second for k, (_, second) in enumerate(kinds)}


@pytest.mark.parametrize(
    ("counts", "p_value"),
    [
        # 2 * (1 + 6) / 2**6, then 2 * 1 / 2**5
        pytest.param((3, 5, 1, 2), 14 / 64, id="five against one"),
        pytest.param((0, 5, 0, 0), 2 / 32, id="five against none"),
        pytest.param((4, 3, 3, 0), 1.0, id="as many"),
        pytest.param((4, 0, 0, 9), 1.0, id="no item differs"),
        pytest.param((0, 0, 0, 0), 1.0, id="no item"),
    ],
)
def test_mcnemar_by_hand(counts, p_value):
    found = mcnemar(*verdicts(*counts))
    assert found.p_value == pytest.approx(p_value)
    assert (found.both, found.only_a, found.only_b, found.neither) == counts
    assert found.n == sum(counts)


def test_mcnemar_agrees_with_statsmodels_and_scipy():
    generator = np.random.default_rng(20261130)
    for _ in range(300):
        counts = generator.integers(0, generator.choice([4, 60]), 4).tolist()
        found = mcnemar(*verdicts(*counts))
        both, only_a, only_b, neither = counts
        table = [[both, only_a], [only_b, neither]]
        if only_a + only_b:
            expected = stats.binomtest(only_a, only_a + only_b).pvalue
            assert found.p_value == pytest.approx(expected, abs=1e-12)
            theirs = statsmodels_mcnemar(table, exact=True).pvalue
            assert found.p_value == pytest.approx(theirs, abs=1e-12)
        assert mcnemar(*reversed(verdicts(*counts))).p_value == found.p_value


def test_mcnemar_joins_by_id():
    a, b = {"x": True, "y": False}, {"y": False, "x": True}
    assert mcnemar(a, b) == (2, 1, 0, 0, 1, 1.0)
    with pytest.raises(ValueError, match=r"2 items are in one run only, e\.g\. 'y'"):
        mcnemar(a, {"x": True, "z": False})


def test_t_agrees_with_scipy_and_statsmodels():
    generator = np.random.default_rng(20261130)
    for _ in range(200):
        gains = generator.normal(generator.normal(), 10, int(generator.integers(2, 50)))
        found = one_sample_t(gains.tolist(), level=0.9)
        expected = stats.ttest_1samp(gains, 0)
        assert (found.t, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))
        theirs = DescrStatsW(gains)
        assert (found.t, found.p_value) == pytest.approx(theirs.ttest_mean(0)[:2])
        assert (found.low, found.high) == pytest.approx(theirs.tconfint_mean(0.1))
        assert (found.n, found.mean, found.reason) == (len(gains), pytest.approx(gains.mean()), "")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("gains", "reason"),
    [
        ([], "fewer than two pairs"),
        ([3.0], "fewer than two pairs"),
        ([0.0, 0.0, 0.0], "all gains are the same"),
        ([0.3, 0.1 + 0.2], "all gains are the same"),
    ],
)
def test_without_a_t_test_the_reason_is_there(gains, reason):
    found = one_sample_t(gains)
    assert found.reason == reason
    assert math.isnan(found.t)
    assert math.isnan(found.p_value)
    assert found.mean == pytest.approx(np.mean(gains)) if gains else math.isnan(found.mean)


def test_gains_that_are_no_numbers_are_an_error():
    with pytest.raises(ValueError, match="finite"):
        one_sample_t([1.0, math.nan])


P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def test_holm_agrees_with_statsmodels():
    generator = np.random.default_rng(20261130)
    for _ in range(15):  # statsmodels takes 0.15 s each
        p_values = generator.random(int(generator.integers(1, 20))) ** 4
        p_values[generator.random(len(p_values)) < 0.2] = 0.03  # some are equal
        expected = multipletests(p_values, method="holm")[1]
        assert holm(p_values.tolist()) == pytest.approx(expected.tolist(), abs=1e-12)


@given(P_VALUES, st.randoms())
def test_holm_keeps_the_order_and_counts_only_tests_that_there_were(p_values, random):
    adjusted = holm(p_values)
    for (p, q), (r, s) in itertools.combinations(zip(p_values, adjusted, strict=True), 2):
        assert q <= s if p < r else s <= q
    assert all(p <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))
    gaps = [*p_values, math.nan, math.nan]
    order = random.sample(range(len(gaps)), len(gaps))
    turned = holm([gaps[i] for i in order])
    expected = [*adjusted, math.nan, math.nan]
    assert turned == pytest.approx([expected[i] for i in order], nan_ok=True)


def test_holm_by_hand():
    # Sorted 0.01 to 0.04 times 4, 3, 2, 1: 0.04, 0.06, 0.06, and 0.04 is raised to the last.
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([]) == []
    for bad in (-0.1, 1.1):
        with pytest.raises(ValueError, match=r"\[0, 1\]"):
            holm([bad])


def test_a_paired_difference_of_three_videos_is_exact():
    """Gains of 3, 0 and -1 in three videos of one pair each: of all 27 draws, by their sum.

    -3 once (the loss thrice), -2 three times, -1 three times, 0 once, 1 three times, 2 six
    times, 3 three times, 5 and 6 three times each, 9 once. At most 0: 8 draws.
    """
    totals = np.array([[1.0, 3.0], [1.0, 0.0], [1.0, -1.0]])
    counts = [[d.count(c) for c in range(3)] for d in itertools.product(range(3), repeat=3)]
    sums = sums_of_draws(counts, totals)
    means = sums[:, 1] / sums[:, 0]
    expected = sorted([-3] + [-2] * 3 + [-1] * 3 + [0] + [1] * 3 + [2] * 6 + [3] * 3)
    expected = [*expected, *[5] * 3, *[6] * 3, 9]
    assert sorted(sums[:, 1].tolist()) == expected
    assert bootstrap_p(means) == pytest.approx(2 * (1 + 8) / (1 + 27))
    found = paired_difference([3, 1, 0], [0, 1, 1], ["u", "v", "w"], seed=2, draws=40_000)
    assert found.p_value == pytest.approx(2 * 8 / 27, abs=0.02)
    assert found.estimate.value == pytest.approx(2 / 3)


def test_a_paired_difference_agrees_with_scipy():
    generator = np.random.default_rng(3)
    a, b = generator.uniform(0, 100, 200), generator.uniform(0, 94, 200)
    found = paired_difference(a.tolist(), b.tolist(), list(range(200)), seed=1)
    theirs = stats.bootstrap(
        (a, b),
        lambda x, y, axis: x.mean(axis) - y.mean(axis),
        paired=True,
        n_resamples=10_000,
        method="percentile",
        rng=np.random.default_rng(2),
    )
    expected = theirs.confidence_interval
    assert (found.estimate.low, found.estimate.high) == pytest.approx(tuple(expected), abs=0.3)
    assert found.p_value == pytest.approx(bootstrap_p(theirs.bootstrap_distribution), abs=0.02)
    # With independent items and many of them, it is what the t-test says.
    assert found.p_value == pytest.approx(stats.ttest_rel(a, b).pvalue, abs=0.03)


def test_a_paired_difference_sees_the_draws_of_joint_means():
    """The interval of a minus b equals the interval of a column that holds a minus b."""
    generator = np.random.default_rng(6)
    values, videos = generator.random((80, 2)), generator.integers(0, 30, 80).tolist()
    found = paired_difference(values[:, 0].tolist(), values[:, 1].tolist(), videos, seed=8)
    (column,) = joint_means(values[:, [0]] - values[:, [1]], videos, seed=8)
    assert found.estimate == pytest.approx(column)


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=15))
def test_turning_the_methods_round_turns_the_sign(gains):
    zeros, videos = [0.0] * len(gains), list(range(len(gains)))
    one = paired_difference(gains, zeros, videos, seed=3, draws=200)
    other = paired_difference(zeros, gains, videos, seed=3, draws=200)
    assert other.p_value == one.p_value
    assert other.estimate.value == -one.estimate.value
    assert (other.estimate.low, other.estimate.high) == pytest.approx(
        (-one.estimate.high, -one.estimate.low)
    )
    if one.p_value < 0.04:  # the interval reaches 0 where the p-value reaches 0.05
        assert not one.estimate.low <= 0 <= one.estimate.high


def test_the_same_method_twice_is_no_difference():
    scores = [33.1, 66.7, 0.1]
    found = paired_difference(scores, scores, ["u", "v", "w"], seed=1, draws=50)
    assert (found.p_value, found.estimate[:3]) == (1.0, (0.0, 0.0, 0.0))


def test_sums_that_cancel_out_are_no_difference():
    """0.1 + 0.2 - 0.3 is 6e-17: on neither side of 0."""
    assert bootstrap_p([0.1 + 0.2 - 0.3] * 99) == 1.0
    assert math.isnan(bootstrap_p([math.nan]))


@pytest.mark.filterwarnings("error")
def test_no_p_value_without_an_interval():
    one_video = paired_difference([1.0, 2.0], [0.0, 0.0], ["v", "v"], seed=1, draws=10)
    assert one_video.estimate.reason == "fewer than two clusters"
    assert math.isnan(one_video.p_value)
    nothing = paired_difference([], [], [], seed=1, draws=10)
    assert nothing.estimate.reason == "no items"
    assert math.isnan(nothing.p_value)


def test_scores_of_different_items_are_an_error():
    with pytest.raises(ValueError, match="2 and 1 scores, 2 clusters"):
        paired_difference([1, 2], [1], ["v", "w"], seed=1)
    with pytest.raises(ValueError, match="finite"):
        paired_difference([1, math.inf], [1, 1], ["v", "w"], seed=1)


def test_the_stars_are_the_papers():
    """Published t-values of Table 13, rounded to 0.1, and their marks; n is in the hundreds."""
    table = rows("vidomni", "table13_audio")
    assert len(table) == 9
    for row in table:
        about = [abs(row["t"]) - 0.05, abs(row["t"]) + 0.05]
        assert row["significance"] in [stars(2 * stats.norm.sf(t)) for t in about], row
    assert [stars(p) for p in (0.0009, 0.001, 0.01, 0.05)] == ["***", "**", "*", "n.s."]
