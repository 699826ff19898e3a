"""Several methods at once: against one plain loop, against one method alone, and by hand."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vidomni_plugin.bootstrap import draw_clusters
from vidomni_plugin.joint import drawn_ratios, drawn_sums, joined, joint_gaps, joint_means
from vidomni_plugin.published import rows
from vidomni_plugin.report.settings import DETECTOR_SEED
from vidomni_plugin.stats import wilson

BENCHMARK = Path(__file__).parent / "benchmarks" / "bench_bootstrap.py"


def test_a_plain_loop_gives_the_same_numbers():
    benchmark = runpy.run_path(str(BENCHMARK))
    values, videos = benchmark["outcomes"]()
    fast = joint_means(values, videos, seed=3, draws=60)
    plain = benchmark["plain_loop"](values, videos, seed=3, draws=60)
    assert [(e.low, e.high) for e in fast] == plain
    assert [e.value for e in fast] == pytest.approx(np.mean(values, axis=0))
    assert {(e.n, e.clusters, e.draws, e.seed) for e in fast} == {(800, 436, 60, 3)}


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_other_methods_do_not_change_an_estimate(data):
    items = data.draw(st.integers(2, 12))
    cell = st.integers(0, 1).map(float)
    rows = st.lists(cell, min_size=3, max_size=3)
    values = np.array(data.draw(st.lists(rows, min_size=items, max_size=items)))
    videos = data.draw(st.lists(st.integers(0, 4), min_size=items, max_size=items))
    together = joint_means(values, videos, seed=5, draws=40)
    for k, found in enumerate(together):
        alone = joint_means(values[:, [k]], videos, seed=5, draws=40)[0]
        assert found == pytest.approx(alone, nan_ok=True) or found.reason == alone.reason != ""
        assert 0 <= found.value <= 1
        if not found.reason:
            assert 0 <= found.low <= found.high <= 1


def test_a_mean_of_independent_items_has_nearly_wilsons_interval():
    values = np.zeros((800, 1))
    values[:265] = 1
    (found,) = joint_means(values, list(range(800)), seed=20260906)
    expected = wilson(265, 800)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.003)


def test_the_standard_error_is_the_spread_of_the_draws():
    """Two videos of one item each, 0 and 1: a draw is 0, 1/2 or 1 with shares 1/4, 1/2, 1/4."""
    (found,) = joint_means([[0.0], [1.0]], ["v", "w"], seed=1, draws=40_000)
    assert found.standard_error == pytest.approx(math.sqrt(1 / 8), rel=0.02)
    (alone,) = joint_means([[1.0]], ["v"], seed=1, draws=10)
    assert math.isnan(alone.standard_error)


def test_intervals_are_near_the_papers():
    """800 items on 436 videos, as the paper has them: 72 with one item and 364 with two.

    Which items share a video is not published: here it is drawn.
    """
    published_rows = rows("vidhalloc", "table9_detectors")
    both = {row["method"]: round(8 * row["overall"]) for row in published_rows}
    assert both == {"EMScore": 52, "PAC-S": 58, "Owl-Con": 265, "FIFA": 277}
    videos = [*range(436), *range(364)]
    generator = np.random.default_rng(1)
    columns = [generator.permutation([100.0] * n + [0.0] * (800 - n)) for n in both.values()]
    found = joint_means(np.column_stack(columns), videos, seed=DETECTOR_SEED)
    for ours, row in zip(found, published_rows, strict=True):
        assert (ours.low, ours.high) == pytest.approx(row["overall_ci"], abs=0.4), row["method"]


def test_a_gap_worked_by_hand():
    """Two videos, each drawn 0, 1 or 2 times; the second has no item of the second group.

    Drawn once each: 2/3 - 1/2. Video 1 twice: 1/2 - 1/2. Video 2 twice: no second group.
    """
    values = [[1], [0], [1], [0], [1]]
    videos = ["v", "v", "v", "v", "w"]
    first = [True, True, False, False, True]
    (found,) = joint_gaps(values, videos, first, seed=1, draws=4000)
    assert found.value == pytest.approx(2 / 3 - 1 / 2)
    assert (found.low, found.high) == pytest.approx((0, 1 / 6))
    assert found.undefined / 4000 == pytest.approx(1 / 4, abs=0.03)
    assert (found.n, found.clusters, found.seed, found.reason) == (5, 2, 1, "")


def test_a_gap_is_the_difference_of_the_means_of_two_groups_in_each_draw():
    generator = np.random.default_rng(9)
    values, videos = generator.random((60, 2)), generator.integers(0, 20, 60).tolist()
    first = generator.random(60) < 0.6
    gaps = joint_gaps(values, videos, first.tolist(), seed=4, draws=500)
    for k, found in enumerate(gaps):
        column = values[:, k]
        # As two statistics of one resample of rows, drawn video by video.
        number = {video: i for i, video in enumerate(dict.fromkeys(videos))}
        rows = [[r for r in range(60) if number[videos[r]] == c] for c in range(len(number))]
        draws = np.random.default_rng(4).integers(0, len(rows), (500, len(rows)))
        expected = []
        for draw in draws:
            picked = np.concatenate([rows[c] for c in draw]).astype(int)
            inside = first[picked]
            expected.append(column[picked][inside].mean() - column[picked][~inside].mean())
        assert (found.low, found.high) == pytest.approx(np.quantile(expected, [0.025, 0.975]))
        assert found.value == pytest.approx(column[first].mean() - column[~first].mean())


def test_the_average_of_methods_is_one_more_column():
    """So the macro-average has an interval: its gap is the mean of the gaps in each draw."""
    generator = np.random.default_rng(2)
    values, videos = generator.random((50, 3)), generator.integers(0, 15, 50).tolist()
    first = (np.arange(50) % 2 == 0).tolist()
    wide = np.column_stack([values, values.mean(axis=1)])
    *each, macro = joint_gaps(wide, videos, first, seed=4, draws=200)
    assert macro.value == pytest.approx(np.mean([found.value for found in each]))


def test_methods_are_joined_by_id_and_never_by_row():
    one = {"c": 1.0, "a": 0.0, "b": 0.5}
    other = {"d": 1.0, "b": 0.25, "a": 1.0}
    found = joined({"one": one, "other": other})
    assert found.methods == ("one", "other")
    assert found.items == ("a", "b")
    assert found.values.tolist() == [[0.0, 1.0], [0.5, 0.25]]
    assert found.left_out == (1, 1)
    assert joined({}).values.shape == (0, 0)
    nothing = joined({"one": {"a": 1}, "other": {"b": 1}})
    assert (nothing.values.shape, nothing.left_out) == ((0, 2), (1, 1))


@pytest.mark.filterwarnings("error")
def test_where_there_is_no_interval_the_reason_is_there():
    empty = joint_means(np.empty((0, 2)), [], seed=1, draws=10)
    assert [(e.n, e.reason) for e in empty] == [(0, "no items")] * 2
    assert all(math.isnan(e.value) for e in empty)
    (one_video,) = joint_means([[1.0], [0.0]], ["v", "v"], seed=1, draws=10)
    assert (one_video.value, one_video.reason) == (0.5, "fewer than two clusters")
    assert math.isnan(one_video.low)
    (one_sided,) = joint_gaps([[1.0], [0.0]], ["v", "w"], [True, True], seed=1, draws=10)
    assert (one_sided.reason, math.isnan(one_sided.value)) == ("undefined", True)
    assert joint_gaps(np.empty((0, 1)), [], [], seed=1, draws=10)[0].reason == "no items"
    assert drawn_sums([[1.0]], ["v"], seed=1, draws=3).shape == (3, 1)


def test_what_does_not_fit_is_an_error():
    with pytest.raises(ValueError, match="1 clusters for 2 items"):
        joint_means([[1.0], [0.0]], ["v"], seed=1)
    with pytest.raises(ValueError, match="items x methods"):
        joint_means([1.0, 0.0], ["v", "w"], seed=1)
    with pytest.raises(ValueError, match="finite"):
        joint_means([[math.nan], [0.0]], ["v", "w"], seed=1)
    with pytest.raises(ValueError, match="1 groups for 2 items"):
        joint_gaps([[1.0], [0.0]], ["v", "w"], [True], seed=1)


def test_drawn_ratios_are_those_of_a_plain_loop_over_draws():
    """Each ratio has its own denominator, or one column serves all; over nothing it is NaN."""
    rng = np.random.default_rng(3)
    videos = [f"v{k % 5}" for k in range(23)]
    tops, bottoms = rng.random((23, 2)), rng.integers(0, 3, (23, 2)).astype(float)
    bottoms[:, 1] = [video == "v3" for video in videos]
    found = drawn_ratios(tops, bottoms, videos, seed=9, draws=200)
    names = list(dict.fromkeys(videos))
    drawn = np.vstack(list(draw_clusters(len(names), seed=9, draws=200))).astype(int)
    rows = {name: [k for k, video in enumerate(videos) if video == name] for name in names}
    missed = 0
    for line, counts in zip(found, drawn, strict=True):
        chosen = [k for name, n in zip(names, counts, strict=True) for k in rows[name] * n]
        for at in (0, 1):
            below = bottoms[chosen, at].sum()
            missed += not below
            expected = tops[chosen, at].sum() / below if below else math.nan
            assert line[at] == pytest.approx(expected, nan_ok=True)
    assert missed > 10
    same = np.repeat(bottoms[:, :1], 2, axis=1)
    one = drawn_ratios(tops, bottoms[:, :1], videos, seed=9, draws=200)
    assert one == pytest.approx(drawn_ratios(tops, same, videos, seed=9, draws=200))
