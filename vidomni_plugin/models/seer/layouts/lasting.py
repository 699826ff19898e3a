"""Clips of a row in which one thing changes, comes, goes or moves, or nothing does."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vidomni_plugin.data.mini.scenes import Colour, Key, Paint, Scene, Shot, Span, Thing, still
from vidomni_plugin.models.seer.layouts.saying import length, moving, wall
from vidomni_plugin.models.seer.layouts.still import stranger
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import COLOURS, Group, World, backdrop, kinds, others

__all__ = ["lasting"]

EVENTS = (
    "still",
    "up",
    "up",
    "down",
    "down",
    "grow",
    "turn",
    "turn",
    "disappear",
    "appear",
    "left",
    "right",
)
"""What one group does; ``left`` and ``right`` leave the picture on that side."""
SIZES = {2: 0.24, 3: 0.22, 4: 0.19, 5: 0.16}
"""Of things, by how many are in the row."""
AGAINST = {"disappear": ("left", "right"), "left": ("disappear",), "right": ("disappear",)}
"""What is not said to be false of a thing, though it is something else."""
STILL = ("still", "turn", "grow", "disappear", "appear")
"""What a thing does without a move."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Things of one kind, what they do, and the colour that they turn."""

    group: Group
    event: str
    new: Colour

    @property
    def stays(self) -> bool:
        """Tell whether the things are in the row at the end."""
        return self.event in ("still", "turn", "grow", "appear")

    def does(self, event: str, new: Colour | None = None) -> str:
        """Return the verb for an event."""
        stems = {
            "up": "rise",
            "down": "sink",
            "grow": "grow",
            "turn": f"turn {new or self.new}",
            "disappear": "disappear",
            "appear": "appear",
            "left": "leave the picture at the left edge",
            "right": "leave the picture at the right edge",
        }
        if event == "still":
            group = self.group
            return group.verb("stay") + (" where they are" if group.count > 1 else " where it is")
        return self.group.verb(stems[event])


def lasting(rng: random.Random) -> World:
    """Return two or three kinds of things in a row, one of which does something."""
    told, back, seconds = Told(rng), backdrop(rng), length(rng)
    parts = _parts(rng, back.wall, floor=back.horizon is not None)
    count = sum(part.group.count for part in parts)
    size = SIZES[count] * rng.uniform(0.92, 1.08)
    y = back.horizon - size / 2 if back.horizon else rng.uniform(0.45, 0.55)
    drawn: list[Thing] = []
    gap = min(0.3, 0.98 / count)
    for part in parts:
        for _ in range(part.group.count):
            x = 0.5 + gap * (len(drawn) - (count - 1) / 2)
            drawn.append(_thing(rng, part, x, y, size, seconds))
    groups = [part.group for part in parts]
    turned = [Group(part.new, part.group.shape) for part in parts if part.event == "turn"]
    told.exist([*groups, *turned])
    if not turned:
        told.look(groups)
    _deeds(told, parts)
    _turned(told, parts)
    if back.horizon:
        _at_the_end(told, parts)
    if all(part.event in ("still", "up", "down", "grow", "turn") for part in parts):
        wall(told, back, count)
    movers = sum(part.group.count for part in parts if part.event not in STILL)
    if movers < 2 and all(part.event != "grow" for part in parts):
        moving(told, ("none", "one")[movers])
    return World(Scene((Shot(seconds, back, tuple(drawn)),)), tuple(told.facts))


def _parts(rng: random.Random, ground: str, *, floor: bool) -> list[_Part]:
    number = rng.choice((2, 2, 3))
    found = kinds(rng, ground, 5)
    spare = [g.colour for g in found[number:]]
    left = 5
    parts = []
    actor = rng.randrange(number)
    for n, group in enumerate(found[:number]):
        most = min(3, left - (number - n - 1))
        count = rng.choice([k for k in (1, 1, 2, 2, 3) if k <= most])
        left -= count
        event = rng.choice(EVENTS) if n == actor else "still"
        if floor and event == "down":
            event = "up"
        parts.append(_Part(replace(group, count=count), event, spare[0]))
    # What leaves must not pass the others, so it stands at the end of the row.
    ends = {"left": -1, "right": 1}
    return sorted(parts, key=lambda part: ends.get(part.event, 0))


