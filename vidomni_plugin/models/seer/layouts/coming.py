"""Clips in which things come and go one after another while one is there all the time."""

from __future__ import annotations

import random
from dataclasses import replace

from vidomni_plugin.data.mini.scenes import Key, Scene, Shot, Span, Thing, still
from vidomni_plugin.models.seer.layouts.choosing import distinct, one_of, unlike
from vidomni_plugin.models.seer.layouts.saying import length
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import OPPOSITE, Group, World, backdrop

__all__ = ["appears"]


def appears(rng: random.Random) -> World:
    """Return a thing that stands on one side, a visitor at the top and one that comes below."""
    told, seconds, back = Told(rng), length(rng), backdrop(rng, floor=True)
    stands, visitor, comes = distinct(rng, back.wall, 3)
    comes = replace(comes, count=rng.choice((1, 1, 2)))
    side = rng.choice(("left", "right"))
    sign = 1 if side == "right" else -1
    leaves = rng.choice(("", "", "after", "before"))
    upper = rng.choice(("left", "right"))
    moves = rng.random() < 0.6
    order = rng.choices(("gone", "there", "earlier"), (3.5, 2.5, 4))[0]

    start = rng.uniform(0.18, 0.24)
    end = rng.uniform(0.67, 0.72)
    if order == "earlier":  # the one below is there before the visitor
        start, end = 0.4, 0.74
    if leaves == "after":  # a frame shows that it is still there without the visitor
        end = 0.66
    begin = {"gone": rng.uniform(0.76, 0.8), "there": 0.47, "earlier": 0.17}[order]
    y = (back.horizon or 0.72) - 0.12
    high = rng.uniform(0.2, 0.26)
    x, far = (0.2, 0.76) if upper == "left" else (0.8, 0.24)
    walk = still(x, high)
    if moves:
        turn = start + 0.1
        walk = (Key(turn * seconds, x, high), Key((end - 0.12) * seconds, far, high))
    path = still(0.5 + sign * 0.3, y)
    shown = Span()
    if leaves:
        gone = 0.98 if leaves == "after" else end - 0.15
        if rng.random() < 0.5:
            shown = Span(0, (gone - 0.1) * seconds)
        else:
            out = Key(gone * seconds, 0.5 + sign * 0.7, y)
            path = (Key((gone - 0.2) * seconds, 0.5 + sign * 0.3, y), out)
    size = rng.uniform(0.2, 0.25)
    spots = (0.25,) if comes.count == 1 else (0.15, 0.4)
    drawn = (
        Thing(stands.shape, stands.colour, size, path, shown=shown),
        Thing(
            visitor.shape,
            visitor.colour,
            rng.uniform(0.2, 0.25),
            walk,
            shown=Span(start * seconds, end * seconds),
        ),
        *(
            Thing(
                comes.shape,
                comes.colour,
                min(size, 0.22),
                still(spot if side == "right" else 1 - spot, y),
                shown=Span(begin * seconds),
            )
            for spot in spots
        ),
    )
    there = [stands, visitor, comes]
    _order(told, visitor, comes, order, OPPOSITE[side])
    _staying(told, there, side, leaves)
    walks = {
        "left": "in the upper left and later moves to the right",
        "right": "in the upper right and later moves to the left",
    }
    stays = {s: f"in the upper {s} and stays there" for s in walks}
    right = walks[upper] if moves else stays[upper]
    near = [walks[upper], stays[upper], (walks if moves else stays)[OPPOSITE[upper]]]
    one_of(told, "direction", f"{visitor.some} appears {{}}.", right, near)
    absent = unlike(rng, visitor, there)
    told.say("colour", f"{{}} appears {right}.", visitor.some, [absent.some], late=True)
    lying = [unlike(rng, comes, there), replace(comes, count=3 - comes.count)]
    if leaves != "after":
        lying.append(stands if leaves else visitor)
    told.say(
        "count",
        "At the end, {} on the floor.",
        f"{comes.some} {comes.verb('lie')}",
        [f"{g.some} {g.verb('lie')}" for g in lying],
        late=True,
    )
    told.exist(there)
    told.look(there)
    return World(Scene((Shot(seconds, back, drawn),)), tuple(told.facts))


def _order(told: Told, visitor: Group, comes: Group, order: str, side: str) -> None:
    """Add which of the two comes first, and whether the visitor has gone when the other comes."""
    first, second = (comes, visitor) if order == "earlier" else (visitor, comes)
    for a, b, right in ((first, second, "before"), (second, first, "after")):
        one_of(
            told,
            "order",
            f"The {a.name} {a.verb('appear')} {{}} the {b.name}.",
            right,
            ("before", "after"),
        )
    if order == "earlier":
        return
    what = f"{comes.some} {comes.verb('appear')} on the"
    whens = {
        "gone": f"When the {visitor.noun} has gone",
        "there": f"While the {visitor.noun} is there",
    }
    right = f"{whens[order]}, {what} {side}"
    other = f"{whens['there' if order == 'gone' else 'gone']}, {what} {side}"
    told.say("order", "{}.", right, [other, other, f"{whens[order]}, {what} {OPPOSITE[side]}"])


def _staying(told: Told, there: list[Group], side: str, leaves: str) -> None:
    """Add whether the first thing stays, or when it leaves."""
    rng = told.rng
    stands, visitor, _ = there
    goes = {when: f"leaves the room {when} the {visitor.noun}" for when in ("after", "before")}
    goes[""] = "does not leave the room"
    one_of(told, "order", f"The {stands.noun} {{}}.", goes[leaves], list(goes.values()))
    first = f"{stands.some} stands on the {{}} side of the room at first."
    one_of(told, "relation", first, side, ("left", "right"))
    place = f"stands on the {side} side of the room during the whole video"
    wrong = unlike(rng, stands, there)
    if leaves:
        told.say(
            "direction",
            f"{stands.some} {{}}.",
            "leaves the room",
            [place],
            late=True,
        )
        return
    told.say(
        "relation",
        "{}.",
        f"{stands.some} {place}",
        [
            f"{stands.some} {place.replace(side, OPPOSITE[side])}",
            f"{stands.some} leaves the room",
        ],
        later=[f"{wrong.some} {place}"],
    )
