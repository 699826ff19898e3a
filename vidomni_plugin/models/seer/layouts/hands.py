"""Clips in which a hand carries, pushes or lifts one thing beside another."""

from __future__ import annotations

import random
from dataclasses import replace

from vidomni_plugin.data.mini.scenes import Backdrop, Hand, Key, Scene, Shot, Span, Thing, still
from vidomni_plugin.models.seer.layouts.choosing import distinct, one_of, unlike
from vidomni_plugin.models.seer.layouts.saying import from_to
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import OPPOSITE, SHAPES, Group, World, others

__all__ = ["carried"]

LOW, HIGH = 0.0, 1.0
"""Where a hand holds a thing: at the floor, or as high as it lifts it."""

_PATHS: dict[str, tuple[tuple[float, float, float], ...]] = {
    # time in sixths of the clip, way from the first to the last place (0 to 1), height
    "over": ((1.6, 0, LOW), (2.5, 0, HIGH), (3.6, 1, HIGH), (4.4, 1, LOW)),
    "twice": (
        (1.0, 0, LOW),
        (1.6, 0, HIGH),
        (2.0, 0.1, HIGH),
        (2.5, 0.1, LOW),
        (2.9, 0.1, LOW),
        (3.5, 0.1, HIGH),
        (5.0, 1, HIGH),
    ),
    "push": ((1.7, 0, LOW), (4.3, 0.66, LOW)),
    "alone": ((0.4, 0, HIGH), (2.0, 1, HIGH), (2.8, 1, LOW), (4.4, 1, LOW), (5.2, 1, HIGH)),
}
"""What a thing does: ``alone`` it passes over the other by itself, then the hand lifts it."""


def carried(rng: random.Random) -> World:
    """Return a hand with a thing: over another, against it, or after it has passed by itself."""
    told, seconds = Told(rng), rng.choice((5.0, 6.0, 6.0, 7.0, 8.0))
    back = Backdrop(rng.choice(("gray", "gray", "dark")), rng.uniform(0.74, 0.83))
    thing, other = distinct(rng, back.wall, 2)
    how = rng.choices(("over", "twice", "push", "alone"), (3.5, 2, 2.5, 2))[0]
    way = rng.choice(("left", "right"))
    size, its = rng.uniform(0.18, 0.22), rng.uniform(0.15, 0.18)
    low, high = (back.horizon or 0.78) - size / 2, rng.uniform(0.36, 0.42)
    a, b = (0.2, 0.8) if way == "right" else (0.8, 0.2)
    unit = seconds / 6

    def key(at: float, along: float, lift: float) -> Key:
        return Key(at * unit, a + along * (b - a), low + lift * (high - low))

    path = tuple(key(*step) for step in _PATHS[how])
    held = [k for k in path if k.at > 3.5 * unit] if how == "alone" else list(path)
    keeps = how in ("twice", "alone") or rng.random() < 0.35
    start, end = held[0], held[-1]
    tips = [
        replace(start, at=start.at - 1.3 * unit if how != "twice" else 0.2 * unit, y=-0.02),
        replace(start, at=start.at - 0.2 * unit),
        *held,
    ]
    if not keeps:
        tips += [
            replace(end, at=end.at + 0.3 * unit),
            replace(end, at=min(5.7 * unit, end.at + 1.2 * unit), y=-0.02),
        ]
    tips = [k if k.y < 0 else replace(k, y=k.y + 0.02) for k in tips]
    closed = Span(start.at - 0.1 * unit, seconds if keeps else end.at + 0.1 * unit)
    place = still(0.5, low + (size - its) / 2)
    if how == "push":
        sign = 1 if b > a else -1
        touch = 0.5 - sign * (size + its) / 2
        meets = path[0].at + (touch - path[0].x) / (path[1].x - path[0].x) * 2.6 * unit
        moved = path[1].x + sign * (size + its) / 2
        place = (replace(place[0], at=meets), Key(path[1].at, moved, place[0].y))
    drawn = (
        Thing(other.shape, other.colour, its, place),
        Thing(thing.shape, thing.colour, size, path),
    )
    hands = (Hand(tuple(tips), opening=size, closed=closed),)

    _taking(told, thing, other, how, way)
    _carrying(told, thing, other, how, way)
    _ending(told, thing, other, how, way, keeps=keeps)
    told.exist([thing, other])
    told.look([thing, other])
    return World(Scene((Shot(seconds, back, drawn, hands),)), tuple(told.facts))


