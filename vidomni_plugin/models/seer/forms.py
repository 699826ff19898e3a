"""Forms of sentences, and how to ask so that no form tells whether it is true.

A model that is never shown a true sentence with ``grows`` need not look at the video to reject one.
So each form, a sentence without its colours and shapes, is asked as often when it is true as when
it is false.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from vidomni_plugin.models.seer.layouts.saying import TEXTS
from vidomni_plugin.models.seer.world import COLOURS, SHAPES, Fact

__all__ = ["KEPT", "Balance", "form"]

SLACK = 2
"""How much more often a form may have been true than false, or the other way round."""
KEPT = 100_000
"""Sentences whose form is remembered: a run asks many more than memory should hold."""

_NAMES = (
    (re.compile(rf"\ban? (?=({'|'.join(COLOURS)}))", re.I), "a "),
    (re.compile(rf"\b({'|'.join(COLOURS)})\b", re.I), "C"),
    (re.compile(rf"\b({'|'.join(SHAPES)})s\b", re.I), "SS"),
    (re.compile(rf"\b({'|'.join(SHAPES)})\b", re.I), "S"),
    (re.compile(rf"\b({'|'.join(TEXTS)})\b"), "W"),
)


@lru_cache(KEPT)
def form(text: str) -> str:
    """Return a sentence without its colours, shapes and written words.

    Example:
        >>> form("The red circle stands above two orange squares.")
        'the C S stands above two C SS.'
    """
    for pattern, name in _NAMES:
        text = pattern.sub(name, text)
    return text[:1].lower() + text[1:]


class Balance:
    """Chooses sentences and remembers how often each form was true and false."""

    def __init__(self) -> None:
        self.asked: Counter[tuple[str, bool]] = Counter()

    def _open(self, text: str, *, true: bool) -> bool:
        name = form(text)
        return self.asked[name, true] - self.asked[name, not true] < SLACK

    def choose(self, fact: Fact, rng: random.Random) -> tuple[str, bool] | None:
        """Return one sentence of a fact and whether it is true, or None when each would tip."""
        texts: dict[bool, Sequence[str]] = {True: (fact.true,), False: fact.false}
        first = rng.random() < 0.5
        for true in (first, not first):
            left = [text for text in texts[true] if text and self._open(text, true=true)]
            if left:
                text = rng.choice(left)
                self.asked[form(text), true] += 1
                return text, true
        return None
