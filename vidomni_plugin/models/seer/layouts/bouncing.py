"""Clips of a thing that bounces, or does not, beside a row of others, and may leave."""

from __future__ import annotations

import random
from dataclasses import replace

from vidomni_plugin.data.mini.scenes import Key, Scene, Shot, Thing, still
from vidomni_plugin.models.seer.layouts.acting import acts, beats, perform
from vidomni_plugin.models.seer.layouts.choosing import choose, distinct, fresh
from vidomni_plugin.models.seer.layouts.saying import length, relations
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import NUMBERS, Group, World, backdrop

__all__ = ["bounces"]

DOES = {"bounce": "bounces", "grow": "grows", "still": "stands still"}
ENDS = {
    "left": "slides to the left and leaves the picture",
    "right": "slides to the right and leaves the picture",
    "rest": "stays where it is",
}
ALL = {
    "bounce": "bounces up and down",
    "drop": "falls to the floor",
    "grow": "grows",
    "still": "stands still",
}
COUNTS = (1, 2, 3, 4)
"""Things in the row."""
NUMBER = (2, 3, 4, 5)
"""How often a thing may bounce."""
PERIODS = (0.165, 0.186)
"""Shortest and longest time of a bounce; this and the next are shares of the clip."""
START = 0.06
"""When a thing begins to fall at the earliest: the second of eight frames has it near the floor."""
STEP = 0.14
"""It begins later by a number of these, from one frame to the next, for the same reason."""
ROOM = {True: 0.84, False: 0.62}
"""How long it may bounce if it then rests, or if it then leaves the picture."""


def bounces(rng: random.Random) -> World:
    """Return a thing that bounces, drops, grows or stands, and then rests or slides out.

    It may also slide out first, come back and bounce.
    """
    told, seconds, back = Told(rng), length(rng), backdrop(rng, floor=True)
    main, second = distinct(rng, back.wall, 2)
    second = replace(second, count=rng.choice(COUNTS))
    act = rng.choice(("bounce", "bounce", "bounce", "grow", "still", "drop", "return", "return"))
    left = rng.random() < 0.5
    way = "left" if left else "right"
    end = "rest" if act == "return" else rng.choice(("rest", way, way))
    size, floor = rng.uniform(0.17, 0.22), back.horizon or 0.8
    gap = {1: 0.26, 2: 0.23, 3: 0.19, 4: 0.16}[second.count]
    xs = [0.13 + gap * n for n in range(second.count)]
    x = max(0.6, xs[-1] + gap / 2 + size / 2 + 0.03) + rng.uniform(0, 0.14)
    x = min(x, 0.87)
    if left:
        x, xs = 1 - x, [1 - at for at in xs]
    # Neither the period nor the end of the last bounce tells by itself how many there were.
    period, room = rng.uniform(*PERIODS), ROOM[end == "rest"]
    times = rng.choice([n for n in NUMBER if (n - 0.5) * period <= room])
    start = START + STEP * rng.randint(0, int((room - (times - 0.5) * period) / STEP))
    path = _path(act, end, (x, floor - size / 2), seconds, (times, start, period))
    exits = f"exit {'right' if left else 'left'}"
    deeds = ("still", exits, "grow", "turn", "vanish")
    its = rng.choice((*deeds, "still", exits))
    new = fresh(rng, back.wall, [main, second]) if its == "turn" else None
    its_size = min(gap - 0.02, rng.uniform(0.15, 0.19))
    spots = [(at, floor - its_size / 2) for at in xs]
    drawn = [perform(second, its, spot, its_size, seconds, new=new) for spot in spots]
    if its == exits:  # all at the same speed
        step = 1.2 - xs[-1] if left else -0.2 - xs[-1]
        drawn = [_out(thing, step, seconds) for thing in drawn]
    drawn.append(Thing(main.shape, main.colour, size, path))
    _ball(told, [main, second], act, end, times)
    _row(told, [main, second], its, "right" if left else "left")
    acts(told, second, its, new, among=deeds, name=f"the {second.noun}")
    told.exist([main, second, *([Group(new, second.shape)] if new else [])])
    if not new:
        told.look([main, second])
    return World(Scene((Shot(seconds, back, tuple(drawn)),)), tuple(told.facts))


