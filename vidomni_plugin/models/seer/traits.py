"""What is where in a clip's frames: traits of cells, and where named things are seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.data.mini.scenes import Shot, Thing, place
from vidomni_plugin.models.seer.world import COLOURS, NUMBERS, SHAPES, WALLS

__all__ = [
    "CELLS",
    "COUNT_TRAITS",
    "FRAMES",
    "MOST",
    "MOTION_TRAITS",
    "SIDE",
    "TRAITS",
    "WAYS",
    "WORDS",
    "Marks",
    "Sight",
]

SIDE = 112
"""Pixels that a clip of the built-in sample has after the processor's resize."""

FRAMES = 8
"""Frames of a clip, as ``max_num_frames=8`` gives them; a few are trained with more."""

CELLS = SIDE // 28
"""Visual tokens along a side; each stands for 28 pixels and two frames."""

VISIBLE = 0.02
"""Less movement between two of eight frames, two pixels, cannot be seen."""

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


MOTION_TRAITS = (*range(_MOTION, _EXTRA), *range(_CAMERA, _WALL))
"""Traits that show only between two frames."""

COUNT_TRAITS = range(_ALIKE, TRAITS)
"""Traits that tell how many."""

WAYS = (
    ("right",),
    ("left",),
    ("down", "downward", "sink", "sinks"),
    ("up", "upward", "rise", "rises"),
)
"""Words for motions to each side."""
WORDS: Mapping[str, int] = MappingProxyType(
    {colour: n for n, colour in enumerate(COLOURS)}
    | {shape: len(COLOURS) + n for n, shape in enumerate(SHAPES)}
    | {f"{shape}s": len(COLOURS) + n for n, shape in enumerate(SHAPES)}
    | {
        word: _MOTION + n
        for n, words in enumerate((*WAYS, ("grow", "grows"), ("shrinks",)))
        for word in words
    }
    | {"hand": _EXTRA + 1, "word": _EXTRA + 2, "posts": _EXTRA + 3}
    | {wall: _WALL + n for n, wall in enumerate(WALLS)}
    | {number: _ALIKE + n for n, number in enumerate(NUMBERS[1:])}
)
"""Words for traits, with the place of the trait."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What of one name can be seen: how many middles are in which cell, and how they move."""

    where: NDArray[np.uint8]
    """Shape ``(frames / 2, CELLS * CELLS)``."""
    moves: NDArray[np.bool_]
    """To the right, to the left, down, up, shape ``(4,)``."""


def _where(shot: Shot, thing: Thing, at: float) -> tuple[float, float, float] | None:
    """Return where the camera sees the middle of a thing and how large, or None if it does not."""
    if at not in thing.shown:
        return None
    spot, camera = place(thing.path, at), place(shot.camera, at)
    x = (spot.x - camera.x) * camera.scale + 0.5
    y = (spot.y - camera.y) * camera.scale + 0.5
    size = thing.size * spot.scale * camera.scale
    return (x, y, size) if 0 <= x < 1 and 0 <= y < 1 else None


class Marks:
    """The traits and sights of a clip while they are collected."""

    def __init__(self, pairs: int, frames: int) -> None:
        self.least = VISIBLE * FRAMES / frames
        self.cells = np.zeros((pairs, CELLS, CELLS, TRAITS), np.float32)
        self.shots = np.zeros(pairs, np.int64)
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