def _taking(told: Told, thing: Group, other: Group, how: str, way: str) -> None:
    """Add what the hand takes, and where."""
    rng, there = told.rng, [thing, other]
    side = way if how == "alone" else OPPOSITE[way]
    comes = "A hand comes down from above and grasps {}."
    told.say(
        "colour",
        comes,
        f"{thing.some} on the {side}",
        [
            f"{thing.some} on the {OPPOSITE[side]}",
            f"{other.some} on the {side}",
            f"{unlike(rng, thing, there).some} on the {side}",
        ],
    )
    if how != "push":
        told.say("shape", "The hand picks up the {}.", thing.name, [other.name])
    if how in ("over", "twice"):
        told.say(
            "shape",
            "The hand carries a {}.",
            thing.shape,
            [other.shape, *others(rng, SHAPES, thing.shape, 1)],
            "What kind of shape does the hand carry?",
        )


def _carrying(told: Told, thing: Group, other: Group, how: str, way: str) -> None:
    """Add the way of both things."""
    rng, there = told.rng, [thing, other]
    lifts = [
        f"lifts the {thing.noun}, carries it to the {to} over {g.some} and puts it down"
        for to, g in ((way, other), (OPPOSITE[way], other), (way, unlike(rng, other, there)))
    ]
    slides = [
        f"slides the {thing.noun} along the floor to the {to} against {other.some}"
        for to in (way, OPPOSITE[way])
    ]
    if how == "over":
        told.say("direction", "The hand {}.", lifts[0], [*lifts[1:], slides[0]])
    if how == "push":
        told.say("direction", "The hand {}.", slides[0], [slides[1], lifts[0], lifts[0]])
    if how in ("over", "twice"):
        right, wrong = from_to(way)
        told.say(
            "direction",
            "{}.",
            f"{thing.some} is carried from {right}",
            [
                f"{thing.some} is carried from {wrong[0]}",
                f"{thing.some} is carried from {wrong[0]}",
            ],
            later=[f"{other.some} is carried from {right}"],
        )
    mover, by = (other, thing) if how == "push" else (thing, other)
    pushes = f"the {mover.noun} moves because the {by.name} pushes it"
    options = (pushes, f"nothing pushes the {mover.noun}")
    if how == "push" or rng.random() < 0.5:
        one_of(told, "direction", "{}.", options[0 if how == "push" else 1], options, late=True)
    pushed = {to: f"is pushed to the {to} by the {thing.noun}" for to in ("left", "right")}
    one_of(
        told,
        "direction",
        f"The {other.name} {{}}.",
        pushed[way] if how == "push" else "stays in its place",
        ("stays in its place", *pushed.values()),
    )
    if how == "push":
        for what in ("does not move", "stays in its place"):
            told.say("direction", f"The {other.name} {{}}.", pushed[way], [what])


def _ending(told: Told, thing: Group, other: Group, how: str, way: str, *, keeps: bool) -> None:
    """Add what is before and after the thing passes, and how the clip ends."""
    noun, its = thing.noun, other.noun
    right = OPPOSITE[way] if how == "push" else way
    one_of(
        told,
        "relation",
        f"At the end, the {noun} is {{}} the {its}.",
        f"to the {right} of",
        ("to the left of", "to the right of"),
    )
    one_of(
        told,
        "direction",
        "The hand {}.",
        f"holds the {noun} until the end" if keeps else "lets go and moves up out of the picture",
        (f"holds the {noun} until the end", "lets go and moves up out of the picture"),
    )
    if how == "push":
        return
    one_of(
        told,
        "order",
        f"The hand lifts the {noun} {{}} the {noun} passes over the {its}.",
        "after" if how == "alone" else "before",
        ("before", "after"),
        f"Which occurs first: the hand lifting the {noun} or the {noun} passing over the {its}?",
    )
    if how != "alone":
        one_of(
            told,
            "order",
            f"The hand puts the {noun} down {{}} it carries it over the {its}.",
            "before" if how == "twice" else "after",
            ("before", "after"),
        )
