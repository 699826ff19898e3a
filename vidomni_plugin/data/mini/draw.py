"""Turn a scene description into RGB frames."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from vidomni_plugin.data.mini.scenes import (
    RGB,
    Colour,
    Ground,
    Hand,
    Key,
    Scene,
    Shot,
    Thing,
    Words,
    place,
)

__all__ = ["Frame", "draw", "frames"]

Frame = NDArray[np.uint8]
"""One picture, shape ``(side, side, 3)``, RGB."""

FINE = 4
"""Frames are drawn this much larger and scaled down, so that edges move by parts of a pixel."""

FINGER = 0.05
"""Width of a finger as a share of the frame."""


class _Canvas:
    """A picture under a camera; positions are those of the scene."""

    def __init__(self, side: int, camera: Key, fine: int) -> None:
        self.pixels = side * fine
        self.camera = camera
        self.image = Image.new("RGB", (self.pixels, self.pixels))
        self.pen = ImageDraw.Draw(self.image)

    def point(self, x: float, y: float) -> tuple[float, float]:
        zoom = self.camera.scale * self.pixels
        return (
            (x - self.camera.x) * zoom + self.pixels / 2,
            (y - self.camera.y) * zoom + self.pixels / 2,
        )

    def box(self, left: float, top: float, right: float, bottom: float, fill: str) -> None:
        (x0, y0), (x1, y1) = self.point(left, top), self.point(right, bottom)
        self.pen.rectangle((round(x0), round(y0), round(x1) - 1, round(y1) - 1), fill=fill)


def _hex(name: Colour | Ground) -> str:
    red, green, blue = RGB[name]
    return f"#{red:02x}{green:02x}{blue:02x}"


def _thing(canvas: _Canvas, thing: Thing, at: float) -> None:
    where, fill = place(thing.path, at), _hex(thing.colour_at(at))
    half = thing.size * where.scale / 2
    left, right, top, bottom = where.x - half, where.x + half, where.y - half, where.y + half
    if thing.shape == "circle":
        canvas.pen.ellipse((canvas.point(left, top), canvas.point(right, bottom)), fill=fill)
    elif thing.shape == "square":
        canvas.box(left, top, right, bottom, fill)
    else:
        corners = [(where.x, top), (right, bottom), (left, bottom)]
        canvas.pen.polygon([canvas.point(x, y) for x, y in corners], fill=fill)


def _hand(canvas: _Canvas, hand: Hand, at: float) -> None:
    where, fill = place(hand.path, at), _hex("hand")
    gap = hand.opening / 2 if at in hand.closed else hand.opening / 2 + FINGER
    palm = where.y - 3 * FINGER
    far = max(gap, FINGER) + FINGER
    canvas.box(where.x - FINGER, -1, where.x + FINGER, palm, fill)
    canvas.box(where.x - far, palm - 2 * FINGER, where.x + far, palm, fill)
    for side in (-1, 1):
        inner, outer = sorted((where.x + side * gap, where.x + side * (gap + FINGER)))
        canvas.box(inner, palm - FINGER, outer, where.y, fill)


def _words(canvas: _Canvas, words: Words) -> None:
    font = ImageFont.load_default(size=round(words.size * canvas.pixels))
    spot = (words.x * canvas.pixels, words.y * canvas.pixels)
    canvas.pen.text(spot, words.text, font=font, fill=_hex(words.colour), anchor="mm")


def draw(shot: Shot, at: float, side: int, fine: int = FINE) -> Frame:
    """Return what a shot shows at one time.

    Args:
        shot: The shot.
        at: Seconds from the start of the shot.
        side: Width and height in pixels.
        fine: How much larger the picture is drawn before it is scaled down.

    Returns:
        The picture, shape ``(side, side, 3)``. The same arguments give the same pixels.
    """
    canvas = _Canvas(side, place(shot.camera, at), fine)
    far = 10.0  # beyond every camera position, so that wall and floor always fill the frame
    canvas.box(-far, -far, far, far, _hex(shot.backdrop.wall))
    for x in shot.backdrop.posts:
        canvas.box(x - 0.015, -far, x + 0.015, shot.backdrop.horizon or far, _hex("post"))
    if shot.backdrop.horizon is not None:
        canvas.box(-far, shot.backdrop.horizon, far, far, _hex("floor"))
    for thing in shot.things:
        if at in thing.shown:
            _thing(canvas, thing, at)
    for hand in shot.hands:
        _hand(canvas, hand, at)
    for words in shot.words:
        if at in words.shown:
            _words(canvas, words)
    return np.asarray(canvas.image.resize((side, side), Image.Resampling.BOX), dtype=np.uint8)


def frames(scene: Scene, side: int) -> Iterator[Frame]:
    """Yield the frames of a scene in order, as many as its duration and frame rate ask for."""
    for shot in scene.shots:
        for index in range(round(shot.seconds * scene.fps)):
            yield draw(shot, float(index / scene.fps), side)