def _thing(
    rng: random.Random, part: _Part, x: float, y: float, size: float, seconds: float
) -> Thing:
    group, at = part.group, seconds * 0.45
    start, end = seconds * 0.2, seconds * 0.75
    path, shown = still(x, y), Span()
    if part.event in ("up", "down"):
        far = -0.3 if part.event == "up" else 0.3
        path = (Key(start, x, y), Key(end, x, y + far))
    elif part.event in ("left", "right"):
        path = (Key(start, x, y), Key(end, x + (-1.05 if part.event == "left" else 1.05), y))
    elif part.event == "grow":
        path = (Key(start, x, y, 0.62), Key(end, x, y))
        path = (replace(path[0], y=y + 0.19 * size), path[1])
    elif part.event == "disappear":
        shown = Span(0, at)
    elif part.event == "appear":
        shown = Span(at)
    elif part.event == "turn":
        return Thing(group.shape, group.colour, size, path, repaint=(Paint(at, part.new),))
    return Thing(group.shape, group.colour, size, path, shown)


def _deeds(told: Told, parts: Sequence[_Part]) -> None:
    rng = told.rng
    shapes = [part.group.shape for part in parts]
    for part in parts:
        if part.event == "still" and rng.random() < 0.65:
            continue
        group = part.group
        bare = shapes.count(group.shape) == 1 and rng.random() < 0.5
        name = f"The {group.noun if bare else group.name}"
        real = {p.event for p in parts if p is not part and p.event != "still"}
        wrong = [
            event
            for event in dict.fromkeys(EVENTS)
            if event not in (part.event, *AGAINST.get(part.event, ()))
            and (event != "still" or part.event not in STILL)
        ]
        near = [event for event in wrong if event in real]
        texts = [part.does(event) for event in [*near, *rng.sample(wrong, 3)]]
        if part.event == "turn":
            new = others(rng, [c for c in COLOURS if c != group.colour], part.new, 1)[0]
            texts.append(part.does("turn", new))
        told.say("direction", f"{name} {{}}.", part.does(part.event), list(dict.fromkeys(texts)))
    stays = "The picture stays the same until the end."
    actors = [part for part in parts if part.event != "still"]
    if actors:
        part = actors[0]
        text = f"The {part.group.name} {part.does(part.event)}."
        told.say("direction", "{}", text, [stays], late=True)
    else:
        part = rng.choice(list(parts))
        events = rng.sample([e for e in dict.fromkeys(EVENTS) if e != "still"], 3)
        texts = [f"The {part.group.name} {part.does(event)}." for event in events]
        told.say("direction", "{}", stays, texts, late=True)


def _turned(told: Told, parts: Sequence[_Part]) -> None:
    for part in parts:
        group = part.group
        if part.event != "turn" or [p.group.shape for p in parts].count(group.shape) > 1:
            continue
        told.say(
            "colour",
            f"The {group.noun} {group.be} {{}} at the end of the video.",
            part.new,
            [
                group.colour,
                *others(told.rng, [p for p in COLOURS if p != group.colour], part.new, 1),
            ],
            f"What color {group.be} the {group.noun} at the end of the video?",
        )
        told.say(
            "colour",
            f"The {group.noun} {group.verb('turn')} from {{}}.",
            f"{group.colour} to {part.new}",
            [f"{part.new} to {group.colour}"],
        )


def _at_the_end(told: Told, parts: Sequence[_Part]) -> None:
    """Add what lies on the floor at the end: what is there, and how many."""
    rng = told.rng
    seen = [part.group for part in parts]
    text = "At the end, {} {} on the floor."
    gone = [part.group for part in parts if part.event in ("disappear", "up", "left", "right")]
    for part in parts:
        group = part.group
        if not part.stays or part.event == "turn":
            continue
        odd = rng.choice([n for n in (1, 1, 2, 2, 3) if n != group.count])
        absent = replace(stranger(told, seen), count=rng.choice((1, 2, 2, 3)))
        wrong = [replace(group, count=odd), absent, *gone]
        if any(p.event == "turn" and p.new == absent.colour for p in parts):
            wrong.remove(absent)
        told.say(
            "existence",
            "{}",
            text.format(group.some, group.verb("lie")),
            [text.format(g.some, g.verb("lie")) for g in wrong],
            late=True,
        )
