"""Clips in which a hand presses one thing, and another changes colour."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from vidomni_plugin.data.mini.scenes import (
    Backdrop,
    Hand,
    Key,
    Paint,
    Scene,
    Shot,
    Span,
    Thing,
    still,
)
from vidomni_plugin.models.seer.layouts.choosing import (
    distinct,
    fresh,
    one_of,
    recoloured,
    unlike,
)
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import OPPOSITE, Group, World

__all__ = ["pressed"]

TIMES = ("once", "twice", "three times")

_DOWN = {
    1: ((2.3, 4.2),),
    2: ((0.7, 2.2), (3.8, 5.2)),
    3: ((0.75, 1.25), (2.75, 3.25), (4.75, 5.25)),
}
"""When the hand is down, in sevenths of the clip: then eight frames show each press."""


@dataclass(frozen=True, slots=True)
class _Press:
    """What happens."""

    times: int
    when: str
    """Whether the colour changes ``before`` the first press, ``while`` it lasts, or ``later``."""
    gone: bool
    """Whether the pressed thing disappears."""
    stays: bool
    """Whether the hand stays down until the end."""
    entry: str
    """Where the hand comes from."""


def _tips(press: _Press, x: float, top: float, unit: float) -> tuple[Key, ...]:
    """Return where the fingertips are; ``unit`` is a seventh of the clip."""
    lifted, keys = top - 0.3, []
    downs = _DOWN[press.times]
    for n, (start, end) in enumerate(downs):
        if n:
            keys.append(Key((start - 0.5) * unit, x, lifted))
        keys.append(Key(start * unit, x, top))
        keys.append(Key((end if n < len(downs) - 1 or not press.stays else 7) * unit, x, top))
        if n < len(downs) - 1:
            keys.append(Key((end + 0.5) * unit, x, lifted))
    if press.entry == "top":
        first = [Key(max(0.1, downs[0][0] - 1.8) * unit, x, -0.02)]
    else:
        out = -0.2 if press.entry == "left" else 1.2
        first = [Key(0.3 * unit, out, top - 0.22), Key(1.7 * unit, x, top - 0.22)]
    if not press.stays:
        keys.append(Key(min(6.6, downs[-1][1] + 1.7) * unit, x, -0.02))
    return (*first, *keys)


def pressed(rng: random.Random) -> World:
    """Return a hand that presses a thing once or more, and one above that changes colour."""
    told, seconds = Told(rng), rng.choice((5.0, 5.0, 6.0, 7.0, 8.0))
    back = Backdrop(rng.choice(("gray", "gray", "dark", "beige")), rng.uniform(0.8, 0.88))
    below, above = distinct(rng, back.wall, 2)
    new = fresh(rng, back.wall, [below, above])
    side = rng.choice(("left", "right"))
    times = rng.choices((1, 2, 3), (6, 2, 2))[0]
    when = rng.choices(("before", "while", "later"), (5, 3, 2))[0] if times == 1 else "while"
    gone = times == 1 and rng.random() < 0.5
    stays = not gone and when != "later" and rng.random() < 0.55
    entry = side if times == 1 and rng.random() < 0.75 else "top"
    press = _Press(times, when, gone, stays, entry)

    unit = seconds / 7
    x, far = (0.5 + s * rng.uniform(0.22, 0.28) for s in ((-1, 1) if side == "left" else (1, -1)))
    size, big = rng.uniform(0.18, 0.23), rng.uniform(0.22, 0.29)
    y = (back.horizon or 0.86) - size / 2
    start = _DOWN[times][0][0] * unit
    change = {
        "before": rng.uniform(0.4, 1.0) * unit,
        "while": start + rng.uniform(0.3, 1.1 if times == 1 else 0.6) * unit,
        "later": _DOWN[times][0][1] * unit + rng.uniform(0.8, 1.3) * unit,
    }[when]
    shown = Span(0, start + 1.1 * unit) if gone else Span()
    drawn = (
        Thing(below.shape, below.colour, size, still(x, y), shown=shown),
        Thing(
            above.shape,
            above.colour,
            big,
            still(far, rng.uniform(0.28, 0.38)),
            repaint=(Paint(change, new),),
        ),
    )
    hands = (Hand(_tips(press, x, y - size / 2 + 0.01, unit), opening=0.0),)
    there = [below, above, Group(new, above.shape)]
    _pressing(told, below, there, press)
    one_of(
        told,
        "order",
        f"The hand presses the {below.noun} {{}} the {above.noun} turns {new}.",
        "after" if when == "before" else "before",
        ("before", "after"),
    )
    one_of(
        told,
        "order",
        f"The {above.noun} turns {new} {{}} the hand touches the {below.noun}.",
        "before" if when == "before" else "after",
        ("before", "after"),
    )
    causes = {
        "while": f"presses the {below.noun}",
        "later": f"moves away from the {below.noun}",
    }
    if when != "before" and times == 1:
        turns = f"The {above.noun} turns {new} because the hand {{}}."
        one_of(told, "order", turns, causes[when], list(causes.values()))
    corners = {below: f"lower {side}", above: f"upper {OPPOSITE[side]}"}
    room, else_room = (f"of a {w} room" for w in (back.wall, _else(back.wall)))
    for group, corner in corners.items():
        half, wide = corner.split()
        wrong = [
            f"{group.some} is in the {half} {OPPOSITE[wide]} {room}",
            f"{group.some} is in the {'lower' if half == 'upper' else 'upper'} {wide} {room}",
            f"{group.some} is in the {corner} {else_room}",
        ]
        later = [f"{unlike(rng, group, there).some} is in the {corner} {room}"]
        told.say("relation", "{}.", f"{group.some} is in the {corner} {room}", wrong, later=later)
    recoloured(told, above.noun, above.colour, new)
    one_of(
        told,
        "shape",
        "The shape that changes color is a {}.",
        above.shape,
        (above.shape, below.shape),
    )
    told.exist(there)
    return World(Scene((Shot(seconds, back, drawn, hands),)), tuple(told.facts))


def _else(wall: str) -> str:
    return "dark" if wall == "gray" else "gray"


def _pressing(told: Told, below: Group, there: list[Group], press: _Press) -> None:
    """Add what the hand does."""
    rng, noun = told.rng, below.noun
    shape = [there[1], unlike(rng, below, there)]
    told.say(
        "shape",
        "The hand presses a {}.",
        below.name,
        [g.name for g in (*shape, replace(below, shape=there[1].shape)) if g != below],
    )
    told.say("colour", "A hand presses {}.", below.some, [g.some for g in shape])
    told.say("colour", "A hand moves down and presses {}.", below.some, [g.some for g in shape])
    one_of(
        told,
        "count",
        f"The hand presses the {noun} {{}}.",
        TIMES[press.times - 1],
        TIMES,
    )
    one_of(
        told,
        "direction",
        f"The {noun} {{}} when it is pressed.",
        "disappears" if press.gone else "stays in its place",
        ("disappears", "stays in its place"),
    )
    one_of(
        told,
        "direction",
        "The hand {}.",
        f"stays on the {noun} until the end" if press.stays else "moves up and away afterwards",
        (f"stays on the {noun} until the end", "moves up and away afterwards"),
    )
    ways = [f"The hand comes from the {way} of the picture." for way in ("top", "left", "right")]
    right = f"The hand comes from the {press.entry} of the picture."
    one_of(told, "direction", "{}", right, ways)
