"""Clips of rows of equal things, alone or with a written word; a row may move or turn colour."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vidomni_plugin.data.mini.scenes import (
    Backdrop,
    Colour,
    Paint,
    Scene,
    Shot,
    Thing,
    still,
)
from vidomni_plugin.models.seer.layouts.saying import (
    TEXTS,
    length,
    moving,
    relations,
    travel,
    wall,
    word_at,
    word_places,
)
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import (
    COLOURS,
    OPPOSITE,
    Group,
    World,
    backdrop,
    kinds,
    others,
)

__all__ = ["groups", "sign"]

COUNTS = (1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 6, 6, 7)
"""How many things are in a row; a false number is drawn from the same."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of equal things, what it does, and the colour that it turns."""

    group: Group
    way: str
    """``still``, ``left``, ``right`` or ``turn``."""
    new: Colour

    @property
    def moves(self) -> bool:
        """Tell whether the things change their place."""
        return self.way in ("left", "right")

    def deed(self, way: str, name: str) -> str:
        """Return a sentence that says that the row does something."""
        verb = self.group.verb
        if way == "turn":
            return f"{name} turn {self.new} one after another."
        if way == "still":
            return f"{name} {verb('stay')} where {'they are' if self.group.count > 1 else 'it is'}."
        return f"{name} slowly {verb('drift')} to the {way}."


def groups(rng: random.Random) -> World:
    """Return an upper and a lower row of equal things; one of them may move or turn colour."""
    told, back, seconds = Told(rng), backdrop(rng, floor=False), length(rng)
    pair = kinds(rng, back.wall, 2)
    upper, lower = (_row(rng, group, back) for group in pair)
    if upper.way == "turn" and lower.way == "turn":
        lower = replace(lower, way="still")
    if upper.moves and lower.way == "still" and lower.group.count <= 5 and rng.random() < 0.5:
        lower = replace(lower, way=rng.choice(("left", "right")))
    rows = [lower, upper]
    heights = (rng.uniform(0.67, 0.78), rng.uniform(0.22, 0.32))
    drawn = [
        thing
        for line, y in zip(rows, heights, strict=True)
        for thing in _things(rng, line, y, seconds)
    ]
    above, below = upper.group, lower.group
    _changes(told, rows)
    if all(line.way != "turn" for line in rows):
        relations(told, above, below, "above")
        for group, end in ((above, "upper"), (below, "lower")):
            if group is below and rng.random() < 0.5:
                continue
            if group.count == 1 or rng.random() < 0.5:
                told.number(group, f"form the {end} row", COUNTS)
            else:
                where = f"in the {end} half of the picture"
                told.number(group, f"form a row {where}", COUNTS[1:])
        _under(told, above, below)
        told.exist([above, below])
        told.look([above, below])
        _moved(told, rows)
    wall(told, back, above.count + below.count)
    return World(Scene((Shot(seconds, back, tuple(drawn)),)), tuple(told.facts))


def sign(rng: random.Random) -> World:
    """Return a written word and a row of equal things above, below or beside it."""
    told, seconds = Told(rng), length(rng)
    back = backdrop(rng, floor=False)
    if rng.random() < 0.3:
        back = replace(back, wall="dark")
    place = rng.choice(("below", "below", "above", "above", "to the left of", "to the right of"))
    line = _row(rng, kinds(rng, back.wall, 1)[0], back)
    if line.way == "turn" and rng.random() < 0.5:
        line = replace(line, way="still")
    beside = place.startswith("to")
    high = 0.3 if place == "above" else 0.7
    if beside:
        line = replace(line, group=replace(line.group, count=rng.randint(1, 3)))
        line = replace(line, way="still" if line.moves or line.group.count == 1 else line.way)
        text, x = rng.choice(("OPEN", "NEWS", "STOP", "EXIT")), 0.72
        x = 1 - x if place == "to the right of" else x
        lines = (word_at(told, back, rng.uniform(0.4, 0.6), text, x, rng.uniform(0.16, 0.19)),)
        drawn = _column(rng, line, 0.2 if x > 0.5 else 0.8, seconds)
    else:
        lines = (word_at(told, back, 1 - high + rng.uniform(-0.05, 0.03), rng.choice(TEXTS)),)
        drawn = _things(rng, line, high + rng.uniform(-0.04, 0.04), seconds, large=0.36)
    group = line.group
    if line.way != "turn":
        word_places(told, group, lines[0].text, place)
        told.exist([group], word=True)
        told.look([group])
        if not beside:
            told.number(group, f"are {place} the word", COUNTS)
            _beyond(told, group, lines[0].text, place)
    _changes(told, [line])
    wall(told, back, 0)
    return World(Scene((Shot(seconds, back, tuple(drawn), words=lines),)), tuple(told.facts))


def _row(rng: random.Random, group: Group, back: Backdrop) -> _Row:
    count = rng.choice(COUNTS)
    way = rng.choice(("still", "still", "still", "left", "right", "turn", "turn"))
    if count > 5 or (way == "turn" and not 2 <= count <= 4):
        way = "still"
    fresh = [g.colour for g in kinds(rng, back.wall, 5) if g.colour != group.colour]
    return _Row(replace(group, count=count), way, rng.choice(fresh))


