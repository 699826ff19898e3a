"""Clips of rows of things."""

from __future__ import annotations

import random
from dataclasses import replace

from vidomni_plugin.data.mini.scenes import Scene, Shot, Thing, Words, still
from vidomni_plugin.models.seer.layouts.saying import (
    SIDES,
    TEXTS,
    length,
    motion,
    relations,
    travel,
    word_at,
    word_places,
)
from vidomni_plugin.models.seer.world import NUMBERS, SHAPES, Told, World, backdrop, kinds, others

__all__ = ["groups", "row"]


def row(rng: random.Random) -> World:
    """Return two to four things side by side that stay where they are."""
    told, back, seconds = Told(rng), backdrop(rng), length(rng)
    count = rng.choice((2, 3, 3, 3, 4))
    things = kinds(rng, back.wall, count)
    y = back.horizon - 0.12 if back.horizon else rng.uniform(0.35, 0.7)
    size = rng.uniform(0.2, 0.27)
    gap = {2: 0.42, 3: 0.3, 4: 0.24}[count]
    xs = [0.5 + gap * (n - (count - 1) / 2) + rng.uniform(-0.02, 0.02) for n in range(count)]
    drawn = tuple(
        Thing(g.shape, g.colour, min(size, gap - 0.03), still(x, y))
        for g, x in zip(things, xs, strict=True)
    )
    told.exist(things)
    told.look(things)
    for n, group in enumerate(things):
        motion(told, group, "still", only=sum(g.shape == group.shape for g in things) == 1)
        for other in things[n + 1 :]:
            relations(told, group, other, "left")
    if count == 3:
        for group, side in zip(things, SIDES, strict=True):
            told.say("relation", f"{group.some} is {{}}.", side, others(rng, SIDES, side, 1))
            told.say(
                "relation",
                f"{side} is {{}}.",
                group.some,
                [g.some for g in things if g is not group],
            )
        a, b, c = things
        told.say(
            "existence",
            f"{a.some}, {{}} stand in a row.",
            f"{b.some} and {c.some}",
            [
                f"{b.some} and {x.some}"
                for x in kinds(rng, back.wall, 3)
                if (x.colour, x.shape) not in {(t.colour, t.shape) for t in things}
            ],
        )
        told.say(
            "relation",
            "The {}.",
            f"{b.name} is between the {a.name} and the {c.name}",
            [f"{a.name} is between the {b.name} and the {c.name}"],
            late=True,
        )
        told.say(
            "shape",
            "The shape in the middle of the picture is a {}.",
            b.shape,
            others(rng, SHAPES, b.shape, 2),
            "What kind of shape stands in the middle of the picture?",
        )
    wrong = [n for n in NUMBERS[2:6] if n != NUMBERS[count]]
    told.say(
        "count",
        "{} shapes stand side by side.",
        NUMBERS[count],
        wrong,
        "How many shapes stand side by side?",
    )
    told.say(
        "direction", "None of the shapes {} during the whole video.", "moves", ["stands still"]
    )
    return World(Scene((Shot(seconds, back, drawn),)), tuple(told.facts))


def groups(rng: random.Random) -> World:
    """Return an upper and a lower row of equal things, or a word above one row; rows may move."""
    told, back, seconds = Told(rng), backdrop(rng, floor=False), length(rng)
    upper, lower = (replace(g, count=rng.randint(1, 4)) for g in kinds(rng, back.wall, 2))
    word = rng.random() < 0.35
    drawn: list[Thing] = []
    rows = {}
    high = word and rng.random() < 0.4
    for group, y in ((lower, rng.uniform(0.68, 0.78)), (upper, rng.uniform(0.22, 0.32))):
        if word and group is (lower if high else upper):
            continue
        way = rng.choice(("still", "still", "left", "right"))
        size = rng.uniform(0.15, 0.19)
        gap = rng.uniform(size + 0.04, 0.22)
        far = 0.0 if way == "still" else rng.uniform(0.28, 0.34) + 0.06 * (4 - group.count)
        size = min(size, (0.97 - far) / (1.15 * group.count))
        gap = max(1.1 * size, min(gap, (0.97 - size - far) / max(1, group.count - 1)))
        for n in range(group.count):
            x = 0.5 + gap * (n - (group.count - 1) / 2)
            drawn.append(Thing(group.shape, group.colour, size, travel(x, y, way, far, seconds)))
        rows[group] = way
    lines: tuple[Words, ...] = ()
    if word:
        lines = (word_at(told, back, 0.73 if high else 0.27, rng.choice(TEXTS)),)
        place = "above" if high else "below"
        word_places(told, upper if high else lower, lines[0].text, place)
        told.number(upper if high else lower, f"are {place} the word")
    else:
        relations(told, upper, lower, "above")
        told.number(
            upper, rng.choice(("form the upper row", "are in the upper half of the picture"))
        )
        told.number(
            lower, rng.choice(("form the lower row", "are in the lower half of the picture"))
        )
    told.exist(list(rows), word=word)
    told.look(list(rows))
    middle = ""
    for group, way in rows.items():
        motion(told, group, way, only=upper.shape != lower.shape)
        told.number(group, "are visible")
        if way != "still":
            edge = "bottom" if group is lower else "top"
            told.number(group, f"move along the {edge} of the picture")
            for other, its in rows.items():
                if other is not group:
                    middle = f" while the {group.name} {group.verb(f'move to the {way}')}"
                    motion(told, other, its, middle)
    return World(Scene((Shot(seconds, back, tuple(drawn), words=lines),)), tuple(told.facts))
