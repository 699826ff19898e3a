"""Prompts about one video, token by token, and what is learned at each of them."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from vidomni_plugin.data.mini.vidhalloc_items import CAPTION_REQUEST
from vidomni_plugin.models.seer.forms import KEPT, Balance
from vidomni_plugin.models.seer.words import (
    ANSWER_END,
    CLOSE,
    END,
    MOST_SENTENCES,
    VERDICTS,
    judge_parts,
    label_text,
    sentence_mark,
    verification_head,
)
from vidomni_plugin.models.seer.world import COLOURS, SHAPES, Fact

__all__ = ["NONE", "Asked", "Back", "Branch", "Branches", "Mention", "ask", "shorten"]

NONE = -100
"""Marks what a loss leaves out, as in torch."""

IT = 0.4
"""Share of repeated subjects of a caption that become ``It``."""


class Mention(NamedTuple):
    """A word that names something which can be seen."""

    at: int
    colour: str
    """Empty for any colour."""
    noun: str
    """A shape, ``shape`` for any, ``hand`` or ``word``."""


class Back(NamedTuple):
    """A token of a sentence, and which nouns of the sentence it is to look back at."""

    at: int
    first: int
    """Place of the first noun."""
    last: int
    """Place of the last noun so far."""


class Asked(NamedTuple):
    """One sentence that is judged."""

    fact: Fact
    text: str
    true: bool
    unknown: tuple[int, ...] = ()
    """Places at which a word is put that the model does not know; it must learn to do without."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A prompt after the video, with its answer, and what is learned at each of its tokens."""

    tokens: list[int]
    following: list[int]
    """The next word of true sentences, else NONE."""
    telling: list[bool]
    """Whether the next word is the one by which a false sentence would differ."""
    holds: list[int]
    """Whether the sentence holds up to here: 1, 0 or NONE."""
    answer: list[int]
    """The next token of the answer, else NONE."""
    mentions: tuple[Mention, ...]
    backs: tuple[Back, ...]
    asked: tuple[Asked, ...]
    at: tuple[int, ...]
    """Where the answers about ``asked`` are predicted."""


def ask(
    facts: Sequence[Fact], rng: random.Random, count: int, balance: Balance, odd: float = 0.0
) -> list[Asked]:
    """Return sentences about a clip, at most ``count``.

    Args:
        facts: What can be said.
        rng: Chooses; each skill comes as often as any other.
        count: How many sentences.
        balance: What was asked so far; it settles which sentences are true.
        odd: Share of sentences with one to three words that the model does not know.
    """
    by_skill: dict[str, list[Fact]] = {}
    for fact in facts:
        by_skill.setdefault(fact.skill, []).append(fact)
    asked: list[Asked] = []
    for _ in range(3 * count):  # some facts would tip the balance
        if len(asked) == count or not by_skill:
            break
        fact = rng.choice(by_skill[rng.choice(sorted(by_skill))])
        chosen = balance.choose(fact, rng)
        if chosen is not None:
            places = tuple(rng.randrange(100) for _ in range(rng.randint(1, 3)))
            asked.append(Asked(fact, *chosen, places if rng.random() < odd else ()))
    return asked


_SUBJECT = re.compile(
    rf"^(?:The|An?) ((?:(?:{'|'.join(COLOURS)}) )?(?:{'|'.join(SHAPES)}|hand))\b(?!,| and)"
)


def shorten(asked: Sequence[Asked], rng: random.Random) -> list[Asked]:
    """Return a caption in which some subjects that were named just before are ``It``."""
    short, before = [], ""
    for one in asked:
        match = _SUBJECT.match(one.text)
        subject = match[1] if match else ""
        if subject and subject == before and rng.random() < IT:
            fact = one.fact
            true, *false = (_SUBJECT.sub("It", text) for text in (fact.true, *fact.false))
            if true not in false:  # else only the subject told them apart
                fact = Fact(fact.skill, fact.question, true, tuple(false), fact.late)
                one = Asked(fact, _SUBJECT.sub("It", one.text), one.true, one.unknown)
        short.append(one)
        before = subject
    return short


