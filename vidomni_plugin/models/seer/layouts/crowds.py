"""Clips of a lower and an upper row of equal things that move, and one thing by itself."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from vidomni_plugin.data.mini.scenes import Colour, Key, Scene, Shot, Thing, still
from vidomni_plugin.models.seer.layouts.acting import acts, perform
from vidomni_plugin.models.seer.layouts.choosing import choose, distinct, fresh
from vidomni_plugin.models.seer.layouts.saying import length, relations
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import OPPOSITE, Group, World, backdrop, others

__all__ = ["crowd"]

ROWS = {"left": "move to the left", "right": "move to the right", "still": "stand still"}
STAYS = {
    "still": "stays where it is",
    "left": "moves to the left",
    "right": "moves to the right",
}
COUNTS = (2, 3, 4, 6)
"""Things in a row."""
SPOTS = {
    "in the middle of the picture": (0.5, 0.5),
    "in the upper left corner": (0.17, 0.17),
    "in the upper right corner": (0.83, 0.17),
    "in the lower left corner": (0.17, 0.83),
    "in the lower right corner": (0.83, 0.83),
}


def crowd(rng: random.Random) -> World:
    """Return one or two rows that move to a side, stay or leave, and a thing by itself."""
    told, seconds, back = Told(rng), length(rng), backdrop(rng, floor=False)
    single, *rows = distinct(rng, back.wall, 3)
    both = rng.random() < 0.65
    rows = [replace(g, count=rng.choice(COUNTS)) for g in rows[: 2 if both else 1]]
    parts = rng.sample(("top", "bottom"), len(rows))
    drawn: list[Thing] = []
    ways: dict[Group, str] = {}
    leaves = rows[0].count <= 4 and rng.random() < 0.5
    for group, part in zip(rows, parts, strict=True):
        way = ways[group] = rng.choice(("left", "right", "still"))
        if leaves and group is rows[0]:
            way = ways[group] = rng.choice(("left", "right"))
        y = (0.2 if part == "top" else 0.8) + rng.uniform(-0.02, 0.03)
        drawn += _row(rng, group, y, way, seconds, leaves=leaves and group is rows[0])
    spot = "in the middle of the picture"
    if not both:
        free = [s for s in SPOTS if ("upper" if parts[0] == "top" else "lower") not in s]
        spot = rng.choice(free[1:])
    x, y = SPOTS[spot]
    act = (
        rng.choice(("still", "still", "left", "right", "left", "right", "grow", "turn"))
        if both
        else "still"
    )
    new: Colour | None = fresh(rng, back.wall, [single, *rows]) if act == "turn" else None
    size, far = 0.34 if act == "grow" else rng.uniform(0.17, 0.22), rng.uniform(0.3, 0.5)
    drawn.append(perform(single, act, (x, y), size, seconds, far, new))
    everyone = [single, *rows]
    _single(told, everyone, act, spot, new)
    for group, part in zip(rows, parts, strict=True):
        out = leaves and group is rows[0]
        _rows(told, group, ways[group], part, leaves=out)
    if both:
        relations(told, rows[0], rows[1], "above" if parts[0] == "top" else "below")
        _meanwhile(told, rows, ways)
    told.exist([*everyone, *([Group(new, single.shape)] if new else [])])
    if not new:
        told.look(everyone)
    return World(Scene((Shot(seconds, back, tuple(drawn)),)), tuple(told.facts))


def _row(
    rng: random.Random, group: Group, y: float, way: str, seconds: float, *, leaves: bool
) -> list[Thing]:
    """Return a row of equal things that moves, stays or leaves one by one."""
    size = {2: 0.17, 3: 0.16, 4: 0.14, 6: 0.115}[group.count]
    gap = size + rng.uniform(0.02, 0.08 if group.count < 5 else 0.025)
    width = gap * (group.count - 1) + size
    sign = {"left": -1, "right": 1, "still": 0}[way]
    if leaves:
        gap = max(gap, 0.2)
        start = 0.06 + size / 2
        xs = [start + gap * n for n in range(group.count)]
        xs = xs if sign == -1 else [1 - x for x in xs]
        step = sign * (1.1 + size - start)
    else:
        far = min(rng.uniform(0.28, 0.55), 0.97 - width)
        step = sign * far
        shift = rng.uniform(-1, 1) * (0.97 - width - abs(step)) / 2
        xs = [
            0.5 + shift + gap * (n - (group.count - 1) / 2) - step / 2 for n in range(group.count)
        ]
    return [
        Thing(
            group.shape,
            group.colour,
            size,
            (Key(0.1 * seconds, x, y), Key(0.9 * seconds, x + step, y)) if sign else still(x, y),
        )
        for x in xs
    ]


def _single(told: Told, everyone: Sequence[Group], act: str, spot: str, new: Colour | None) -> None:
    """Add where the thing by itself is and what it does."""
    single = everyone[0]
    among = ("still", "left", "right", "grow", "turn")
    name = told.rng.choice((f"the {single.name}", f"the {single.noun}"))
    acts(told, single, act, new, among=among, name=name)
    if spot.startswith("in the middle"):
        middle = f"{single.some} in the middle"
        if act in STAYS:
            choose(told, "direction", f"{middle} {{}}.", STAYS, act)
    if act in ("still", "grow", "turn"):
        texts = f"The {single.name} stands {{}}."
        told.say("relation", texts, spot, others(told.rng, list(SPOTS), spot, 2))


def _rows(told: Told, group: Group, way: str, part: str, *, leaves: bool) -> None:
    """Add what a row does, where, and how many things it has."""
    out = {True: "leave the picture one by one", False: "stay in the picture"}
    told.say("direction", f"The {group.noun} {{}}.", out[leaves], [out[not leaves]])
    act = f"exit {way}" if leaves else way
    acts(
        told,
        group,
        act,
        among=(*ROWS, "exit left" if way == "still" else f"exit {way}"),
        late=leaves,
    )
    parts = [f"at the {p} of the picture" for p in (part, OPPOSITE[part])]
    told.say("relation", f"The {group.name} are {{}}.", parts[0], parts[1:])
    if way == "still":
        return
    where = "along the bottom of the picture" if part == "bottom" else "at the top"
    told.number(group, f"move along the {part} of the picture", COUNTS)
    told.number(group, f"move to the {way}", COUNTS)
    told.number(group, f"move to the {way} {where}", COUNTS)
    sides = [f"move to the {s}" for s in (way, OPPOSITE[way])]
    told.say("direction", f"{group.some} {{}} {where}.", sides[0], sides[1:])


def _meanwhile(told: Told, rows: Sequence[Group], ways: dict[Group, str]) -> None:
    """Add what one row does while the other moves."""
    for group, other in (rows, rows[::-1]):
        way, its = ways[group], ways[other]
        if its != "still":
            ask = f" while the {other.name} move to the {its}"
            texts = f"The {group.name} {{}}{ask}."
            choose(told, "direction", texts, ROWS, way, f"What do the {group.name} do{ask}?")
        if "still" not in (way, its):
            start = f"Meanwhile, {group.some} {{}}."
            told.say("direction", start, f"move to the {way}", [f"move to the {OPPOSITE[way]}"])
