"""Accuracy, agreement and Cohen's kappa of an audit, with stratified bootstrap intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.bootstrap import DRAWS, LEVEL, Interval, draw_strata, percentiles, sums_of_draws
from vidomni_plugin.build.audit.draw import SEED
from vidomni_plugin.stats import CERTAIN

__all__ = ["Figures", "Labelled", "Measure", "cohen_kappa", "figures", "tabulated"]

Floats = NDArray[np.float64]


class Labelled(NamedTuple):
    """The labels of all items as numbers, one an item each; items of a category together."""

    original: NDArray[np.int64]
    """From 0 to one less than ``categories``, ascending."""
    reference: NDArray[np.int64]
    first: NDArray[np.int64]
    """Of the first worker."""
    second: NDArray[np.int64]
    categories: int
    labels: int
    """How many labels there are: the categories, then the others."""


class Measure(NamedTuple):
    """A value with its interval; NaN where it is undefined."""

    value: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Figures:
    """The three measures of one category, of all items, or of a label that is no category."""

    items: int
    """Items of the stratum; what kappa is over are all items."""
    correct: int
    identical: int
    accuracy: Measure
    """Share of the original labels that equal the reference, in [0, 1]."""
    agreement: Measure
    """Share of the items that both workers label alike, in [0, 1]."""
    kappa: Measure
    """Cohen's kappa of the workers, at most 1: of all labels, or of one against the rest."""


def cohen_kappa(table: NDArray[np.float64]) -> NDArray[np.float64]:
    r"""Return Cohen's kappa of tables that cross two raters' labels.

    .. math::
        P_o = \sum_k n_{kk} / n, \quad P_e = \sum_k n_{k\cdot} n_{\cdot k} / n^2, \quad
        \kappa = (P_o - P_e) / (1 - P_e)

    after Cohen (1960), Educational and Psychological Measurement 20, 37-46.

    Args:
        table: How many items the first rater gave the row's label and the second the column's,
            shape ``(..., labels, labels)``.

    Returns:
        Kappa of each table, at most 1; NaN without items, and where chance agreement is 1.

    Example:
        >>> cohen_kappa(np.array([[20.0, 5.0], [10.0, 15.0]])).round(6).item()
        0.4
    """
    items = table.sum(axis=(-2, -1))
    blank = np.full(np.shape(items), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = np.trace(table, axis1=-2, axis2=-1) / items
        chance = (table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1) / items**2
    left = 1 - chance
    found: Floats = np.divide(observed - chance, left, out=blank, where=left > CERTAIN)
    return found


def tabulated(data: Labelled) -> Floats:
    """Return what each item adds to the sums that all measures are made of.

    Returns:
        Shape ``(items, 2 * categories + labels ** 2)``: correct and identical by category, then
        the cell of both workers' labels.
    """
    count = len(data.original)
    terms = np.zeros((count, 2 * data.categories + data.labels**2))
    every = np.arange(count)
    terms[every, data.original] = data.original == data.reference
    terms[every, data.categories + data.original] = data.first == data.second
    terms[every, 2 * data.categories + data.first * data.labels + data.second] = 1
    return terms


def _measured(sums: Floats, sizes: Sequence[int], labels: int) -> list[tuple[Floats, ...]]:
    """Return accuracy, agreement and kappa from sums, one a row: a category each, then all.

    Behind them stands kappa of every further label against the rest.
    """
    k = len(sizes)
    nothing = np.full(len(sums), np.nan)
    correct, identical = sums[:, :k], sums[:, k : 2 * k]
    crossed = sums[:, 2 * k :].reshape(-1, labels, labels)
    items = float(sum(sizes))
    found: list[tuple[Floats, ...]] = [
        (
            correct[:, c] / sizes[c] if sizes[c] else nothing,
            identical[:, c] / sizes[c] if sizes[c] else nothing,
            cohen_kappa(_against(crossed, c)),
        )
        for c in range(k)
    ]
    whole = (correct.sum(axis=1) / items, identical.sum(axis=1) / items, cohen_kappa(crossed))
    others = [(nothing, nothing, cohen_kappa(_against(crossed, c))) for c in range(k, labels)]
    return [*found, whole, *others]


def _against(crossed: Floats, label: int) -> Floats:
    """Return the tables of one label against the rest."""
    both = crossed[:, label, label]
    first = crossed[:, label, :].sum(axis=-1) - both
    second = crossed[:, :, label].sum(axis=-1) - both
    neither = crossed.sum(axis=(-2, -1)) - both - first - second
    return np.stack([np.stack([both, first], -1), np.stack([second, neither], -1)], -2)


def figures(
    data: Labelled, *, seed: int = SEED, draws: int = DRAWS, level: float = LEVEL
) -> list[Figures]:
    """Return the figures of each category, then of all items, then of each further label.

    Accuracy and agreement of a category are over its own items; its kappa is the category
    against the rest over all items. Those of all items are pooled, which with equally many items
    a category is the mean over the categories; their kappa is over all labels. Each bootstrap
    draw takes as many items of a category as there are, with replacement, and the three labels
    of an item together; everything is computed anew in each.

    Args:
        data: The labels; a category without items has no accuracy and no agreement.
        seed: Seed of PCG64.
        draws: Bootstrap draws.
        level: Coverage of the percentile intervals; there is none over a single item.

    Raises:
        ValueError: If there is no item, or items of a category do not stand together.
    """
    sizes = np.bincount(data.original, minlength=data.categories).tolist()
    if not sum(sizes) or (np.diff(data.original) < 0).any():
        raise ValueError("there must be items, and they must be sorted by category")
    terms = tabulated(data)
    seen = _measured(terms.sum(axis=0, keepdims=True), sizes, data.labels)
    blocks = [sums_of_draws(counts, terms) for counts in draw_strata(sizes, seed=seed, draws=draws)]
    drawn = _measured(np.vstack(blocks), sizes, data.labels)
    whole = terms.sum(axis=0)[: 2 * data.categories].astype(int).tolist()
    correct, identical = whole[: data.categories], whole[data.categories :]
    rest = data.labels - data.categories
    counts = [
        *zip(sizes, correct, identical, strict=True),
        (sum(sizes), sum(correct), sum(identical)),
        *[(0, 0, 0)] * rest,
    ]

    def measure(row: int, which: int, items: int) -> Measure:
        value = float(seen[row][which][0])
        return Measure(value, percentiles(drawn[row][which], items, level))

    return [
        Figures(
            *counted,
            accuracy=measure(row, 0, counted[0]),
            agreement=measure(row, 1, counted[0]),
            kappa=measure(row, 2, sum(sizes)),
        )
        for row, counted in enumerate(counts)
    ]
