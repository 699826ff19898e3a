"""How a clip goes from one thing to the next is read off again from shots and camera paths."""

import random

import pytest

from vidomni_plugin.data.mini.scenes import place
from vidomni_plugin.models.seer.layouts.filming import CHANGES, filmed


@pytest.fixture(scope="module")
def worlds():
    rng = random.Random(7)
    return [filmed(rng) for _ in range(150)]


def in_sight(shot, at):
    """Return colours of things whose middle the camera sees."""
    camera = place(shot.camera, at)
    half = 0.5 / camera.scale
    return {
        thing.colour
        for thing in shot.things
        if abs(thing.path[0].x - camera.x) < half and abs(thing.path[0].y - camera.y) < half
    }


def test_only_the_one_is_seen_first_and_only_the_other_last(worlds):
    for world in worlds:
        fact = next(f for f in world.facts if " from the " in f.true)
        first, second = (
            half.split()[0] for half in fact.true.split(" from the ")[1].split(" to the ")
        )
        shots = world.scene.shots
        start, end = in_sight(shots[0], 0), in_sight(shots[-1], shots[-1].seconds)
        assert start == {first} or ("zooms in" in fact.true and start == {first, second})
        assert end == {second}


def test_the_change_is_what_the_camera_does(worlds):
    for world in worlds:
        fact = next(f for f in world.facts if " from the " in f.true)
        change = next(c for c in CHANGES if f"The {c} " in fact.true)
        a, b = (place(world.scene.shots[0].camera, at) for at in (0, world.scene.seconds))
        assert (change == "video cuts") == (len(world.scene.shots) == 2)
        assert (change == "camera pans") == (abs(b.x - a.x) > 0.5)
        assert (change == "camera tilts up") == (b.y < a.y - 0.5)
        assert (change == "camera zooms in") == (b.scale > 2 * a.scale)
        turn = next(
            f.true for f in world.facts if f.true.startswith("The camera ") and f is not fact
        )
        if change == "camera pans":
            assert turn.endswith("right." if b.x > a.x else "left.")
        here, there = fact.true.split(" from ")[1].rstrip(".").split(" to ")
        swapped = f"The {change} from {there} to {here}."
        others = {fact.true.replace(change, c) for c in CHANGES if c != change}
        assert set(fact.false) <= others | {swapped}
        assert len(fact.false) == len(set(fact.false))
        assert not any(f.true in {swapped, *others} for f in world.facts)


def test_each_change_is_drawn_often(worlds):
    for change in CHANGES:
        assert sum(any(f"The {change} from" in f.true for f in w.facts) for w in worlds) > 15
