"""Clips of two things that move, one up or down and one to a side, beside some that stay."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from vidomni_plugin.data.mini.scenes import Key, Scene, Shot, Thing, still
from vidomni_plugin.models.seer.layouts.acting import acts, alone
from vidomni_plugin.models.seer.layouts.choosing import choose, distinct
from vidomni_plugin.models.seer.layouts.saying import STEPS, length
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import NUMBERS, OPPOSITE, WALLS, Group, World, backdrop, kinds

__all__ = ["duet"]

BACKGROUNDS: Mapping[str, str] = {wall: f"on a {wall} background" for wall in WALLS}
MOVES = ("left", "right", "up", "down", "still")


def duet(rng: random.Random) -> World:
    """Return a thing that rises or sinks on one side and one that moves along top or bottom.

    They move together or one after the other; a third thing stays in a corner or moves at the end.
    """
    told, seconds, back = Told(rng), length(rng), backdrop(rng, floor=False)
    back = replace(back, wall=rng.choice(WALLS))
    count = rng.choice((2, 3, 3, 3, 4))
    things = distinct(rng, back.wall, min(count, 3))
    more = [g for g in kinds(rng, back.wall, 4) if g.colour not in {t.colour for t in things}]
    things = [*things, *more][:count]
    side, part = rng.choice(("left", "right")), rng.choice(("upper", "lower"))
    ways = (rng.choice(("up", "down")), rng.choice(("left", "right")))
    together = rng.random() < 0.65
    spans = ((0.12, 0.86), (0.12, 0.86)) if together else ((0.05, 0.44), (0.5, 0.92))
    if rng.random() < 0.5:
        spans = spans[::-1]
    sx, sy = (1 if side == "left" else -1), (1 if part == "lower" else -1)
    far = (rng.uniform(0.5, 0.68), rng.uniform(0.34, 0.44))
    middles = (
        (0.5 - sx * rng.uniform(0.28, 0.33), 0.5),
        (0.5 + sx * rng.uniform(0.16, 0.18), 0.5 + sy * rng.uniform(0.24, 0.28)),
    )
    drawn = [
        Thing(g.shape, g.colour, rng.uniform(0.18, 0.23), _way(at, way, f, span, seconds))
        for g, at, way, f, span in zip(things, middles, ways, far, spans, strict=False)
    ]
    end = "still"
    if count > 2:
        end = rng.choice(("still", "still", "up", "down"))
        near = 0.28 if count > 3 else 0.14
        at = (0.5 + sx * rng.uniform(near, 0.3), 0.5 - sy * rng.uniform(0.2, 0.26))
        step = 0.24 * (STEPS[end][1] if end != "still" else 0)
        at = (at[0], at[1] - step / 2)
        path = (Key(0.62 * seconds, *at), Key(0.92 * seconds, at[0], at[1] + step))
        drawn.append(Thing(things[2].shape, things[2].colour, 0.19, path))
        _third(told, things, end, (OPPOSITE[part], OPPOSITE[side]))
    if count > 3:
        spot = (0.5 - sx * 0.02, 0.5 + sy * 0.02)
        drawn.append(Thing(things[3].shape, things[3].colour, 0.15, still(*spot)))
        acts(told, things[3], "still", among=MOVES)
    _pair(told, things, ways, (side, part), end, together=together)
    wrong = [NUMBERS[n] for n in (2, 3, 4) if n != count]
    told.say(
        "count", f"{{}} shapes are seen {BACKGROUNDS[back.wall]}.", NUMBERS[count], wrong, late=True
    )
    shapes = f"{NUMBERS[count]} shapes are seen {{}}."
    choose(told, "colour", shapes, BACKGROUNDS, back.wall)
    told.exist(things)
    told.look(things)
    return World(Scene((Shot(seconds, back, tuple(drawn)),)), tuple(told.facts))


def _way(
    middle: tuple[float, float],
    way: str,
    far: float,
    span: tuple[float, float],
    seconds: float,
) -> tuple[Key, ...]:
    (x, y), (dx, dy) = middle, STEPS[way]
    return tuple(
        Key(share * seconds, x + sign * dx * far / 2, y + sign * dy * far / 2)
        for share, sign in zip(span, (-1, 1), strict=True)
    )


def _pair(
    told: Told,
    things: Sequence[Group],
    ways: tuple[str, str],
    places: tuple[str, str],
    end: str,
    *,
    together: bool,
) -> None:
    """Add what the two moving things do."""
    rng, (first, second), (side, part) = told.rng, things[:2], places
    ups = {"up": "upward", "down": "downward"}
    rises = {"up": "rises", "down": "sinks"}
    texts = f"{first.some} moves {{}} on the {side} side."
    choose(told, "direction", texts, ups, ways[0])
    texts = f"{first.some} moves {ups[ways[0]]} on the {{}} side."
    told.say("relation", texts, side, [OPPOSITE[side]])
    start = "At the same time, "
    along = f"{second.some} moves to the {{}} along the {part} part of the picture."
    said = (start if together else "") + along
    told.say("direction", said, ways[1], [OPPOSITE[ways[1]]])
    along = f"{second.some} moves to the {ways[1]} along the {{}} part of the picture."
    told.say("relation", (start if together else "") + along, part, [OPPOSITE[part]])
    if end != ways[0]:
        ask = f"What color is the shape that moves {ups[ways[0]]}?"
        which = f"The shape that moves {ups[ways[0]]} is {{}}."
        told.say("colour", which, first.colour, [g.colour for g in things[1:]], ask)
    a, b = (g.noun if alone(g, things) else g.name for g in (first, second))
    orders = {True: "at the same time", False: "one after the other"}
    told.say("order", f"The {a} and the {b} move {{}}.", orders[together], [orders[not together]])
    for group, way in zip((first, second), ways, strict=True):
        name = f"the {group.noun}" if alone(group, things) else ""
        acts(told, group, way, among=MOVES, name=rng.choice(("", name)))
    if together:
        while_first = f"The {first.name} {{}} while the {second.name} moves to the {ways[1]}."
        choose(told, "direction", while_first, rises, ways[0])
        sides = {s: f"moves to the {s}" for s in ("left", "right")}
        while_second = f"The {second.name} {{}} while the {first.name} {rises[ways[0]]}."
        choose(told, "direction", while_second, sides, ways[1])


def _third(told: Told, things: Sequence[Group], end: str, corner: tuple[str, str]) -> None:
    """Add where the third thing stays, or what it does at the end."""
    third = things[2]
    noun = third.noun if alone(third, things) else third.name
    ends = {w: f"moves {w} at the end" for w in ("up", "down")} | {"still": "does not move"}
    name = told.rng.choice((third.name, noun))
    choose(told, "direction", f"The {name} {{}}.", ends, end)
    if end != "still":
        return
    acts(told, third, end, among=MOVES, name=f"the {noun}")
    upper, side = corner
    places = [f"{u} {s}" for u in ("upper", "lower") for s in ("left", "right")]
    right = f"{upper} {side}"
    wrong = [p for p in places if p != right]
    told.say("relation", f"{third.some} stays in the {{}}.", right, wrong)
