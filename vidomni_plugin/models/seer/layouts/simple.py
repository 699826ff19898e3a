"""Clips of one or two things, with what is plainest to say about them: learning begins here."""

from __future__ import annotations

import random

from vidomni_plugin.data.mini.scenes import Scene, Shot, Thing
from vidomni_plugin.models.seer.layouts.acting import alone
from vidomni_plugin.models.seer.layouts.saying import STEPS, length, travel
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import (
    COLOURS,
    OPPOSITE,
    SHAPES,
    Group,
    World,
    backdrop,
    kinds,
)

__all__ = ["simple"]

WAYS = {"left": "moves to the left", "right": "moves to the right", "up": "rises", "down": "sinks"}
SIDES = {"left": "on the left", "middle": "in the middle", "right": "on the right"}


def simple(rng: random.Random) -> World:
    """Return one thing, or two of which one is on the other's left, that stand or move."""
    told, seconds = Told(rng), length(rng)
    back = backdrop(rng, floor=False)
    things = kinds(rng, back.wall, rng.choice((1, 1, 2)))
    places = ["middle"] if len(things) == 1 and rng.random() < 0.3 else ["left", "right"]
    rng.shuffle(places)
    drawn = []
    for thing, place in zip(things, places, strict=False):
        way = rng.choice(("still", *STEPS))
        off = 0.04 if way == "still" else 0.02  # the two then stay in their halves
        x = {"left": 0.24, "middle": 0.5, "right": 0.76}[place] + rng.uniform(-off, off)
        y = rng.uniform(0.35, 0.65)
        far = 0.4 if way in ("up", "down") else 0.2 if len(things) == 2 else 0.26
        size = rng.uniform(0.18, 0.3) if way == "still" else rng.uniform(0.16, 0.22)
        drawn.append(Thing(thing.shape, thing.colour, size, travel(x, y, way, far, seconds)))
        _said(told, thing, things, way, place)
    told.exist(things)
    if len(things) == 2:
        first, second = sorted(things, key=lambda thing: places[things.index(thing)])
        for a, b, right in ((first, second, "left"), (second, first, "right")):
            text = f"The {a.name} is to the {{}} of the {b.name}."
            told.say("relation", text, right, [OPPOSITE[right]])
    count = {1: "one shape is visible", 2: "two shapes are visible"}
    told.say("count", "{}.", count.pop(len(things)), list(count.values()), late=True)
    return World(Scene((Shot(seconds, back, tuple(drawn)),)), tuple(told.facts))


def _said(told: Told, thing: Group, things: list[Group], way: str, place: str) -> None:
    colours = [colour for colour in COLOURS if colour not in {t.colour for t in things}]
    shapes = [shape for shape in SHAPES if shape != thing.shape]
    name = f"the {thing.name}"
    if alone(thing, things):
        told.say("colour", f"The {thing.noun} is {{}}.", thing.colour, colours)
    if sum(t.colour == thing.colour for t in things) == 1:
        told.say("shape", f"The {thing.colour} shape is a {{}}.", thing.shape, shapes)
    if way == "still":
        told.say("direction", f"{name} {{}}.", "does not move", list(WAYS.values()))
        sides = [side for key, side in SIDES.items() if key != place]
        told.say("relation", f"{thing.some} is {{}}.", SIDES[place], sides)
    else:
        wrong = [*(text for key, text in WAYS.items() if key != way), "does not move"]
        told.say("direction", f"{name} {{}}.", WAYS[way], wrong)
