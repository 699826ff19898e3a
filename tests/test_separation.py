"""AUROC, Ranking and Ties: by hand, against scikit-learn, and their intervals row by row."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from vidomni_plugin.joint import joint_means
from vidomni_plugin.separation import separation, separation_intervals


@pytest.mark.parametrize(
    ("factual", "counterfactual", "expected"),
    [
        # 0.9 beats all three, 0.5 two and a half, 0.2 one: 6.5 of 9.
        pytest.param([0.9, 0.5, 0.2], [0.1, 0.5, 0.4], (650 / 9, 50, 100 / 3), id="mixed"),
        pytest.param([2, 3], [1, 1], (100, 100, 0), id="all higher"),
        pytest.param([1, 1], [1, 1], (50, 50, 100), id="always the same score"),
        # Each item is ranked right although the items' scores overlap: (2, 1) and (5, 4).
        pytest.param([2, 5], [1, 4], (75, 100, 0), id="only within items"),
    ],
)
def test_worked_by_hand(factual, counterfactual, expected):
    found = separation(factual, counterfactual)
    assert found[:3] == pytest.approx(expected)
    assert found.n == len(factual)


SCORES = st.lists(
    st.tuples(st.integers(-6, 6), st.integers(-6, 6)), min_size=1, max_size=30
)  # whole numbers, so that ties are many


@given(SCORES)
def test_auroc_agrees_with_scikit_learn(pairs):
    above, below = zip(*pairs, strict=True)
    expected = roc_auc_score([1] * len(above) + [0] * len(below), [*above, *below])
    found = separation(above, below)
    assert found.auroc == pytest.approx(100 * expected)
    assert found.ranking == pytest.approx(
        100 * np.mean([1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs])
    )
    assert found.ties == pytest.approx(100 * np.mean([a == b for a, b in pairs]))
    turned = separation(below, above)
    assert turned.auroc + found.auroc == pytest.approx(100)
    assert turned.ranking + found.ranking == pytest.approx(100)


def test_intervals_are_those_of_resampled_rows():
    """The same draws, each laid out as rows and given to scikit-learn."""
    generator = np.random.default_rng(12)
    above, below = generator.integers(0, 9, 40), generator.integers(0, 7, 40)
    videos = [f"v{k}" for k in generator.integers(0, 14, 40)]
    found = separation_intervals(above.tolist(), below.tolist(), videos, seed=6, draws=300)
    order = list(dict.fromkeys(videos))
    rows = [[r for r in range(40) if videos[r] == video] for video in order]
    drawn = []
    for draw in np.random.default_rng(6).integers(0, len(order), (300, len(order))):
        picked = np.concatenate([rows[c] for c in draw]).astype(int)
        labels = [1] * len(picked) + [0] * len(picked)
        drawn.append(100 * roc_auc_score(labels, np.concatenate([above[picked], below[picked]])))
    expected = np.quantile(drawn, [0.025, 0.975])
    assert (found.auroc.low, found.auroc.high) == pytest.approx(expected)
    assert found.auroc.value == separation(above.tolist(), below.tolist()).auroc
    ranking = 50.0 * (1 + np.sign(above - below))[:, None]
    assert found.ranking == pytest.approx(joint_means(ranking, videos, seed=6, draws=300)[0])
    assert (found.ties.n, found.ties.clusters, found.ties.draws) == (40, len(order), 300)


@pytest.mark.filterwarnings("error")
def test_where_there_is_no_interval_the_reason_is_there():
    assert separation([], [])[3] == 0
    assert math.isnan(separation([], []).auroc)
    empty = separation_intervals([], [], [], seed=1, draws=5)
    assert [found.reason for found in empty] == ["no items"] * 3
    one = separation_intervals([1.0, 2.0], [0.0, 3.0], ["v", "v"], seed=1, draws=5)
    assert [found.reason for found in one] == ["fewer than two clusters"] * 3
    assert one.auroc.value == 50


def test_scores_that_do_not_fit_are_an_error():
    with pytest.raises(ValueError, match="2 factual and 1 counterfactual"):
        separation([1, 2], [1])
    with pytest.raises(ValueError, match="finite"):
        separation([math.nan], [1])
    with pytest.raises(ValueError, match="1 clusters for 2 items"):
        separation_intervals([1, 2], [1, 2], ["v"], seed=1)
