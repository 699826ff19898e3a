"""A store of drawn clips from which batches are taken."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["FILL", "POOL", "USES", "Pool"]

Drawn = TypeVar("Drawn")

POOL, USES = 2000, 4
"""Clips kept, and how often each is shown, each time with other sentences."""
FILL = 4
"""Batches in each pool of a run that is taken up: it must not see the same few clips for long."""


class Pool(Generic[Drawn]):
    """Drawn things, renewed a few at a time: drawing must not take longer than learning."""

    def __init__(
        self, rng: random.Random, draw: Callable[[random.Random], Drawn], fill: int = 0
    ) -> None:
        self.rng, self.draw = rng, draw
        self.fill = fill
        """Of how many batches things are drawn before the first is taken."""
        self.kept: list[Drawn] = []

    def take(self, count: int) -> list[Drawn]:
        """Return things, a part of them new."""
        if not self.kept:
            self.kept = [self.draw(self.rng) for _ in range(self.fill * count)]
        new = [self.draw(self.rng) for _ in range(math.ceil(count / USES))]
        self.kept += new
        most = POOL + count
        if len(self.kept) > most:
            self.rng.shuffle(self.kept)
            del self.kept[: len(self.kept) - POOL]
        return new + self.rng.choices(self.kept, k=count - len(new))