def _out(thing: Thing, step: float, seconds: float) -> Thing:
    start = thing.path[0]
    return replace(thing, path=(start, replace(start, at=0.72 * seconds, x=start.x + step)))


def _path(
    act: str,
    end: str,
    spot: tuple[float, float],
    seconds: float,
    bounces: tuple[int, float, float],
) -> tuple[Key, ...]:
    """Return the path of the first thing; ``bounces`` has number, start and period."""
    (x, low), (times, start, period) = spot, bounces
    out = -0.25 if x < 0.5 else 1.25
    path = still(x, low)
    if act == "return":
        inside = 0.48 * seconds
        path = (
            Key(0.2, x, low),
            Key(0.2 * seconds, out, low),
            Key(0.36 * seconds, out, low),
            Key(inside, x, low),
            *beats(inside - 0.1 * seconds, spot, 0.42, 3, 0.2 * seconds)[5:],
        )
    elif act == "bounce":
        path = beats(start * seconds, spot, min(0.52, low - 0.1), times, period * seconds)
    elif act == "drop":
        path = (Key(0.22 * seconds, x, low - 0.47), Key(0.38 * seconds, x, low))
    elif act == "grow":
        path = (Key(0.1 * seconds, x, low, 0.5), Key(0.58 * seconds, x, low))
    if end == "rest":
        return path
    leaves = max((START + ROOM[False] + 0.02) * seconds, path[-1].at + 0.03)
    return (*path, Key(leaves, x, low), Key(0.9 * seconds, out, low))


def _ball(told: Told, there: list[Group], act: str, end: str, times: int) -> None:
    """Add what the first thing does."""
    main, second = there
    some, name, noun = main.some, f"The {main.name}", main.noun
    if act in DOES and end != "rest":
        ask = f"What does the {main.name} do before it leaves the picture?"
        choose(told, "direction", f"{name} {{}} before it leaves the picture.", DOES, act, ask)
    if act == "return" or (act == "bounce" and end != "rest"):
        first = ["before", "after"][:: 1 if act == "bounce" else -1]
        told.say("order", f"{name} bounces {{}} it leaves the picture.", first[0], first[1:])
    if act == "bounce" and end == "rest":
        counts = {str(n): f"{NUMBERS[n]} times" for n in NUMBER}
        rests = f"The {noun} bounces {{}} before it comes to rest."
        choose(told, "count", rests, counts, str(times))
    if act == "return":
        comes = ["comes back into the picture", "stays out of the picture"]
        told.say("direction", f"The {noun} then {{}}.", comes[0], comes[1:])
    elif end != "rest" and told.rng.random() < 0.5:
        comes = ["stays out of the picture", "comes back into the picture"]
        told.say("direction", f"The {noun} then {{}}.", comes[0], comes[1:])
    if act != "return":
        # Of what leaves it is also said that it "stays out of the picture".
        later = [ENDS["rest"]] if end != "rest" else []
        choose(told, "direction", f"The {noun} then {{}}.", ENDS, end, later=later)
    if act in ("bounce", "drop"):
        falls = {"bounce": "bounces next to", "drop": "stays next to"}
        start = f"{some} falls to the floor and"
        choose(told, "direction", f"{start} {{}} {second.some}.", falls, act)
        near = [replace(second, count=n) for n in COUNTS if n != second.count]
        wrong = [told.rng.choice(near).some]
        told.say("count", f"{start} {falls[act]} {{}}.", second.some, wrong, late=True)
    if act == "still" and end != "rest":
        return
    right = "bounce" if act == "return" else act
    # What bounces has fallen to the floor too.
    texts = {key: text for key, text in ALL.items() if (right, key) != ("bounce", "drop")}
    ask = f"What does the {main.name} do?"
    choose(told, "direction", f"{told.rng.choice((name, f'The {noun}'))} {{}}.", texts, right, ask)


def _row(told: Told, there: list[Group], its: str, side: str) -> None:
    """Add how many the others are and where they stand."""
    main, second = there
    if its not in ("still", "turn"):
        return
    told.number(second, "stand on the floor", COUNTS)
    places = {s: f"to the {s} of" for s in ("left", "right")}
    stands = f"{second.some} {second.verb('stand')} {{}} the {main.noun}."
    choose(told, "relation", stands, places, side)
    relations(told, second, main, side)
