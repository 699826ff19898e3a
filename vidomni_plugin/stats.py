"""Statistics: agreement of annotators with its intervals, and shares with theirs.

A matrix of counts has one row an item (a sentence) and one column a label; a cell holds how
many raters gave that label. Rows may have different numbers of raters.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vidomni_plugin.bootstrap import DRAWS, LEVEL, Interval, cluster_bootstrap, cluster_totals

__all__ = [
    "Agreement",
    "AgreementIntervals",
    "Proportion",
    "agreement",
    "agreement_interval",
    "one_against_rest",
    "wilson",
]

Floats = NDArray[np.float64]

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

    Returns:
        Ends of both, in the units of ``agreement``; NaN, with the reason, where there is none.

    Raises:
        ValueError: If there is not one cluster an item.

    Example:
        >>> counts = [[2, 0], [1, 1], [2, 0], [0, 2]]
        >>> found = agreement_interval(counts, ["u", "u", "v", "w"], seed=1, draws=500)
        >>> round(found.observed.low, 6), found.observed.high
        (0.6, 1.0)
    """
    matrix = np.asarray(counts, dtype=np.float64)
    if len(matrix) != len(clusters):
        raise ValueError(f"{len(clusters)} clusters for {len(matrix)} items")
    rated, _ = _rated(matrix)
    kept = [c for c, row in zip(clusters, matrix, strict=True) if row.sum() >= 2]
    totals = cluster_totals(_item_terms(rated), kept)
    both = (_observed, _kappa)
    return AgreementIntervals(*cluster_bootstrap(totals, both, seed=seed, draws=draws, level=level))


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
