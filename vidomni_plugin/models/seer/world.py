"""What a training clip shows and which sentences about it are true or false."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

from vidomni_plugin.data.mini.scenes import Backdrop, Colour, Ground, Scene, Shape

__all__ = [
    "COLOURS",
    "HIDDEN",
    "NUMBERS",
    "OPPOSITE",
    "ORDINALS",
    "SHAPES",
    "SKILLS",
    "WALLS",
    "Fact",
    "Group",
    "Layout",
    "World",
    "backdrop",
    "kinds",
    "others",
]

COLOURS: tuple[Colour, ...] = (
    "red",
    "green",
    "blue",
    "yellow",
    "orange",
    "purple",
    "white",
    "black",
)
SHAPES: tuple[Shape, ...] = ("circle", "square", "triangle")
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven")
ORDINALS = ("first", "second", "third")
SKILLS = (
    "colour",
    "shape",
    "existence",
    "count",
    "relation",
    "direction",
    "order",
    "cut",
    "camera",
)

WALLS: tuple[Ground, ...] = ("gray", "dark", "beige")
HIDDEN: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "dark": frozenset({"black"}),
        "gray": frozenset({"white"}),
        "beige": frozenset({"white", "yellow"}),
    }
)
"""Colours that cannot be seen before a wall."""
_OPPOSITES = (
    ("left", "right"),
    ("up", "down"),
    ("above", "below"),
    ("upper", "lower"),
    ("top", "bottom"),
    ("to the left of", "to the right of"),
)
OPPOSITE: Mapping[str, str] = MappingProxyType(dict(_OPPOSITES) | {b: a for a, b in _OPPOSITES})
"""Of ways, sides and relations."""

SEEN: Mapping[str, float] = MappingProxyType({"white": 0.3, "black": 0.75, "yellow": 0.75})
"""How often a thing has a colour relative to others, because walls hide it."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One true sentence about a clip and sentences that differ from it and are false."""

    skill: str
    question: str
    true: str
    """Empty when none of the sentences is true."""
    false: tuple[str, ...]
    late: bool = False
    """Whether only the end of the sentence shows that it is false, not the first other word."""


@dataclass(frozen=True, slots=True)
class Group:
    """Things of one colour and shape that do the same."""

    colour: Colour
    shape: Shape
    count: int = 1

    @property
    def name(self) -> str:
        """Return for example ``red circles``."""
        return f"{self.colour} {self.noun}"

    @property
    def noun(self) -> str:
        """Return for example ``circles``."""
        return self.shape if self.count == 1 else f"{self.shape}s"

    @property
    def be(self) -> str:
        """Return the form of ``to be``."""
        return "is" if self.count == 1 else "are"

    @property
    def some(self) -> str:
        """Return for example ``a red circle``, ``an orange circle`` or ``two red circles``."""
        if self.count > 1:
            return f"{NUMBERS[self.count]} {self.name}"
        return f"{'an' if self.colour == 'orange' else 'a'} {self.name}"

    def verb(self, stem: str) -> str:
        """Return the verb in the present tense; what follows it may be part of ``stem``."""
        if self.count > 1:
            return stem
        head, _, rest = stem.partition(" ")
        ending = "es" if head.endswith(("s", "sh", "ch")) else "s"
        return f"{head}{ending} {rest}".rstrip()


@dataclass(frozen=True, slots=True)
class World:
    """A clip and what can be said about it."""

    scene: Scene
    facts: tuple[Fact, ...]


Name = TypeVar("Name", bound=str)
Layout = Callable[[random.Random], World]
"""Makes a random clip of one kind."""


def others(rng: random.Random, names: Sequence[Name], right: str, count: int) -> list[Name]:
    """Return ``count`` names other than the right one, in random order.

    A colour that many walls hide is drawn as much more rarely as it is seen.
    """
    left = [name for name in names if name != right]
    order = sorted(left, key=lambda name: rng.random() ** (1 / SEEN.get(name, 1.0)), reverse=True)
    if count > len(order):
        raise ValueError(f"{count} names wanted, {len(order)} left")
    return order[:count]


def backdrop(rng: random.Random, *, floor: bool | None = None) -> Backdrop:
    """Return a wall, with a floor or without one, or either."""
    if floor is None:
        floor = rng.random() < 0.5
    wall: Ground = rng.choice(("gray", "dark", "gray", "beige"))
    return Backdrop(wall, rng.uniform(0.7, 0.82) if floor else None)


def kinds(rng: random.Random, wall: str, count: int) -> list[Group]:
    """Return groups of one thing each that differ in colour, most in shape too.

    Colours that a wall hides are left out.
    """
    colours = rng.sample([c for c in COLOURS if c not in HIDDEN[wall]], count)
    shapes = rng.sample(SHAPES, 3)
    if rng.random() < 0.3:
        shapes = [rng.choice(SHAPES) for _ in range(3)]
    return [Group(c, shapes[n % 3]) for n, c in enumerate(colours)]
