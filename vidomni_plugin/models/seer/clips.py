"""Random clips as the model is shown them: sampled frames, what is where in them, and facts."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vidomni_plugin.data.mini.clips import SIDE as CODED_SIDE
from vidomni_plugin.data.mini.draw import draw
from vidomni_plugin.data.mini.scenes import Scene, Shot
from vidomni_plugin.models.seer.layouts import LAYOUTS, PLAIN
from vidomni_plugin.models.seer.traits import FRAMES, SIDE, TRAITS, Marks, Sight
from vidomni_plugin.models.seer.world import SHAPES, Fact, Layout, World

__all__ = [
    "BLACK",
    "PLAIN_GLIMPSES",
    "SOFT",
    "Clip",
    "Glimpse",
    "glimpse",
    "imagine",
    "shown",
    "soften",
]

FINE = 3
"""Drawn three times as large before it is scaled down: faster than the sample's, as smooth."""

PLAIN_GLIMPSES = 0.3
"""Share of glimpses that are drawn from the plainest kinds of clips alone, the others from all
kinds, these among them: in many of those there is much to count at once."""
SOFT = 0.8
"""Share of clips that look as if they had been coded."""

UNTOLD = 24
"""Frames a second that transformers takes for granted when a runner does not tell them."""

BLACK = 0.02
"""Share of clips without a picture: then nothing that is said to be seen is true."""


@dataclass(frozen=True, slots=True)
class Clip:
    """One training clip."""

    frames: NDArray[np.uint8]
    """Shape ``(frames, SIDE, SIDE, 3)``, RGB."""
    cells: NDArray[np.float32]
    """Traits by visual token, shape ``(frames / 2 * CELLS * CELLS, TRAITS)``, 0 or 1."""
    sights: Mapping[tuple[str, str], Sight]
    """By colour and shape; a hand and a word have no colour."""
    shots: NDArray[np.int64]
    """Which shot the second of every two frames is of, counted from 0, shape ``(frames / 2,)``."""
    facts: tuple[Fact, ...]
    seconds: float
    """Duration; a stretched clip shows the same frames."""


def shown(scene: Scene, count: int) -> list[tuple[Shot, float]]:
    """Return shot and time of the frames that ``qwen_vl_utils`` samples from a clip."""
    every = [
        (shot, float(index / scene.fps))
        for shot in scene.shots
        for index in range(round(shot.seconds * scene.fps))
    ]
    return [every[round(at)] for at in np.linspace(0, len(every) - 1, count)]


def render(scene: Scene, count: int, pair: int | None = None) -> tuple[NDArray[np.uint8], Marks]:
    """Return the sampled frames of a scene, and what is in them.

    Args:
        scene: What is drawn.
        count: How many frames are sampled.
        pair: Which two of them that follow each other are drawn, counted from 0; None for all.
    """
    spots = shown(scene, count)
    if pair is not None:
        spots = spots[2 * pair : 2 * pair + 2]
    marks = Marks(len(spots) // 2, count)
    pictures = []
    for n, (shot, at) in enumerate(spots):
        picture = Image.fromarray(draw(shot, at, CODED_SIDE, FINE))
        pictures.append(np.asarray(picture.resize((SIDE, SIDE), Image.Resampling.BICUBIC)))
        before = spots[n - 1][1] if n % 2 and spots[n - 1][0] is shot else None
        for thing in shot.things:
            marks.thing(n, shot, thing, at, before)
        marks.rest(n, shot, at, before)
        marks.shots[n // 2] = next(k for k, one in enumerate(scene.shots) if one is shot)
    marks.count()
    return np.stack(pictures), marks


def _world(rng: random.Random, layouts: Mapping[Layout, float] = LAYOUTS) -> World:
    return rng.choices(list(layouts), list(layouts.values()))[0](rng)


@dataclass(frozen=True, slots=True)
class Glimpse:
    """Two frames of a clip: all that one visual token looks at."""

    frames: NDArray[np.uint8]
    """Shape ``(2, SIDE, SIDE, 3)``, RGB."""
    cells: NDArray[np.float32]
    """Traits by visual token, shape ``(CELLS * CELLS, TRAITS)``, 0 or 1."""


def glimpse(rng: random.Random) -> Glimpse:
    """Return two neighbouring frames of a random clip."""
    world = _world(rng, PLAIN if rng.random() < PLAIN_GLIMPSES else LAYOUTS)
    frames, marks = render(world.scene, FRAMES, rng.randrange(FRAMES // 2))
    if rng.random() < SOFT:
        frames = soften(frames, rng)
    return Glimpse(frames, marks.cells.reshape(-1, TRAITS))


def imagine(rng: random.Random, count: int = FRAMES, *, plain: bool = False) -> Clip:
    """Return a random clip with all that is said about it.

    Args:
        rng: Draws everything.
        count: How many frames, an even number.
        plain: Whether the clip is of the plainest kinds.
    """
    world = _world(rng, PLAIN if plain else LAYOUTS)
    if rng.random() < BLACK:
        return _black(world, count)
    frames, marks = render(world.scene, count)
    if rng.random() < SOFT:
        frames = soften(frames, rng)
    seconds = world.scene.seconds
    seconds = rng.choices(
        (seconds, seconds * rng.uniform(0.8, 1.3), seconds * rng.uniform(20, 350), count / UNTOLD),
        (8, 3, 1, 1.5),
    )[0]
    sights = {name: Sight(marks.where[name], marks.moves[name]) for name in marks.where}
    return Clip(
        frames,
        marks.cells.reshape(-1, TRAITS),
        sights,
        marks.shots,
        world.facts,
        seconds,
    )


_THING = re.compile(rf"\b(({'|'.join(SHAPES)})s?|hand|words?)\b")


def _black(world: World, count: int) -> Clip:
    """Return black frames, about which all that is said of the things of a world is false.

    What could be true of black frames, that nothing moves or that nothing is cut, is not said.
    """
    facts = tuple(
        replace(fact, true="", false=(fact.true, *fact.false))
        for fact in world.facts
        if fact.skill not in ("existence", "cut", "camera")
        and all(_THING.search(text) for text in (fact.true, *fact.false))
    )
    marks = Marks(count // 2, count)
    frames = np.zeros((count, SIDE, SIDE, 3), np.uint8)
    cells = marks.cells.reshape(-1, TRAITS)
    return Clip(frames, cells, {}, marks.shots, facts, world.scene.seconds)


def soften(frames: NDArray[np.uint8], rng: random.Random) -> NDArray[np.uint8]:
    """Return frames as 4:2:0 coding leaves them: coarse colour and rough edges.

    JPEG does to one picture what H.264 does to a key frame, in a tenth of the time.

    Args:
        frames: Shape ``(frames, SIDE, SIDE, 3)``.
        rng: Chooses the quality.
    """
    quality = rng.randint(50, 95)
    coded = []
    for frame in frames:
        file = BytesIO()
        Image.fromarray(frame).save(file, "JPEG", quality=quality, subsampling=2)
        coded.append(np.asarray(Image.open(file)))
    return np.stack(coded)
