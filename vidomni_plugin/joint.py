"""Several methods on the same items: means and gaps with intervals from the same draws of videos.

Items are joined by id. One draw of the clusters serves all methods, so that their differences
and their averages have intervals too.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vidomni_plugin.bootstrap import (
    DRAWS,
    LEVEL,
    cluster_totals,
    draw_clusters,
    percentiles,
    sums_of_draws,
)

__all__ = [
    "Estimate",
    "Joined",
    "drawn_ratios",
    "drawn_sums",
    "estimate",
    "joined",
    "joint_gaps",
    "joint_means",
    "ratios",
]

Floats = NDArray[np.float64]


class Joined(NamedTuple):
    """The items that all methods have."""

    methods: tuple[str, ...]
    items: tuple[str, ...]
    """Ids, sorted."""
    values: NDArray[np.float64]
    """Shape ``(items, methods)``."""
    left_out: tuple[int, ...]
    """How many items of each method another one lacks."""


class Estimate(NamedTuple):
    """A value with its interval, in the unit of what came in; NaN where ``reason`` says why."""

    value: float
    low: float
    high: float
    n: int
    """Items behind the value."""
    clusters: int
    draws: int
    seed: int
    undefined: int
    """Draws without a value; they are left out of the interval."""
    reason: str
    standard_error: float = np.nan
    """Standard deviation of the statistic over the draws (Efron and Tibshirani 1993, chapter 6)."""


def joined(scores: Mapping[str, Mapping[str, float]]) -> Joined:
    """Return the scores of the items that every method has.

    Args:
        scores: By method, then by item id.

    Example:
        >>> found = joined({"a": {"x": 1, "y": 0}, "b": {"y": 1, "z": 0, "w": 1}})
        >>> found.items, found.values.tolist(), found.left_out
        (('y',), [[0.0, 1.0]], (1, 2))
    """
    runs = list(scores.values())
    common = sorted(set(runs[0]).intersection(*runs[1:])) if runs else []
    values = np.array([[run[item] for run in runs] for item in common], dtype=np.float64)
    left_out = tuple(len(run) - len(common) for run in runs)
    shape = (len(common), len(runs))
    return Joined(tuple(scores), tuple(common), values.reshape(shape), left_out)


def drawn_sums(
    terms: ArrayLike, clusters: Sequence[Hashable], *, seed: int, draws: int = DRAWS
) -> NDArray[np.float64]:
    """Return the summed terms of each draw of whole clusters, shape ``(draws, terms)``.

    Args:
        terms: What each item adds, shape ``(items, terms)``.
        clusters: The cluster of each item, e.g. its video.
        seed: Seed of the generator; the same seed and clusters give the same draws.
        draws: How often.

    Returns:
        Sums in the unit of the terms; NaN in all draws with fewer than two clusters.

    Example:
        >>> sums = drawn_sums([[1.0], [0.0], [2.0]], ["v", "v", "w"], seed=1, draws=500)
        >>> sums.shape, sorted(set(sums[:, 0].tolist()))
        ((500, 1), [2.0, 3.0, 4.0])
    """
    totals = cluster_totals(terms, clusters)
    blocks = [sums_of_draws(c, totals) for c in draw_clusters(len(totals), seed=seed, draws=draws)]
    return np.vstack(blocks) if blocks else np.full((draws, totals.shape[1]), np.nan)


def ratios(tops: Floats, bottoms: Floats) -> Floats:
    """Return tops over bottoms, NaN where there is nothing below.

    Example:
        >>> ratios(np.array([1.0, 2.0]), np.array([4.0, 0.0])).tolist()
        [0.25, nan]
    """
    blank = np.full(np.broadcast_shapes(tops.shape, bottoms.shape), np.nan)
    found: Floats = np.divide(tops, bottoms, out=blank, where=bottoms > 0)
    return found


def drawn_ratios(
    tops: Floats,
    bottoms: Floats,
    clusters: Sequence[Hashable],
    *,
    seed: int,
    draws: int = DRAWS,
) -> Floats:
    """Return a ratio of sums in each draw of whole clusters, shape ``(draws, ratios)``.

    Args:
        tops: What each item adds above, shape ``(items, ratios)``.
        bottoms: What it adds below, of the same shape, or one column for all ratios.
        clusters: The cluster of each item, e.g. its video.
        seed: Seed of the generator; the same seed and clusters give the same draws.
        draws: How often.

    Returns:
        The ratios; NaN where a draw has nothing below, and in all of them with fewer than two
        clusters.
    """
    drawn = drawn_sums(np.hstack([bottoms, tops]), clusters, seed=seed, draws=draws)
    width = bottoms.shape[1]
    return ratios(drawn[:, width:], drawn[:, :width])


def estimate(
    value: float, values: Floats, *, n: int, clusters: int, seed: int, level: float = LEVEL
) -> Estimate:
    """Return a value with the percentile interval of its values, one a draw.

    Args:
        value: Over the items as they are.
        values: The same in each draw, shape ``(draws,)``; NaN where a draw has no value.
        n: Items behind the value.
        clusters: Clusters of these items.
        seed: Of the draws.
        level: Coverage, in (0, 1).

    Returns:
        In the unit of the value; without an interval, and with the reason, over no item or
        fewer than two clusters, and where the value is NaN.

    Example:
        >>> drawn = np.arange(101.0)
        >>> found = estimate(40.0, drawn, n=9, clusters=5, seed=1)
        >>> found.value, round(found.low, 6), found.high, round(found.standard_error, 2)
        (40.0, 2.5, 97.5, 29.3)
        >>> estimate(np.nan, drawn, n=0, clusters=0, seed=1).reason
        'no items'
    """
    if not n:
        return Estimate(np.nan, np.nan, np.nan, 0, clusters, len(values), seed, 0, "no items")
    found = percentiles(values, clusters, level)
    low, high, reason = found.low, found.high, found.reason
    if np.isnan(value):
        low, high, reason = np.nan, np.nan, "undefined"
    drawn = values[~np.isnan(values)]
    error = float(np.std(drawn, ddof=1)) if not reason and len(drawn) > 1 else np.nan
    return Estimate(
        float(value), low, high, n, clusters, found.draws, seed, found.undefined, reason, error
    )


def joint_means(
    values: ArrayLike,
    clusters: Sequence[Hashable],
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> list[Estimate]:
    r"""Return each method's mean over items with its interval over clusters.

    .. math::
        \bar x^* = \frac{\sum_c m_c \sum_{i \in c} x_i}{\sum_c m_c |c|}, \quad
        m \sim \mathrm{Multinomial}(C; 1/C, \dots, 1/C)

    All methods see the same draws (Efron and Tibshirani 1993, chapter 13). The mean of several
    methods is one more column: the interval of the macro-average.

    Args:
        values: Shape ``(items, methods)``, without gaps: see ``joined``.
        clusters: The cluster of each item, e.g. its video.
        seed: Seed of the generator.
        draws: How often.
        level: Coverage, in (0, 1).

    Returns:
        One estimate a method, in the unit of the values.

    Raises:
        ValueError: If a value is not finite, or clusters and items differ in number.

    Example:
        >>> joint_means([[100, 0], [0, 0], [100, 50]], ["v", "v", "w"], seed=1, draws=500)[0]
        ... # doctest: +ELLIPSIS
        Estimate(value=66.66..., low=50.0, high=100.0, n=3, clusters=2, draws=500, seed=1, ...)
    """
    matrix = _whole(values, clusters)
    count = len(set(clusters))
    means = drawn_ratios(matrix, np.ones((len(matrix), 1)), clusters, seed=seed, draws=draws)
    return [
        estimate(
            float(column.mean()) if len(column) else np.nan,
            means[:, k],
            n=len(matrix),
            clusters=count,
            seed=seed,
            level=level,
        )
        for k, column in enumerate(matrix.T)
    ]


def joint_gaps(
    values: ArrayLike,
    clusters: Sequence[Hashable],
    first: Sequence[bool],
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> list[Estimate]:
    r"""Return each method's mean over the first group of items minus that over the others.

    .. math::
        \Delta^* = \frac{\sum_c m_c A_c}{\sum_c m_c a_c} - \frac{\sum_c m_c B_c}{\sum_c m_c b_c}

    with :math:`A_c` and :math:`B_c` the sums of the two groups in a cluster and :math:`a_c`,
    :math:`b_c` their numbers of items; the gap between ontology and dynamic hallucination in
    arXiv 2609.09895, where a video may have items of both. Draws that miss a group altogether
    are undefined and counted.

    Args:
        values: Shape ``(items, methods)``, without gaps: see ``joined``.
        clusters: The cluster of each item, e.g. its video.
        first: Whether an item is in the first group.
        seed: Seed of the generator.
        draws: How often.
        level: Coverage, in (0, 1).

    Raises:
        ValueError: If a value is not finite, or the lengths differ.

    Example:
        >>> gap = joint_gaps([[1], [0], [1], [1]], [1, 1, 2, 2], [True, False] * 2, seed=1)[0]
        >>> gap.value, gap.low, gap.high
        (0.5, 0.0, 1.0)
    """
    matrix = _whole(values, clusters)
    if len(first) != len(matrix):
        raise ValueError(f"{len(first)} groups for {len(matrix)} items")
    inside = np.asarray(first, dtype=bool)[:, None]
    terms = [np.where(group, _counted(matrix), 0.0) for group in (inside, ~inside)]
    drawn = drawn_sums(np.hstack(terms), clusters, seed=seed, draws=draws)
    width = matrix.shape[1] + 1
    gaps = _ratio(drawn[:, :width]) - _ratio(drawn[:, width:])
    seen = [term.sum(axis=0, keepdims=True) for term in terms]
    whole = (_ratio(seen[0]) - _ratio(seen[1]))[0]
    count = len(set(clusters))
    return [
        estimate(value, gaps[:, k], n=len(matrix), clusters=count, seed=seed, level=level)
        for k, value in enumerate(whole.tolist())
    ]


def _whole(values: ArrayLike, clusters: Sequence[Hashable]) -> Floats:
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"values have {matrix.ndim} dimensions, not items x methods")
    if len(matrix) != len(clusters):
        raise ValueError(f"{len(clusters)} clusters for {len(matrix)} items")
    if not np.isfinite(matrix).all():
        raise ValueError("values must be finite: join the methods on the items that all have")
    return matrix


def _counted(matrix: Floats) -> Floats:
    """Return the values behind a column of ones, whose sum is the number of items."""
    return np.hstack([np.ones((len(matrix), 1)), matrix])


def _ratio(sums: Floats) -> Floats:
    """Return sums over their number of items, the first column; NaN over none."""
    return ratios(sums[:, 1:], sums[:, [0]])
