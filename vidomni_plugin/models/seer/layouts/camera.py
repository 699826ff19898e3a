"""Clips of things before a wall that the camera pans along or zooms at."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from vidomni_plugin.data.mini.scenes import (
    Backdrop,
    Colour,
    Ground,
    Key,
    Paint,
    Scene,
    Shot,
    Thing,
    still,
)
from vidomni_plugin.models.seer.layouts.choosing import choose, distinct, fresh
from vidomni_plugin.models.seer.layouts.saying import length
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import OPPOSITE, SHAPES, Group, World, kinds, others

__all__ = ["pan", "zoom"]

DOES = {
    "right": "pans to the right",
    "left": "pans to the left",
    "in": "zooms in",
    "out": "zooms out",
    "none": "stands still",
}
FRONTS = {True: "in front of a row of posts", False: "in front of a plain wall"}
ALONG = {True: "along a row of dark posts", False: "along a plain wall"}
FILLS = {
    "in": "moves closer, so the {} grows until it fills much of the picture",
    "out": "moves away, so the {} shrinks until it is small",
}
BACK = "then pulls back to where it started"
LARGE = 0.5
"""As wide is a thing that fills much of the picture."""
CLOSER = {"in": "moves closer to", "out": "moves away from"}


def _wall(rng: random.Random, *, posts: bool) -> Backdrop:
    wall: Ground = rng.choice(("gray", "gray", "gray", "beige"))
    spots = tuple(n * 0.29 - 1.45 for n in range(16)) if posts else ()
    return Backdrop(wall, rng.uniform(0.69, 0.76), spots)


def zoom(rng: random.Random) -> World:
    """Return a thing with two equal ones about it; the camera zooms in, out, both or neither."""
    told, seconds, posts = Told(rng), length(rng), rng.random() < 0.7
    back = _wall(rng, posts=posts)
    middle, side = distinct(rng, back.wall, 2)
    side = replace(side, count=2)
    way = rng.choice(("in", "in", "in", "out", "out", "back", "back", "back", "none", "none"))
    place = rng.choice(("between", "between", "between", "above", "below"))
    wide = rng.random() < 0.75 if place == "between" else False
    y, size = back.horizon - 0.12 if back.horizon else 0.6, rng.uniform(0.19, 0.25)
    gap = rng.uniform(0.28, 0.33) if wide else rng.uniform(0.17, 0.19)
    its = rng.uniform(0.14, 0.16)
    shift = {"between": 0.04, "above": 0.24, "below": -0.24}[place]
    if place != "between":
        y, size = 0.52, 0.17
    if not wide:
        its, size = 0.13, min(size, 0.17)
    # Near enough that the outer things are wholly out of the picture, or wholly in it.
    factor = max(rng.uniform(2.1, 2.6), 0.52 / (gap - its / 2)) if wide else 1.8
    near, far = (
        Key(0, 0.5, y - rng.uniform(0, 0.05) if wide else y + shift / 2, factor),
        Key(0, 0.5, 0.5),
    )
    new = fresh(rng, back.wall, [middle, side]) if rng.random() < 0.3 else None
    paint = (Paint(0.75 * seconds, new),) if new else ()
    drawn = [
        *(Thing(side.shape, side.colour, its, still(0.5 + x, y + shift)) for x in (-gap, gap)),
        Thing(middle.shape, middle.colour, size, still(0.5, y), repaint=paint),
    ]
    path = _zooms(way, near, far, seconds, rng.uniform(0.7, 0.9))
    _places(told, middle, side, place, posts=posts)
    _zoomed(told, middle, side, way, wide=wide, large=size * factor > LARGE)
    _colours(told, middle, side, new)
    told.exist(
        [middle, Group(side.colour, side.shape), *([Group(new, middle.shape)] if new else [])]
    )
    if not new:
        told.look([middle, side])
    return World(Scene((Shot(seconds, back, tuple(drawn), camera=path),)), tuple(told.facts))


def _zooms(way: str, near: Key, far: Key, seconds: float, end: float) -> tuple[Key, ...]:
    def at(*stops: tuple[float, Key]) -> tuple[Key, ...]:
        return tuple(replace(key, at=share * seconds) for share, key in stops)

    if way == "back":
        return at((0.06, far), (0.42, near), (0.56, near), (0.9, far))
    first, last = {"in": (far, near), "out": (near, far), "none": (far, far)}[way]
    return at((0.1, first), (end, last))


def _places(told: Told, middle: Group, side: Group, place: str, *, posts: bool) -> None:
    """Add where the things are relative to each other."""
    wrong = [p for p in ("between", "above", "below") if p != place]
    stands = f"{middle.some} stands {{}} {side.some} {FRONTS[posts]}."
    told.say("relation", stands, place, wrong)
    stands = f"{middle.some} stands {place} {side.some} {{}}."
    told.say("existence", stands, FRONTS[posts], [FRONTS[not posts]])
    swapped = Group(side.colour, side.shape), replace(middle, count=2)
    told.say(
        "relation",
        f"{{}} {FRONTS[posts]}.",
        f"{middle.some} stands {place} {side.some}",
        [f"{swapped[0].some} stands {place} {swapped[1].some}"],
        late=True,
    )
    ask = f"Where is the {middle.name} relative to the {side.name}?"
    told.say("relation", f"The {middle.name} is {{}} the {side.name}.", place, wrong, ask)
    if place == "between":
        told.say(
            "shape",
            "The shape in the middle of the picture is a {}.",
            middle.shape,
            others(told.rng, SHAPES, middle.shape, 2),
            "What kind of shape stands in the middle of the picture?",
        )


def _zoomed(told: Told, middle: Group, side: Group, way: str, *, wide: bool, large: bool) -> None:
    """Add what the camera does and what that does to the picture."""
    noun = middle.noun
    if way in ("in", "out"):
        choose(told, "camera", "The camera {}.", DOES, way, "What does the camera do?")
        choose(told, "camera", f"The camera {{}} the {middle.name}.", CLOSER, way)
        if large:
            fills = {w: text.replace("{}", noun) for w, text in FILLS.items()}
            choose(told, "camera", "The camera {}.", fills, way)
    elif way == "none":
        choose(told, "camera", "The camera {}.", DOES, way, "What does the camera do?")
    if way in ("in", "back"):
        then = {"back": BACK, "in": f"then stays close to the {noun}"}
        choose(told, "camera", "The camera {}.", then, way)
    elif way == "none":
        told.say("camera", "The camera {}.", DOES[way], [BACK])
    edges = {True: "leave the picture on both sides", False: "stay in the picture"}
    if way == "in":
        goes = f"While the camera moves closer, the {side.name} {{}}."
        told.say("direction", goes, edges[wide], [edges[not wide]])
    if wide and way in ("in", "out"):
        both = {
            "in": f"closer, the {side.name} leave the picture on both sides",
            "out": f"away, the {side.name} come into the picture on both sides",
        }
        choose(told, "camera", "While the camera moves {}.", both, way)


def _colours(told: Told, middle: Group, side: Group, new: Colour | None) -> None:
    """Add whether the middle thing turns another colour near the end."""
    noun = middle.noun
    other = new or fresh(told.rng, "gray", [middle, side])
    texts = {
        True: f"turns from {middle.colour} to {other} near the end",
        False: f"stays {middle.colour} until the end",
    }
    told.say("colour", f"The {noun} {{}}.", texts[bool(new)], [texts[not new]])


def pan(rng: random.Random) -> World:
    """Return three things that come into view one after the other while the camera pans."""
    told, seconds, posts = Told(rng), length(rng), rng.random() < 0.65
    back = _wall(rng, posts=posts)
    things = kinds(rng, back.wall, 3)
    way = rng.choice(("right", "left"))
    back_way = OPPOSITE[way]
    sign, size = 1 if way == "right" else -1, rng.uniform(0.2, 0.27)
    offsets = (rng.uniform(-0.22, 0.1), rng.uniform(0.6, 0.7), rng.uniform(1.1, 1.3))
    y = (back.horizon or 0.72) - 0.12
    drawn = [
        Thing(g.shape, g.colour, size, still(0.5 + sign * at, y))
        for g, at in zip(things, offsets, strict=True)
    ]
    far = 0.5 + sign * rng.uniform(1.1, 1.2)
    path = (Key(0.09 * seconds, 0.5, 0.5), Key(rng.uniform(0.82, 0.92) * seconds, far, 0.5))
    choose(told, "camera", "The camera {}.", DOES, way, "What does the camera do?")
    texts = f"The camera pans {{}} {ALONG[posts]}."
    told.say("camera", texts, f"to the {way}", [f"to the {back_way}"])
    texts = f"The camera pans to the {way} {{}}."
    told.say("camera", texts, ALONG[posts], [ALONG[not posts]])
    told.say("camera", "The camera {}.", f"pans to the {way}", [BACK])
    edges = [f"at the {s} edge" for s in (back_way, way)]
    told.say("direction", f"The {things[0].name} leaves the picture {{}}.", edges[0], edges[1:])
    edges = [f"from the {s}" for s in (way, back_way)]
    told.say("direction", f"The {things[1].name} comes into view {{}}.", edges[0], edges[1:])
    _seen(told, things)
    told.exist(things, late=True)
    told.look(things)
    return World(Scene((Shot(seconds, back, tuple(drawn), camera=path),)), tuple(told.facts))


def _seen(told: Told, things: Sequence[Group]) -> None:
    """Add in which order the things are seen."""
    rng, (first, second, last) = told.rng, things
    absent = rng.choice([g for g in kinds(rng, "gray", 5) if _unlike(g, things)] or [first])
    for a, b, right in ((last, second, "after"), (second, last, "before")):
        told.say(
            "order",
            f"The {a.name} comes into view {{}} the {b.name}.",
            right,
            ["before" if right == "after" else "after"],
            late=True,
        )
    early, late = sorted(rng.sample(range(3), 2))
    a, b = things[early], things[late]
    orders = [
        f"The {a.name} is seen before the {b.name}.",
        f"The {b.name} is seen before the {a.name}.",
    ]
    told.say("order", "{}", orders[0], orders[1:], late=True)
    told.say(
        "order",
        "First {}.",
        f"{first.some} is seen, then {second.some}, and at last {last.some}",
        [
            f"{last.some} is seen, then {second.some}, and at last {first.some}",
            f"{first.some} is seen, then {last.some}, and at last {second.some}",
        ],
    )
    wrong = [first.some, second.some, absent.some]
    told.say("order", "{} waits at the end of the row.", last.some, wrong, late=True)
    for group, there in ((first, False), (last, True), (absent, False)):
        present = [f"{group.some} is {word}present" for word in ("", "not ")]
        right = present[0 if there else 1]
        part = "{} in the last part of the video."
        told.say("existence", part, right, [present[1 if there else 0]], late=True)


def _unlike(group: Group, things: Sequence[Group]) -> bool:
    return (group.colour, group.shape) not in {(g.colour, g.shape) for g in things}
