"""Clips of things that move before a camera at rest, and of a camera that moves."""

from __future__ import annotations

import random
from dataclasses import replace

from vidomni_plugin.data.mini.scenes import Backdrop, Key, Scene, Shot, Thing, hop, still
from vidomni_plugin.models.seer.layouts.saying import (
    STEPS,
    from_to,
    length,
    motion,
    relations,
    travel,
)
from vidomni_plugin.models.seer.world import COLOURS, SHAPES, Told, World, backdrop, kinds, others

__all__ = ["camera", "moves"]


def moves(rng: random.Random) -> World:
    """Return one or two things that move, beside one or two that do not."""
    told, seconds = Told(rng), length(rng)
    way = rng.choice(("left", "right", "left", "right", "up", "down", "bounce"))
    back = backdrop(rng, floor=True if way == "bounce" or rng.random() < 0.4 else None)
    main, second = kinds(rng, back.wall, 2)
    drawn: list[Thing] = []
    size = rng.uniform(0.2, 0.26)
    there = [main]
    ways = {main: way}
    if way == "bounce":
        ground = (back.horizon or 0.8) - 0.1
        x = rng.choice((0.3, 0.7)) + rng.uniform(-0.08, 0.08)
        leaves = rng.random() < 0.5
        path = hop(0.3, x, ground, 0.45, times=max(2, round(seconds) - (3 if leaves else 2)))
        if leaves:
            out = 1.2 if x > 0.5 else -0.2
            path = (*path, Key(path[-1].at + 0.2, x, ground), Key(seconds - 0.4, out, ground))
            stays_or_leaves = ("leaves the picture", ["stays in the picture"])
        else:
            stays_or_leaves = ("stays in the picture", ["leaves the picture"])
        told.say("direction", f"At the end, the {main.name} {{}}.", *stays_or_leaves)
        if leaves:
            told.say(
                "direction",
                f"The {main.name} {{}} before it leaves the picture.",
                "bounces",
                ["grows", "stands still"],
                f"What does the {main.name} do before it leaves the picture?",
            )
            told.say(
                "order", f"The {main.name} bounces {{}} it leaves the picture.", "before", ["after"]
            )
        drawn.append(Thing(main.shape, main.colour, 0.2, path))
        side = 1 if x < 0.5 else -1
        if rng.random() < 0.8:
            second = replace(second, count=rng.choice((1, 2)))
            for n in range(second.count):
                at = x + side * (0.28 + 0.22 * n)
                drawn.append(Thing(second.shape, second.colour, 0.18, still(at, ground + 0.01)))
            there.append(second)
            ways[second] = "still"
            relations(told, second, main, "right" if side == 1 else "left")
            told.number(second, "stand on the floor")
        wrong = ["grows", "stands still", "moves to the left"]
        told.say(
            "direction",
            f"The {main.name} {{}}.",
            "bounces up and down",
            wrong,
            f"What does the {main.name} do?",
        )
        told.say(
            "direction",
            f"The {main.name} {{}}.",
            "bounces",
            wrong,
            f"What does the {main.name} do?",
        )
    elif way in ("left", "right"):
        y = (
            back.horizon - 0.12
            if back.horizon
            else rng.choice((0.3, 0.7)) + rng.uniform(-0.06, 0.06)
        )
        drawn.append(
            Thing(
                main.shape, main.colour, size, travel(0.5, y, way, rng.uniform(0.5, 0.72), seconds)
            )
        )
        if back.horizon:
            told.say(
                "shape",
                "The shape that moves along the floor is a {}.",
                main.shape,
                others(rng, SHAPES, main.shape, 2),
            )
            told.say(
                "direction",
                f"The {main.name} {{}} along the floor.",
                main.verb("slide"),
                [main.verb("bounce")],
            )
        if rng.random() < 0.7:
            high = back.horizon is not None or y > 0.5
            drawn.append(
                Thing(
                    second.shape,
                    second.colour,
                    0.2,
                    still(rng.uniform(0.2, 0.8), 0.2 if high else 0.75),
                )
            )
            there.append(second)
            ways[second] = "still"
            relations(told, second, main, "above" if high else "below")
            if back.horizon:
                told.say(
                    "direction", f"The {second.name} {{}} the air.", "stays in", ["falls from"]
                )
        told.say("direction", f"The {main.name} moves from {{}}.", *from_to(way))
    else:
        x = rng.choice((0.2, 0.5, 0.8))
        drawn.append(
            Thing(
                main.shape, main.colour, size, travel(x, 0.5, way, rng.uniform(0.42, 0.62), seconds)
            )
        )
        free = [spot for spot in (0.2, 0.8) if abs(spot - x) > 0.25]
        if rng.random() < 0.7:
            its = rng.choice(("still", "left", "right", "up", "down"))
            across = its in ("left", "right")
            spot = rng.choice(free)
            across_x, across_y = (0.5 + (spot - x) * 0.35, 0.8) if across else (spot, 0.5)
            way_of_it = travel(across_x, across_y, its, 0.36, seconds)
            drawn.append(Thing(second.shape, second.colour, 0.2, way_of_it))
            there.append(second)
            ways[second] = its
        if ways.get(second) != way:
            which = f"the shape that moves {'upward' if way == 'up' else 'downward'}"
            told.say(
                "colour",
                f"{which} is {{}}.",
                main.colour,
                [g.colour for g in there[1:]] + others(rng, COLOURS, main.colour, 2),
                f"What color is {which}?",
            )
    told.exist(there)
    told.look(there)
    for group, its in ways.items():
        if its != "bounce":
            motion(told, group, its, only=len({g.shape for g in ways}) == len(ways))
        for other, that in ways.items():
            if other is not group and its != "bounce" and that in STEPS:
                does = {"up": "rises", "down": "sinks"}.get(that, f"moves to the {that}")
                motion(told, group, its, f" while the {other.name} {does}")
    told.say("cut", "The video {}.", "does not cut", ["cuts to another scene"])
    return World(Scene((Shot(seconds, back, tuple(drawn)),)), tuple(told.facts))


