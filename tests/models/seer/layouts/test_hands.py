"""What a hand does with a thing is read off again from the paths."""

import random

import pytest

from vidomni_plugin.data.mini.scenes import place
from vidomni_plugin.models.seer.layouts.hands import carried


@pytest.fixture(scope="module")
def worlds():
    rng = random.Random(5)
    return [carried(rng) for _ in range(150)]


def times(world, count=200):
    return [world.scene.seconds * n / (count - 1) for n in range(count)]


def parts(world):
    (shot,) = world.scene.shots
    other, thing = shot.things
    return other, thing, shot.hands[0]


def told(world, words):
    return next((f.true for f in world.facts if words in f.true), None)


def sentences(world, words):
    """Return sentences with some words and whether they are true."""
    texts = [(f.true, True) for f in world.facts]
    texts += [(text, False) for f in world.facts for text in f.false]
    return [(text, true) for text, true in texts if words in text]


def test_the_last_places_are_told(worlds):
    for world in worlds:
        other, thing, _ = parts(world)
        side = "right" if thing.path[-1].x > other.path[-1].x else "left"
        ends = sentences(world, "At the end, ")
        assert [true for _, true in ends] == [True, False]
        assert all((f"to the {side} of" in text) == true for text, true in ends)
        assert abs(thing.path[-1].x - other.path[-1].x) > 0.1


def test_the_other_moves_only_when_it_is_pushed(worlds):
    for world in worlds:
        other, thing, _ = parts(world)
        shift = other.path[-1].x - other.path[0].x
        if not shift:
            assert told(world, "stays in its place")
            continue
        side = "right" if shift > 0 else "left"
        pushed = f"is pushed to the {side} by the {thing.shape}"
        assert told(world, pushed)
        assert all((pushed in text) == true for text, true in sentences(world, " is pushed "))
        for at in times(world):
            gap = abs(place(other.path, at).x - place(thing.path, at).x)
            assert gap > (other.size + thing.size) / 2 - 0.01


def test_nothing_covers_the_other_when_it_passes(worlds):
    for world in worlds:
        other, thing, _ = parts(world)
        for at in times(world):
            a, b = place(other.path, at), place(thing.path, at)
            near = (other.size + thing.size) / 2 - 0.01
            assert abs(a.x - b.x) > near or abs(a.y - b.y) > near


def test_the_hand_has_the_thing_when_it_is_lifted_and_at_the_end_as_told(worlds):
    for world in worlds:
        _, thing, hand = parts(world)
        crossed = next(
            (at for at in times(world) if abs(place(thing.path, at).x - 0.5) < 0.05), None
        )
        lifted = told(world, "The hand lifts the ")
        if lifted and " passes over " in lifted:
            tip, spot = place(hand.path, crossed), place(thing.path, crossed)
            held = abs(tip.x - spot.x) < 0.01 and abs(tip.y - spot.y) < 0.05
            assert (" before " in lifted) == held
        tip, spot = place(hand.path, world.scene.seconds), thing.path[-1]
        ends = abs(tip.x - spot.x) < 0.01 and abs(tip.y - spot.y) < 0.05
        assert [true for _, true in sentences(world, "until the end")] == [ends]
        assert ends or tip.y < 0


def test_the_thing_is_put_down_before_or_after_it_passes_over(worlds):
    for world in worlds:
        _, thing, _ = parts(world)
        sentence = told(world, "The hand puts the ")
        if sentence is None:
            continue
        sign = 1 if thing.path[-1].x > 0.5 else -1
        floor = max(key.y for key in thing.path)
        heights = [(place(thing.path, at).x, place(thing.path, at).y) for at in times(world)]
        up = next(n for n, (_, y) in enumerate(heights) if y < floor - 0.2)
        downs = [x for x, y in heights[up:] if y > floor - 0.01]
        assert len({sign * (x - 0.5) > 0 for x in downs}) == 1
        assert (" before " in sentence) == (sign * (downs[0] - 0.5) < 0)
