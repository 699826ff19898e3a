"""What is said about a clip, collected sentence by sentence."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from vidomni_plugin.data.mini.vidhalloc_items import CAPTION_REQUEST
from vidomni_plugin.models.seer.world import COLOURS, NUMBERS, SHAPES, Fact, Group, others

__all__ = ["Told"]

UNWRITTEN = 0.35
"""How often clips without a written word are asked for one; with one, always."""


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
        later: Sequence[str] = (),
    ) -> None:
        """Add a sentence with one slot, its right filling and its wrong ones, if there are any.

        Args:
            skill: What the sentence is about.
            sentence: Its words, with ``{}`` for the slot.
            right: What makes it true.
            wrong: What makes it false.
            question: What it answers.
            late: Whether a true sentence about the clip may begin as a false one does, as far as
                to the first word that is not that of the true sentence.
            later: Wrong fillings of which that is so though it is not of ``wrong``. A fact is of
                one kind or of the other, in proportion to their numbers.
        """
        if later and self.rng.random() * (len(wrong) + len(later)) < len(later):
            wrong, late = later, True
        if not wrong:
            return
        texts = [_tidy(sentence.replace("{}", words)) for words in (right, *wrong)]
        self.facts.append(Fact(skill, question, texts[0], tuple(texts[1:]), late))

    def exist(
        self,
        groups: Sequence[Group],
        where: str = "in the video",
        *,
        word: bool = False,
        late: bool = False,
    ) -> None:
        """Add what is and what is not visible.

        Args:
            groups: What is there.
            where: What ends a sentence about all of the clip.
            word: Whether there is a written word.
            late: Whether something is said of parts of the clip in the same words.
        """
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
                self._visible(single, where, there=True, late=late)
            else:
                self._visible(absent, where, there=False, late=late)
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

    def _visible(self, group: Group, where: str, *, there: bool, late: bool) -> None:
        if self.rng.random() < 0.5:
            self._yes_no(group.some, seen=there)
            return
        yes, no = f"{group.some} is present {where}.", f"{group.some} is not present {where}."
        texts = (_tidy(yes), _tidy(no)) if there else (_tidy(no), _tidy(yes))
        question = f"Is {group.some} present {where}?"
        self.facts.append(Fact("existence", question, texts[0], texts[1:], late))

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


def _tidy(text: str) -> str:
    return text[:1].upper() + text[1:]
