"""What is said about the plainest clips agrees with what they show."""

import random
import re
from itertools import pairwise

import pytest

from vidomni_plugin.data.mini.scenes import place
from vidomni_plugin.models.seer.layouts.plain import changing, counted, scattered, successive
from vidomni_plugin.models.seer.world import HIDDEN, NUMBERS

MANY = 150


def worlds(layout):
    rng = random.Random(21)
    return [layout(rng) for _ in range(MANY)]


def sentences(world, skill):
    for fact in world.facts:
        if fact.skill == skill:
            yield fact.true, True
            for text in fact.false:
                yield text, False


@pytest.mark.parametrize("layout", [counted, scattered])
def test_numbers_are_those_of_the_things(layout):
    seen = set()
    for world in worlds(layout):
        (shot,) = world.scene.shots
        for text, true in sentences(world, "count"):
            number = NUMBERS.index(text.split()[0].lower())
            assert (number == len(shot.things)) == true
            seen.add((number, "shape" in text, true))
    assert seen == {(n, s, t) for n in range(1, 5) for s in (True, False) for t in (True, False)}


@pytest.mark.parametrize("layout", [counted, scattered])
def test_counted_things_are_apart_and_whole(layout):
    for world in worlds(layout):
        (shot,) = world.scene.shots
        spots = [place(thing.path, 0) for thing in shot.things]
        size = shot.things[0].size
        for n, a in enumerate(spots):
            assert all(max(abs(a.x - b.x), abs(a.y - b.y)) > size for b in spots[:n])
            assert all(size / 2 < middle < 1 - size / 2 for middle in (a.x, a.y))


def test_each_counted_thing_has_a_quarter_of_the_picture():
    for world in worlds(counted):
        (shot,) = world.scene.shots
        spots = [place(thing.path, 0) for thing in shot.things]
        assert len({(spot.x < 0.5, spot.y < 0.5) for spot in spots}) == len(spots)


def shown(world):
    """Return each thing's colour and shape in the order in which they come, with its wall."""
    shots = world.scene.shots
    things = [(thing, shot.backdrop.wall) for shot in shots for thing in shot.things]
    return [(thing.colour, thing.shape, wall) for thing, wall in things]


def test_successive_things_never_share_a_picture_and_are_seen():
    for world in worlds(successive):
        for shot in world.scene.shots:
            spans = [thing.shown for thing in shot.things]
            assert all(a.end == b.start for a, b in pairwise(spans))
            assert spans[0].start == 0
            assert spans[-1].end > shot.seconds
        assert all(colour not in HIDDEN[wall] for colour, _, wall in shown(world))


ORDER = re.compile(r"The (\w+) (\w+) (?:comes (first|last)|appears (before|after) the (\w+) (\w+))")


def test_order_is_that_in_which_things_are_shown():
    checked = {True: 0, False: 0}
    for world in worlds(successive):
        names = [(colour, shape) for colour, shape, _ in shown(world)]
        for text, true in sentences(world, "order"):
            colour, shape, end, way, other_colour, other_shape = ORDER.match(text).groups()
            at = names.index((colour, shape))
            if end:
                assert (at == (0 if end == "first" else len(names) - 1)) == true
            else:
                other = names.index((other_colour, other_shape))
                assert ((at < other) == (way == "before")) == true
            checked[true] += 1
    assert min(checked.values()) > 300


@pytest.mark.parametrize("layout", [successive, changing])
def test_cuts_are_counted_and_change_the_wall(layout):
    told = set()
    for world in worlds(layout):
        shots = world.scene.shots
        assert all(a.backdrop != b.backdrop for a, b in pairwise(shots))
        for text, true in sentences(world, "cut"):
            number = re.match(r"There (?:is|are) (\w+) shots? in all", text)
            if number:
                assert (NUMBERS.index(number[1]) == len(shots)) == true
            else:
                assert (("does not" in text) == (len(shots) == 1)) == true
            told.add((text, true))
    assert len(told) >= (10 if layout is successive else 2)


def test_colours_turn_in_the_order_that_is_told():
    for world in worlds(changing):
        ((thing,),) = (shot.things for shot in world.scene.shots)
        (paint,) = thing.repaint
        (told,) = (f for f in world.facts if " turns from " in f.true)
        assert told.true == f"The {thing.shape} turns from {thing.colour} to {paint.colour}."
        assert 0.3 < paint.at / world.scene.seconds < 0.7
