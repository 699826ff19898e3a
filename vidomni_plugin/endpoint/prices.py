"""What tokens cost."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vidomni_plugin.endpoint.reply import Usage

__all__ = ["Prices"]

PER = 1_000_000
"""Prices are for so many tokens."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of one million tokens.

    Raises:
        ValueError: If a price is negative or no number.

    Example:
        >>> Prices(input=2.0, cached=0.5, output=8.0).cost(Usage(1_000_000, 400_000, 100_000))
        2.2
    """

    input: float
    cached: float
    """Of tokens of the question that the server had seen before."""
    output: float
    currency: str = "USD"

    def __post_init__(self) -> None:
        for name in ("input", "cached", "output"):
            if not (math.isfinite(price := getattr(self, name)) and price >= 0):
                raise ValueError(f"the price of {name} tokens is {price}")

    def cost(self, usage: Usage) -> float:
        """Return what tokens cost, in the currency; cached tokens are not counted twice."""
        cached = min(usage.cached, usage.input)
        parts = (
            (usage.input - cached) * self.input,
            cached * self.cached,
            usage.output * self.output,
        )
        return math.fsum(parts) / PER

    def most(self, usage: Usage) -> float:
        """Return the most that so many tokens can cost, cached or not."""
        question = usage.input * max(self.input, self.cached)
        return math.fsum((question, usage.output * self.output)) / PER
