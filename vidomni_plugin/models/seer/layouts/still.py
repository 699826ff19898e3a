"""Clips of different things side by side that stay where they are."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from vidomni_plugin.data.mini.scenes import Backdrop, Scene, Shot, Thing, still
from vidomni_plugin.models.seer.layouts.choosing import unlike
from vidomni_plugin.models.seer.layouts.saying import (
    SIDES,
    length,
    moving,
    relations,
    wall,
)
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import (
    NUMBERS,
    OPPOSITE,
    SHAPES,
    WALLS,
    Group,
    World,
    backdrop,
    kinds,
    others,
)

__all__ = ["row", "stranger"]

GAPS = {2: 0.42, 3: 0.3, 4: 0.24, 5: 0.19}
"""Between the middles of things, by their number."""


def row(rng: random.Random) -> World:
    """Return two to five things side by side, on a floor or not, some with one in front."""
    told, back, seconds = Told(rng), backdrop(rng, floor=rng.random() < 0.65), length(rng)
    count = rng.choice((2, 3, 3, 3, 3, 3, 4, 4, 5))
    everything = kinds(rng, back.wall, count + 1)
    things, ahead = everything[:count], everything[count]
    size = min(rng.uniform(0.2, 0.27), GAPS[count] - 0.05)
    before = back.horizon is not None and rng.random() < 0.4
    if before:
        back = replace(back, horizon=rng.uniform(0.68, 0.74))
    if back.horizon is not None and back.wall == "gray" and rng.random() < 0.25:
        first = rng.uniform(0.0, 0.28)
        back = replace(back, posts=tuple(first + n * 0.29 for n in range(-1, 5)))
    y = back.horizon - size / 2 + rng.uniform(0, 0.02) if back.horizon else rng.uniform(0.3, 0.7)
    free = 0.48 - GAPS[count] * (count - 1) / 2 - size / 2
    middle = 0.5 + rng.uniform(-1, 1) * max(0.0, free - 0.02)
    xs = [
        middle + GAPS[count] * (n - (count - 1) / 2) + rng.uniform(-0.02, 0.02)
        for n in range(count)
    ]
    drawn = [Thing(g.shape, g.colour, size, still(x, y)) for g, x in zip(things, xs, strict=True)]
    if before:
        small = rng.uniform(0.15, 0.18)
        low = y + size / 2 + 0.03 + small / 2
        path = still(rng.uniform(0.2, 0.8), min(low, 0.98 - small / 2))
        drawn.append(Thing(ahead.shape, ahead.colour, small, path))
    there = [*things, ahead] if before else things
    told.exist(there)
    told.look(there)
    _in_front(told, back, there, ahead if before else None)
    one, two = sorted(rng.sample(range(count), 2))
    relations(told, things[one], things[two], "left")
    shapes = [g.shape for g in there]
    alone = [g for g in things if shapes.count(g.shape) == 1]
    if len(alone) > 1:
        one, two = sorted(rng.sample(range(len(alone)), 2))
        _shapes_only(told, alone[one], alone[two])
    if count == 3:
        _three(told, things, floor=back.horizon is not None, alone=not before)
    if not before:
        _ends(told, things)
        _counted(told, back, count)
    moving(told, "none")
    wall(told, back, len(there))
    return World(Scene((Shot(seconds, back, tuple(drawn)),)), tuple(told.facts))


def stranger(told: Told, there: Sequence[Group]) -> Group:
    """Return a thing that is not there; it shares colour or shape with one that is."""
    return unlike(told.rng, replace(told.rng.choice(list(there)), count=1), there)


def _in_front(told: Told, back: Backdrop, there: Sequence[Group], ahead: Group | None) -> None:
    if back.horizon is None:
        return
    ends = "the floor in front of them"
    if ahead:
        wrong = [there[0].some, stranger(told, there).some]
        told.say("existence", f"{{}} lies on {ends}.", ahead.some, [*wrong, "nothing"], late=True)
    else:
        wrong_ahead = [stranger(told, there), told.rng.choice(list(there))]
        told.say(
            "existence",
            f"{{}} lies on {ends}.",
            "nothing",
            [g.some for g in wrong_ahead],
            late=True,
        )


def _shapes_only(told: Told, left: Group, right: Group) -> None:
    first, second, way = (
        (left, right, "left") if told.rng.random() < 0.5 else (right, left, "right")
    )
    told.say(
        "relation",
        f"The {first.noun} stands {{}} the {second.noun}.",
        f"to the {way} of",
        [f"to the {OPPOSITE[way]} of"],
    )


def _ends(told: Told, things: Sequence[Group]) -> None:
    rng = told.rng
    inner = [g.some for g in things[1:-1]]
    told.say(
        "existence",
        "{} waits at the end of the row.",
        rng.choice((things[0], things[-1])).some,
        [stranger(told, things).some, *inner[:1], stranger(told, things).some],
        late=True,
    )
    ends = (("right", things[-1], things[0]), ("left", things[0], things[-1]))
    # One end a clip, so that other relations come as often.
    for way, end, far in (rng.choice(ends),):
        if sum(g.shape == end.shape for g in things) == 1:
            told.say(
                "relation",
                f"The {end.noun} is the shape farthest to the {{}}.",
                way,
                [OPPOSITE[way]],
                late=True,
            )
        told.say(
            "relation",
            f"{{}} is the shape farthest to the {way}.",
            f"the {end.name}",
            [f"the {g.name}" for g in (far, things[len(things) // 2]) if g is not end],
            late=True,
        )


def _counted(told: Told, back: Backdrop, count: int) -> None:
    wrong = others(told.rng, NUMBERS[2:6], NUMBERS[count], 2)
    if back.horizon is None or told.rng.random() < 0.3:
        told.say(
            "count",
            "{} shapes stand side by side.",
            NUMBERS[count],
            wrong,
            "How many shapes stand side by side?",
        )
    if back.horizon is None:
        return
    known = {wall: "lighter gray" if wall == "gray" else wall for wall in WALLS}
    other = told.rng.choice([w for w in WALLS if w != back.wall])
    text = "{} shapes stand side by side on a gray floor in front of a {}"
    told.say(
        "count",
        "{} wall.",
        text.format(NUMBERS[count], known[back.wall]),
        [
            text.format(wrong[0], known[back.wall]),
            text.format(NUMBERS[count], known[other]),
        ],
        late=True,
    )


def _three(told: Told, things: Sequence[Group], *, floor: bool, alone: bool) -> None:
    rng = told.rng
    a, b, c = things
    changed = list(things)
    place = rng.randrange(3)
    changed[place] = stranger(told, things)
    mixed = [replace(g, colour=h.colour) for g, h in zip(things, (b, c, a), strict=True)]
    false = [f"{x.some}, {y.some} and {z.some}" for x, y, z in (changed, mixed)]
    if len({g.shape for g in things}) == 1:
        del false[1]
    first = 0 if place else 1  # what begins with another thing may be said of that one
    ground = "in a row on the floor" if floor else "in a row"
    told.say(
        "existence",
        f"{{}} stand {ground}.",
        f"{a.some}, {b.some} and {c.some}",
        false[: 1 - first],
        later=false[1 - first :],
    )
    told.say(
        "relation",
        "The {}.",
        f"{b.name} is between the {a.name} and the {c.name}",
        [f"{a.name} is between the {b.name} and the {c.name}"],
        late=True,
    )
    if len({g.shape for g in things}) == 3:
        end, far, side = (c, a, "right") if rng.random() < 0.5 else (a, c, "left")
        middle = "{} stands in the middle, between the {} and {} on the {}"
        told.say(
            "relation",
            "{}.",
            middle.format(b.some, far.noun, end.some, side),
            [
                middle.format(b.some, far.noun, end.some, OPPOSITE[side]),
                middle.format(end.some, far.noun, b.some, side),
                middle.format(replace(b, colour=far.colour).some, far.noun, end.some, side),
            ],
            late=True,
        )
    if not alone:
        return
    at, of = rng.randrange(3), rng.randrange(3)
    told.say("relation", f"{things[of].some} is {{}}.", SIDES[of], others(rng, SIDES, SIDES[of], 2))
    for group, side in ((things[at], SIDES[at]),):
        wrong = [g.some for g in things if g is not group]
        told.say("relation", f"{side} is {{}}.", group.some, [*wrong, changed[place].some])
    told.say(
        "shape",
        "The shape in the middle of the picture is a {}.",
        b.shape,
        others(rng, SHAPES, b.shape, 2),
        "What kind of shape stands in the middle of the picture?",
    )
