"""Clips in parts with a title each: PART 1, PART 2 and so on."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from vidomni_plugin.data.mini.scenes import (
    Backdrop,
    Colour,
    Ground,
    Key,
    Paint,
    Scene,
    Shot,
    Thing,
    Words,
)
from vidomni_plugin.models.seer.layouts.choosing import fresh, one_of, unlike
from vidomni_plugin.models.seer.layouts.saying import travel
from vidomni_plugin.models.seer.layouts.takes import MEETINGS
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import (
    HIDDEN,
    OPPOSITE,
    ORDINALS,
    SHAPES,
    WALLS,
    Group,
    World,
    kinds,
    others,
)

__all__ = ["parts"]

PARTS = ("PART 1", "PART 2", "PART 3", "PART 4")

MOVES = {
    "right": "moves to the right",
    "left": "moves to the left",
    "up": "moves up",
    "down": "moves down",
}


@dataclass(frozen=True, slots=True)
class _Part:
    """One titled shot."""

    title: str
    wall: Ground
    groups: tuple[Group, ...]
    way: str
    """How the one thing moves, or what two things do."""
    new: Colour | None = None
    """What colour the one thing turns."""
    leaves: bool = False
    """Whether the second of two then moves up out of the picture."""
    meets: bool = False
    """Whether two things touch in the end."""


def parts(rng: random.Random) -> World:
    """Return two or three titled shots of a thing that moves, or of two."""
    told = Told(rng)
    count = rng.choice((2, 3, 3))
    titles = sorted(rng.sample(PARTS, count)) if rng.random() < 0.6 else list(PARTS[:count])
    same = rng.random() < 0.4
    walls = [rng.choice(WALLS)] * count if same else rng.sample(WALLS, count)
    returns = count == 3 and rng.random() < 0.45
    first = _pick(rng, walls[0], [])
    if returns and first.colour in HIDDEN[walls[-1]]:
        first = replace(first, colour=rng.choice(("red", "blue", "purple")))
    there: list[Group] = [first]
    shown: list[list[Group]] = []
    two = rng.choice((count - 1, count - 1, rng.randrange(count), None))
    for n in range(count):
        mine = [first] if n == 0 or (n == 2 and returns) else [_pick(rng, walls[n], there)]
        if n == two:
            more = _pick(rng, walls[n], [*there, *mine])
            shapes = [shape for shape in SHAPES if shape != mine[0].shape]
            mine.append(replace(more, shape=rng.choice(shapes)))
        shown.append(mine)
        there += [g for g in mine if g not in there]
    told_parts = [_part(rng, titles[n], walls[n], mine, there) for n, mine in enumerate(shown)]
    there += [Group(p.new, p.groups[0].shape) for p in told_parts if p.new]
    top = rng.random() < 0.65
    seconds = rng.choice((3.0, 4.0, 4.0, 5.0))
    shots = tuple(_shot(rng, part, top=top, seconds=seconds) for part in told_parts)
    for n, part in enumerate(told_parts):
        if len(part.groups) == 2:
            _pair(told, part, there)
        else:
            _single(told, part, n, there, once=not (returns and part.groups[0] == first))
    _titles(told, told_parts, top=top, same=same)
    if count == 3:
        one_of(
            told,
            "existence",
            f"The {first.name} {{}} in {titles[-1]}.",
            "comes back" if returns else "does not come back",
            ("comes back", "does not come back"),
        )
    told.exist(there, word=True)
    return World(Scene(shots), tuple(told.facts))


def _pick(rng: random.Random, wall: str, there: list[Group]) -> Group:
    """Return a thing that is not there yet."""
    colours = {g.colour for g in there}
    return rng.choice([g for g in kinds(rng, wall, 6) if g.colour not in colours])


def _part(
    rng: random.Random, title: str, wall: Ground, groups: list[Group], there: list[Group]
) -> _Part:
    if len(groups) == 1:
        new = fresh(rng, wall, there) if rng.random() < 0.4 else None
        return _Part(title, wall, tuple(groups), rng.choice(list(MOVES)), new)
    way = rng.choices(MEETINGS, (3, 1.6, 1.2))[0]
    end = rng.choice(("", "leaves", "leaves", "meets", "meets")) if way == MEETINGS[0] else ""
    return _Part(title, wall, tuple(groups), way, leaves=end == "leaves", meets=end == "meets")


def _shot(rng: random.Random, part: _Part, *, top: bool, seconds: float) -> Shot:
    inks: tuple[Colour, ...] = ("white", "white", "yellow")
    ink = rng.choice(inks) if part.wall == "dark" else "black"
    middle = 0.66 if top else 0.34
    words = Words(part.title, 0.5, 0.22 if top else 0.8, rng.uniform(0.18, 0.2), ink)
    size = rng.uniform(0.2, 0.25)
    if len(part.groups) == 1:
        (group,) = part.groups
        across = part.way in ("left", "right")
        x = 0.5 if across else rng.uniform(0.25, 0.75)
        far = rng.uniform(0.55, 0.72) if across else rng.uniform(0.3, 0.36)
        paint = (Paint(seconds * rng.uniform(0.45, 0.55), part.new),) if part.new else ()
        path = travel(x, middle, part.way, far, seconds)
        things = [Thing(group.shape, group.colour, size, path, repaint=paint)]
    else:
        gap = {MEETINGS[0]: (0.35, 0.17), MEETINGS[1]: (0.16, 0.35), MEETINGS[2]: (0.3, 0.3)}
        start, end = gap[part.way]
        size = rng.uniform(0.19, 0.22)
        if part.meets:
            end = size / 2
        stop = 0.5 if part.leaves else 0.8
        things = []
        for group, sign in zip(part.groups, (-1, 1), strict=True):
            keys = [
                Key(0.1 * seconds, 0.5 + sign * start, middle),
                Key(stop * seconds, 0.5 + sign * end, middle),
            ]
            if part.leaves and sign == 1:
                keys += [Key(0.92 * seconds, 0.5 + end, -0.15)]
            things.append(Thing(group.shape, group.colour, size, tuple(keys)))
    back = Backdrop(part.wall, None)
    return Shot(seconds, back, tuple(things), words=(words,))


def _single(told: Told, part: _Part, n: int, there: list[Group], *, once: bool) -> None:
    """Add what the one thing of a part does; ``once`` tells whether no other part has it."""
    rng, (group,) = told.rng, part.groups
    does = MOVES[part.way]
    opposite = OPPOSITE[part.way]
    wrong, absent = MOVES[opposite], unlike(rng, group, there)
    title = rng.choice([t for t in PARTS if t != part.title])
    shows = f"The {ORDINALS[n]} part, which is marked {{}}."
    told.say(
        "direction",
        shows,
        f"{part.title}, shows {group.some} that {does}",
        [
            f"{title}, shows {group.some} that {does}",
            f"{part.title}, shows {absent.some} that {does}",
            f"{part.title}, shows {group.some} that {wrong}",
            f"{part.title}, shows {group.some} that {wrong}",
        ],
    )
    wall = rng.choice([w for w in WALLS if w != part.wall])
    before = "in front of a {} background"
    told.say(
        "direction",
        f"{part.title} shows {{}}.",
        f"{group.some} that {does} {before.format(part.wall)}",
        [
            f"{group.some} that {wrong} {before.format(part.wall)}",
            f"{absent.some} that {does} {before.format(part.wall)}",
            f"{group.some} that {does} {before.format(wall)}",
        ],
    )
    for name in (group.some, f"the {group.name}") if once else ():
        told.say("direction", f"{name} {{}}.", does, [wrong, wrong, MOVES[_turned(part.way)]])
    if once and part.way in ("left", "right"):
        start = f"{group.some} starts on the {{}}."
        one_of(told, "relation", start, opposite, ("left", "right"))
    if n and once and rng.random() < 0.3 and sum(g.shape == group.shape for g in there) == 1:
        pushes = f"the {group.noun} moves because the {there[0].name} pushes it"
        nothing = f"nothing pushes the {group.noun}"
        one_of(told, "direction", "{}.", nothing, (nothing, pushes), late=True)
    new = part.new or fresh(rng, part.wall, there)
    one_of(
        told,
        "colour",
        f"The {group.name} {{}} in the {ORDINALS[n]} part.",
        f"turns {new}" if part.new else "keeps its color",
        (f"turns {new}", "keeps its color"),
        late=not once,
    )


def _turned(way: str) -> str:
    return {"left": "up", "right": "down", "up": "right", "down": "left"}[way]


def _pair(told: Told, part: _Part, there: list[Group]) -> None:
    """Add what the two things of a part do."""
    rng, (a, b) = told.rng, part.groups
    one_of(
        told,
        "direction",
        f"In {part.title}, {a.some} and {b.some} {{}}.",
        part.way,
        MEETINGS,
    )
    absent = unlike(rng, b, there)
    if part.way == MEETINGS[0]:
        told.say(
            "direction",
            "{}.",
            f"{a.some} comes from the left and {b.some} from the right",
            [f"{a.some} comes from the left and {absent.some} from the right"],
            later=[f"{b.some} comes from the left and {a.some} from the right"],
        )
        one_of(
            told,
            "relation",
            f"The {a.noun} {{}} the {b.noun}.",
            "meets" if part.meets else "stops before it reaches",
            ("meets", "stops before it reaches"),
        )
        one_of(
            told,
            "direction",
            f"The {b.name} then {{}}.",
            "moves up out of the picture" if part.leaves else "stays where it is",
            ("moves up out of the picture", "stays where it is"),
        )


def _titles(told: Told, seen: list[_Part], *, top: bool, same: bool) -> None:
    """Add what is written, where, and before which backgrounds."""
    rng, titles = told.rng, [part.title for part in seen]
    place, other = ("top", "bottom") if top else ("bottom", "top")
    absent = [title for title in PARTS if title not in titles]
    for title in titles:
        wrong = [f"{t} is written at the {place}" for t in rng.sample(absent, 1)]
        wrong.append(f"{title} is written at the {other}")
        told.say("relation", "The title {}.", f"{title} is written at the {place}", wrong)
    for title in titles[1:]:
        for start in ("Next,", "Then"):
            told.say(
                "order",
                f"{start} the title changes to {{}}.",
                title,
                [titles[0], rng.choice(absent)],
            )
    walls = [part.wall for part in seen]
    wrong = [w for w in WALLS if w != walls[0]]
    told.say("colour", "The background is {} at first.", walls[0], wrong, late=not same)
    later = [w for w in WALLS if w not in walls[1:]]
    if not same:
        told.say("colour", "The background is now {}.", rng.choice(walls[1:]), later)
    if len(seen) == 3:
        options = ("the same background", "different backgrounds")
        one_of(told, "cut", "All three parts have {}.", options[0 if same else 1], options)
    for n, part in enumerate(seen):
        wrong = others(rng, WALLS, part.wall, 1)
        text = f"The background is {{}} in the {ORDINALS[n]} part."
        told.say("colour", text, part.wall, wrong, late=not same)
