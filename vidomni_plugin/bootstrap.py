"""Percentile intervals by a bootstrap over clusters, such as the sentences of one video."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "DRAWS",
    "LEVEL",
    "Interval",
    "cluster_bootstrap",
    "cluster_totals",
    "draw_clusters",
    "draw_strata",
    "percentiles",
    "sums_of_draws",
]

Floats = NDArray[np.float64]

DRAWS = 10_000
"""Bootstrap draws: the ends of a 95 % interval then move by about 1 % of its width."""
LEVEL = 0.95
"""Coverage of an interval."""
CELLS = 4_000_000
"""Largest block of draws x clusters that is held at once (32 MB)."""


class Interval(NamedTuple):
    """A percentile interval; both ends are NaN where ``reason`` says why."""

    low: float
    high: float
    clusters: int
    draws: int
    undefined: int
    """Draws in which the statistic was undefined; they are left out of the interval."""
    reason: str


def cluster_totals(terms: ArrayLike, clusters: Sequence[Hashable]) -> NDArray[np.float64]:
    """Return the sums of the rows of each cluster, clusters in order of first appearance.

    Args:
        terms: What each item adds, shape ``(items, terms)``.
        clusters: The cluster of each item, e.g. its video.

    Example:
        >>> cluster_totals([[1, 2], [1, 5], [1, 1]], ["a", "b", "a"]).tolist()
        [[2.0, 3.0], [1.0, 5.0]]
    """
    rows = np.asarray(terms, dtype=np.float64)
    if len(rows) != len(clusters):
        raise ValueError(f"{len(clusters)} clusters for {len(rows)} items")
    number = {cluster: k for k, cluster in enumerate(dict.fromkeys(clusters))}
    totals = np.zeros((len(number), rows.shape[1]))
    np.add.at(totals, [number[cluster] for cluster in clusters], rows)
    return totals


def cluster_bootstrap(
    totals: ArrayLike,
    statistics: Sequence[Callable[[Any], Any]],
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> list[Interval]:
    """Return percentile intervals of statistics of sums, drawing whole clusters.

    As many clusters as there are, are drawn with replacement, ``draws`` times (Efron and
    Tibshirani 1993, chapter 13). Items of one video are not independent, so the video is drawn.

    Args:
        totals: Sums of each cluster, shape ``(clusters, terms)``.
        statistics: Each gets the summed terms of many draws, shape ``(d, terms)``, and returns
            one value a draw, NaN where it is undefined. All of them see the same draws.
        seed: Seed of the generator; the same seed gives the same interval.
        draws: How often.
        level: Coverage, in (0, 1).

    Returns:
        One interval a statistic; undefined with fewer than two clusters or no defined draw.

    Example:
        >>> mean = lambda sums: sums[:, 1] / sums[:, 0]
        >>> cluster_bootstrap([[2, 2.0], [2, 0.0], [2, 2.0]], [mean], seed=1, draws=1000)[0]
        Interval(low=0.0, high=1.0, clusters=3, draws=1000, undefined=0, reason='')
    """
    sums = np.asarray(totals, dtype=np.float64)
    drawn = np.full((draws, sums.shape[1]), np.nan)
    at = 0
    for counts in draw_clusters(len(sums), seed=seed, draws=draws):
        drawn[at : at + len(counts)] = sums_of_draws(counts, sums)
        at += len(counts)
    return [percentiles(statistic(drawn), len(sums), level) for statistic in statistics]


def draw_clusters(clusters: int, *, seed: int, draws: int = DRAWS) -> Iterator[Floats]:
    """Yield blocks of draws, shape ``(d, clusters)``: how often a draw holds each cluster.

    Each row is one multinomial draw and sums to ``clusters``. Blocks bound the memory; the rows
    do not depend on their size. Nothing is drawn of fewer than two clusters.

    Example:
        >>> [block.tolist() for block in draw_clusters(3, seed=1, draws=2)]
        [[[0.0, 2.0, 1.0], [2.0, 0.0, 1.0]]]
    """
    if clusters < 2:
        return
    generator = np.random.default_rng(seed)
    step = max(1, CELLS // clusters)
    for at in range(0, draws, step):
        size = min(step, draws - at)
        drawn = generator.integers(0, clusters, (size, clusters))
        drawn += clusters * np.arange(size)[:, None]  # counting numbers beats Generator.multinomial
        counts = np.bincount(drawn.ravel(), minlength=size * clusters)
        yield counts.reshape(size, clusters).astype(np.float64)  # int x float is slow


def draw_strata(
    sizes: Sequence[int], *, seed: int, draws: int = DRAWS
) -> Iterator[NDArray[np.float64]]:
    """Yield blocks of stratified draws, shape ``(d, items)``: how often a draw holds each item.

    The items of a stratum stand together, strata in the order of ``sizes``. Every draw takes from
    each stratum as many items as it has, with replacement. The generator is PCG64, and gives the
    numbers that a loop over draws and, within, over strata gets from it.

    Args:
        sizes: How many items each stratum has.
        seed: Seed of the generator.
        draws: How often.

    Example:
        >>> [block.tolist() for block in draw_strata([1, 3], seed=1, draws=2)]
        [[[1.0, 0.0, 2.0, 1.0], [1.0, 2.0, 0.0, 1.0]]]
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    items = sum(sizes)
    size_of = np.repeat(sizes, sizes)
    first_of = np.repeat(np.cumsum([0, *sizes[:-1]]), sizes)
    step = max(1, CELLS // max(items, 1))
    for at in range(0, draws, step):
        size = min(step, draws - at)
        drawn = generator.integers(0, size_of, (size, items)) + first_of
        drawn += items * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * items)
        yield counts.reshape(size, items).astype(np.float64)


def sums_of_draws(counts: ArrayLike, totals: ArrayLike) -> NDArray[np.float64]:
    """Return the summed terms of draws, shape ``(draws, terms)``.

    Args:
        counts: How often each draw holds each cluster, shape ``(draws, clusters)``.
        totals: Sums of each cluster, shape ``(clusters, terms)``.

    Example:
        >>> sums_of_draws([[2, 0], [1, 1]], [[1.0, 10.0], [3.0, 5.0]]).tolist()
        [[2.0, 20.0], [4.0, 15.0]]
    """
    sums: Floats = np.asarray(counts, dtype=np.float64) @ np.asarray(totals, dtype=np.float64)
    return sums


def percentiles(values: ArrayLike, clusters: int, level: float = LEVEL) -> Interval:
    """Return the interval between the two percentiles of a statistic's values, one a draw.

    Args:
        values: Value in each draw, NaN where undefined; ends between two values are interpolated.
        clusters: How many clusters there are.
        level: Coverage, in (0, 1).

    Example:
        >>> percentiles([0.0, 1.0, 2.0, 3.0, 4.0], 2, level=0.5)
        Interval(low=1.0, high=3.0, clusters=2, draws=5, undefined=0, reason='')
    """
    found = np.asarray(values, dtype=np.float64)
    draws = len(found)
    if clusters < 2:
        return Interval(np.nan, np.nan, clusters, draws, 0, "fewer than two clusters")
    defined = found[~np.isnan(found)]
    undefined = draws - len(defined)
    if not len(defined):
        return Interval(np.nan, np.nan, clusters, draws, undefined, "undefined in every draw")
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), clusters, draws, undefined, "")
