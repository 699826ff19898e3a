"""How well scores tell factual from counterfactual answers (arXiv 2609.09895, Tables 9 and 10)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from vidomni_plugin.bootstrap import DRAWS, LEVEL, draw_clusters
from vidomni_plugin.joint import Estimate, drawn_ratios, estimate, joint_means

__all__ = [
    "DrawnSeparation",
    "Separation",
    "SeparationIntervals",
    "drawn_separation",
    "separation",
    "separation_intervals",
]

Floats = NDArray[np.float64]


class Separation(NamedTuple):
    """Percents of ``n`` items; NaN over none."""

    auroc: float
    """Share of all factual x counterfactual pairs, of any two items, with the factual higher."""
    ranking: float
    """Share of items whose factual score is higher than the counterfactual; ties half."""
    ties: float
    """Share of items whose two scores are the same."""
    n: int


class SeparationIntervals(NamedTuple):
    """The three measures with their intervals, all from the same draws."""

    auroc: Estimate
    ranking: Estimate
    ties: Estimate


class DrawnSeparation(NamedTuple):
    """Percents, each of shape ``(draws,)``."""

    auroc: Floats
    ranking: Floats


def separation(factual: Sequence[float], counterfactual: Sequence[float]) -> Separation:
    r"""Return AUROC x 100, Ranking and Ties of the two scores of each item.

    .. math::
        \mathrm{AUROC} = \frac{1}{n^2} \sum_i \sum_j [s^F_i > s^C_j] + \tfrac12 [s^F_i = s^C_j]

    Args:
        factual: Score of the factual answer of each item; higher means more support.
        counterfactual: Score of its counterfactual answer.

    Raises:
        ValueError: If the lengths differ or a score is not finite.

    Example:
        >>> separation([0.9, 0.5], [0.1, 0.5])
        Separation(auroc=87.5, ranking=75.0, ties=50.0, n=2)
    """
    above, below = _scores(factual, counterfactual)
    n = len(above)
    if not n:
        return Separation(np.nan, np.nan, np.nan, 0)
    # Ranks count each higher pair once and each tie half: Mann and Whitney (1947).
    higher = rankdata(np.concatenate([above, below]))[:n].sum() - n * (n + 1) / 2
    ranks, ties = _per_item(above, below)
    return Separation(100 * float(higher) / n**2, float(ranks.mean()), float(ties.mean()), n)


def separation_intervals(
    factual: Sequence[float],
    counterfactual: Sequence[float],
    clusters: Sequence[Hashable],
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> SeparationIntervals:
    r"""Return the three measures with percentile intervals over clusters.

    A draw's AUROC is that of all rows of the drawn clusters, a cluster drawn twice counting
    twice on either side. With W the number of wins between the factual scores of one cluster
    and the counterfactual scores of another, and m how often each is drawn, it is exactly

    .. math::
        \mathrm{AUROC}^* = \frac{m^T W m}{(m^T a)^2}, \quad a_c = |c|

    Args:
        factual: Score of the factual answer of each item.
        counterfactual: Score of its counterfactual answer.
        clusters: The cluster of each item, e.g. its video.
        seed: Seed of the generator; the same seed and clusters give the draws of ``joint_means``.
        draws: How often.
        level: Coverage, in (0, 1).

    Returns:
        Percents, 0 to 100; more is better for AUROC and Ranking. NaN over no item.

    Raises:
        ValueError: If the lengths differ or a score is not finite.

    Example:
        >>> scores = ([0.9, 0.5, 0.8], [0.1, 0.5, 0.2])
        >>> found = separation_intervals(*scores, ["u", "v", "w"], seed=1, draws=500)
        >>> round(found.auroc.value, 1), found.ranking.low, found.ranking.high
        (94.4, 50.0, 100.0)
    """
    above, below = _scores(factual, counterfactual)
    if len(above) != len(clusters):
        raise ValueError(f"{len(clusters)} clusters for {len(above)} items")
    ranking, ties = joint_means(
        np.column_stack(_per_item(above, below)), clusters, seed=seed, draws=draws, level=level
    )
    auroc = estimate(
        separation(factual, counterfactual).auroc,
        _drawn_auroc(above, below, clusters, seed=seed, draws=draws),
        n=len(above),
        clusters=len(set(clusters)),
        seed=seed,
        level=level,
    )
    return SeparationIntervals(auroc, ranking, ties)


def drawn_separation(
    factual: Sequence[float],
    counterfactual: Sequence[float],
    clusters: Sequence[Hashable],
    *,
    seed: int,
    draws: int = DRAWS,
) -> DrawnSeparation:
    """Return AUROC x 100 and Ranking of each draw that ``separation_intervals`` is made of.

    Two detectors on the same items are paired by it: their draws with one seed are the same.

    Args:
        factual: As in ``separation_intervals``, and so all that follows.
        counterfactual: The other score of each item.
        clusters: The cluster of each item.
        seed: Seed of the generator.
        draws: How often.

    Returns:
        Percents; NaN in all draws with fewer than two clusters.
    """
    above, below = _scores(factual, counterfactual)
    ranks = _per_item(above, below)[0][:, None]
    ranking = drawn_ratios(ranks, np.ones_like(ranks), clusters, seed=seed, draws=draws)[:, 0]
    return DrawnSeparation(_drawn_auroc(above, below, clusters, seed=seed, draws=draws), ranking)


def _drawn_auroc(
    above: Floats, below: Floats, clusters: Sequence[Hashable], *, seed: int, draws: int
) -> Floats:
    number = {cluster: k for k, cluster in enumerate(dict.fromkeys(clusters))}
    wins, sizes = _wins(above, below, np.array([number[c] for c in clusters], dtype=int))
    shares = [
        np.einsum("dc,dc->d", counts @ wins, counts) / (counts @ sizes) ** 2
        for counts in draw_clusters(len(number), seed=seed, draws=draws)
    ]
    return 100 * np.concatenate(shares) if shares else np.full(draws, np.nan)


def _scores(factual: ArrayLike, counterfactual: ArrayLike) -> tuple[Floats, Floats]:
    above = np.asarray(factual, dtype=np.float64)
    below = np.asarray(counterfactual, dtype=np.float64)
    if above.shape != below.shape or above.ndim != 1:
        raise ValueError(f"{above.size} factual and {below.size} counterfactual scores")
    if not (np.isfinite(above).all() and np.isfinite(below).all()):
        raise ValueError("scores must be finite")
    return above, below


def _per_item(above: Floats, below: Floats) -> tuple[Floats, Floats]:
    """Return each item's share of Ranking and of Ties, in percent."""
    return 50.0 * (1 + np.sign(above - below)), 100.0 * (above == below)


def _wins(above: Floats, below: Floats, number: NDArray[np.int_]) -> tuple[Floats, Floats]:
    """Return wins between the clusters, ties half, and how many items each has."""
    clusters = int(number.max()) + 1 if len(number) else 0
    by_row = np.zeros((clusters, len(below)))
    for row, score in zip(number, above, strict=True):
        by_row[row] += (score > below) + 0.5 * (score == below)
    wins = np.zeros((clusters, clusters))
    np.add.at(wins.T, number, by_row.T)
    return wins, np.bincount(number, minlength=clusters).astype(np.float64)
