"""What several kinds of clips choose: things that are not there, and one of some endings."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from vidomni_plugin.data.mini.scenes import Colour
from vidomni_plugin.data.mini.vidhalloc_items import CAPTION_REQUEST
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import COLOURS, HIDDEN, SHAPES, Group, kinds, others

__all__ = ["choose", "distinct", "fresh", "one_of", "recoloured", "unlike"]


def distinct(rng: random.Random, wall: str, count: int) -> list[Group]:
    """Return at most three groups of one thing each, none alike in colour or in shape."""
    seen = kinds(rng, wall, count)
    shapes = rng.sample(SHAPES, count)
    return [replace(group, shape=shape) for group, shape in zip(seen, shapes, strict=True)]


def fresh(rng: random.Random, wall: str, there: Sequence[Group]) -> Colour:
    """Return a colour that nothing has yet and that the wall does not hide."""
    taken = HIDDEN[wall] | {group.colour for group in there}
    return rng.choice([colour for colour in COLOURS if colour not in taken])


def unlike(rng: random.Random, group: Group, there: Sequence[Group]) -> Group:
    """Return as many things of another colour or another shape that are not there."""
    seen = {(g.colour, g.shape) for g in there} | {(group.colour, group.shape)}
    near = [replace(group, colour=c) for c in others(rng, COLOURS, group.colour, 5)]
    near += [replace(group, shape=shape) for shape in SHAPES] * 2
    return rng.choice([g for g in near if (g.colour, g.shape) not in seen])


def one_of(
    told: Told,
    skill: str,
    sentence: str,
    right: str,
    options: Iterable[str],
    question: str = CAPTION_REQUEST,
    *,
    late: bool = False,
    later: Sequence[str] = (),
) -> None:
    """Add a sentence whose false fillings are the other options; see ``Told.say``."""
    wrong = [text for text in options if text != right and text not in later]
    told.say(skill, sentence, right, wrong, question, late=late, later=later)


def choose(
    told: Told,
    skill: str,
    sentence: str,
    options: Mapping[str, str],
    right: str,
    question: str = CAPTION_REQUEST,
    *,
    later: Sequence[str] = (),
) -> None:
    """Add a sentence whose slot has one of these fillings, chosen by its key, as ``one_of``."""
    one_of(told, skill, sentence, options[right], options.values(), question, later=later)


def recoloured(told: Told, noun: str, old: str, new: str) -> None:
    """Add what is said of a thing that turns from one colour to another."""
    rng = told.rng
    told.say(
        "colour",
        f"The {noun} is {{}} at the end of the video.",
        new,
        others(rng, [c for c in COLOURS if c != old], new, 1),
        f"What color is the {noun} at the end of the video?",
        later=[old, old],
    )
    told.say("colour", f"The {noun} is {{}} at first.", old, [new], late=True)
    absent = others(rng, [c for c in COLOURS if c != old], new, 1)
    told.say("colour", f"The {noun} turns {{}}.", new, [old, *absent])
    told.say("order", f"The {noun} turns from {{}}.", f"{old} to {new}", [f"{new} to {old}"])
    right = [f"{old} before it is {new}", f"{new} after it is {old}"]
    wrong = [f"{old} after it is {new}", f"{new} before it is {old}"]
    told.say("order", f"The {noun} is {{}}.", rng.choice(right), wrong, late=True)
