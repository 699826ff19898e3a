"""Random clips of one kind each: what is drawn, and what can be said about it."""

from __future__ import annotations

import random
from dataclasses import replace

from vidomni_plugin.data.mini.scenes import (
    Backdrop,
    Colour,
    Hand,
    Key,
    Paint,
    Scene,
    Shot,
    Span,
    Thing,
    Words,
    hop,
    still,
)
from vidomni_plugin.models.seer.world import (
    COLOURS,
    NUMBERS,
    SHAPES,
    Group,
    Told,
    World,
    backdrop,
    kinds,
    others,
)

__all__ = ["appears", "camera", "carried", "groups", "moves", "row", "shots", "touched"]

TEXTS = ("OPEN", "NEWS", "STOP", "EXIT", "THE END", "PART 1", "PART 2", "HELLO")
STEPS = {"right": (1, 0), "left": (-1, 0), "up": (0, -1), "down": (0, 1)}
SIDES = ("on the left", "in the middle", "on the right")


def _seconds(rng: random.Random) -> float:
    return rng.choice((4.0, 5.0, 5.0, 5.0, 6.0, 6.0, 6.0, 8.0))


def _path(x: float, y: float, way: str, far: float, seconds: float) -> tuple[Key, ...]:
    """Return a path through ``x``, ``y`` half-way, which takes most of the clip."""
    if way == "still":
        return still(x, y)
    dx, dy = STEPS[way]
    start, end = 0.1 * seconds, 0.9 * seconds
    return (
        Key(start, x - dx * far / 2, y - dy * far / 2),
        Key(end, x + dx * far / 2, y + dy * far / 2),
    )


def _motion(told: Told, group: Group, way: str, more: str = "", *, only: bool = False) -> None:
    """Add what a group does: a way it moves, or that it stays.

    Args:
        told: Where the sentence goes.
        group: Which things.
        way: ``left``, ``right``, ``up``, ``down`` or ``still``.
        more: What the sentence ends with.
        only: Whether no other thing has this shape, so that its colour may be left out.
    """
    rng, many = told.rng, group.count > 1
    does = {w: group.verb(f"move to the {w}") for w in ("left", "right")}
    does |= {"up": rng.choice([group.verb("rise"), group.verb("move upward")])}
    does |= {"down": rng.choice([group.verb("sink"), group.verb("move downward")])}
    stays = [group.verb("stand still"), "do not move" if many else "does not move"]
    stays.append("stay where they are" if many else "stays where it is")
    does |= {"still": rng.choice(stays)}
    opposite = {"left": "right", "right": "left", "up": "down", "down": "up"}.get(way)
    wrong = [does[w] for w in others(rng, list(does), way, 2) if w != opposite]
    wrong = [does[opposite], wrong[0]] if opposite else wrong
    new = others(rng, COLOURS, group.colour, 1)[0]
    stems = (f"turn {new}", "leave the picture", "disappear", "grow")
    wrong.append(group.verb(rng.choice(stems)))
    name = rng.choice(
        [f"the {group.name}", group.some, f"the {group.noun if only else group.name}"]
    )
    question = f"What {'do' if many else 'does'} the {group.name} do{more}?"
    told.say("direction", f"{name} {{}}{more}.", does[way], wrong, question)


def _relations(told: Told, first: Group, second: Group, way: str) -> None:
    """Add where the first is relative to the second: ``left``, ``right``, ``above``, ``below``."""
    opposite = {"left": "right", "right": "left", "above": "below", "below": "above"}
    for a, b, right in ((first, second, way), (second, first, opposite[way])):
        words = {w: w if w in ("above", "below") else f"to the {w} of" for w in opposite}
        told.say(
            "relation",
            f"The {a.name} {a.be} {{}} the {b.name}.",
            words[right],
            [words[opposite[right]]],
            f"Where {a.be} the {a.name} relative to the {b.name}?",
            late=True,
        )


