"""The bootstrap over clusters: against theory, against scipy, and where there is no interval."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vidomni_plugin.bootstrap import cluster_bootstrap, cluster_totals


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
    monkeypatch.setattr("vidomni_plugin.bootstrap.CELLS", 60)
    assert cluster_bootstrap(totals, [mean], seed=7, draws=500) == first


def test_one_cluster_has_no_interval():
    (few,) = cluster_bootstrap([[1.0, 1.0]], [mean], seed=0)
    assert (math.isnan(few.low), few.reason) == (True, "fewer than two clusters")
