"""Random clips as the model is shown them: sampled frames, what is where in them, and facts."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vidomni_plugin.data.mini.clips import SIDE as CODED_SIDE
from vidomni_plugin.data.mini.draw import draw
from vidomni_plugin.data.mini.scenes import Scene, Shot, Thing, place
from vidomni_plugin.models.seer.layouts import LAYOUTS, PLAIN
from vidomni_plugin.models.seer.world import COLOURS, SHAPES, WALLS, Fact, Layout, World

__all__ = [
    "CELLS",
    "FRAMES",
    "MOST",
    "MOTIONS",
    "SIDE",
    "TRAITS",
    "WORDS",
    "Clip",
    "Glimpse",
    "Sight",
    "glimpse",
    "imagine",
    "shown",
    "soften",
]

SIDE = 112
"""Pixels that a clip of the built-in sample has after the processor's resize."""

FRAMES = 8
"""Frames of a clip, as ``max_num_frames=8`` gives them; a few are trained with more."""

CELLS = SIDE // 28
"""Visual tokens along a side; each stands for 28 pixels and two frames."""

FINE = 3
"""Drawn three times as large before it is scaled down: faster than the sample's, as smooth."""

SOFT = 0.8
"""Share of clips that look as if they had been coded."""

VISIBLE = 0.02
"""Less movement between two of eight frames, two pixels, cannot be seen."""

UNTOLD = 24
"""Frames a second that transformers takes for granted when a runner does not tell them."""

BLACK = 0.02
"""Share of clips without a picture: then nothing that is said to be seen is true."""

_JOINT = len(COLOURS) + len(SHAPES)
_MOTION = _JOINT + len(COLOURS) * len(SHAPES)
_EXTRA = _MOTION + 6
_CAMERA = _EXTRA + 4
_WALL = _CAMERA + 6
MOST = 7
"""As many things are counted."""
_ALIKE = _WALL + len(WALLS)
_ALL = _ALIKE + MOST
TRAITS = _ALL + MOST
"""What a cell may hold: colours, shapes, shapes of a colour, motions to each side, growing,
shrinking, several things, a hand, a word, a post; what the camera does; the wall; how many things
there are like one in the cell, and how many in all."""


MOTIONS = (*range(_MOTION, _EXTRA), *range(_CAMERA, _WALL))
"""Traits that show only between two frames."""

WORDS: Mapping[str, int] = MappingProxyType(
    {colour: n for n, colour in enumerate(COLOURS)}
    | {shape: len(COLOURS) + n for n, shape in enumerate(SHAPES)}
    | {f"{shape}s": len(COLOURS) + n for n, shape in enumerate(SHAPES)}
    | {"hand": _EXTRA + 1, "word": _EXTRA + 2}
)
"""Words for traits, with the place of the trait."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What of one name can be seen: how many middles are in which cell, and how they move."""

    where: NDArray[np.uint8]
    """Shape ``(frames / 2, CELLS * CELLS)``."""
    moves: NDArray[np.bool_]
    """To the right, to the left, down, up, shape ``(4,)``."""


@dataclass(frozen=True, slots=True)
class Clip:
    """One training clip."""

    frames: NDArray[np.uint8]
    """Shape ``(frames, SIDE, SIDE, 3)``, RGB."""
    cells: NDArray[np.float32]
    """Traits by visual token, shape ``(frames / 2 * CELLS * CELLS, TRAITS)``, 0 or 1."""
    sights: Mapping[tuple[str, str], Sight]
    """By colour and shape; a hand and a word have no colour."""
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


def _where(shot: Shot, thing: Thing, at: float) -> tuple[float, float, float] | None:
    """Return where the camera sees the middle of a thing and how large, or None if it does not."""
    if at not in thing.shown:
        return None
    spot, camera = place(thing.path, at), place(shot.camera, at)
    x = (spot.x - camera.x) * camera.scale + 0.5
    y = (spot.y - camera.y) * camera.scale + 0.5
    size = thing.size * spot.scale * camera.scale
    return (x, y, size) if 0 <= x < 1 and 0 <= y < 1 else None


