"""What is said about one or two things agrees with where they are drawn."""

import random
import re

from vidomni_plugin.data.mini.scenes import place
from vidomni_plugin.models.seer.layouts.simple import SIDES, simple
from vidomni_plugin.models.seer.world import NUMBERS

MANY = 300
SPANS = {"left": (0, 0.4), "middle": (0.4, 0.6), "right": (0.6, 1)}


def check(pattern, holds):
    """Compare sentences of one kind, true and false, with the things of their clips."""
    checked, rng = {True: 0, False: 0}, random.Random(31)
    for world in (simple(rng) for _ in range(MANY)):
        (shot,) = world.scene.shots
        for fact in world.facts:
            for text, true in ((fact.true, True), *((text, False) for text in fact.false)):
                if found := re.fullmatch(pattern, text):
                    assert holds(shot.things, *found.groups()) == true, text
                    checked[true] += 1
    assert min(checked.values()) > 40


def middle(things, colour, shape):
    (thing,) = (t for t in things if (t.colour, t.shape) == (colour, shape))
    return place(thing.path, 0).x


def test_colours_are_told_of_a_shape_that_is_alone():
    def holds(things, shape, colour):
        (thing,) = (t for t in things if t.shape == shape)
        return thing.colour == colour

    check(r"The (circle|square|triangle) is (\w+)\.", holds)


def test_shapes_are_told_of_a_colour_that_is_alone():
    def holds(things, colour, shape):
        (thing,) = (t for t in things if t.colour == colour)
        return thing.shape == shape

    check(r"The (\w+) shape is a (\w+)\.", holds)


def test_sides_are_where_things_are():
    def holds(things, colour, shape, where):
        side = next(side for side, text in SIDES.items() if text == where)
        start, end = SPANS[side]
        return start < middle(things, colour, shape) < end

    check(rf"An? (\w+) (\w+) is ({'|'.join(SIDES.values())})\.", holds)


def test_one_is_on_the_told_side_of_the_other():
    def holds(things, colour, shape, side, other_colour, other_shape):
        a, b = middle(things, colour, shape), middle(things, other_colour, other_shape)
        return (a < b) == (side == "left")

    check(r"The (\w+) (\w+) is to the (left|right) of the (\w+) (\w+)\.", holds)


def test_the_number_is_that_of_the_things():
    def holds(things, number):
        return NUMBERS.index(number.lower()) == len(things)

    check(r"(\w+) shapes? (?:is|are) visible\.", holds)
