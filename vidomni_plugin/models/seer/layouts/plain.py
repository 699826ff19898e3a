"""Clips that are about one skill each, with the plainest sentences: learning begins here.

With ``simple`` they are what a skill is measured on first, before the sentences of all clips; but
for ``scattered``, which is harder to count and one of the others.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from math import inf

from vidomni_plugin.data.mini.scenes import Backdrop, Paint, Scene, Shot, Span, Thing, still
from vidomni_plugin.models.seer.layouts.choosing import distinct, one_of, recoloured
from vidomni_plugin.models.seer.layouts.saying import length, shot_count
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import HIDDEN, NUMBERS, WALLS, Group, World, backdrop, kinds

__all__ = ["changing", "counted", "scattered", "successive"]

_MOST = 4
"""Equal things that can be told apart on a plain wall."""
_SIZES = (0.15, 0.21)
"""Smallest and largest of them; places of the grids are further apart than the largest."""


def counted(rng: random.Random) -> World:
    """Return one to four equal things, each in a quarter of the picture of its own."""
    return _on_grid(rng, (1 / 3, 2 / 3), 0.05)


def scattered(rng: random.Random) -> World:
    """Return one to four equal things that stand in places of a grid of three by three."""
    return _on_grid(rng, (0.22, 0.5, 0.78), 0.02)


def _on_grid(rng: random.Random, middles: Sequence[float], off: float) -> World:
    """Return equal things that stand in places of a grid.

    Args:
        rng: Draws all.
        middles: Of the columns, and of the rows.
        off: How far a thing may be from the middle of its place.
    """
    told, back = Told(rng), backdrop(rng, floor=False)
    count = rng.randint(1, _MOST)
    group = replace(kinds(rng, back.wall, 1)[0], count=count)
    spots = rng.sample([(x, y) for x in middles for y in middles], count)
    size = rng.uniform(*_SIZES)
    drawn = tuple(
        Thing(
            group.shape,
            group.colour,
            size,
            still(x + rng.uniform(-off, off), y + rng.uniform(-off, off)),
        )
        for x, y in spots
    )
    counts = range(1, _MOST + 1)
    told.number(group, "are visible", counts)
    nouns = [f"{NUMBERS[n]} {'shape is' if n == 1 else 'shapes are'} visible" for n in counts]
    one_of(told, "count", "{}.", nouns[count - 1], nouns, late=True)
    told.exist([group])
    told.look([group])
    return World(Scene((Shot(length(rng), back, drawn),)), tuple(told.facts))


def successive(rng: random.Random) -> World:
    """Return two or three things, one after another, of which each has its own shot or none has."""
    told = Told(rng)
    count, cuts = rng.choice((2, 2, 3)), rng.random() < 0.6
    walls = [rng.choice(WALLS)] * count
    while cuts and any(a == b for a, b in pairwise(walls)):
        walls = [rng.choice(WALLS) for _ in walls]
    things = _seen(rng, walls, count)
    ends = list(accumulate(rng.uniform(1.6, 2.8) for _ in things))
    starts, size = [0.0, *ends], rng.uniform(0.2, 0.32)
    drawn = [
        Thing(
            thing.shape,
            thing.colour,
            size,
            still(rng.uniform(0.3, 0.7), rng.uniform(0.3, 0.7)),
            shown=Span() if cuts else Span(starts[n], ends[n] if n < count - 1 else inf),
        )
        for n, thing in enumerate(things)
    ]
    if cuts:
        shots = tuple(
            Shot(end - start, Backdrop(wall), (thing,))
            for start, end, wall, thing in zip(starts, ends, walls, drawn, strict=False)
        )
    else:
        shots = (Shot(ends[-1], Backdrop(walls[0]), tuple(drawn)),)
    for n, thing in enumerate(things):
        if n in (0, count - 1):
            place = "last" if n else "first"
            one_of(told, "order", f"The {thing.name} comes {{}}.", place, ("first", "last"))
    for first, second in pairwise(things):
        for a, b, right in ((first, second, "before"), (second, first, "after")):
            text = f"The {a.name} appears {{}} the {b.name}."
            one_of(told, "order", text, right, ("before", "after"), late=count > 2)
    shot_count(told, len(shots), 3)
    options = ("cuts to another scene", "does not cut")
    one_of(told, "cut", "The video {}.", options[0 if cuts else 1], options)
    told.exist(things)
    told.look(things)
    return World(Scene(shots), tuple(told.facts))


def changing(rng: random.Random) -> World:
    """Return one thing that turns from one colour to another."""
    told, back, seconds = Told(rng), backdrop(rng, floor=False), length(rng)
    old, new = kinds(rng, back.wall, 2)
    at = seconds * rng.uniform(0.35, 0.65)
    spot = still(rng.uniform(0.3, 0.7), rng.uniform(0.3, 0.7))
    thing = Thing(
        old.shape,
        old.colour,
        rng.uniform(0.2, 0.32),
        spot,
        repaint=(Paint(at, new.colour),),
    )
    recoloured(told, old.shape, old.colour, new.colour)
    shot_count(told, 1, 2)
    return World(Scene((Shot(seconds, back, (thing,)),)), tuple(told.facts))


def _seen(rng: random.Random, walls: Sequence[str], count: int) -> list[Group]:
    """Return different things, each of a colour that its wall does not hide."""
    while True:
        things = distinct(rng, walls[0], count)
        if not any(t.colour in HIDDEN[wall] for t, wall in zip(things, walls, strict=True)):
            return things