def camera(rng: random.Random) -> World:
    """Return things before a row of posts that the camera pans along or zooms at."""
    told, seconds = Told(rng), length(rng)
    back = Backdrop("gray", rng.uniform(0.7, 0.75), tuple(n * 0.29 - 1.45 for n in range(16)))
    things = kinds(rng, "gray", 3)
    way = rng.choice(("right", "left", "in", "out", "none"))
    start, end = 0.1 * seconds, 0.9 * seconds
    y = 0.6
    if way in ("right", "left"):
        sign = 1 if way == "right" else -1
        xs = [0.5 + sign * (at + rng.uniform(-0.05, 0.05)) for at in (-0.15, 0.6, 1.2)]
        path: tuple[Key, ...] = (Key(start, 0.5, 0.5), Key(end, 0.5 + sign * 1.15, 0.5))
        size = 0.24
        words = ("pans to the right", "pans to the left")
        right, wrong = words[:: 1 if way == "right" else -1]
        told.say(
            "camera",
            "The camera {}.",
            right,
            [wrong, "zooms in", "stands still"],
            "What does the camera do?",
        )
        first, second, last = things
        told.say(
            "order",
            f"The {{}} the {second.name}.",
            f"{first.name} is seen before",
            [f"{last.name} is seen before", f"{first.name} is seen after"],
            late=True,
        )
        told.say(
            "order",
            "First {}.",
            f"{first.some} is seen, then {second.some}, and at last {last.some}",
            [f"{last.some} is seen, then {second.some}, and at last {first.some}"],
        )
        gone = f"{first.some} is not present"
        told.say("existence", "{} in the last part of the video.", gone, [gone.replace("not ", "")])
        told.say(
            "order", f"The {last.name} comes into view {{}} the {second.name}.", "after", ["before"]
        )
        told.say(
            "existence",
            "{} in the last part of the video.",
            f"{last.some} is present",
            [f"{last.some} is not present"],
        )
    else:
        near, far = Key(0, 0.5, 0.55, rng.uniform(2.0, 2.6)), Key(0, 0.5, 0.5)
        ends = {"in": (far, near), "out": (near, far), "none": (far, far)}[way]
        path = (replace(ends[0], at=start), replace(ends[1], at=end))
        xs, size = [0.2, 0.5, 0.8], 0.2
        words3 = {"in": "zooms in", "out": "zooms out", "none": "stands still"}
        told.say(
            "camera",
            "The camera {}.",
            words3[way],
            [words3[w] for w in words3 if w != way] + ["pans to the left"],
            "What does the camera do?",
        )
        closer = {"in": "moves closer to", "out": "moves away from", "none": "stands still before"}
        told.say(
            "camera",
            f"The camera {{}} the {things[1].name}.",
            closer[way],
            [closer[w] for w in closer if w != way],
        )
        told.say(
            "shape",
            "The shape in the middle of the picture is a {}.",
            things[1].shape,
            others(rng, SHAPES, things[1].shape, 2),
            "What kind of shape stands in the middle of the picture?",
        )
        if rng.random() < 0.5:
            side = replace(things[0], count=2)
            things = [things[0], things[1], things[0]]
            told.say(
                "relation",
                f"The {things[1].name} is {{}} the {side.name}.",
                "between",
                ["above", "below"],
                f"Where is the {things[1].name} relative to the {side.name}?",
            )
    drawn = tuple(
        Thing(g.shape, g.colour, size, still(x, y)) for g, x in zip(things, xs, strict=True)
    )
    unique = list(dict.fromkeys(things))
    told.exist(unique)
    told.look(unique)
    return World(Scene((Shot(seconds, back, drawn, camera=path),)), tuple(told.facts))
