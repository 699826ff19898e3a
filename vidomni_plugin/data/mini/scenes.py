"""What a clip shows, written down: shapes, colours, paths, words, shots and the camera.

Positions are fractions of the frame: ``x`` grows to the right and ``y`` downwards, so the
camera at rest sees 0 to 1 both ways. Times are seconds from the start of the shot.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

__all__ = [
    "RGB",
    "Backdrop",
    "Colour",
    "Ground",
    "Hand",
    "Key",
    "Paint",
    "Scene",
    "Shape",
    "Shot",
    "Span",
    "Thing",
    "Words",
    "hop",
    "one_shot",
    "place",
    "still",
]

Shape = Literal["circle", "square", "triangle"]
Colour = Literal["red", "green", "blue", "yellow", "orange", "purple", "white", "black", "hand"]
Ground = Literal["gray", "floor", "dark", "beige", "post"]

RGB: dict[Colour | Ground, tuple[int, int, int]] = {
    "red": (215, 35, 40),
    "green": (35, 160, 70),
    "blue": (40, 80, 215),
    "yellow": (240, 215, 40),
    "orange": (245, 135, 25),
    "purple": (145, 50, 185),
    "white": (250, 250, 250),
    "black": (12, 12, 12),
    "hand": (226, 176, 140),
    "gray": (196, 198, 202),
    "floor": (128, 130, 136),
    "dark": (52, 56, 66),
    "beige": (214, 200, 166),
    "post": (92, 94, 100),
}
"""Far enough apart to be told from each other after 4:2:0 video coding."""


@dataclass(frozen=True, slots=True)
class Key:
    """Where something is at a time; between two keys it moves in a straight line."""

    at: float
    x: float
    y: float
    scale: float = 1.0
    """Size factor of a thing; zoom factor of a camera."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time, the end excluded."""

    start: float = 0.0
    end: float = math.inf

    def __contains__(self, at: float) -> bool:
        """Tell whether a time lies in the span."""
        return self.start <= at < self.end


@dataclass(frozen=True, slots=True)
class Paint:
    """From this time on a thing has this colour."""

    at: float
    colour: Colour


@dataclass(frozen=True, slots=True)
class Thing:
    """One shape of one colour on a path."""

    shape: Shape
    colour: Colour
    size: float
    """Width and height as a share of the frame."""
    path: tuple[Key, ...]
    shown: Span = Span()
    repaint: tuple[Paint, ...] = ()

    def colour_at(self, at: float) -> Colour:
        """Return the colour at a time."""
        return ([self.colour] + [paint.colour for paint in self.repaint if paint.at <= at])[-1]


@dataclass(frozen=True, slots=True)
class Hand:
    """An arm from above with two fingers; the path is where the fingertips are."""

    path: tuple[Key, ...]
    opening: float
    """Space between the closed fingers, which is the width of what they hold."""
    closed: Span = Span()
    """When the fingers are closed; always, unless it is given."""


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text centred on the screen at ``x``, ``y``; the camera does not move it."""

    text: str
    x: float
    y: float
    size: float
    colour: Colour
    shown: Span = Span()


@dataclass(frozen=True, slots=True)
class Backdrop:
    """A wall, a floor below the horizon, and dark posts at these ``x`` positions."""

    wall: Ground
    horizon: float | None = None
    posts: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Shot:
    """What one camera sees without a cut."""

    seconds: float
    backdrop: Backdrop
    things: tuple[Thing, ...] = ()
    hands: tuple[Hand, ...] = ()
    words: tuple[Words, ...] = ()
    camera: tuple[Key, ...] = (Key(0, 0.5, 0.5),)


@dataclass(frozen=True, slots=True)
class Scene:
    """A whole clip: its shots one after the other at one frame rate."""

    shots: tuple[Shot, ...]
    fps: Fraction = Fraction(8)

    @property
    def seconds(self) -> float:
        """Duration of all shots."""
        return sum(shot.seconds for shot in self.shots)

    @property
    def cuts(self) -> tuple[float, ...]:
        """Times at which one shot ends and the next begins."""
        ends = [sum(shot.seconds for shot in self.shots[:n]) for n in range(1, len(self.shots))]
        return tuple(ends)


def one_shot(
    seconds: float,
    backdrop: Backdrop,
    *things: Thing,
    hand: Hand | None = None,
    words: Words | None = None,
    camera: tuple[Key, ...] = (Key(0, 0.5, 0.5),),
) -> Scene:
    """Return a scene without a cut at the usual frame rate; later things cover earlier ones."""
    hands = () if hand is None else (hand,)
    lines = () if words is None else (words,)
    return Scene((Shot(seconds, backdrop, things, hands, lines, camera),))


def still(x: float, y: float) -> tuple[Key, ...]:
    """Return the path of something that does not move."""
    return (Key(0, x, y),)


def hop(start: float, x: float, y: float, height: float, times: int) -> tuple[Key, ...]:
    """Return the path of a thing that drops to ``y`` and bounces.

    Args:
        start: Time of the first fall, in seconds. Every fall and every rise takes half a second.
        x: Horizontal position, which stays.
        y: Lowest position, which the thing reaches ``times`` times.
        height: How far above ``y`` the thing starts and turns.
        times: Number of contacts with the lowest position; it rests there after the last.

    Returns:
        Keys of a falling and rising parabola, eight to the second.
    """
    keys = []
    for step in range(8 * times - 3):
        lift = 1 - ((step % 8) / 4) ** 2 if step % 8 <= 4 else 1 - ((8 - step % 8) / 4) ** 2
        keys.append(Key(start + step / 8, x, y - height * lift))
    return tuple(keys)


def place(path: Sequence[Key], at: float) -> Key:
    """Return the point of a path at a time; the ends of a path are held.

    Example:
        >>> place((Key(0, 0.0, 0.5), Key(2, 1.0, 0.5)), 0.5)
        Key(at=0.5, x=0.25, y=0.5, scale=1.0)
    """
    if at <= path[0].at:
        return Key(at, path[0].x, path[0].y, path[0].scale)
    for before, after in pairwise(path):
        if at < after.at:
            share = (at - before.at) / (after.at - before.at)
            return Key(
                at,
                before.x + share * (after.x - before.x),
                before.y + share * (after.y - before.y),
                before.scale + share * (after.scale - before.scale),
            )
    return Key(at, path[-1].x, path[-1].y, path[-1].scale)