class _Marks:
    """The traits and sights of a clip while they are collected."""

    def __init__(self, pairs: int, frames: int) -> None:
        self.least = VISIBLE * FRAMES / frames
        self.cells = np.zeros((pairs, CELLS, CELLS, TRAITS), np.float32)
        self.where: dict[tuple[str, str], NDArray[np.uint8]] = {}
        self.moves: dict[tuple[str, str], NDArray[np.bool_]] = {}

    def see(self, name: tuple[str, str], n: int, x: float, y: float) -> NDArray[np.float32]:
        """Note that a name is seen in a frame, and return the traits of its cell."""
        row, column = int(y * CELLS), int(x * CELLS)
        if name not in self.where:
            self.where[name] = np.zeros((len(self.cells), CELLS**2), np.uint8)
            self.moves[name] = np.zeros(4, np.bool_)
        self.where[name][n // 2, row * CELLS + column] += n % 2  # the second frame of each two
        cell: NDArray[np.float32] = self.cells[n // 2, row, column]
        return cell

    def thing(self, n: int, shot: Shot, thing: Thing, at: float, before: float | None) -> None:
        """Note what one thing looks like in a frame and how it moved since the one before."""
        spot = _where(shot, thing, at)
        if spot is None:
            return
        name = (thing.colour_at(at), thing.shape)
        marks = self.see(name, n, spot[0], spot[1])
        colour, shape = COLOURS.index(thing.colour_at(at)), SHAPES.index(thing.shape)
        marks[[colour, len(COLOURS) + shape, _JOINT + colour * len(SHAPES) + shape]] = 1
        if before is None or (old := _where(shot, thing, before)) is None:
            return
        seen = (spot[0] - old[0], spot[1] - old[1])
        here, there = place(thing.path, at), place(thing.path, before)
        moved = (here.x - there.x, here.y - there.y)
        for k, (axis, sign) in enumerate(((0, 1), (0, -1), (1, 1), (1, -1))):
            marks[_MOTION + k] = max(marks[_MOTION + k], sign * seen[axis] > VISIBLE)
            self.moves[name][k] |= sign * moved[axis] > self.least
        growth = spot[2] / old[2]
        marks[_MOTION + 4] = max(marks[_MOTION + 4], growth > 1.04)
        marks[_MOTION + 5] = max(marks[_MOTION + 5], growth < 0.96)

    def rest(self, n: int, shot: Shot, at: float, before: float | None) -> None:
        """Note hands, words, posts, the wall and what the camera does."""
        for hand in shot.hands:
            tip = place(hand.path, at)
            if 0 <= tip.x < 1 and 0 <= tip.y < 1:
                self.see(("", "hand"), n, tip.x, tip.y)[_EXTRA + 1] = 1
        for words in shot.words:
            if at in words.shown:
                self.see(("", "word"), n, words.x, words.y)[_EXTRA + 2] = 1
        camera, every = place(shot.camera, at), self.cells[n // 2]
        for post in shot.backdrop.posts:
            x = (post - camera.x) * camera.scale + 0.5
            if 0 <= x < 1:
                every[: CELLS // 2, int(x * CELLS), _EXTRA + 3] = 1
        every[..., _WALL + WALLS.index(shot.backdrop.wall)] = 1
        if before is not None:
            old = place(shot.camera, before)
            ways = (camera.x - old.x, old.x - camera.x, camera.y - old.y, old.y - camera.y)
            zoom = camera.scale / old.scale
            every[..., _CAMERA : _CAMERA + 6] = np.array([*ways, zoom - 1, 1 / zoom - 1]) > VISIBLE

    def count(self) -> None:
        """Note where several things are, how many there are like one, and how many in all."""
        things = [where for (colour, _), where in self.where.items() if colour]
        if not things:
            return
        cells = self.cells.reshape(len(self.cells), CELLS**2, TRAITS)
        total = np.sum(things, axis=0)
        cells[..., _EXTRA] = total > 1
        for numbers, first, spots in (
            *((where.sum(1), _ALIKE, where > 0) for where in things),
            (total.sum(1), _ALL, np.ones_like(total, np.bool_)),
        ):
            for pair, number in enumerate(numbers):
                if number:
                    cells[pair, spots[pair], first + min(int(number), MOST) - 1] = 1


def render(scene: Scene, count: int, pair: int | None = None) -> tuple[NDArray[np.uint8], _Marks]:
    """Return the sampled frames of a scene, and what is in them.

    Args:
        scene: What is drawn.
        count: How many frames are sampled.
        pair: Which two of them that follow each other are drawn, counted from 0; None for all.
    """
    spots = shown(scene, count)
    if pair is not None:
        spots = spots[2 * pair : 2 * pair + 2]
    marks = _Marks(len(spots) // 2, count)
    pictures = []
    for n, (shot, at) in enumerate(spots):
        picture = Image.fromarray(draw(shot, at, CODED_SIDE, FINE))
        pictures.append(np.asarray(picture.resize((SIDE, SIDE), Image.Resampling.BICUBIC)))
        before = spots[n - 1][1] if n % 2 and spots[n - 1][0] is shot else None
        for thing in shot.things:
            marks.thing(n, shot, thing, at, before)
        marks.rest(n, shot, at, before)
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
    frames, marks = render(_world(rng).scene, FRAMES, rng.randrange(FRAMES // 2))
    if rng.random() < SOFT:
        frames = soften(frames, rng)
    return Glimpse(frames, marks.cells.reshape(-1, TRAITS))


def imagine(rng: random.Random, count: int = FRAMES, *, easy: bool = False) -> Clip:
    """Return a random clip with all that is said about it.

    Args:
        rng: Draws everything.
        count: How many frames, an even number.
        easy: Whether the clip is of the plainest kinds.
    """
    world = _world(rng, PLAIN if easy else LAYOUTS)
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
    marks = _Marks(count // 2, count)
    frames = np.zeros((count, SIDE, SIDE, 3), np.uint8)
    return Clip(frames, marks.cells.reshape(-1, TRAITS), {}, facts, world.scene.seconds)


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
