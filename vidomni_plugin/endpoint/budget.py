"""What may be spent, and the amounts that are set aside while a reply is under way."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vidomni_plugin.endpoint.prices import Prices
from vidomni_plugin.endpoint.reply import Usage
from vidomni_plugin.problems import refuse_start

__all__ = ["Amount", "Budget"]

ROUNDING = 1e-9
"""Share of a sum of money by which additions may be off."""


@dataclass(frozen=True, slots=True)
class Amount:
    """Tokens and money, set aside or spent."""

    tokens: int = 0
    cost: float = 0.0
    """Zero where there are no prices."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that all calls of one file of replies may take together, earlier runs included.

    Raises:
        InputProblems: If a limit is not positive, or there is one in money and no prices.
    """

    most_tokens: int | None = None
    most_cost: float | None = None
    prices: Prices | None = None

    def __post_init__(self) -> None:
        title = "the budget cannot be kept"
        for name in ("most_tokens", "most_cost"):
            limit = getattr(self, name)
            if limit is not None and not (math.isfinite(limit) and limit > 0):
                refuse_start(title, name, f"{limit} is no limit", "it is a number above zero")
        if self.most_cost is not None and self.prices is None:
            hint = "name the prices of a million input, cached and output tokens"
            refuse_start(title, "most_cost", "without prices nobody knows what is spent", hint)

    def upper_bound(self, most: Usage) -> Amount:
        """Return what is set aside for one attempt."""
        cost = self.prices.most(most) if self.prices else 0.0
        return Amount(most.input + most.output, cost)

    def spent(self, usage: Usage) -> Amount:
        """Return what an attempt took."""
        cost = self.prices.cost(usage) if self.prices else 0.0
        return Amount(usage.input + usage.output, cost)

    def allows(self, total: Amount) -> bool:
        """Return whether so much may be spent in all."""
        if self.most_tokens is not None and total.tokens > self.most_tokens:
            return False
        return self.most_cost is None or total.cost <= self.most_cost * (1 + ROUNDING)
