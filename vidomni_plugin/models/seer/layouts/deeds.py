"""Clips of things in rows or columns, each of which does something else."""

from __future__ import annotations

import random

from vidomni_plugin.data.mini.scenes import Colour, Scene, Shot, Thing
from vidomni_plugin.models.seer.layouts.acting import ACROSS, UPRIGHT, acts, alone, perform
from vidomni_plugin.models.seer.layouts.choosing import choose, fresh
from vidomni_plugin.models.seer.layouts.saying import length
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import Group, World, backdrop, kinds

__all__ = ["deeds"]

PLAIN = {"still": "does not move", "left": "moves to the left", "right": "moves to the right"}
"""Said of ``the circle`` alone; short, as many captions are."""


def deeds(rng: random.Random) -> World:
    """Return one to three things in rows or columns of their own, each of which does something."""
    told, seconds = Told(rng), length(rng)
    rows = rng.random() < 0.55
    back = backdrop(rng, floor=False if rows else None)
    count = rng.choice((1, 2, 2, 3, 3))
    things = kinds(rng, back.wall, count)
    lane = min(0.4, 0.92 / count)
    drawn: list[Thing] = []
    turned: list[Group] = []
    for n, thing in enumerate(things):
        act = rng.choice(ACROSS if rows else UPRIGHT)
        new: Colour | None = None
        if act == "turn":
            new = fresh(rng, back.wall, [*things, *turned])
            turned.append(Group(new, thing.shape))
        size = rng.uniform(0.2, min(0.36, lane - 0.04))
        spot, far = 0.5 + lane * (n - (count - 1) / 2), rng.uniform(0.32, 0.48)
        at = (spot, 0.5)
        if act == "bounce":
            at, size, far = (spot, (back.horizon or 0.85) - size / 2), min(size, 0.26), 0.36
        if rows:
            at = (0.5 if act in ("left", "right") else rng.uniform(0.25, 0.75), spot)
        drawn.append(perform(thing, act, at, size, seconds, far, new))
        _said(told, thing, things, act, new)
    told.exist([*things, *turned])
    if not turned:
        told.look(things)
    return World(Scene((Shot(seconds, back, tuple(drawn)),)), tuple(told.facts))


def _said(told: Told, thing: Group, things: list[Group], act: str, new: Colour | None) -> None:
    """Add what one of the things does."""
    rng, among = told.rng, ACROSS if act in ACROSS else UPRIGHT
    unique = alone(thing, things)
    noun = thing.noun if unique else thing.name
    name = rng.choice((f"the {thing.name}", f"the {noun}"))
    acts(told, thing, act, new, among=among, name=name)
    if unique and act in PLAIN:
        choose(told, "direction", f"The {noun} {{}}.", PLAIN, act)
    old, other = thing.colour, new or fresh(rng, "gray", things)
    colours = {"turn": f"turns from {old} to {other}", "still": f"stays {old} until the end"}
    if act in colours:
        choose(told, "colour", f"The {noun} {{}}.", colours, act)
    gone = act == "vanish" or act.startswith("exit")
    texts = {"gone": "no longer in", "there": "still in"}
    key = "gone" if gone else "there"
    choose(told, "existence", f"At the end, the {thing.name} is {{}} the picture.", texts, key)
