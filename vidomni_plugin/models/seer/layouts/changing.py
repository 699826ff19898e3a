"""Clips in which something comes, goes, changes colour or is carried."""

from __future__ import annotations

import random
from dataclasses import replace

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
from vidomni_plugin.models.seer.layouts.saying import SIDES, from_to, length
from vidomni_plugin.models.seer.world import (
    COLOURS,
    SHAPES,
    Group,
    Told,
    World,
    backdrop,
    kinds,
    others,
)

__all__ = ["appears", "carried", "touched"]


def touched(rng: random.Random) -> World:
    """Return a thing that changes colour when another touches it, or a hand presses another."""
    told, seconds = Told(rng), length(rng)
    press = rng.random() < 0.4
    back = backdrop(rng, floor=press)
    other, thing = kinds(rng, back.wall, 2)
    while other.shape == thing.shape:
        other, thing = kinds(rng, back.wall, 2)
    hidden = {"gray": "white", "dark": "black", "beige": "white"}[back.wall]
    new = rng.choice([c for c in COLOURS if c not in (thing.colour, other.colour, hidden)])
    contact = seconds * 0.45
    first = rng.random() < 0.5
    change = contact + 0.3 if first else contact - seconds * rng.uniform(0.2, 0.3)
    noun, its = thing.noun, other.noun
    repaint = (Paint(change, new),)
    hands: tuple[Hand, ...] = ()
    if press:
        floor = (back.horizon or 0.8) - 0.1
        left = rng.random() < 0.5
        x, far = (0.28, 0.75) if left else (0.72, 0.25)
        way = (
            Key(0.3, x, -0.02),
            Key(contact - 0.2, x, floor - 0.09),
            Key(contact + 1, x, floor - 0.09),
            Key(min(seconds, contact + 2.2), x, -0.02),
        )
        hands = (Hand(way, opening=0.0),)
        drawn = (
            Thing(other.shape, other.colour, 0.2, still(x, floor)),
            Thing(thing.shape, thing.colour, 0.27, still(far, 0.35), repaint=repaint),
        )
        told.say(
            "shape",
            f"The hand presses a {other.colour} {{}}.",
            other.shape,
            [thing.shape, *others(rng, SHAPES, other.shape, 1)],
        )
        told.say(
            "colour",
            f"A hand presses a {{}} {other.shape}.",
            other.colour,
            others(rng, COLOURS, other.colour, 2),
        )
        told.say(
            "order",
            f"The hand presses the {its} {{}} the {noun} turns {new}.",
            "before" if first else "after",
            ["after" if first else "before"],
        )
        told.say(
            "order",
            f"The {noun} turns {new} {{}} the hand touches the {its}.",
            "after" if first else "before",
            ["before" if first else "after"],
        )
    else:
        right = rng.random() < 0.5
        sign = 1 if right else -1
        x = 0.5 + sign * 0.2
        y = rng.uniform(0.4, 0.6)
        meet = x - sign * 0.24
        path = (
            Key(0.3, 0.5 - sign * 0.6, y),
            Key(contact, meet, y),
            Key(contact + 0.8, meet, y),
            Key(seconds, 0.5 - sign * 0.3, y),
        )
        drawn = (
            Thing(thing.shape, thing.colour, 0.28, still(x, y), repaint=repaint),
            Thing(other.shape, other.colour, 0.2, path),
        )
        told.say(
            "order",
            f"The {its} touches the {noun} {{}} the {noun} changes color.",
            "before" if first else "after",
            ["after" if first else "before"],
            f"Which occurs first: the {its} touching the {noun} or the {noun} changing color?",
        )
        side = "right" if right else "left"
        told.say(
            "relation",
            f"{thing.some} stands on the {{}} side of the picture.",
            side,
            ["left" if right else "right"],
        )
        told.say(
            "direction",
            f"{other.some} comes in from the {{}}.",
            "left" if right else "right",
            [side],
        )
    told.say(
        "colour",
        f"The {noun} is {{}} at the end of the video.",
        new,
        [thing.colour, *others(rng, COLOURS, new, 2)],
        f"What color is the {noun} at the end of the video?",
    )
    told.say(
        "colour",
        f"The {noun} is {{}} at first.",
        thing.colour,
        [new, *others(rng, COLOURS, thing.colour, 1)],
    )
    told.say(
        "colour",
        f"The {noun} turns {{}}.",
        new,
        others(rng, [c for c in COLOURS if c != new], thing.colour, 2),
    )
    told.say(
        "order",
        f"The {noun} is {{}}.",
        f"{thing.colour} before it is {new}",
        [f"{thing.colour} after it is {new}", f"{new} before it is {thing.colour}"],
        late=True,
    )
    told.say(
        "order",
        f"The {noun} turns from {{}}.",
        f"{thing.colour} to {new}",
        [f"{new} to {thing.colour}"],
    )
    told.say("shape", "The shape that changes color is a {}.", thing.shape, [other.shape])
    told.say(
        "colour",
        f"The {its} is {{}}.",
        other.colour,
        others(rng, COLOURS, other.colour, 3),
        f"What color is the {its}?",
    )
    told.exist([thing, other, Group(new, thing.shape)])
    return World(Scene((Shot(seconds, back, drawn, hands),)), tuple(told.facts))


