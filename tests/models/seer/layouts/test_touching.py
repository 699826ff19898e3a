"""What is said about a touch is read off again from paths and colours, and agrees."""

import random

import pytest

from vidomni_plugin.data.mini.scenes import place
from vidomni_plugin.models.seer.clips import shown
from vidomni_plugin.models.seer.layouts.touching import touched
from vidomni_plugin.models.seer.traits import FRAMES


@pytest.fixture(scope="module")
def worlds():
    rng = random.Random(3)
    return [touched(rng) for _ in range(150)]


def seen(world):
    """Return for a hundred times whether the two touch, and both colours."""
    (shot,) = world.scene.shots
    stands, comes = shot.things
    for n in range(101):
        at = shot.seconds * n / 100
        gap = abs(place(stands.path, at).x - place(comes.path, at).x)
        touch = gap < (stands.size + comes.size) / 2 + 1e-6
        yield at, touch, stands.colour_at(at), comes.colour_at(at)


def test_touch_and_change_come_in_the_order_that_is_told(worlds):
    for world in worlds:
        shot = world.scene.shots[0]
        first = next(at for at, touch, *_ in seen(world) if touch)
        paints = [paint.at for thing in shot.things for paint in thing.repaint]
        assert len(paints) == 1
        told = next(f for f in world.facts if f.true.endswith("changes color."))
        for text, true in ((told.true, True), *((text, False) for text in told.false)):
            assert ((" before " in text) == (first < paints[0])) == true


def test_a_change_before_the_touch_shows_in_a_frame_without_touch(worlds):
    for world in worlds:
        shot = world.scene.shots[0]
        touches = [at for at, touch, *_ in seen(world) if touch]
        change = next(paint.at for thing in shot.things for paint in thing.repaint)
        frames = [at for _, at in shown(world.scene, FRAMES)]
        if change < touches[0]:
            assert any(change <= at < touches[0] for at in frames)
        else:
            assert any(touches[0] <= at <= touches[-1] for at in frames)


def test_the_last_colour_is_the_one_at_the_end(worlds):
    for world in worlds:
        *_, last = seen(world)
        told = next(f for f in world.facts if f.true.endswith("at the end of the video."))
        colours = {t.shape: c for t, c in zip(world.scene.shots[0].things, last[2:], strict=True)}
        _, noun, _, colour, *_ = told.true.split()
        assert colours[noun] == colour
        assert not any(f" {colours[noun]} " in text for text in told.false)


def test_after_the_touch_the_thing_moves_as_is_told(worlds):
    for world in worlds:
        thing = world.scene.shots[0].things[0]
        shift = thing.path[-1].x - thing.path[0].x
        told = next(f for f in world.facts if f.true.startswith("After that"))
        way = "right" if shift > 0 else "left"
        ending = f"moves to the {way}." if shift else "stays where it is."
        assert told.true.endswith(ending)
        assert not any(text.endswith(ending) for text in told.false)
        assert not 0 < abs(shift) < 0.1
