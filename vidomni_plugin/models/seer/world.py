"""What a training clip shows and which sentences about it are true or false."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

from vidomni_plugin.data.mini.scenes import Backdrop, Colour, Scene, Shape
from vidomni_plugin.data.mini.vidhalloc_items import CAPTION_REQUEST

__all__ = [
    "COLOURS",
    "NUMBERS",
    "SHAPES",
    "SKILLS",
    "Fact",
    "Group",
    "Layout",
    "Told",
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

SEEN: Mapping[str, float] = MappingProxyType({"white": 0.3, "black": 0.75, "yellow": 0.75})
"""How often a thing has a colour relative to others, because walls hide it."""
UNWRITTEN = 0.35
"""How often clips without a written word are asked for one; with one, always."""


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


@dataclass
class Told:
    """The facts about a clip while they are collected."""

    rng: random.Random
    facts: list[Fact] = field(default_factory=list)

    def say(
        self,
        skill: str,
        sentence: str,
        right: str,
        wrong: Sequence[str],
        question: str = CAPTION_REQUEST,
        *,
        late: bool = False,
    ) -> None:
        """Add a sentence with one slot, its right filling and its wrong ones, if there are any."""
        if not wrong:
            return
        texts = [_tidy(sentence.replace("{}", words)) for words in (right, *wrong)]
        self.facts.append(Fact(skill, question, texts[0], tuple(texts[1:]), late))

    def exist(
        self, groups: Sequence[Group], where: str = "in the video", *, word: bool = False
    ) -> None:
        """Add what is and what is not visible; ``word`` tells whether there is a written one."""
        if word or self.rng.random() < UNWRITTEN:
            self._yes_no("a written word", seen=word)
        there = {(g.colour, g.shape) for g in groups}
        # Two of many: what is there must not drown what else can be said.
        for group in self.rng.sample(list(groups), min(2, len(groups))):
            single = Group(group.colour, group.shape)
            near = [
                Group(colour, single.shape)
                for colour in others(self.rng, COLOURS, single.colour, 4)
                if (colour, single.shape) not in there
            ]
            near += [
                Group(single.colour, shape)
                for shape in SHAPES
                if (single.colour, shape) not in there
            ] * 2
            near += [
                Group(single.colour, other.shape)
                for other in groups
                if (single.colour, other.shape) not in there
            ] * 2
            absent = self.rng.choice(near)
            if self.rng.random() < 0.5:
                self._visible(single, where, there=True)
            else:
                self._visible(absent, where, there=False)
            seen = self.rng.choice(("There is {}.", "{} is seen."))
            if self.rng.random() < 0.5:
                self.say("existence", seen, single.some, [absent.some], late=True)
        seen_shapes, shape_seen = {g.shape for g in groups}, self.rng.random() < 0.5
        asked = [shape for shape in SHAPES if (shape in seen_shapes) == shape_seen]
        if asked:
            self._yes_no(f"a {self.rng.choice(asked)}", seen=shape_seen)

    def _yes_no(self, what: str, *, seen: bool) -> None:
        texts = (f"Yes, {what} is visible.", f"No, {what} is not visible.")[:: 1 if seen else -1]
        question = f"Is {what} visible in the video?"
        self.facts.append(Fact("existence", question, texts[0], texts[1:], late=True))

    def _visible(self, group: Group, where: str, *, there: bool) -> None:
        if self.rng.random() < 0.5:
            self._yes_no(group.some, seen=there)
            return
        yes, no = f"{group.some} is present {where}.", f"{group.some} is not present {where}."
        texts = (_tidy(yes), _tidy(no)) if there else (_tidy(no), _tidy(yes))
        question = f"Is {group.some} present {where}?"
        self.facts.append(Fact("existence", question, texts[0], texts[1:]))

    def look(self, groups: Sequence[Group], when: str = "") -> None:
        """Add colours and shapes of things that their shape, or their colour, tells apart."""
        when = f" {when}" if when else ""
        for group in groups:
            if sum(g.shape == group.shape for g in groups) == 1:
                self.say(
                    "colour",
                    f"The {group.noun} {group.be} {{}}{when}.",
                    group.colour,
                    self._confused(group, groups),
                    f"What color {group.be} the {group.noun}{when}?",
                )
            if sum(g.colour == group.colour for g in groups) == 1 and group.count == 1:
                self.say(
                    "shape",
                    f"The {group.colour} shape is a {{}}.",
                    group.shape,
                    others(self.rng, SHAPES, group.shape, 2),
                    f"What kind of shape is {group.colour}?",
                )

    def _confused(self, group: Group, groups: Sequence[Group]) -> list[str]:
        """Return colours that a group has not, one of them that of something else if it can."""
        near = [g.colour for g in groups if g.colour != group.colour]
        wrong = [self.rng.choice(near)] if near else []
        return list(dict.fromkeys([*wrong, *others(self.rng, COLOURS, group.colour, 2)]))

    def number(self, group: Group, does: str, counts: Sequence[int] = (1, 2, 3, 4)) -> None:
        """Add how many there are of a group.

        Args:
            group: Which things.
            does: What follows their name.
            counts: How many there are in clips of this kind; a number that is never right would
                tell by itself that a sentence is wrong.
        """
        one, more = Group(group.colour, group.shape), Group(group.colour, group.shape, 2)
        alone = f"is {does[4:]}" if does.startswith("are ") else one.verb(does)

        def told(number: str) -> str:
            if number == "one":
                return f"one {one.name} {alone}"
            return f"{number} {more.name} {does}"

        near = [NUMBERS[n] for n in counts if n != group.count]
        wrong = list(dict.fromkeys(self.rng.sample(near, min(3, len(near)))))
        self.say(
            "count",
            "{}.",
            told(NUMBERS[group.count]),
            [told(number) for number in wrong],
            f"How many {more.name} {does}?",
            late=True,
        )


@dataclass(frozen=True, slots=True)
class World:
    """A clip and what can be said about it."""

    scene: Scene
    facts: tuple[Fact, ...]


Name = TypeVar("Name", bound=str)
Layout = Callable[[random.Random], World]
"""Makes a random clip of one kind."""


def _tidy(text: str) -> str:
    return text[:1].upper() + text[1:]


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
    wall = rng.choice(("gray", "dark", "gray", "beige"))
    return Backdrop(wall, rng.uniform(0.7, 0.82) if floor else None)  # type: ignore[arg-type]


def kinds(rng: random.Random, wall: str, count: int) -> list[Group]:
    """Return groups of one thing each that differ in colour, most in shape too.

    Colours that a wall hides are left out.
    """
    hidden = {"dark": {"black"}, "gray": {"white"}, "beige": {"white", "yellow"}}[wall]
    colours = rng.sample([c for c in COLOURS if c not in hidden], count)
    shapes = rng.sample(SHAPES, 3)
    if rng.random() < 0.3:
        shapes = [rng.choice(SHAPES) for _ in range(3)]
    return [Group(c, shapes[n % 3]) for n, c in enumerate(colours)]
