"""Clips of one thing that crosses a room, below or above another one."""

from __future__ import annotations

import random

from vidomni_plugin.data.mini.scenes import Key, Scene, Shot, Thing, still
from vidomni_plugin.models.seer.layouts.choosing import choose, distinct
from vidomni_plugin.models.seer.layouts.saying import from_to, length, relations, travel
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import (
    COLOURS,
    OPPOSITE,
    SHAPES,
    Group,
    World,
    backdrop,
    others,
)

__all__ = ["moves"]

CROSSES = {
    "slide": "slides along the floor",
    "bounce": "bounces along the floor",
    "fly": "flies through the air",
}
PASSES = {
    "air": "along the floor and passes below",
    "floor": "through the air and passes above",
}
STAYS = {
    "air": "stays in the air near the top",
    "fall": "falls from the air to the floor",
    "floor": "stays on the floor",
}


def moves(rng: random.Random) -> World:
    """Return a thing that slides, bounces or flies through a room, mostly past another one."""
    told, seconds, back = Told(rng), length(rng), backdrop(rng, floor=True)
    main, second = distinct(rng, back.wall, 2)
    way = rng.choice(("left", "right"))
    how = rng.choice(("slide", "slide", "bounce", "bounce", "fly"))
    its = "floor" if how == "fly" else rng.choice(("air", "air", "fall", "fall", "none"))
    floor, far = back.horizon or 0.75, rng.uniform(0.56, 0.76)
    size, its_size = rng.uniform(0.18, 0.25), rng.uniform(0.17, 0.23)
    if how == "bounce":  # room for it below what stays in the air
        size, its_size = rng.uniform(0.18, 0.22), 0.18
    y = rng.uniform(0.18, 0.26) if how == "fly" else floor - size / 2
    path = _hops(way, y, far, seconds) if how == "bounce" else travel(0.5, y, way, far, seconds)
    drawn = [Thing(main.shape, main.colour, size, path)]
    there = [main]
    if its != "none":
        high, lies = 0.1 if how == "bounce" else rng.uniform(0.16, 0.22), floor - its_size / 2
        spot = still(rng.uniform(0.32, 0.68), high if its == "air" else lies)
        if its == "fall":  # where the first thing has already passed
            x = 0.5 - rng.uniform(0.2, 0.3) * (1 if way == "right" else -1)
            spot = (Key(0.5 * seconds, x, high), Key(0.76 * seconds, x, lies))
        drawn.insert(0, Thing(second.shape, second.colour, its_size, spot))
        there.append(second)
        _second(told, main, second, its)
    _crossing(told, there, way, how)
    told.exist(there)
    told.look(there)
    return World(Scene((Shot(seconds, back, tuple(drawn)),)), tuple(told.facts))


def _hops(way: str, low: float, far: float, seconds: float) -> tuple[Key, ...]:
    """Return the path of a thing that bounces along the floor; few hops, so that frames show it."""
    hops, sign = 2 if far < 0.66 else 4, 1 if way == "right" else -1
    keys = []
    for step in range(8 * hops + 1):
        share, phase = step / (8 * hops), step % 8 / 8
        lift = 4 * phase * (1 - phase)
        x = 0.5 + sign * far * (share - 0.5)
        keys.append(Key(seconds * (0.1 + 0.8 * share), x, low - 0.25 * lift))
    return tuple(keys)


def _crossing(told: Told, there: list[Group], way: str, how: str) -> None:
    """Add how and where the first thing goes."""
    rng, main = told.rng, there[0]
    noun = main.noun
    back = OPPOSITE[way]
    ask = f"What does the {main.name} do?"
    choose(told, "direction", f"The {main.name} {{}}.", CROSSES, how, ask)
    place = "through the air" if how == "fly" else "along the floor"
    wrong = [g.shape for g in there[1:]] or others(rng, SHAPES, main.shape, 2)
    told.say("shape", f"The shape that moves {place} is a {{}}.", main.shape, wrong)
    told.say("direction", f"The {main.name} moves to the {{}}.", way, [back], ask)
    told.say("direction", f"The {main.name} moves from {{}}.", *from_to(way))
    told.say(
        "direction",
        f"The {noun} travels from {{}}.",
        f"the {back} side of the room to the {way}",
        [f"the {way} side of the room to the {back}"],
    )
    told.say("direction", f"The {noun} ends up on the {{}} side of the room.", way, [back])
    told.say("direction", f"The {noun} starts on the {{}} side of the room.", back, [way])


def _second(told: Told, main: Group, second: Group, its: str) -> None:
    """Add what the second thing does and how the first one passes it."""
    stays = {"air": "stays in the air", "fall": "falls from the air"}
    if its in stays:
        ask = f"What does the {second.name} do?"
        choose(told, "direction", f"The {second.name} {{}}.", stays, its, ask)
    name = told.rng.choice((second.name, second.noun))
    choose(told, "direction", f"The {name} {{}}.", STAYS, its)
    if its == "fall":
        return
    relations(told, second, main, "above" if its == "air" else "below")
    choose(told, "relation", f"{main.some} moves {{}} {second.some}.", PASSES, its)
    passes = f"moves {PASSES[its]}"
    told.say(
        "relation",
        "{}.",
        f"{main.some} {passes} {second.some}",
        [f"{second.some} {passes} {main.some}"],
        late=True,
    )
    absent = Group(others(told.rng, COLOURS, second.colour, 1)[0], second.shape)
    told.say("colour", f"{main.some} {passes} {{}}.", second.some, [absent.some], late=True)
