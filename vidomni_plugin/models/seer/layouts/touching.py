"""Clips in which one thing comes in and touches another, and one of them changes colour."""

from __future__ import annotations

import random

from vidomni_plugin.data.mini.scenes import Key, Paint, Scene, Shot, Thing, still
from vidomni_plugin.models.seer.layouts.choosing import (
    distinct,
    fresh,
    one_of,
    recoloured,
    unlike,
)
from vidomni_plugin.models.seer.layouts.saying import length
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import (
    COLOURS,
    OPPOSITE,
    WALLS,
    Group,
    World,
    backdrop,
    others,
)

__all__ = ["touched"]

AFTER = ("moves to the left", "moves to the right", "stays where it is")


def touched(rng: random.Random) -> World:
    """Return a thing that another touches; one changes colour before, meanwhile or later."""
    told, seconds = Told(rng), length(rng)
    back = backdrop(rng, floor=rng.random() < 0.15)
    stands, comes = distinct(rng, back.wall, 2)
    side = rng.choice(("left", "right"))
    sign = 1 if side == "right" else -1
    mover_changes = rng.random() < 0.5
    when = rng.choices(("before", "while", "later"), (4, 4.2, 1.8))[0]
    after = rng.choice(AFTER)
    new = fresh(rng, back.wall, [stands, comes])

    wide, small = rng.uniform(0.22, 0.3), rng.uniform(0.17, 0.22)
    x, y = 0.5 + sign * rng.uniform(0.14, 0.22), rng.uniform(0.4, 0.6)
    meet = x - sign * (wide + small) / 2
    contact = seconds * rng.uniform(0.38, 0.45)
    part = contact + seconds * rng.uniform(0.18, 0.24)
    change = {
        "before": contact - seconds * rng.uniform(0.16, 0.22),
        "while": contact + (part - contact) * rng.uniform(0.3, 0.55),
        "later": part + seconds * 0.2,
    }[when]
    way = (
        Key(0.08 * seconds, 0.5 - sign * 0.61, y),
        Key(contact, meet, y),
        Key(part, meet, y),
        Key(0.84 * seconds, 0.5 - sign * rng.uniform(0.28, 0.34), y),
    )
    shift = 0.0
    if after != "stays where it is":
        shift = rng.uniform(0.16, 0.2) * (1 if after == "moves to the right" else -1)
    goes = (Key(part, x, y), Key(0.9 * seconds, x + shift, y)) if shift else still(x, y)
    paint = (Paint(change, new),)
    drawn = (
        Thing(stands.shape, stands.colour, wide, goes, repaint=() if mover_changes else paint),
        Thing(comes.shape, comes.colour, small, way, repaint=paint if mover_changes else ()),
    )

    changes, keeps = (comes, stands) if mover_changes else (stands, comes)
    _order(told, comes, stands, changes, when, new)
    there = [stands, comes, Group(new, changes.shape)]
    places = [f"{s} side of a {wall} background" for s, wall in _places(rng, side, back.wall)]
    told.say("relation", f"{stands.some} stands on the {{}}.", places[0], places[1:])
    for ending in ("it", f"the {stands.noun}"):
        told.say(
            "direction",
            f"{{}} and touches {ending}.",
            f"{comes.some} comes in from the {OPPOSITE[side]}",
            [
                f"{comes.some} comes in from the {side}",
            ],
            later=[f"{unlike(rng, comes, there).some} comes in from the {OPPOSITE[side]}"],
        )
    one_of(told, "direction", f"After that, the {stands.noun} {{}}.", after, AFTER)
    one_of(
        told,
        "colour",
        f"The {comes.noun} {{}} when it touches the {stands.noun}.",
        f"turns {new}" if mover_changes and when == "while" else "keeps its color",
        (
            f"turns {new if mover_changes and when == 'while' else fresh(rng, back.wall, there)}",
            "keeps its color",
        ),
        late=mover_changes and when != "while",
    )
    if shift * sign >= 0:  # otherwise it ends near the middle
        last = {comes: OPPOSITE[side], stands: side}
        names = {g: f"{new} {g.noun}" if g is changes else g.noun for g in (comes, stands)}
        names[keeps] = keeps.name if rng.random() < 0.3 else keeps.noun
        ends = [
            f"the {names[a]} is on the {s} and the {names[b]} on the {OPPOSITE[s]}"
            for a, b, s in (
                (comes, stands, last[comes]),
                (comes, stands, last[stands]),
            )
        ]
        told.say("relation", "At the end, {}.", ends[0], ends[1:])
    recoloured(told, changes.noun, changes.colour, new)
    one_of(
        told,
        "shape",
        "The shape that changes color is a {}.",
        changes.shape,
        (comes.shape, stands.shape),
    )
    told.say(
        "colour",
        f"The {keeps.noun} is {{}}.",
        keeps.colour,
        [*others(rng, COLOURS, keeps.colour, 1), new],
        f"What color is the {keeps.noun}?",
    )
    told.exist(there)
    one_of(
        told,
        "cut",
        "The video {}.",
        "does not cut",
        ("does not cut", "cuts to another scene"),
    )
    return World(Scene((Shot(seconds, back, drawn),)), tuple(told.facts))


def _places(rng: random.Random, side: str, wall: str) -> list[tuple[str, str]]:
    """Return where a thing stands and before which wall, the right answer first."""
    walls = [w for w in WALLS if w != wall]
    return [(side, wall), (OPPOSITE[side], wall), (side, rng.choice(walls))]


def _order(told: Told, comes: Group, stands: Group, changes: Group, when: str, new: str) -> None:
    """Add whether the touch or the change of colour is first."""
    touch = f"the {comes.noun} touching the {stands.noun}"
    first = "after" if when == "before" else "before"
    one_of(
        told,
        "order",
        f"The {comes.noun} touches the {stands.noun} {{}} the {changes.noun} changes color.",
        first,
        ("before", "after"),
        f"Which occurs first: {touch} or the {changes.noun} changing color?",
    )
    if changes is stands:
        times = {
            "before": f"before the {comes.noun} touches it",
            "while": f"while the {comes.noun} touches it",
            "later": f"after the {comes.noun} moves away from it",
        }
        options = list(times.values())
        one_of(told, "order", f"The {stands.noun} turns {new} {{}}.", times[when], options)
        if when != "before":  # the sign of a cause that can be seen is what comes just before
            causes = {"while": "touches it", "later": "moves away from it"}
            turns = f"The {stands.noun} turns {new} because the {comes.noun} {{}}."
            one_of(told, "order", turns, causes[when], list(causes.values()))
