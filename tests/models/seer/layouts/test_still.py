"""What is said about rows that stay is read off again from the drawn scene, and agrees."""

import random
import re
from collections import Counter

import pytest

from vidomni_plugin.data.mini.scenes import place
from vidomni_plugin.models.seer.forms import form
from vidomni_plugin.models.seer.layouts.lasting import lasting
from vidomni_plugin.models.seer.layouts.rows import groups, sign
from vidomni_plugin.models.seer.layouts.still import row
from vidomni_plugin.models.seer.world import NUMBERS

LAYOUTS = (row, groups, sign, lasting)
MANY = 120
SOME = r"(?:an? )?(\w+) (circle|square|triangle)s?"


def worlds(layout, seed=11, count=MANY):
    rng = random.Random(seed)
    return [layout(rng) for _ in range(count)]


def told(world):
    for fact in world.facts:
        yield fact.true, True
        yield from ((text, False) for text in fact.false)


def spots(world, colour, shape):
    """Return where things of a look are half-way, without those that come or go."""
    (shot,) = world.scene.shots
    at = shot.seconds / 2
    return [
        (place(thing.path, at).x, place(thing.path, at).y)
        for thing in shot.things
        if (thing.colour, thing.shape) == (colour, shape)
    ]


def agree(holds, truths):
    """Check each sentence against the scene, and that both answers came up."""
    assert all(one == true for one, true in zip(holds, truths, strict=True))
    assert set(truths) == {True, False}


@pytest.mark.parametrize("layout", [row, groups], ids=lambda layout: layout.__name__)
def test_where_things_are_is_where_they_are_drawn(layout):
    sides = {
        "to the left of": lambda a, b: max(x for x, _ in a) < min(x for x, _ in b),
        "to the right of": lambda a, b: min(x for x, _ in a) > max(x for x, _ in b),
        "above": lambda a, b: max(y for _, y in a) < min(y for _, y in b),
        "below": lambda a, b: min(y for _, y in a) > max(y for _, y in b),
    }
    pattern = re.compile(rf"The {SOME} (?:is|are) ({'|'.join(sides)}) the {SOME}\.")
    holds, truths = [], []
    for world in worlds(layout):
        for text, true in told(world):
            if found := pattern.fullmatch(text):
                first, second = spots(world, found[1], found[2]), spots(world, found[4], found[5])
                holds.append(sides[found[3]](first, second))
                truths.append(true)
    agree(holds, truths)


def test_numbers_of_a_row_are_those_that_are_drawn():
    pattern = re.compile(
        r"(\w+) (\w+) (circle|square|triangle)s? forms? (?:the|a row in the) (\w+)"
    )
    holds, truths, numbers = [], [], Counter()
    for world in worlds(groups, count=400):
        for text, true in told(world):
            if found := pattern.match(text):
                seen = spots(world, found[2], found[3])
                number = NUMBERS.index(found[1].lower())
                upper = bool(seen) and seen[0][1] < 0.5
                holds.append(len(seen) == number and upper == (found[4] == "upper"))
                truths.append(true)
                numbers[number, true] += 1
    agree(holds, truths)
    assert {number for number, _ in numbers} == set(range(1, 8))
    for number in range(1, 8):
        # Three false numbers are told for each right one.
        assert 0.2 < 3 * numbers[number, True] / numbers[number, False] < 5


def test_numbers_below_a_word_are_those_that_are_drawn():
    pattern = re.compile(
        r"(\w+) (\w+) (circle|square|triangle)s? (?:is|are) (below|above) the word\."
    )
    holds, truths = [], []
    for world in worlds(sign):
        (shot,) = world.scene.shots
        for text, true in told(world):
            if found := pattern.fullmatch(text):
                seen = spots(world, found[2], found[3])
                below = bool(seen) and seen[0][1] > shot.words[0].y
                number = NUMBERS.index(found[1].lower())
                holds.append(len(seen) == number and below == (found[4] == "below"))
                truths.append(true)
    agree(holds, truths)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
def test_what_is_visible_is_drawn(layout):
    pattern = re.compile(r"(Yes|No), an? (\w+ )?(circle|square|triangle) is (not )?visible\.")
    holds, truths = [], []
    for world in worlds(layout):
        (shot,) = world.scene.shots
        looks = {(t.colour, t.shape) for t in shot.things}
        looks |= {(paint.colour, t.shape) for t in shot.things for paint in t.repaint}
        for text, true in told(world):
            if found := pattern.fullmatch(text):
                colour, shape = found[2], found[3]
                seen = any(s == shape and (not colour or c == colour.strip()) for c, s in looks)
                holds.append(seen == (found[1] == "Yes"))
                truths.append(true)
                assert (found[1] == "No") == bool(found[4])
    agree(holds, truths)


@pytest.mark.parametrize("layout", [groups, sign, lasting], ids=lambda layout: layout.__name__)
def test_the_picture_stays_the_same_only_when_nothing_changes(layout):
    holds, truths = [], []
    for world in worlds(layout):
        (shot,) = world.scene.shots
        same = all(
            len(t.path) == 1 and not t.repaint and t.shown.start == 0 and t.shown.end > 99
            for t in shot.things
        )
        for text, true in told(world):
            if text == "The picture stays the same until the end.":
                holds.append(same)
                truths.append(true)
    agree(holds, truths)


