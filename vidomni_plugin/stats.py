"""Statistics: agreement of annotators, and intervals by a bootstrap over clusters.

A matrix of counts has one row an item (a sentence) and one column a label; a cell holds how
many raters gave that label. Rows may have different numbers of raters.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "DRAWS",
    "LEVEL",
    "Agreement",
    "AgreementIntervals",
    "Interval",
    "Proportion",
    "agreement",
    "agreement_interval",
    "cluster_bootstrap",
    "cluster_totals",
    "fleiss_kappa",
    "observed_agreement",
    "one_against_rest",
    "wilson",
]

Floats = NDArray[np.float64]

DRAWS = 10_000
"""Bootstrap draws: the ends of a 95 % interval then move by about 1 % of its width."""
LEVEL = 0.95
"""Coverage of an interval."""
CELLS = 4_000_000
"""Largest block of draws x clusters that is held at once (32 MB)."""
CERTAIN = 1e-12
"""Chance agreement this close to 1 leaves nothing for kappa to measure."""


class Agreement(NamedTuple):
    """How far raters agree; ``observed`` and ``chance`` in [0, 1], ``kappa`` at most 1."""

    items: int
    """Items with two or more raters: the ones that are measured."""
    left_out: int
    """Items with fewer raters, which say nothing about agreement."""
    observed: float
    """Mean share of agreeing pairs of raters; NaN without items."""
    chance: float
    """Share of agreeing pairs if labels were drawn by their frequencies; NaN without items."""
    kappa: float
    """Share of what chance leaves open that is agreed on; NaN where ``reason`` says why."""
    reason: str
    """Why kappa is undefined; empty where it is defined."""


class Interval(NamedTuple):
    """A percentile interval; both ends are NaN where ``reason`` says why."""

    low: float
    high: float
    clusters: int
    draws: int
    undefined: int
    """Draws in which the statistic was undefined; they are left out of the interval."""
    reason: str


class AgreementIntervals(NamedTuple):
    """Intervals of the two measures of ``agreement``."""

    observed: Interval
    kappa: Interval


def _rated(counts: ArrayLike) -> tuple[Floats, int]:
    """Return the rows with two or more raters, and how many others there are."""
    matrix = np.asarray(counts, dtype=np.float64)
    if matrix.size == 0:
        matrix = matrix.reshape(0, matrix.shape[1] if matrix.ndim == 2 else 1)
    if matrix.ndim != 2:
        raise ValueError(f"counts have {matrix.ndim} dimensions, not items x labels")
    if not np.isfinite(matrix).all() or (matrix < 0).any() or (matrix % 1 != 0).any():
        raise ValueError("counts must be whole numbers from 0")
    enough = matrix.sum(axis=1) >= 2
    return matrix[enough], int((~enough).sum())


def _item_terms(matrix: Floats) -> Floats:
    """Return per item: 1, the share of agreeing pairs, and the share of each label."""
    raters = matrix.sum(axis=1, keepdims=True)
    agreeing = (matrix * (matrix - 1)).sum(axis=1, keepdims=True) / (raters * (raters - 1))
    return np.hstack([np.ones_like(raters), agreeing, matrix / raters])


def _observed(totals: Floats) -> Floats:
    """Return the observed agreement of each row of summed terms; NaN without items."""
    items = totals[:, 0]
    found: Floats = np.divide(totals[:, 1], items, out=np.full(len(items), np.nan), where=items > 0)
    return found


def _chance(totals: Floats) -> Floats:
    items = totals[:, [0]]
    shares = np.divide(
        totals[:, 2:], items, out=np.full_like(totals[:, 2:], np.nan), where=items > 0
    )
    return np.asarray((shares**2).sum(axis=1))


def _kappa(totals: Floats) -> Floats:
    """Return kappa of each row of summed terms; NaN where it is undefined."""
    observed, chance = _observed(totals), _chance(totals)
    left = 1 - chance
    blank = np.full(len(left), np.nan)
    found: Floats = np.divide(observed - chance, left, out=blank, where=left > CERTAIN)
    return found


def agreement(counts: ArrayLike) -> Agreement:
    r"""Return observed agreement and Fleiss' kappa, for any number of raters an item.

    .. math::
        P_i = \frac{\sum_j n_{ij} (n_{ij} - 1)}{n_i (n_i - 1)}, \quad
        \bar P = \frac{1}{N} \sum_i P_i, \quad
        p_j = \frac{1}{N} \sum_i \frac{n_{ij}}{n_i}, \quad
        \kappa = \frac{\bar P - \sum_j p_j^2}{1 - \sum_j p_j^2}

    With the same number of raters everywhere this is Fleiss (1971), Psychological Bulletin 76,
    378-382; with different numbers each item weighs the same in both terms, as in Gwet (2014),
    Handbook of Inter-Rater Reliability, chapter 2. Items with fewer than two raters are left out
    and counted. When every rating is the same label, chance agreement is 1 and kappa is
    undefined (NaN), not 1.

    Args:
        counts: Number of raters, shape ``(items, labels)``.

    Raises:
        ValueError: If ``counts`` is no matrix of whole numbers from 0.

    Example:
        >>> found = agreement([[2, 0], [2, 0], [1, 1], [0, 2]])
        >>> found.observed, found.chance, round(found.kappa, 4)
        (0.75, 0.53125, 0.4667)
        >>> agreement([[3, 0], [2, 0], [1, 0]])
        Agreement(items=2, left_out=1, observed=1.0, chance=1.0, kappa=nan, reason='one label only')
    """
    matrix, left_out = _rated(counts)
    totals = _item_terms(matrix).sum(axis=0, keepdims=True)
    observed, chance = float(_observed(totals)[0]), float(_chance(totals)[0])
    kappa, reason = float(_kappa(totals)[0]), ""
    if not len(matrix):
        reason = "no item with two raters"
    elif np.isnan(kappa):
        reason = "one label only"
    return Agreement(len(matrix), left_out, observed, chance, kappa, reason)


def fleiss_kappa(counts: ArrayLike) -> float:
    """Return Fleiss' kappa, at most 1 and higher is better; NaN where it is undefined.

    See ``agreement`` for the formula and for what is done with uneven numbers of raters.

    Example:
        >>> round(fleiss_kappa([[2, 0], [2, 0], [1, 1], [0, 2]]), 4)
        0.4667
    """
    return agreement(counts).kappa


def observed_agreement(counts: ArrayLike) -> float:
    """Return the mean share of agreeing pairs of raters, in [0, 1]; NaN without items.

    Example:
        >>> observed_agreement([[3, 0], [2, 1]])
        0.6666666666666666
    """
    return agreement(counts).observed


def one_against_rest(counts: ArrayLike, label: int) -> NDArray[np.float64]:
    """Return the counts of one label and of all others together: kappa of it is per label.

    With the same number of raters everywhere, Fleiss' kappa of these two columns equals
    Fleiss' kappa of the label (Fleiss, Levin and Paik 2003, chapter 18).

    Example:
        >>> one_against_rest([[2, 1, 0], [0, 1, 2]], 0).tolist()
        [[2.0, 1.0], [0.0, 3.0]]
    """
    matrix = np.asarray(counts, dtype=np.float64)
    chosen = matrix[:, [label]]
    return np.hstack([chosen, matrix.sum(axis=1, keepdims=True) - chosen])


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
    statistic: Callable[[Any], Any],
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> Interval:
    """Return a percentile interval of a statistic of sums, drawing whole clusters.

    As many clusters as there are, are drawn with replacement, ``draws`` times (Efron and
    Tibshirani 1993, chapter 13). Items of one video are not independent, so the video is drawn.

    Args:
        totals: Sums of each cluster, shape ``(clusters, terms)``.
        statistic: Gets the summed terms of many draws, shape ``(d, terms)``, and returns one
            value a draw, NaN where it is undefined.
        seed: Seed of the generator; the same seed gives the same interval.
        draws: How often.
        level: Coverage, in (0, 1).

    Returns:
        The interval; undefined with fewer than two clusters or no defined draw.

    Example:
        >>> mean = lambda sums: sums[:, 1] / sums[:, 0]
        >>> cluster_bootstrap([[2, 2.0], [2, 0.0], [2, 2.0]], mean, seed=1, draws=1000)
        Interval(low=0.0, high=1.0, clusters=3, draws=1000, undefined=0, reason='')
    """
    sums = np.asarray(totals, dtype=np.float64)
    drawn = _drawn_sums(sums, seed, draws)
    return _interval(statistic(drawn), len(sums), level)


def _drawn_sums(sums: Floats, seed: int, draws: int) -> Floats:
    """Return the summed terms of each draw of whole clusters, shape ``(draws, terms)``."""
    clusters, terms = sums.shape
    drawn = np.full((draws, terms), np.nan)
    if clusters < 2:
        return drawn
    generator = np.random.default_rng(seed)
    even = np.full(clusters, 1 / clusters)
    step = max(1, CELLS // clusters)
    for at in range(0, draws, step):
        size = min(step, draws - at)
        drawn[at : at + size] = generator.multinomial(clusters, even, size) @ sums
    return drawn


def _interval(values: Floats, clusters: int, level: float) -> Interval:
    draws = len(values)
    if clusters < 2:
        return Interval(np.nan, np.nan, clusters, draws, 0, "fewer than two clusters")
    defined = values[~np.isnan(values)]
    undefined = draws - len(defined)
    if not len(defined):
        return Interval(np.nan, np.nan, clusters, draws, undefined, "undefined in every draw")
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), clusters, draws, undefined, "")


def agreement_interval(
    counts: ArrayLike,
    clusters: Sequence[Hashable],
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> AgreementIntervals:
    """Return the intervals of observed agreement and of Fleiss' kappa over clusters.

    Args:
        counts: Number of raters, shape ``(items, labels)``.
        clusters: The cluster of each item.
        seed: Seed of both bootstraps; they draw the same clusters.
        draws: How often.
        level: Coverage, in (0, 1).
    """
    matrix = np.asarray(counts, dtype=np.float64)
    if len(matrix) != len(clusters):
        raise ValueError(f"{len(clusters)} clusters for {len(matrix)} items")
    rated, _ = _rated(matrix)
    kept = [c for c, row in zip(clusters, matrix, strict=True) if row.sum() >= 2]
    totals = cluster_totals(_item_terms(rated), kept)
    drawn = _drawn_sums(totals, seed, draws)
    return AgreementIntervals(
        observed=_interval(_observed(drawn), len(totals), level),
        kappa=_interval(_kappa(drawn), len(totals), level),
    )


class Proportion(NamedTuple):
    """A share in [0, 1] with its interval; all three are None over nothing."""

    share: float | None
    low: float | None
    high: float | None
    over: int


def wilson(successes: int, over: int, level: float = LEVEL) -> Proportion:
    r"""Return a share with its score interval (Wilson 1927, JASA 22, 209-212).

    .. math::
        \frac{p + z^2 / 2n \pm z \sqrt{p (1 - p) / n + z^2 / 4n^2}}{1 + z^2 / n}

    Args:
        successes: How many of them.
        over: How many there are; independent of each other.
        level: Coverage, in (0, 1).

    Raises:
        ValueError: If there are more successes than there are of them, or fewer than none.

    Example:
        >>> wilson(9, 10)
        Proportion(share=0.9, low=0.5958499732047615, high=0.9821237869049271, over=10)
        >>> wilson(0, 0)
        Proportion(share=None, low=None, high=None, over=0)
    """
    if not 0 <= successes <= over:
        raise ValueError(f"{successes} of {over}")
    if not over:
        return Proportion(None, None, None, 0)
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / over
    centre = share + z * z / (2 * over)
    half = z * sqrt(share * (1 - share) / over + z * z / (4 * over * over))
    scale = 1 + z * z / over
    low = 0.0 if successes == 0 else (centre - half) / scale
    high = 1.0 if successes == over else (centre + half) / scale
    return Proportion(share, low, high, over)
