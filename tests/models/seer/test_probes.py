"""What is known about a clip's names agrees with what is drawn."""

from __future__ import annotations

import numpy as np
import pytest

from vidomni_plugin.data.mini.scenes import Backdrop, Key, Scene, Shot, Span, Thing, still
from vidomni_plugin.models.seer.branches import Mention
from vidomni_plugin.models.seer.clips import Clip, render
from vidomni_plugin.models.seer.probes import GROUND, GROUND_WEIGHT, ground, spots
from vidomni_plugin.models.seer.traits import CELLS, FRAMES, TRAITS, Sight

WALL = Backdrop("gray")


def clip_of(*things: Thing, seconds: float = 4.0) -> Clip:
    scene = Scene((Shot(seconds, WALL, things),))
    pictures, marks = render(scene, FRAMES)
    sights = {name: Sight(marks.where[name], marks.moves[name]) for name in marks.where}
    return Clip(pictures, marks.cells.reshape(-1, TRAITS), sights, marks.shots, (), seconds)


def told(clip: Clip, colour: str, noun: str):
    row = ground(clip, Mention(0, colour, noun))
    assert row.shape == (GROUND,)
    places = np.argwhere(row[: 4 * CELLS**2].reshape(4, CELLS, CELLS))
    return places.tolist(), int(row[4 * CELLS**2 : -4].argmax()), row[-4:].tolist()


def test_a_name_is_grounded_where_its_things_are_seen():
    red = Thing("circle", "red", 0.2, still(0.1, 0.9))
    blue = Thing("circle", "blue", 0.2, (Key(0, 0.1, 0.4), Key(4, 0.9, 0.4)))
    late = Thing("square", "green", 0.2, still(0.9, 0.1), shown=Span(3.2))
    clip = clip_of(red, blue, late)
    assert told(clip, "red", "circle") == ([[n, 3, 0] for n in range(4)], 1, [0, 0, 0, 0])
    places, count, moves = told(clip, "blue", "circle")
    assert [column for _, row, column in places if row == 1] == [0, 1, 2, 3]
    assert (count, moves) == (1, [1, 0, 0, 0])
    assert told(clip, "green", "square") == ([[3, 0, 3]], 1, [0, 0, 0, 0])
    assert told(clip, "", "circle")[1] == 2
    assert told(clip, "", "shape")[1] == 3
    assert told(clip, "red", "square") == ([], 0, [0, 0, 0, 0])
    assert told(clip, "", "hand") == ([], 0, [0, 0, 0, 0])


def test_maps_counts_and_motions_are_weighed_as_parts():
    weight = GROUND_WEIGHT.numpy()
    assert weight.mean() == pytest.approx(1.2)
    maps, counts, motions = np.split(weight, [4 * CELLS**2, len(weight) - 4])
    assert maps.sum() == pytest.approx(1.5 * counts.sum())
    assert counts.sum() == pytest.approx(2 * motions.sum())


def test_things_in_one_cell_count_each():
    pair = [Thing("circle", "red", 0.1, still(x, 0.1)) for x in (0.06, 0.18)]
    assert told(clip_of(*pair), "red", "circle")[1] == 2


def test_what_is_named_is_where_attention_should_be():
    blue = Thing("circle", "blue", 0.2, (Key(0, 0.1, 0.4), Key(4, 0.9, 0.4)))
    clip = clip_of(blue, Thing("square", "red", 0.2, still(0.9, 0.9)))
    shares = spots(clip, Mention(0, "blue", "circle")).reshape(4, CELLS, CELLS)
    assert shares.sum() == pytest.approx(1)
    assert [tuple(map(int, spot)) for spot in np.argwhere(shares)] == [(n, 1, n) for n in range(4)]
    assert not spots(clip, Mention(0, "red", "circle")).any()