def test_what_lies_on_the_floor_at_the_end_is_drawn_there():
    pattern = re.compile(
        r"At the end, (an?|\w+) (\w+) (circle|square|triangle)s? (?:lie|lies) on the floor\."
    )
    holds, truths = [], []
    for world in worlds(lasting, count=300):
        (shot,) = world.scene.shots
        end, ground = shot.seconds - 0.1, shot.backdrop.horizon
        lying = Counter(
            (thing.colour_at(end), thing.shape)
            for thing in shot.things
            if end in thing.shown
            and 0 < place(thing.path, end).x < 1
            and place(thing.path, end).y + thing.size / 2 > (ground or 0) - 0.01
        )
        for text, true in told(world):
            if found := pattern.match(text):
                number = 1 if found[1] in ("a", "an") else NUMBERS.index(found[1])
                holds.append(lying[found[2], found[3]] == number)
                truths.append(true)
    agree(holds, truths)


def test_what_lies_in_front_is_drawn_lower_on_the_floor():
    pattern = re.compile(rf"(?:{SOME}|Nothing) lies on the floor in front of them\.")
    holds, truths = [], []
    for world in worlds(row):
        (shot,) = world.scene.shots
        low = [(t.colour, t.shape) for t in shot.things if t.path[0].y > shot.things[0].path[0].y]
        for text, true in told(world):
            if found := pattern.fullmatch(text):
                named = [(found[1].lower(), found[2])] if found[1] else []
                holds.append(low == named)
                truths.append(true)
    agree(holds, truths)


def test_rows_drift_and_turn_as_their_paths_and_paints_say():
    pattern = re.compile(
        r"The (?:(\w+) )?(circle|square|triangle)s? "
        r"(?:slowly drifts? to the (left|right)|turn (\w+) one after another)\."
    )
    holds, truths = [], []
    for world in [*worlds(groups), *worlds(sign)]:
        (shot,) = world.scene.shots
        for text, true in told(world):
            if not (found := pattern.fullmatch(text)):
                continue
            named = [t for t in shot.things if t.shape == found[2] and found[1] in (None, t.colour)]
            step = named[0].path[-1].x - named[0].path[0].x
            if found[4]:
                paints = [t.repaint for t in named]
                times = {paint[0].at for paint in paints if paint}
                colours = {paint[0].colour for paint in paints if paint}
                holds.append(len(times) == len(named) > 1 and colours == {found[4]})
            else:
                holds.append(step > 0.1 if found[3] == "right" else step < -0.1)
            truths.append(true)
    agree(holds, truths)


def test_the_background_and_the_number_of_shapes_before_it_are_those_drawn():
    pattern = re.compile(r"(\w+) shapes are seen on a (\w+) background\.")
    holds, truths = [], []
    for world in [*worlds(row), *worlds(lasting), *worlds(groups)]:
        (shot,) = world.scene.shots
        for text, true in told(world):
            if found := pattern.fullmatch(text):
                number = NUMBERS.index(found[1].lower())
                holds.append(number == len(shot.things) and found[2] == shot.backdrop.wall)
                truths.append(true)
    agree(holds, truths)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
def test_things_of_one_clip_do_not_cover_each_other_at_first(layout):
    for world in worlds(layout):
        (shot,) = world.scene.shots
        boxes = [(t.path[0].x, t.path[0].y, t.size * t.path[0].scale) for t in shot.things]
        for n, (x, y, size) in enumerate(boxes):
            assert size > 0.09
            for other in boxes[n + 1 :]:
                reach = (size + other[2]) / 2
                assert abs(x - other[0]) > reach - 0.005 or abs(y - other[1]) > reach - 0.005


SAMPLE = """
The triangle is yellow.
The blue square is to the left of the yellow triangle.
Yes, a written word is visible.
Three green squares are below the word.
Five green squares are below the word.
The word OPEN is written in white letters.
The green squares are below the word OPEN.
Four red circles form the upper row.
Seven red circles form the upper row.
The red circles are above the purple squares.
Three shapes stand side by side on a gray floor in front of a lighter gray wall.
On the left is a red circle.
A blue square stands in the middle, between the circle and a yellow triangle on the right.
None of the shapes moves during the whole video.
A red circle, a blue square and a yellow triangle stand in a row on the floor.
The circle is the shape farthest to the right.
The square stands to the left of the circle.
A purple square lies on the floor in front of them.
The word OPEN is written in large white letters on a dark background.
Below the word OPEN are three green squares in a row.
The word stands to the left of the squares.
The squares turn red one after another.
The picture stays the same until the end.
Four red circles form a row in the upper half of the picture.
Under the red circles are two purple squares.
The circles slowly drift to the right.
The background is plain beige.
A green circle waits at the end of the row.
At the end, two red circles lie on the floor.
Three shapes are seen on a beige background.
"""


def test_every_sentence_of_the_sample_has_a_form_that_is_often_true_and_often_false():
    asked = Counter()
    for layout in LAYOUTS:
        for world in worlds(layout, count=300):
            asked.update((form(text), true) for text, true in told(world))
    for sentence in SAMPLE.strip().splitlines():
        for true in (True, False):
            assert asked[form(sentence), true] >= 3, (sentence, true)
