"""Clips of several shots."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

from vidomni_plugin.data.mini.scenes import Backdrop, Scene, Shot, Thing, Words
from vidomni_plugin.models.seer.layouts.saying import TEXTS, motion, travel, word_at, word_places
from vidomni_plugin.models.seer.world import COLOURS, NUMBERS, Group, Told, World, kinds

__all__ = ["shots"]


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
            Thing(group.shape, group.colour, size, travel(x, y, way, 0.42, seconds)) for x in xs
        )
        lines: tuple[Words, ...] = ()
        if word:
            lines = (word_at(told, back, 0.77 if high else 0.23, rng.choice(TEXTS)),)
            word_places(told, group, lines[0].text, "above" if high else "below")
        parts.append(Shot(seconds, back, things, words=lines))
        motion(told, group, way)
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
    for a, b in pairwise(seen):
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