class Branches:
    """Makes the prompts of a tokenizer."""

    def __init__(self, words: Any) -> None:  # noqa: ANN401
        self.words = words
        ids = words.convert_tokens_to_ids
        self.judge = [ids(part) for part in judge_parts()]
        self.verification = ids(verification_head())
        self.request, self.end, self.stop = ids(CAPTION_REQUEST), ids(END), ids(ANSWER_END)
        self.verdicts = [ids(verdict) for verdict in VERDICTS]
        numbers = range(1, MOST_SENTENCES + 1)
        self.marks = [ids(sentence_mark(k)) for k in numbers]
        self.labels = [[ids(label_text(k, v)) for v in (0, 1)] for k in numbers]
        self.close, self.unknown = ids(CLOSE), ids("<unk>")
        self.colours = {ids(colour): colour for colour in COLOURS}
        nouns = (*SHAPES, "shape", "hand", "word")
        self.nouns = {ids(noun): noun for noun in nouns}
        self.nouns |= {ids(f"{noun}s"): noun for noun in nouns if ids(f"{noun}s") != self.unknown}
        self.ids = lru_cache(KEPT)(self._ids)

    def _ids(self, text: str) -> tuple[int, ...]:
        """Return the tokens of a text; ``ids`` remembers them."""
        return tuple(self.words(text)["input_ids"])

    def mentions(self, tokens: Sequence[int]) -> tuple[Mention, ...]:
        """Return every word that names something to be seen."""
        return tuple(
            Mention(n, self.colours.get(tokens[n - 1], "") if n else "", self.nouns[token])
            for n, token in enumerate(tokens)
            if token in self.nouns
        )

    def backs(self, tokens: Sequence[int], start: int) -> tuple[Back, ...]:
        """Return for each token of a sentence that follows a noun which nouns came before it.

        Args:
            tokens: Of the sentence.
            start: Place of its first token.
        """
        nouns: list[int] = []
        found = []
        for at, token in enumerate(tokens, start):
            if nouns:
                found.append(Back(at, nouns[0], nouns[-1]))
            if token in self.nouns:
                nouns.append(at)
        return tuple(found)

    def _sentence(self, asked: Asked) -> tuple[list[int], list[int], list[bool]]:
        """Return a sentence's tokens, whether it holds up to each, and which one is telling."""
        tokens, fact = list(self.ids(asked.text)), asked.fact
        other = self.ids(fact.false[0] if asked.true else fact.true)
        pairs = enumerate(zip(tokens, other, strict=False))
        same = next((n for n, (a, b) in pairs if a != b), len(tokens) - 1)
        if asked.true:
            holds = [1] * len(tokens)
        elif not fact.true:  # nothing is: the video alone tells
            holds = [0] * len(tokens)
        elif fact.late:
            # By its last noun, if that comes after the word that is wrong, the whole is known.
            nouns = [n for n in range(same, len(tokens)) if tokens[n] in self.nouns]
            known = nouns[-1] if nouns else len(tokens) - 1
            holds = [NONE] * known + [0] * (len(tokens) - known)
        else:
            holds = [1] * same + [0] * (len(tokens) - same)
        telling = [asked.true and not fact.late and n == same for n in range(len(tokens))]
        for place in asked.unknown:
            at = 1 + place % (len(tokens) - 1)
            tokens.insert(at, self.unknown)
            holds.insert(at, holds[at - 1])
            telling.insert(at, False)
        return tokens, holds, telling

    def _following(self, tokens: Sequence[int], *, true: bool) -> list[int]:
        return [t if true and t != self.unknown else NONE for t in tokens]

    def judged(self, asked: Asked, question: str) -> Branch:
        """Return the branch of one VidHalLoc answer."""
        head, middle, tail = self.judge
        before = [
            head,
            *([self.request] if question == CAPTION_REQUEST else self.ids(question)),
            middle,
        ]
        tokens, holds, tells = self._sentence(asked)
        answer = self.verdicts[asked.true]
        sequence = [*before, *tokens, tail, self.end, answer]
        last = len(sequence) - 2
        following, telling = [NONE] * len(sequence), [False] * len(sequence)
        if asked.true:
            telling[len(before) - 1 : len(before) + len(tokens) - 1] = tells
            words = self._following(tokens, true=True)
            following[len(before) - 1 : len(before) + len(tokens) - 1] = words
        truth = int(asked.true)
        return Branch(
            sequence,
            following,
            telling,
            [NONE] * len(before) + holds + [truth, truth, NONE],
            [NONE] * last + [answer, self.stop],
            self.mentions(sequence),
            self.backs(tokens, len(before)),
            (asked,),
            (last,),
        )

    def caption(self, sentences: Sequence[Asked]) -> Branch:
        """Return the branch of one VidOmni caption."""
        sequence, learned, following = [self.verification], [NONE], [NONE]
        telling, backs = [False], list[Back]()
        for number, asked in enumerate(sentences):
            tokens, holds, tells = self._sentence(asked)
            telling += [*tells, False]
            backs += self.backs(tokens, len(sequence) + 1)
            sequence += [self.marks[number], *tokens]
            # The mark after a sentence says whether it held, the one before is not part of it.
            learned += [NONE if number == 0 else int(sentences[number - 1].true), *holds]
            following += [*self._following(tokens, true=asked.true), NONE]
        sequence.append(self.end)
        learned.append(int(sentences[-1].true))
        following.append(NONE)
        telling.append(False)
        start = len(sequence) - 1
        answers = [self.labels[n][not asked.true] for n, asked in enumerate(sentences)]
        answers += [self.close, self.stop]
        sequence += answers[:-1]
        extra = [NONE] * (len(answers) - 1)
        return Branch(
            sequence,
            following + extra,
            telling + [False] * len(extra),
            learned + extra,
            [NONE] * start + answers,
            self.mentions(sequence),
            tuple(backs),
            tuple(sentences),
            tuple(range(start, start + len(sentences))),
        )
