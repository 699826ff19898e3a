"""The motion score does not depend on resolution and frame rate; frozen is not still."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from tests.build.pool.clips import picture, resized, scene
from vidomni_plugin.build.pool.motion import GRID, Change, luma


def change(frames, fps):
    found = Change()
    for number, frame in enumerate(frames):
        small = Image.fromarray(frame).resize((GRID, GRID), Image.Resampling.BOX)
        found.add(number / fps, luma(np.asarray(small)))
    return found


def grey(level):
    return np.full((GRID, GRID), level, dtype=np.float32)


@pytest.mark.parametrize(
    ("frames", "score"),
    [
        pytest.param([(0.0, 0), (0.5, 255)], 2.0, id="the whole range in half a second"),
        pytest.param([(0.0, 0), (0.5, 51), (1.0, 0)], 0.4, id="there and back counts twice"),
        pytest.param([(0.0, 9), (1.0, 9)], 0.0, id="nothing moves"),
        pytest.param([(0.0, 0), (0.05, 255), (0.125, 0)], 0.0, id="within an eighth of a second"),
        pytest.param([(0.0, 7)], 0.0, id="one frame"),
        pytest.param([], 0.0, id="no frame"),
    ],
)
def test_worked_by_hand(frames, score):
    found = Change()
    for time_s, level in frames:
        found.add(time_s, grey(level))
    assert found.score() == pytest.approx(score)


@pytest.mark.parametrize("fps", [8, 10, 12, 15, 24, 25, 30, 50, 64])
def test_the_frame_rate_does_not_matter(fps):
    usual = change(scene(1, 30, seconds=4, fps=16), 16).score()
    assert change(scene(1, 30, seconds=4, fps=fps), fps).score() == pytest.approx(usual, rel=0.05)


def test_fewer_than_eight_frames_a_second_show_less_of_fast_motion():
    slow, fast = (change(scene(1, 100, seconds=8, fps=fps), fps).score() for fps in (2, 8))
    assert slow < 0.6 * fast


@pytest.mark.parametrize("scale", [2, 3])
def test_the_resolution_does_not_matter(scale):
    usual = change(scene(1, 30), 16).score()
    assert change(scene(1, 30, scale=scale), 16).score() == pytest.approx(usual, rel=0.05)
    stretched = resized(scene(1, 30), 96 * scale, 64)
    assert change(stretched, 16).score() == pytest.approx(usual, rel=0.05)


def test_faster_is_more():
    scores = [change(scene(1, speed, seconds=4), 16).score() for speed in (0, 4, 16, 64)]
    assert scores[0] == 0
    assert scores == sorted(scores)


def test_a_slow_change_is_seen_over_the_whole_video():
    """No two neighbours differ by much, the first and the last frame do: not frozen."""
    still = picture(2).astype(np.float64)
    frames = [np.clip(still * (1 - k / 64), 0, 255).astype(np.uint8) for k in range(32)]
    steps = [change(frames[k : k + 2], 16).largest for k in range(31)]
    assert max(steps) < 4
    assert change(frames, 16).largest > 40


def test_a_small_object_alone_is_a_change():
    assert change(scene(3, 2, size=6), 16).largest > 8
    assert change([picture(3)] * 8, 16).largest == 0
