"""Clips of several shots."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

from vidomni_plugin.data.mini.scenes import Backdrop, Ground, Scene, Words
from vidomni_plugin.models.seer.layouts.choosing import fresh, one_of, unlike
from vidomni_plugin.models.seer.layouts.filming import goes
from vidomni_plugin.models.seer.layouts.saying import TEXTS, shot_count
from vidomni_plugin.models.seer.layouts.takes import (
    COUNTS,
    MEETINGS,
    WAYS,
    Take,
    drawn,
    ink,
    same,
    taken,
)
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import OPPOSITE, ORDINALS, SHAPES, WALLS, Group, World, others

__all__ = ["shots"]


def shots(rng: random.Random) -> World:
    """Return two to four shots of things, of a word, or of both."""
    told = Told(rng)
    count = rng.choices((2, 3, 4), (4, 4, 2))[0]
    title = rng.choice((None, None, None, 0, count - 1, count - 1))
    returns = count > 2 and title is None and rng.random() < 0.6
    walls = [rng.choice(WALLS)] * count if rng.random() < 0.25 else _walls(rng, count)
    takes: list[Take] = []
    there: list[Group] = []
    for n, wall in enumerate(walls):
        back = Backdrop(wall, rng.uniform(0.68, 0.78) if rng.random() < 0.6 else None)
        if n == title:
            text = rng.choice((*TEXTS, "THE END", "THE END"))
            size = rng.uniform(0.18, 0.2) if len(text) > 5 else rng.uniform(0.2, 0.26)
            words = Words(text, 0.5, rng.uniform(0.45, 0.55), size, ink(rng, wall))
            takes.append(Take(back, None, words=words))
            continue
        group = takes[0].group if returns and n == count - 1 else None
        if group is None:
            colour = fresh(rng, wall, there)
            group = Group(colour, rng.choice(SHAPES))
        elif group.colour in {"black", "white", "yellow"}:
            back = takes[0].back  # one on which it is seen
        take = taken(rng, back, group, there, still_only=count == 4)
        takes.append(take)
        there += [g for g in (take.group, take.behind) if g is not None]
    seconds = rng.choice(((4.0,), (3.0,), (2.5, 3.0), (3.0, 3.0, 2.0)))
    scene = tuple(drawn(rng, t, 2.0 if count == 4 else rng.choice(seconds)) for t in takes)

    # Of a fourth shot, nothing is said but that there is one.
    several = len(set(walls)) > 1
    for n, take in enumerate(takes[: len(ORDINALS)]):
        _backgrounds(told, take, n, len(takes), several=several)
        if take.group is not None:
            once = sum(same(take.group, t.group) for t in takes) == 1
            _things(told, take, n, there, once=once, read=_read(takes, take))
    for n, (one, two) in enumerate(pairwise(takes)):
        a, b = one.group, two.group
        if b is not None:
            _next(told, takes, n, there)
        if a is not None and b is not None and not returns:
            goes(told, a, b, "video cuts", several=count > 2)
    _whole(told, takes, there)
    return World(Scene(scene), tuple(told.facts))


def _walls(rng: random.Random, count: int) -> list[Ground]:
    walls = rng.sample(WALLS, min(count, 3))
    return [*walls, *rng.sample(walls[:-1], 1)][:count]


def _backgrounds(told: Told, take: Take, n: int, count: int, *, several: bool) -> None:
    """Add the background of a shot, and how its words are written if it is the first or last.

    ``several`` tells whether there are different backgrounds.
    """
    rng, wall = told.rng, take.back.wall
    other = others(rng, WALLS, wall, 2)
    text = f"The background is {{}} in the {ORDINALS[n]} shot."
    told.say("colour", text, wall, other, late=several)
    words = take.words
    if words is None or n not in (0, count - 1):
        return
    which, be = "last" if n else "first", "words {} are" if " " in words.text else "word {} is"
    texts = [t for t in TEXTS if (" " in t) == (" " in words.text)]
    wrong = others(rng, texts, words.text, 1)[0]
    other_ink = "black" if words.colour == "white" else "white"
    told.say(
        "colour",
        f"In the {which} shot, the {{}}.",
        f"{be.format(words.text)} written in {words.colour} on {wall}",
        [
            f"{be.format(wrong)} written in {words.colour} on {wall}",
            f"{be.format(words.text)} written in {other_ink} on {wall}",
            f"{be.format(words.text)} written in {words.colour} on {other[0]}",
        ],
    )
    if take.group is None:
        verb, not_verb = ("ends", "begins") if n else ("begins", "ends")
        title = f"with a title that reads {words.text}"
        told.say(
            "order",
            "The video {}.",
            f"{verb} {title}",
            [f"{not_verb} {title}", f"{verb} {title.replace(words.text, wrong)}"],
        )


def _read(takes: list[Take], take: Take) -> bool:
    """Tell whether another shot has the word of this one."""
    texts = [other.words.text for other in takes if other.words and other is not take]
    return take.words is not None and take.words.text in texts


def _things(told: Told, take: Take, n: int, there: list[Group], *, once: bool, read: bool) -> None:
    """Add what the things of a shot do.

    ``once`` tells whether no other shot has them, ``read`` whether another has its word.
    """
    rng, group = told.rng, take.group
    assert group is not None
    if take.words is not None:
        large, text = f"a large {group.name}", take.words.text
        below = take.words.y < 0.5
        stands = ("above", "below") if below else ("below", "above")
        one_of(
            told,
            "relation",
            f"The {group.name} is {{}} the word {text}.",
            stands[1],
            stands,
            f"Where is the {group.name} relative to the word {text}?",
            late=not once,
        )
        where = f"The word {text} stands {{}} the {group.name}."
        one_of(told, "relation", where, stands[0], stands, late=read)
        near = f"a large {unlike(rng, group, there).name}"
        told.say(
            "relation",
            f"The word {text} stands {{}}.",
            f"{stands[0]} {large}",
            [f"{stands[1]} {large}", f"{stands[0]} {near}"],
            late=read,
        )
    elif take.way in WAYS:
        if once:
            _moves(told, take, there)
    elif take.way not in MEETINGS[:2]:
        told.number(group, f"stand in the {ORDINALS[n]} shot", COUNTS)
    if group.count == 2 and sum(g.count == 2 and g.shape == group.shape for g in there) == 1:
        way = take.way if take.way in MEETINGS else "stand still"
        one_of(told, "direction", f"The two {group.noun} {{}}.", way, MEETINGS)
    if group.count == 3:
        where = f"stands behind the {group.noun} in the {ORDINALS[n]} shot"
        nothing = "nothing"
        absent = replace(unlike(rng, take.behind or group, there), count=1)
        if take.behind:
            options = [g.some for g in (take.behind, absent)]
            one_of(told, "existence", f"{{}} {where}.", options[0], [*options, nothing], late=True)
        else:
            singles = [g for g in there if g.count == 1 and not same(g, group)]
            some = rng.choice(singles) if singles and rng.random() < 0.7 else absent
            told.say("existence", f"{{}} {where}.", nothing, [some.some], late=True)


def _moves(told: Told, take: Take, there: list[Group]) -> None:
    """Add how the one thing of a shot moves, and where."""
    rng, group = told.rng, take.group
    assert group is not None
    back = OPPOSITE[take.way]
    across = rng.choice(("left", "right") if take.way in ("up", "down") else ("up", "down"))
    does, wrong = WAYS[take.way], (*WAYS[back], WAYS[across][1])
    name = rng.choice((group.some, f"the {group.name}"))
    told.say("direction", f"{name} {{}}.", does[1], [wrong[1], wrong[1], wrong[2]])
    if take.back.horizon is None:
        return
    wall = others(rng, WALLS, take.back.wall, 1)[0]
    told.say(
        "direction",
        "{}.",
        f"{group.some} {does[0]} in a {take.back.wall} room",
        [
            f"{group.some} {wrong[0]} in a {take.back.wall} room",
            f"{group.some} {does[0]} in a {wall} room",
        ],
        later=[f"{unlike(rng, group, there).some} {does[0]} in a {take.back.wall} room"],
    )


def _next(told: Told, takes: list[Take], n: int, there: list[Group]) -> None:
    """Add what is shown after shot ``n``."""
    rng, first, take = told.rng, takes[0].group, takes[n + 1]
    group, back = take.group, take.back
    assert group is not None
    if group.count > 3:  # each number is a form of its own
        return
    place = "on a gray floor" if back.horizon else f"on a {back.wall} background"
    near = unlike(rng, group, there)
    wrong = [near]
    if first is not None and not any(same(first, other.group) for other in takes[1:]):
        wrong.append(first)
    told.say(
        "existence",
        f"{{}} {group.be} shown next.",
        group.some,
        [replace(g, count=group.count).some for g in wrong],
        late=True,
    )
    cuts = "video cuts" if rng.random() < 0.5 else "video then cuts"
    count = rng.choice([c for c in (1, 2, 3) if c != group.count])
    ground = f"on a {_away(rng, back)} background"
    if not back.horizon and rng.random() < 0.5:
        ground = "on a gray floor"
    wrong_ground = f"{group.some} {ground}"
    alike = (replace(near, count=group.count), replace(group, count=count))
    wrong_things = [f"{g.some} {place}" for g in alike]
    several = len(takes) > 2
    told.say(
        "cut",
        f"The {cuts} to {{}}.",
        f"{group.some} {place}",
        [wrong_ground] if several else [*wrong_things, wrong_ground],
        later=wrong_things if several else (),
    )


def _away(rng: random.Random, back: Backdrop) -> str:
    return others(rng, WALLS, back.wall, 1)[0]


def _whole(told: Told, takes: list[Take], there: list[Group]) -> None:
    """Add what is in which shot, and how many there are."""
    count = len(takes)
    for n, take in enumerate(takes[: len(ORDINALS)]):
        here = [g for g in (take.group, take.behind) if g is not None]
        for other in there:
            single = replace(other, count=1)
            here_too = any(same(single, g) for g in here)
            options = [f"is {no}present in the {ORDINALS[n]} shot" for no in ("", "not ")]
            one_of(
                told,
                "existence",
                f"{single.some} {{}}.",
                options[0 if here_too else 1],
                options,
                f"Is {single.some} present in the {ORDINALS[n]} shot?",
                late=True,
            )
    first, last = takes[0].group, takes[-1].group
    if first is not None and count > 2:
        verb = first.verb("return")
        does = "do not return" if first.count > 1 else "does not return"
        back = same(first, last)
        one_of(
            told,
            "existence",
            f"The {first.name} {{}} in the last shot.",
            verb if back else does,
            (verb, does),
        )
    shot_count(told, count, 4, "How many shots are there?")
    one_of(
        told,
        "cut",
        "The video {}.",
        "cuts to another scene",
        ("cuts to another scene", "does not cut"),
    )
    unique = list({(g.colour, g.shape): g for g in there}.values())
    told.exist(unique, word=any(take.words for take in takes), late=True)
    told.look(unique)
