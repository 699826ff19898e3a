"""What one shot of several shows, and how it is drawn."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from vidomni_plugin.data.mini.scenes import Backdrop, Colour, Key, Shot, Thing, Words, still
from vidomni_plugin.models.seer.layouts.choosing import fresh
from vidomni_plugin.models.seer.layouts.saying import TEXTS, travel
from vidomni_plugin.models.seer.world import SHAPES, Group

__all__ = ["COUNTS", "MEETINGS", "WAYS", "Take", "drawn", "ink", "same", "taken"]

COUNTS = (1, 2, 3, 4, 5, 6)
"""How many equal things there may be in a shot."""

WAYS = {
    "up": ("rises", "moves up"),
    "down": ("sinks", "moves down"),
    "left": ("moves to the left", "moves to the left"),
    "right": ("moves to the right", "moves to the right"),
}
MEETINGS = ("move towards each other", "move away from each other", "stand still")


@dataclass(frozen=True, slots=True)
class Take:
    """What one shot shows: some equal things, a word, or both."""

    back: Backdrop
    group: Group | None
    way: str = "still"
    """How one thing moves, or what two do (one of ``MEETINGS``)."""
    words: Words | None = None
    behind: Group | None = None
    """A larger thing that stands behind a row of three."""


def ink(rng: random.Random, wall: str) -> Colour:
    """Return a colour of letters that can be read before a wall."""
    return rng.choice(("white", "yellow") if wall == "dark" else ("black", "black", "red", "blue"))


def same(a: Group | None, b: Group | None) -> bool:
    """Tell whether both are of one colour and shape."""
    return a is not None and b is not None and (a.colour, a.shape) == (b.colour, b.shape)


def taken(
    rng: random.Random, back: Backdrop, group: Group, there: list[Group], *, still_only: bool
) -> Take:
    """Return a shot of a group.

    Args:
        rng: Where the choices come from.
        back: What is behind it.
        group: One of its things; how many there are is chosen.
        there: What other shots show.
        still_only: Whether nothing may move.
    """
    again = any(same(group, other) for other in there)
    kind = rng.choices(("row", "mover", "meeting", "word"), (4, 3.6, 2.2, 2))[0]
    if kind == "word":
        text = rng.choice(TEXTS)
        high = rng.random() < 0.4
        size = rng.uniform(0.18, 0.2) if len(text) > 5 else rng.uniform(0.22, 0.26)
        colour = ink(rng, back.wall)
        words = Words(text, 0.5, 0.77 if high else rng.uniform(0.2, 0.26), size, colour)
        return Take(Backdrop(back.wall), replace(group, count=1), words=words)
    if kind == "row" or still_only or again:
        row = replace(group, count=rng.choices(COUNTS, (2.5, 3, 4, 2, 2, 2))[0])
        behind = None
        if row.count == 3 and rng.random() < 0.5 and len(there) < 4 and not again:
            shape = rng.choice([s for s in SHAPES if s != row.shape])
            behind = Group(fresh(rng, back.wall, [row, *there]), shape)
        return Take(back, row, behind=behind)
    if kind == "meeting":
        return Take(back, replace(group, count=2), rng.choices(MEETINGS, (2, 2, 0.6))[0])
    return Take(back, replace(group, count=1), rng.choices(list(WAYS), (2.5, 2.5, 1, 1))[0])


def drawn(rng: random.Random, take: Take, seconds: float) -> Shot:
    """Return a shot as it is drawn."""
    lines = (take.words,) if take.words else ()
    group, back = take.group, take.back
    if group is None:
        return Shot(seconds, back, words=lines)
    things: list[Thing] = []
    if take.words:
        y = 0.32 if take.words.y > 0.5 else 0.68
        things.append(Thing(group.shape, group.colour, rng.uniform(0.3, 0.36), still(0.5, y)))
    elif take.way in WAYS:
        across = take.way in ("left", "right")
        path = travel(0.5, 0.5 if across else 0.42, take.way, 0.6 if across else 0.42, seconds)
        things.append(Thing(group.shape, group.colour, rng.uniform(0.24, 0.3), path))
    elif group.count == 2:
        near, far, wide = 0.15, 0.35, rng.uniform(0.22, 0.26)
        wait = rng.uniform(0.2, 0.24)
        start, end = {
            "move towards each other": (far, near),
            "move away from each other": (near, far),
        }.get(take.way, (wait, wait))
        for sign in (-1, 1):
            path = (
                Key(0.1 * seconds, 0.5 + sign * start, 0.5),
                Key(0.9 * seconds, 0.5 + sign * end, 0.5),
            )
            things.append(Thing(group.shape, group.colour, wide, path))
    else:
        columns = 3 if group.count in (3, 6) else group.count
        gap = {1: 0.3, 3: 0.3, 4: 0.23, 5: 0.19}[columns]
        size = min(0.3, gap - 0.03) if columns > 1 else 0.3
        size = min(size, 0.22) if columns == 3 else size
        y = back.horizon - size / 2 if back.horizon and group.count < 6 else 0.55
        if take.behind:
            spot = still(rng.choice((0.35, 0.65)), y - 0.17)
            things.append(Thing(take.behind.shape, take.behind.colour, 0.36, spot))
        for n in range(group.count):
            x = 0.5 + gap * (n % columns - (columns - 1) / 2)
            row = y - 0.3 * (n // columns)
            things.append(Thing(group.shape, group.colour, size, still(x, row)))
    return Shot(seconds, back, tuple(things), words=lines)
