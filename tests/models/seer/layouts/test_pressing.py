"""Presses, colours and corners are read off again from the drawn scene."""

import random

import pytest

from vidomni_plugin.data.mini.scenes import place
from vidomni_plugin.models.seer.clips import shown
from vidomni_plugin.models.seer.layouts.pressing import TIMES, pressed
from vidomni_plugin.models.seer.traits import FRAMES


@pytest.fixture(scope="module")
def worlds():
    rng = random.Random(4)
    return [pressed(rng) for _ in range(150)]


def presses(world, count):
    """Return in which of ``count`` sampled frames the fingertips are on the lower thing."""
    return pressed_at(world, [at for _, at in shown(world.scene, count)])


def all_along(world):
    """Return the same for 500 evenly spaced times."""
    return pressed_at(world, [world.scene.seconds * n / 499 for n in range(500)])


def pressed_at(world, times):
    (shot,) = world.scene.shots
    below, hand = shot.things[0], shot.hands[0]
    top = below.path[0].y - below.size / 2
    tips = [place(hand.path, at) for at in times]
    return [abs(tip.y - top) < 0.03 and abs(tip.x - below.path[0].x) < 0.03 for tip in tips]


def runs(flags):
    return sum(now and not before for before, now in zip([False, *flags], flags, strict=False))


def true_one(world, *ends):
    return next(f for f in world.facts if f.true.endswith(ends)).true


@pytest.mark.parametrize("count", [FRAMES, 16, 32])
def test_frames_show_each_press(worlds, count):
    for world in worlds:
        times = [f"{times}." for times in TIMES]
        told = true_one(world, *times)
        assert told.endswith(times[runs(presses(world, count)) - 1])


def test_the_colour_changes_before_or_after_the_first_press(worlds):
    for world in worlds:
        (shot,) = world.scene.shots
        flags = all_along(world)
        first = shot.seconds * flags.index(True) / 499
        change = shot.things[1].repaint[0].at
        told = next(f.true for f in world.facts if " the hand touches the " in f.true)
        assert (" before " in told) == (change < first)
        frames = [at for _, at in shown(world.scene, FRAMES)]
        assert change > first or any(change <= at < first for at in frames)


def test_corners_are_where_things_are(worlds):
    for world in worlds:
        things = {t.shape: t.path[0] for t in world.scene.shots[0].things}
        corners = [f for f in world.facts if f.true.endswith(" room.")]
        assert len(corners) == 2
        for fact in corners:
            words = fact.true.split()
            spot = things[words[2]]
            assert ("lower" in words) == (spot.y > 0.5)
            assert ("left" in words) == (spot.x < 0.5)
            assert world.scene.shots[0].backdrop.wall in words


def test_what_disappears_is_seen_under_the_hand_first(worlds):
    for world in worlds:
        (shot,) = world.scene.shots
        told = true_one(world, "when it is pressed.")
        end = shot.things[0].shown.end
        assert (" disappears " in told) == (end < shot.seconds)
        if end < shot.seconds:
            times = [at for _, at in shown(world.scene, FRAMES)]
            flags = presses(world, FRAMES)
            assert any(flag and at < end for flag, at in zip(flags, times, strict=True))


def test_what_is_told_as_a_cause_comes_just_before(worlds):
    for world in worlds:
        (shot,) = world.scene.shots
        flags = all_along(world)
        change = shot.things[1].repaint[0].at
        down = flags[int(499 * change / shot.seconds)]
        for fact in world.facts:
            if " because the hand " in fact.true:
                assert (" presses the " in fact.true) == down
                assert any(flags[: int(499 * change / shot.seconds)])
