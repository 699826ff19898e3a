"""A training clip is what the host would show, and its traits stand where they are drawn."""

import random
from fractions import Fraction

import numpy as np
import pytest

from vidomni_plugin.data.mini.clips import CLIPS
from vidomni_plugin.data.mini.scenes import RGB, Backdrop, Key, Scene, Shot, Span, Thing, still
from vidomni_plugin.models.seer import clips
from vidomni_plugin.models.seer.clips import glimpse, imagine, render, shown, soften
from vidomni_plugin.models.seer.traits import CELLS, FRAMES, MOST, SIDE, TRAITS
from vidomni_plugin.models.seer.world import COLOURS, SHAPES

RED, CIRCLE = COLOURS.index("red"), len(COLOURS) + SHAPES.index("circle")
RIGHT = len(COLOURS) + len(SHAPES) + len(COLOURS) * len(SHAPES)
ALIKE, ALL = TRAITS - 2 * MOST, TRAITS - MOST
SEVERAL, WALL = RIGHT + 6, ALIKE - 3


def alone(path, seconds=4.0, **shot):
    thing = Thing("circle", "red", 0.3, path)
    return Scene((Shot(seconds, Backdrop("gray"), (thing,), **shot),))


@pytest.mark.parametrize("name", ["roll", "scenes", "watch"])
def test_the_frames_are_those_that_qwen_vl_utils_samples(name):
    torch = pytest.importorskip("torch")
    scene = CLIPS[name].scene
    every = [(s, i) for s in scene.shots for i in range(round(s.seconds * scene.fps))]
    indices = torch.linspace(0, len(every) - 1, FRAMES).round().long().tolist()
    expected = [(every[i][0], float(every[i][1] / scene.fps)) for i in indices]
    assert shown(scene, FRAMES) == expected


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


def test_softened_frames_stay_close_and_lose_fine_colour():
    frames, _ = render(alone(still(0.5, 0.5)), FRAMES)
    soft = soften(frames, random.Random(0))
    assert soft.shape == frames.shape
    assert np.abs(soft.astype(int) - frames).mean() < 6
    assert (soft != frames).any()


def test_a_seed_gives_the_same_clip_again():
    first, again = imagine(random.Random(8)), imagine(random.Random(8))
    assert (first.frames == again.frames).all()
    assert (first.cells == again.cells).all()
    assert first.facts == again.facts
    assert first.seconds == again.seconds


@pytest.mark.parametrize("count", [8, 16, 32])
def test_a_clip_may_have_more_frames(count):
    clip = imagine(random.Random(1), count)
    assert clip.frames.shape == (count, SIDE, SIDE, 3)
    assert clip.cells.shape == (count // 2 * CELLS**2, TRAITS)
    assert all(s.where.shape == (count // 2, CELLS**2) for s in clip.sights.values())


def test_a_glimpse_is_two_neighbouring_frames_of_a_clip():
    path = (Key(0, 0.1, 0.5), Key(4, 0.9, 0.5))
    whole, marks = render(alone(path), FRAMES)
    for pair in range(FRAMES // 2):
        frames, part = render(alone(path), FRAMES, pair)
        assert (frames == whole[2 * pair : 2 * pair + 2]).all()
        assert (part.cells[0] == marks.cells[pair]).all()
    seen = glimpse(random.Random(2))
    assert seen.frames.shape == (2, SIDE, SIDE, 3)
    assert seen.cells.shape == (CELLS**2, TRAITS)


def test_about_black_frames_nothing_is_true(monkeypatch):
    monkeypatch.setattr(clips, "BLACK", 1.0)
    clip = imagine(random.Random(2))
    assert not clip.frames.any()
    assert not clip.sights
    assert clip.facts
    assert not any(fact.true for fact in clip.facts)


def test_a_slow_clip_has_a_frame_a_long_time():
    scene = Scene(alone(still(0.5, 0.5), seconds=100).shots, fps=Fraction(1, 10))
    assert [at for _, at in shown(scene, FRAMES)][:2] == [0.0, 10.0]
