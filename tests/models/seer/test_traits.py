"""Traits stand where they are drawn."""

import numpy as np
import pytest

from vidomni_plugin.data.mini.scenes import RGB, Backdrop, Key, Scene, Shot, Span, Thing, still
from vidomni_plugin.models.seer.clips import render
from vidomni_plugin.models.seer.traits import CELLS, FRAMES, MOST, SIDE, TRAITS
from vidomni_plugin.models.seer.world import COLOURS, SHAPES

RED, CIRCLE = COLOURS.index("red"), len(COLOURS) + SHAPES.index("circle")
RIGHT = len(COLOURS) + len(SHAPES) + len(COLOURS) * len(SHAPES)
ALIKE, ALL = TRAITS - 2 * MOST, TRAITS - MOST
SEVERAL, WALL = RIGHT + 6, ALIKE - 3


def alone(path, seconds=4.0, **shot):
    thing = Thing("circle", "red", 0.3, path)
    return Scene((Shot(seconds, Backdrop("gray"), (thing,), **shot),))


@pytest.mark.parametrize(("x", "y"), [(0.17, 0.17), (0.55, 0.83), (0.83, 0.55)])
def test_a_thing_is_marked_in_its_cell_only(x, y):
    frames, marks = render(alone(still(x, y)), FRAMES)
    grid = marks.cells
    row, column = int(y * CELLS), int(x * CELLS)
    assert grid[:, row, column, RED].all()
    assert grid[:, row, column, CIRCLE].all()
    assert grid[..., :WALL].sum() == 3 * FRAMES // 2  # colour, shape, shape of a colour
    assert grid[..., WALL].all()
    assert grid[..., ALIKE].sum() == FRAMES // 2  # the only one of its kind
    assert grid[..., ALL].all()
    where = marks.where["red", "circle"]
    assert where.sum(1).tolist() == [1] * (FRAMES // 2)
    assert where[:, row * CELLS + column].all()
    middle = frames[:, int(y * SIDE), int(x * SIDE)]
    assert np.abs(middle.astype(int) - RGB["red"]).max() <= 1


def test_motion_is_marked_to_its_side():
    path = (Key(0, 0.1, 0.5), Key(4, 0.9, 0.5))
    _, marks = render(alone(path), FRAMES)
    assert marks.cells[..., RIGHT : RIGHT + 6].any((0, 1, 2)).tolist() == [True] + [False] * 5
    assert marks.moves["red", "circle"].tolist() == [True, False, False, False]


def test_growing_is_marked():
    path = (Key(0, 0.5, 0.5, 0.5), Key(4, 0.5, 0.5, 1.5))
    _, marks = render(alone(path), FRAMES)
    assert marks.cells[..., RIGHT : RIGHT + 6].any((0, 1, 2)).tolist() == [
        *[False] * 4,
        True,
        False,
    ]


def test_a_moving_camera_moves_what_is_seen():
    camera = (Key(0, 0.5, 0.5), Key(4, 1.0, 0.5))
    _, marks = render(alone(still(0.9, 0.5), camera=camera), FRAMES)
    moved = marks.cells[..., RIGHT : RIGHT + 4].any((0, 1, 2))
    assert moved.tolist() == [False, True, False, False]
    assert not marks.moves["red", "circle"].any()  # it is the camera that moves
    assert marks.cells[..., WALL - 6].all()  # which pans to the right


def test_several_things_in_one_cell_are_marked():
    pair = tuple(Thing("circle", "red", 0.1, still(x, 0.1)) for x in (0.06, 0.18))
    _, marks = render(Scene((Shot(4.0, Backdrop("gray"), pair),)), FRAMES)
    assert marks.cells[:, 0, 0, SEVERAL].all()
    assert marks.cells[..., SEVERAL].sum() == FRAMES // 2


def test_things_are_counted_by_kind_in_their_cells_and_in_all_everywhere():
    reds = [Thing("circle", "red", 0.1, still(x, 0.1)) for x in (0.06, 0.18, 0.9)]
    late = Thing("square", "blue", 0.1, still(0.1, 0.9), shown=Span(2.0))
    _, marks = render(Scene((Shot(4.0, Backdrop("gray"), (*reds, late)),)), FRAMES)
    alike, every = marks.cells[..., ALIKE:ALL], marks.cells[..., ALL:]
    assert alike[0, 0, 0].tolist() == alike[0, 0, 3].tolist() == [0, 0, 1, 0, 0, 0, 0]
    assert alike[0].sum() == 2
    assert alike[3, 3, 0].tolist() == [1, 0, 0, 0, 0, 0, 0]
    numbers = every.argmax(-1) + 1
    assert [set(pair.ravel().tolist()) for pair in numbers] == [{3}, {3}, {4}, {4}]
    assert (every.sum(-1) == 1).all()


def test_what_the_camera_does_not_see_is_not_marked():
    _, marks = render(alone(still(1.4, 0.5)), FRAMES)
    assert not marks.cells[..., :WALL].any()
    assert not marks.where
