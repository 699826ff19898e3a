"""The bootstrap over clusters: against theory, against scipy, and where there is no interval."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from vidomni_plugin.bootstrap import (
    cluster_bootstrap,
    cluster_totals,
    draw_clusters,
    percentiles,
    sums_of_draws,
)


def mean(sums):
    return sums[:, 1] / sums[:, 0]


def test_the_bootstrap_draws_clusters_and_not_items():
    """Items repeat within a cluster: copies must not make the interval narrower."""
    values = np.random.default_rng(5).normal(size=40)
    once = cluster_totals(np.column_stack([np.ones(40), values]), list(range(40)))
    rows = np.repeat(np.column_stack([np.ones(40), values]), 25, axis=0)
    copied = cluster_totals(rows, list(np.repeat(range(40), 25)))
    narrow = cluster_totals(rows, list(range(1000)))
    intervals = [cluster_bootstrap(t, [mean], seed=3)[0] for t in (once, copied, narrow)]
    assert intervals[0][:2] == pytest.approx(intervals[1][:2])
    widths = [i.high - i.low for i in intervals]
    assert widths[2] == pytest.approx(widths[0] / 5, rel=0.1)
    # 1.96 standard errors to each side, which is what a mean of 40 should have.
    assert widths[0] == pytest.approx(2 * 1.96 * values.std() / math.sqrt(40), rel=0.05)


def test_the_bootstrap_agrees_with_scipy():
    from scipy import stats

    values = np.random.default_rng(8).exponential(size=60)
    (ours,) = cluster_bootstrap(np.column_stack([np.ones(60), values]), [mean], seed=1)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=10_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert ours[:2] == pytest.approx(tuple(theirs), abs=0.02)


def test_the_seed_decides_and_blocks_do_not(monkeypatch):
    totals = np.column_stack([np.ones(30), np.random.default_rng(4).normal(size=30)])
    first = cluster_bootstrap(totals, [mean], seed=7, draws=500)
    assert cluster_bootstrap(totals, [mean], seed=7, draws=500) == first
    assert cluster_bootstrap(totals, [mean], seed=8, draws=500) != first
    whole = np.vstack(list(draw_clusters(30, seed=7, draws=500)))
    monkeypatch.setattr("vidomni_plugin.bootstrap.CELLS", 60)
    blocks = list(draw_clusters(30, seed=7, draws=501))
    assert [len(block) for block in blocks] == [2] * 250 + [1]
    assert (np.vstack(blocks)[:500] == whole).all()
    (again,) = cluster_bootstrap(totals, [mean], seed=7, draws=500)
    assert again[:2] == pytest.approx(first[0][:2], abs=1e-12)  # sums of blocks round anew


def test_one_cluster_has_no_interval():
    (few,) = cluster_bootstrap([[1.0, 1.0]], [mean], seed=0)
    assert (math.isnan(few.low), few.reason) == (True, "fewer than two clusters")


def test_three_videos_worked_by_hand():
    """All 27 draws of videos with 1 of 2, 1 of 1 and 0 of 3 items right.

    A draw that holds them u, v and w times has the mean (u + v) / (2u + v + 3w). The ten
    different draws, by how many of the 27 orders give them:
    uuu 1: 1/2; vvv 1: 1; www 1: 0; uuv 3: 3/5; uuw 3: 2/7; uvv 3: 3/4; vvw 3: 2/5;
    uww 3: 1/8; vww 3: 1/7; uvw 6: 2/6.
    """
    totals = cluster_totals(
        [[1, 1], [1, 0], [1, 1], [1, 0], [1, 0], [1, 0]], ["u", "u", "v", "w", "w", "w"]
    )
    assert totals.tolist() == [[2, 1], [1, 1], [3, 0]]
    draws = [[draw.count(c) for c in range(3)] for draw in itertools.product(range(3), repeat=3)]
    means = mean(sums_of_draws(draws, totals))
    expected = {0: 1, 1 / 8: 3, 1 / 7: 3, 2 / 7: 3, 1 / 3: 6, 2 / 5: 3, 1 / 2: 1, 3 / 5: 3}
    assert Counter(means.tolist()) == expected | {3 / 4: 3, 1.0: 1}
    # Of the 27 values in order, number 0 is 0, 1 to 3 are 1/8, 23 to 25 are 3/4 and 26 is 1.
    # The 95 % interval ends at numbers 26 * 0.025 = 0.65 and 26 * 0.975 = 25.35.
    found = percentiles(means, 3)
    assert found[:2] == pytest.approx((0.65 / 8, 3 / 4 + 0.35 / 4))
    assert percentiles(means, 3, level=11 / 13)[:2] == pytest.approx((1 / 8, 3 / 4))


def test_drawing_at_random_comes_to_the_same_as_all_27_draws():
    (blocks,) = draw_clusters(3, seed=11, draws=54_000)
    seen = Counter(map(tuple, blocks.tolist()))
    assert len(seen) == 10
    for counts, times in seen.items():
        orders = math.factorial(3) / math.prod(math.factorial(int(c)) for c in counts)
        assert times / 54_000 == pytest.approx(orders / 27, abs=0.006)


def test_each_draw_holds_as_many_clusters_as_there_are():
    blocks = np.vstack(list(draw_clusters(17, seed=2, draws=300)))
    assert blocks.shape == (300, 17)
    assert (blocks.sum(axis=1) == 17).all()
    assert blocks.mean() == 1
    assert list(draw_clusters(1, seed=2)) == []
