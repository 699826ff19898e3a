"""A training clip is what the host would show, and its traits stand where they are drawn."""

import random
import re
from fractions import Fraction

import numpy as np
import pytest

from vidomni_plugin.data.mini.clips import CLIPS
from vidomni_plugin.data.mini.scenes import Backdrop, Key, Scene, Shot, Thing, still
from vidomni_plugin.models.seer import clips
from vidomni_plugin.models.seer.clips import (
    PLAIN_GLIMPSES,
    glimpse,
    imagine,
    render,
    shown,
    soften,
)
from vidomni_plugin.models.seer.layouts import LAYOUTS, PLAIN
from vidomni_plugin.models.seer.traits import CELLS, FRAMES, SIDE, TRAITS


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


def test_of_black_frames_nothing_is_said_that_could_be_true(monkeypatch):
    monkeypatch.setattr(clips, "BLACK", 1.0)
    rng = random.Random(5)
    said = {text for _ in range(60) for fact in imagine(rng).facts for text in fact.false}
    nothing = re.compile(r"does not cut|shots? in all|camera|stays the same|none of|^No,")
    assert len(said) > 300
    assert not [text for text in said if nothing.search(text)]


def test_slow_motion_is_known_of_more_frames_too():
    path = (Key(0, 0.4, 0.5), Key(4, 0.6, 0.5))
    for count in (8, 16, 32):
        _, marks = render(alone(path), count)
        assert marks.moves["red", "circle"].tolist() == [True, False, False, False]


def test_a_slow_clip_has_a_frame_a_long_time():
    scene = Scene(alone(still(0.5, 0.5), seconds=100).shots, fps=Fraction(1, 10))
    assert [at for _, at in shown(scene, FRAMES)][:2] == [0.0, 10.0]


def test_many_glimpses_are_drawn_from_the_plainest_kinds_alone(monkeypatch):
    drawn, world = [], clips._world

    def noted(rng, layouts=LAYOUTS):
        drawn.append(layouts is PLAIN)
        return world(rng, layouts)

    monkeypatch.setattr(clips, "_world", noted)
    rng = random.Random(3)
    for _ in range(200):
        glimpse(rng)
    assert abs(sum(drawn) / 200 - PLAIN_GLIMPSES) < 0.1