def row(rng: random.Random) -> World:
    """Return two to four things side by side that stay where they are."""
    told, back, seconds = Told(rng), backdrop(rng), _seconds(rng)
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
        _motion(told, group, "still", only=sum(g.shape == group.shape for g in things) == 1)
        for other in things[n + 1 :]:
            _relations(told, group, other, "left")
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
    told, back, seconds = Told(rng), backdrop(rng, floor=False), _seconds(rng)
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
        for n in range(group.count):
            x = 0.5 + gap * (n - (group.count - 1) / 2)
            x -= 0.5 * max(0.0, far + gap * (group.count - 1) + size - 1.0)
            drawn.append(Thing(group.shape, group.colour, size, _path(x, y, way, far, seconds)))
        rows[group] = way
    lines: tuple[Words, ...] = ()
    if word:
        lines = (_word(told, back, 0.73 if high else 0.27, rng.choice(TEXTS)),)
        place = "above" if high else "below"
        _word_places(told, upper if high else lower, lines[0].text, place)
        told.number(upper if high else lower, f"are {place} the word")
    else:
        _relations(told, upper, lower, "above")
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
        _motion(told, group, way, only=upper.shape != lower.shape)
        told.number(group, "are visible")
        if way != "still":
            edge = "bottom" if group is lower else "top"
            told.number(group, f"move along the {edge} of the picture")
            for other, its in rows.items():
                if other is not group:
                    middle = f" while the {group.name} {group.verb(f'move to the {way}')}"
                    _motion(told, other, its, middle)
    return World(Scene((Shot(seconds, back, tuple(drawn), words=lines),)), tuple(told.facts))


def _word(told: Told, back: Backdrop, y: float, text: str) -> Words:
    colour: Colour = told.rng.choice(
        ("white", "yellow") if back.wall == "dark" else ("black", "red")
    )
    wrong = others(told.rng, COLOURS, colour, 2)
    told.say("colour", f"The word {text} is written in {{}} letters.", colour, wrong)
    return Words(text, 0.5, y, 0.2 if len(text) > 5 else 0.25, colour)


def _word_places(told: Told, group: Group, text: str, right: str) -> None:
    wrong = "above" if right == "below" else "below"
    told.say(
        "relation",
        f"The {group.name} {group.be} {{}} the word {text}.",
        right,
        [wrong],
        f"Where {group.be} the {group.name} relative to the word {text}?",
    )
    stands = f"The word {text} stands {{}} the {group.name}."
    told.say("relation", stands, wrong, [right, "to the left of"])


def moves(rng: random.Random) -> World:
    """Return one or two things that move, beside one or two that do not."""
    told, seconds = Told(rng), _seconds(rng)
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
            _relations(told, second, main, "right" if side == 1 else "left")
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
                main.shape, main.colour, size, _path(0.5, y, way, rng.uniform(0.5, 0.72), seconds)
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
            _relations(told, second, main, "above" if high else "below")
            if back.horizon:
                told.say(
                    "direction", f"The {second.name} {{}} the air.", "stays in", ["falls from"]
                )
        told.say("direction", f"The {main.name} moves from {{}}.", *_from_to(way))
    else:
        x = rng.choice((0.2, 0.5, 0.8))
        drawn.append(
            Thing(
                main.shape, main.colour, size, _path(x, 0.5, way, rng.uniform(0.42, 0.62), seconds)
            )
        )
        free = [spot for spot in (0.2, 0.8) if abs(spot - x) > 0.25]
        if rng.random() < 0.7:
            its = rng.choice(("still", "left", "right", "up", "down"))
            across = its in ("left", "right")
            spot = rng.choice(free)
            at = (0.5 + (spot - x) * 0.35, 0.8) if across else (spot, rng.choice((0.3, 0.5, 0.7)))
            if across or its != "still":
                at = (at[0], 0.8 if across else 0.5)
            drawn.append(Thing(second.shape, second.colour, 0.2, _path(*at, its, 0.36, seconds)))
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
            _motion(told, group, its, only=len({g.shape for g in ways}) == len(ways))
        for other, that in ways.items():
            if other is not group and its != "bounce" and that in STEPS:
                does = {"up": "rises", "down": "sinks"}.get(that, f"moves to the {that}")
                _motion(told, group, its, f" while the {other.name} {does}")
    told.say("cut", "The video {}.", "does not cut", ["cuts to another scene"])
    return World(Scene((Shot(seconds, back, tuple(drawn)),)), tuple(told.facts))


def _from_to(way: str) -> tuple[str, list[str]]:
    texts = {"right": "the left to the right", "left": "the right to the left"}
    return texts[way], [texts["left" if way == "right" else "right"]]


def camera(rng: random.Random) -> World:
    """Return things before a row of posts that the camera pans along or zooms at."""
    told, seconds = Told(rng), _seconds(rng)
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


def touched(rng: random.Random) -> World:
    """Return a thing that changes colour when another touches it, or a hand presses another."""
    told, seconds = Told(rng), _seconds(rng)
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


