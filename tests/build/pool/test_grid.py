"""Frames that are kept of a video of unknown length: even in time, and few."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vidomni_plugin.build.pool.grid import TimeGrid, middles, nearest


def kept(times, most=16, step_s=1 / 32):
    grid = TimeGrid[int](most, step_s)
    for number, time_s in enumerate(times):
        grid.offer(time_s, lambda n=number: n)
    return grid.kept


def test_a_short_video_is_kept_whole():
    times = [k / 25 for k in range(16)]
    assert kept(times) == [(time_s, k) for k, time_s in enumerate(times)]


@settings(max_examples=60, deadline=None)
@given(st.floats(0.5, 70), st.integers(1, 3000))
def test_it_is_even_and_bounded(fps, count):
    most = 16
    times = [time_s for time_s, _ in kept([k / fps for k in range(count)], most)]
    assert 1 <= len(times) <= most
    assert times[0] == 0
    if count > 1:
        gaps = np.diff([*times, count / fps])
        # No stretch is longer than two steps of the final grid, and a frame.
        assert gaps.max() <= 2 * max(count / fps / (most // 2), 1 / 32) + 1 / fps


@pytest.mark.parametrize("fps", [12.5, 24, 50])
def test_copies_at_other_frame_rates_keep_the_same_times(fps):
    usual = [time_s for time_s, _ in kept([k / 25 for k in range(25 * 60)])]
    other = [time_s for time_s, _ in kept([k / fps for k in range(round(fps * 60))])]
    assert other == pytest.approx(usual, abs=1 / 12.5)


def test_a_long_gap_in_time_does_not_stop_it():
    assert [time_s for time_s, _ in kept([0, 0.1, 0.2, 1000, 1001], most=4)][-1] >= 1000


def test_times_that_do_not_go_on_are_kept_once():
    assert kept([0.0, 0.0, 0.0]) == [(0.0, 0)]


def test_places_in_a_video():
    times = [k / 16 for k in range(32)]
    assert [nearest(times, wanted) for wanted in middles(0, 2, 8)] == [2, 6, 10, 14, 18, 22, 26, 30]
    assert [nearest([0.0], wanted) for wanted in middles(0, 2, 3)] == [0, 0, 0]