def _things(
    rng: random.Random, line: _Row, y: float, seconds: float, large: float = 0.24
) -> list[Thing]:
    count, group = line.group.count, line.group
    far = rng.uniform(0.22, 0.3) + 0.06 * (4 - count) if count < 5 else rng.uniform(0.18, 0.22)
    if not line.moves:
        far = 0.0
    room = 0.97 - far
    most = min(large if count == 1 else 0.22, 0.87 * room / count)
    size = max(0.12, rng.uniform(0.6, 1) * most)
    tight, wide = size + 0.018, (room - size) / max(1, count - 1)
    gap = rng.uniform(tight, max(tight, min(wide, 0.32)))
    gap = min(gap, wide)
    xs = [0.5 + gap * (n - (count - 1) / 2) for n in range(count)]
    way = line.way if line.moves else "still"
    return [
        Thing(
            group.shape,
            group.colour,
            size,
            travel(x, y, way, far, seconds),
            repaint=_paint(line, n, seconds),
        )
        for n, x in enumerate(xs)
    ]


def _column(rng: random.Random, line: _Row, x: float, seconds: float) -> list[Thing]:
    group, size = line.group, rng.uniform(0.17, 0.22)
    return [
        Thing(
            group.shape,
            group.colour,
            size,
            still(x, 0.5 + 0.27 * (n - (group.count - 1) / 2)),
            repaint=_paint(line, n, seconds),
        )
        for n in range(group.count)
    ]


def _paint(line: _Row, place: int, seconds: float) -> tuple[Paint, ...]:
    if line.way != "turn":
        return ()
    return (Paint(seconds * (0.25 + 0.5 * place / (line.group.count - 1)), line.new),)


def _under(told: Told, above: Group, below: Group) -> None:
    text = "under the {} {} {}"
    wrong = [text.format(below.name, above.be, above.some)] if above.count <= 4 else []
    if below.count <= 4:
        near = replace(below, count=told.rng.choice([n for n in range(1, 5) if n != below.count]))
        wrong.append(text.format(above.name, near.be, near.some))
        told.say("relation", "{}.", text.format(above.name, below.be, below.some), wrong, late=True)


def _beyond(told: Told, group: Group, text: str, place: str) -> None:
    if not 2 <= group.count <= 6:
        return
    rng, words = told.rng, "{} the word {} are {} in a row"
    count = rng.choice([n for n in COUNTS if 2 <= n <= 6 and n != group.count])
    other = replace(group, colour=rng.choice([c for c in COLOURS if c != group.colour]))
    told.say(
        "count",
        "{}.",
        words.format(place, text, group.some),
        [
            words.format(place, text, replace(group, count=count).some),
            words.format(OPPOSITE[place], text, group.some),
            words.format(place, text, other.some),
        ],
        late=True,
    )


def _changes(told: Told, rows: Sequence[_Row]) -> None:
    """Add what each row does, and whether the picture stays the same."""
    rng, turns = told.rng, any(line.way == "turn" for line in rows)
    alone = len({line.group.shape for line in rows}) == len(rows)
    stays = "The picture stays the same until the end."
    for line in rows:
        group = line.group
        if turns and not alone and line.way != "turn":
            continue
        if line.way == "still" and rng.random() < 0.7:
            continue
        name = f"The {group.noun if alone and (turns or rng.random() < 0.5) else group.name}"
        ways = ["left", "right", *(["turn"] if group.count > 1 else [])]
        does = {way: line.deed(way, name) for way in (*ways, "still")}
        wrong = [does[way] for way in ways if way != line.way]
        if line.moves:
            wrong.append(does["still"])
        if line.way == "turn":
            hidden = [line.new, group.colour]
            colour = next(c for c in others(rng, COLOURS, line.new, 3) if c not in hidden)
            wrong.append(replace(line, new=colour).deed("turn", name))
        told.say("direction", "{}", does[line.way], rng.sample(wrong, min(3, len(wrong))))
        if line.way != "still":
            told.say("direction", "{}", does[line.way], [stays], late=True)
    if all(line.way == "still" for line in rows):
        line = rng.choice(list(rows))
        ways = ["left", "right", *(["turn"] if line.group.count > 1 else [])]
        name = f"The {line.group.noun if alone else line.group.name}"
        told.say("direction", "{}", stays, [line.deed(way, name) for way in ways], late=True)
    who = [line.moves for line in rows]
    if not any(who):
        moving(told, "none")
    elif all(who):
        moving(told, "all" if sum(line.group.count for line in rows) > 1 else "one")
    elif next(line for line in rows if line.moves).group.count == 1:
        moving(told, "one")


def _moved(told: Told, rows: Sequence[_Row]) -> None:
    for line in rows:
        group, name = line.group, line.group.name
        if not line.moves:
            continue
        told.say(
            "direction",
            f"The {name} {{}}.",
            group.verb(f"move to the {line.way}"),
            [group.verb(f"move to the {OPPOSITE[line.way]}")],
        )
