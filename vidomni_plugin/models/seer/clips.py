"""Random clips as the model is shown them: sampled frames, what is where in them, and facts."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.data.mini.draw import draw
from vidomni_plugin.data.mini.scenes import Key, Scene, Shot, Thing, place
from vidomni_plugin.models.seer.layouts import LAYOUTS
from vidomni_plugin.models.seer.world import COLOURS, SHAPES, Fact, World

__all__ = ["CELLS", "FRAMES", "SIDE", "TRAITS", "Clip", "imagine", "shown", "soften"]

SIDE = 84
"""Pixels that a clip of the built-in sample has after the processor's resize."""

FRAMES = 8
"""Frames of a clip, as ``max_num_frames=8`` gives them."""

CELLS = SIDE // 28
"""Visual tokens along a side; each stands for 28 pixels and two frames."""

FINE = 3
"""Drawn three times as large before it is scaled down: faster than the sample's, as smooth."""

SOFT = 0.8
"""Share of clips that look as if they had been coded."""

TRAITS = len(COLOURS) + len(SHAPES) + 4 + 2
"""What a cell may hold: a colour, a shape, a motion to each side, a hand, a word."""


@dataclass(frozen=True, slots=True)
class Clip:
    """One training clip."""

    frames: NDArray[np.uint8]
    """Shape ``(FRAMES, SIDE, SIDE, 3)``, RGB."""
    cells: NDArray[np.float32]
    """Traits by visual token, shape ``(FRAMES / 2 * CELLS * CELLS, TRAITS)``, 0 or 1."""
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


def _where(shot: Shot, thing: Thing, at: float) -> tuple[float, float] | None:
    """Return where the camera sees the middle of a thing, or None when it does not."""
    if at not in thing.shown:
        return None
    spot, camera = place(thing.path, at), place(shot.camera, at)
    x = (spot.x - camera.x) * camera.scale + 0.5
    y = (spot.y - camera.y) * camera.scale + 0.5
    return (x, y) if 0 <= x < 1 and 0 <= y < 1 else None


def _mark(cells: NDArray[np.float32], shot: Shot, at: float, before: float | None) -> None:
    def cell(x: float, y: float) -> NDArray[np.float32]:
        marks: NDArray[np.float32] = cells[int(y * CELLS), int(x * CELLS)]
        return marks

    motion, extra = len(COLOURS) + len(SHAPES), TRAITS - 2
    for thing in shot.things:
        spot = _where(shot, thing, at)
        if spot is None:
            continue
        marks = cell(*spot)
        marks[COLOURS.index(thing.colour_at(at))] = 1
        marks[len(COLOURS) + SHAPES.index(thing.shape)] = 1
        if before is not None and (old := _where(shot, thing, before)) is not None:
            dx, dy = spot[0] - old[0], spot[1] - old[1]
            for n, move in enumerate((dx, -dx, dy, -dy)):
                if move > 0.02:  # less than two pixels cannot be seen
                    marks[motion + n] = 1
    for hand in shot.hands:
        tip: Key = place(hand.path, at)
        if 0 <= tip.x < 1 and 0 <= tip.y < 1:
            cell(tip.x, tip.y)[extra] = 1
    for words in shot.words:
        if at in words.shown:
            cell(words.x, words.y)[extra + 1] = 1


def render(scene: Scene) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Return the frames of a scene and the traits of their cells, see ``Clip``."""
    spots = shown(scene, FRAMES)
    frames = np.stack([draw(shot, at, SIDE, FINE) for shot, at in spots])
    cells = np.zeros((FRAMES // 2, CELLS, CELLS, TRAITS), np.float32)
    for n, (shot, at) in enumerate(spots):
        before = spots[n - 1][1] if n % 2 and spots[n - 1][0] is shot else None
        _mark(cells[n // 2], shot, at, before)
    return frames, cells.reshape(-1, TRAITS)


def imagine(rng: random.Random) -> Clip:
    """Return a random clip with all that is said about it."""
    layout = rng.choices(list(LAYOUTS), list(LAYOUTS.values()))[0]
    world: World = layout(rng)
    frames, cells = render(world.scene)
    if rng.random() < SOFT:
        frames = soften(frames, np.random.default_rng(rng.randrange(1 << 30)))
    stretch = rng.choices((1.0, rng.uniform(0.8, 1.3), rng.uniform(20, 350)), (8, 3, 1))[0]
    return Clip(frames, cells, world.facts, world.scene.seconds * stretch)


def soften(frames: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return frames as 4:2:0 coding leaves them: coarse colour, a little noise, whole numbers.

    Args:
        frames: Shape ``(FRAMES, SIDE, SIDE, 3)``.
        rng: Where the noise comes from.
    """
    grey = frames @ np.array([0.299, 0.587, 0.114], np.float32)
    colour = (frames - grey[..., None]).reshape(len(frames), SIDE // 2, 2, SIDE // 2, 2, 3)
    coarse = colour.mean((2, 4)).repeat(2, 1).repeat(2, 2)
    noise = rng.standard_normal(frames.shape, dtype=np.float32) * rng.choice((0.0, 1.0, 3.0))
    soft: NDArray[np.uint8] = np.rint((grey[..., None] + coarse + noise).clip(0, 255)).astype(
        np.uint8
    )
    return soft