def shots(rng: random.Random) -> World:
    """Return two or three shots with one row of equal things, a mover or words each."""
    told = Told(rng)
    count = rng.choice((2, 2, 3))
    walls = rng.sample(("gray", "dark", "beige"), count)
    seconds = rng.choice((2.0, 3.0, 4.0)) if count == 2 else rng.choice((2.0, 3.0))
    seen = kinds(rng, rng.choice(("gray", "dark")), count)
    for n, wall in enumerate(walls):
        hidden = {"dark": {"black"}, "gray": {"white"}, "beige": {"white", "yellow"}}[wall]
        if seen[n].colour in hidden:
            spare = [c for c in COLOURS if c not in hidden | {g.colour for g in seen}]
            seen[n] = replace(seen[n], colour=rng.choice(spare))
        if rng.random() < 0.5:
            seen[n] = replace(seen[n], count=rng.choice((2, 3)))
    ordinal = ("first", "second", "third")
    parts: list[Shot] = []
    for n, wall in enumerate(walls):
        group = seen[n]
        back = Backdrop(wall, 0.72 if rng.random() < 0.5 else None)  # type: ignore[arg-type]
        word = rng.random() < 0.3
        way = (
            "still"
            if word or group.count > 1
            else rng.choice(("still", "left", "right", "up", "down"))
        )
        high = word and rng.random() < 0.4
        y = {(True, True): 0.32, (True, False): 0.68}.get((word, high), 0.5)
        size = 0.22 if group.count > 1 else 0.3
        xs = [0.5 + 0.29 * (k - (group.count - 1) / 2) for k in range(group.count)]
        things = tuple(
            Thing(group.shape, group.colour, size, _path(x, y, way, 0.42, seconds)) for x in xs
        )
        lines: tuple[Words, ...] = ()
        if word:
            lines = (_word(told, back, 0.77 if high else 0.23, rng.choice(TEXTS)),)
            _word_places(told, group, lines[0].text, "above" if high else "below")
        parts.append(Shot(seconds, back, things, words=lines))
        _motion(told, group, way)
        told.number(group, f"stand in the {ordinal[n]} shot" if way == "still" else "are visible")
        colour = {"gray": "gray", "dark": "dark", "beige": "beige"}
        told.say(
            "colour",
            f"The background is {{}} in the {ordinal[n]} shot.",
            wall,
            [w for w in colour if w != wall],
        )
        for k, other in enumerate(seen):
            yes = f"{Group(other.colour, other.shape).some} is present in the {ordinal[n]} shot"
            no = f"{Group(other.colour, other.shape).some} is not present in the {ordinal[n]} shot"
            same = k == n or (other.colour, other.shape) == (group.colour, group.shape)
            told.say(
                "existence",
                "{}.",
                yes if same else no,
                [no if same else yes],
                f"Is {Group(other.colour, other.shape).some} present in the {ordinal[n]} shot?",
            )
    for a, b in zip(seen, seen[1:]):
        between = f" from the {a.name} to the {b.name}"
        question = f"What camera or editing change occurs between the {a.name} and the {b.name}?"
        wrong = [f"camera {w}{between}" for w in ("pans", "tilts up", "zooms in")]
        told.say(
            "cut",
            "The {}.",
            f"video cuts{between}",
            [*wrong, f"video cuts from the {b.name} to the {a.name}"],
            question,
        )
        told.say(
            "cut",
            "The video cuts {}.",
            f"to {b.some}",
            [
                f"to {g.some}"
                for g in kinds(rng, "gray", 2)
                if g.colour not in {s.colour for s in seen}
            ],
        )
        told.say(
            "order", f"The {a.name} {a.be} shown {{}} the {b.name}.", "before", ["after"], late=True
        )
        told.say(
            "order", f"The {b.name} {b.be} shown {{}} the {a.name}.", "after", ["before"], late=True
        )
    told.say(
        "cut",
        "There are {} shots in all.",
        NUMBERS[count],
        [NUMBERS[3 if count == 2 else 2]],
        "How many shots are there?",
    )
    told.say("cut", "The video {}.", "cuts to another scene", ["does not cut"])
    told.exist(seen, word=any(part.words for part in parts))
    told.look(seen)
    return World(Scene(tuple(parts)), tuple(told.facts))


def appears(rng: random.Random) -> World:
    """Return a thing that is there all the time and others that come or go."""
    told, seconds, back = Told(rng), _seconds(rng), backdrop(rng)
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
        "direction", f"{thing.some} is carried from {{}}.", *_from_to("right" if right else "left")
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
        f"Which occurs first: the hand lifting the {thing.noun} or the {thing.noun} passing over the {other.noun}?",
    )
    told.exist([thing, other])
    told.look([thing, other])
    return World(Scene((Shot(seconds, back, drawn, hands),)), tuple(told.facts))
