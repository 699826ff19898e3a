"""Improve a split by exchanging recordings, where the integer program was not solved to its end."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

__all__ = ["cost_of", "improved"]

LEAST = 1e-9
"""A smaller gain is an error of rounding."""

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def cost_of(held: Floats, wanted: Floats, costs: Floats) -> float:
    """Return what a split costs: the weighted distance from what is wanted."""
    return float((costs[:, None] * np.abs(held - wanted)).sum())


def improved(counts: Counts, weights: Floats, wanted: Floats, costs: Floats) -> Counts:
    """Return a split that no single move and no exchange of two recordings makes cheaper.

    Args:
        counts: Recordings of each kind in each split, shape ``(kinds, splits)``.
        weights: What one recording of a kind has of each group, shape ``(groups, kinds)``.
        wanted: Shape ``(groups, splits)``.
        costs: Of one too many or too few, shape ``(groups,)``.

    Returns:
        Counts of the same shape and sums; the same for the same input.
    """
    counts = counts.copy()
    nothing = np.zeros((len(costs), 1))
    own = np.hstack([weights, nothing])  # the last column: nothing comes back, it is a move
    while True:
        held = weights @ counts
        before = cost_of(held, wanted, costs)
        gain = LEAST
        change: tuple[int, int, int, int] | None = None
        for a, b in permutations(range(counts.shape[1]), 2):
            others = np.append(np.flatnonzero(counts[:, b]), len(counts))
            rest = [split for split in range(counts.shape[1]) if split not in {a, b}]
            fixed = cost_of(held[:, rest], wanted[:, rest], costs)
            for kind in np.flatnonzero(counts[:, a]):
                moved = own[:, others] - weights[:, [kind]]
                in_a = np.abs(held[:, [a]] - wanted[:, [a]] + moved)
                in_b = np.abs(held[:, [b]] - wanted[:, [b]] - moved)
                gains = before - fixed - costs @ (in_a + in_b)
                best = int(np.argmax(gains))
                if gains[best] > gain + LEAST:
                    gain, change = float(gains[best]), (a, b, int(kind), int(others[best]))
        if change is None:
            return counts
        source, target, given, taken = change
        counts[given, source] -= 1
        counts[given, target] += 1
        if taken < len(counts):
            counts[taken, target] -= 1
            counts[taken, source] += 1