def appears(rng: random.Random) -> World:
    """Return a thing that is there all the time and others that come or go."""
    told, seconds, back = Told(rng), length(rng), backdrop(rng)
    stays, early, late = kinds(rng, back.wall, 3)
    y = back.horizon - 0.12 if back.horizon else 0.6
    xs = [0.2, 0.5, 0.8]
    rng.shuffle(xs)
    turn = seconds * rng.uniform(0.4, 0.6)
    drawn = (
        Thing(stays.shape, stays.colour, 0.24, still(xs[0], y)),
        Thing(
            early.shape,
            early.colour,
            0.24,
            still(xs[1], y - rng.choice((0, 0.3))),
            shown=Span(0, turn),
        ),
        Thing(
            late.shape, late.colour, 0.24, still(xs[2], y - rng.choice((0, 0.3))), shown=Span(turn)
        ),
    )
    told.say(
        "order",
        f"The {{}} the {late.name}.",
        f"{early.name} appears before",
        [f"{early.name} appears after"],
    )
    told.say("order", f"The {late.name} appears {{}} the {early.name}.", "after", ["before"])
    told.say(
        "order",
        f"The {early.name} leaves the picture {{}} the {late.name} appears.",
        "before",
        ["after"],
    )
    told.say("order", "The {} first.", f"{early.name} is seen", [f"{late.name} is seen"], late=True)
    told.say("order", "At the end, {} is visible.", f"the {late.name}", [f"the {early.name}"])
    told.say(
        "direction",
        "The {} during the whole video.",
        f"{stays.name} is visible",
        [f"{g.name} is visible" for g in (early, late)],
        late=True,
    )
    side = SIDES[round((xs[0] - 0.2) / 0.3)]
    told.say("relation", f"{stays.some} is {{}}.", side, others(rng, SIDES, side, 2))
    told.exist([stays, early, late])
    told.look([stays, early, late])
    return World(Scene((Shot(seconds, back, drawn),)), tuple(told.facts))


def carried(rng: random.Random) -> World:
    """Return a hand that carries one thing over another."""
    told, seconds = Told(rng), rng.choice((5.0, 6.0, 6.0, 8.0))
    back = Backdrop("gray", rng.uniform(0.76, 0.82))
    thing, other = kinds(rng, "gray", 2)
    while other.shape == thing.shape:
        thing, other = kinds(rng, "gray", 2)
    right = rng.random() < 0.5
    a, b = (0.2, 0.8) if right else (0.8, 0.2)
    low, high, unit = (back.horizon or 0.78) - 0.1, 0.38, seconds / 6
    carry = (
        Key(1.6 * unit, a, low),
        Key(2.5 * unit, a, high),
        Key(3.6 * unit, b, high),
        Key(4.4 * unit, b, low),
    )
    tips = (
        Key(0.3 * unit, a, -0.02),
        Key(1.4 * unit, a, low + 0.02),
        *(replace(key, y=key.y + 0.02) for key in carry),
        Key(4.7 * unit, b, low + 0.02),
        Key(5.6 * unit, b, -0.02),
    )
    drawn = (
        Thing(other.shape, other.colour, 0.17, still(0.5, low + 0.02)),
        Thing(thing.shape, thing.colour, 0.2, carry),
    )
    hands = (Hand(tips, opening=0.2, closed=Span(1.5 * unit, 4.5 * unit)),)
    told.say(
        "shape",
        "The hand carries a {}.",
        thing.shape,
        [other.shape, *others(rng, SHAPES, thing.shape, 1)],
        "What kind of shape does the hand carry?",
    )
    told.say("shape", "The hand picks up the {}.", thing.name, [other.name])
    told.say(
        "colour",
        f"A hand comes down from above and grasps a {{}} {thing.shape}.",
        thing.colour,
        others(rng, COLOURS, thing.colour, 2),
    )
    told.say(
        "direction", f"{thing.some} is carried from {{}}.", *from_to("right" if right else "left")
    )
    told.say(
        "direction",
        f"The {other.name} {{}}.",
        "stays in its place",
        ["is carried to the right", "moves to the left"],
    )
    way = "right" if right else "left"
    told.say(
        "relation",
        f"At the end, the {thing.noun} is {{}} the {other.noun}.",
        f"to the {way} of",
        [f"to the {'left' if right else 'right'} of"],
    )
    told.say(
        "order",
        f"The hand {{}} the {thing.noun} passes over the {other.noun}.",
        f"lifts the {thing.noun} before",
        [f"lifts the {thing.noun} after"],
        f"Which occurs first: the hand lifting the {thing.noun} or the {thing.noun} passing "
        f"over the {other.noun}?",
    )
    told.exist([thing, other])
    told.look([thing, other])
    return World(Scene((Shot(seconds, back, drawn, hands),)), tuple(told.facts))
