"""Sentences and paths that several kinds of clips share."""

from __future__ import annotations

import random

from vidomni_plugin.data.mini.scenes import Backdrop, Colour, Key, Words, still
from vidomni_plugin.data.mini.vidhalloc_items import CAPTION_REQUEST
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import NUMBERS, OPPOSITE, WALLS, Group, others

__all__ = [
    "SIDES",
    "STEPS",
    "TEXTS",
    "from_to",
    "length",
    "moving",
    "relations",
    "shot_count",
    "travel",
    "wall",
    "word_at",
    "word_places",
]

TEXTS = (
    "OPEN",
    "NEWS",
    "STOP",
    "EXIT",
    "THE END",
    "PART 1",
    "PART 2",
    "PART 3",
    "PART 4",
    "HELLO",
)
STEPS = {"right": (1, 0), "left": (-1, 0), "up": (0, -1), "down": (0, 1)}
SIDES = ("on the left", "in the middle", "on the right")
PLACES = ("above", "below", "to the left of", "to the right of")
MOVING = {
    "none": "None of the shapes moves during the whole video",
    "one": "Only one of the shapes moves",
    "all": "All of the shapes move",
}


def length(rng: random.Random) -> float:
    """Return the duration of a clip of one shot, in seconds."""
    return rng.choice((4.0, 5.0, 5.0, 5.0, 6.0, 6.0, 6.0, 8.0))


def travel(x: float, y: float, way: str, far: float, seconds: float) -> tuple[Key, ...]:
    """Return a path through ``x``, ``y`` half-way, which takes most of the clip."""
    if way == "still":
        return still(x, y)
    dx, dy = STEPS[way]
    start, end = 0.1 * seconds, 0.9 * seconds
    return (
        Key(start, x - dx * far / 2, y - dy * far / 2),
        Key(end, x + dx * far / 2, y + dy * far / 2),
    )


def relations(told: Told, first: Group, second: Group, way: str) -> None:
    """Add where the first is relative to the second: ``left``, ``right``, ``above``, ``below``."""
    for a, b, where in ((first, second, way), (second, first, OPPOSITE[way])):
        right = where if where in ("above", "below") else f"to the {where} of"
        told.say(
            "relation",
            f"The {a.name} {a.be} {{}} the {b.name}.",
            right,
            [OPPOSITE[right]],
            f"Where {a.be} the {a.name} relative to the {b.name}?",
            late=True,
        )


def shot_count(told: Told, number: int, most: int, question: str = CAPTION_REQUEST) -> None:
    """Add how many shots there are, in clips of at most ``most``."""
    texts = [f"There is {NUMBERS[1]} shot in all."]
    texts += [f"There are {NUMBERS[n]} shots in all." for n in range(2, most + 1)]
    wrong = [text for text in texts if text != texts[number - 1]]
    # Many sentences begin with "There is" that do not go on with a number of shots.
    single = [texts[0]] if number > 1 else []
    plural = [text for text in wrong if text not in single]
    told.say("cut", "{}", texts[number - 1], plural, question, later=single)


def word_at(
    told: Told, back: Backdrop, y: float, text: str, x: float = 0.5, size: float | None = None
) -> Words:
    """Return a written word, and add its colour."""
    rng, light = told.rng, back.wall != "dark"
    inks: tuple[Colour, ...] = ("black", "red", "blue") if light else ("white", "yellow", "orange")
    colour = rng.choice((*inks, inks[0]))
    wrong = [*(ink for ink in inks if ink != colour), *others(rng, ("green", "purple"), colour, 1)]
    told.say("colour", f"The word {text} is written in {{}} letters.", colour, wrong)
    told.say(
        "colour",
        f"The word {text} is written in large {{}} background.",
        f"{colour} letters on a {back.wall}",
        [
            *(f"{ink} letters on a {back.wall}" for ink in wrong[:2]),
            *(f"{colour} letters on a {wall}" for wall in others(rng, WALLS, back.wall, 1)),
        ],
    )
    return Words(text, x, y, size or (0.2 if len(text) > 5 else 0.25), colour)


def word_places(told: Told, group: Group, text: str, right: str) -> None:
    """Add where a group is relative to a word: one of ``PLACES``."""
    rng, opposite = told.rng, OPPOSITE[right]
    told.say(
        "relation",
        f"The {group.name} {group.be} {{}} the word {text}.",
        right,
        [opposite, *others(rng, [p for p in PLACES if p != opposite], right, 1)],
        f"Where {group.be} the {group.name} relative to the word {text}?",
    )
    wrong = [right, *others(rng, [p for p in PLACES if p != right], opposite, 1)]
    stands = f"The word {text} stands {{}} the {group.name}."
    told.say("relation", stands, opposite, wrong)
    told.say("relation", f"The word stands {{}} the {group.noun}.", opposite, wrong)


def wall(told: Told, back: Backdrop, count: int) -> None:
    """Add the colour of a background without a floor, and how many shapes are before it."""
    rng = told.rng
    if back.horizon is not None:
        return
    away = others(rng, WALLS, back.wall, 2)
    told.say("colour", "The background is plain {}.", back.wall, away)
    if 2 <= count <= 5:
        number = rng.choice([n for n in range(2, 6) if n != count])
        told.say(
            "count",
            "{} background.",
            f"{NUMBERS[count]} shapes are seen on a {back.wall}",
            [
                f"{NUMBERS[number]} shapes are seen on a {back.wall}",
                f"{NUMBERS[count]} shapes are seen on a {away[0]}",
            ],
            late=True,
        )


def moving(told: Told, who: str) -> None:
    """Add how many of the shapes move: one of ``MOVING``."""
    if who == "none" and told.rng.random() < 0.75:  # most things that are drawn do not move
        return
    wrong = others(told.rng, list(MOVING), who, 2)
    told.say("direction", "{}.", MOVING[who], [MOVING[w] for w in wrong])


def from_to(way: str) -> tuple[str, list[str]]:
    """Return a way across the picture in words, and what is false about it."""
    back = OPPOSITE[way]
    return f"the {back} to the {way}", [f"the {way} to the {back}"]
