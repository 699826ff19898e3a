"""Tests on paired data: two methods on the same items, gains of a pair, many comparisons."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from vidomni_plugin.bootstrap import DRAWS, LEVEL
from vidomni_plugin.joint import Estimate, drawn_ratios, estimate

__all__ = [
    "Comparison",
    "Difference",
    "Gain",
    "bootstrap_p",
    "holm",
    "mcnemar",
    "one_sample_t",
    "paired_difference",
    "stars",
]

LEVELS_OF_STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
"""As in VidOmni's Table 13."""
NOISE_DIGITS = 9
"""Digits that are kept of a difference: sums of floats that cancel out must be 0."""


class Comparison(NamedTuple):
    """Two methods on the same ``n`` items; ``p_value`` is exact and two-sided."""

    n: int
    both: int
    only_a: int
    only_b: int
    neither: int
    p_value: float


class Difference(NamedTuple):
    """Mean of the first minus mean of the second, with its interval and two-sided p-value."""

    estimate: Estimate
    p_value: float
    """NaN where the interval is undefined."""


class Gain(NamedTuple):
    """Mean gain of ``n`` pairs and its t-test against 0; NaN where ``reason`` says why."""

    n: int
    mean: float
    t: float
    p_value: float
    low: float
    high: float
    reason: str


def mcnemar(a: Mapping[str, bool], b: Mapping[str, bool]) -> Comparison:
    r"""Test whether two methods are right equally often.

    .. math::
        p = \min\left(1,\; 2 \sum_{i=0}^{\min(b, c)} \binom{b + c}{i} 2^{-(b + c)}\right)

    with b and c the items that only one method got right: the exact test of McNemar (1947),
    Psychometrika 12, 153-157; no mid-p. It takes items as independent of each other.

    Args:
        a: Whether the first method is right, by item id.
        b: The same of the second method; the ids must be the same.

    Raises:
        ValueError: If the two do not have the same items.

    Example:
        >>> mcnemar({"x": True, "y": True, "z": False}, {"x": True, "y": False, "z": False})
        Comparison(n=3, both=1, only_a=1, only_b=0, neither=1, p_value=1.0)
    """
    if a.keys() != b.keys():
        odd = sorted(a.keys() ^ b.keys())
        raise ValueError(f"{len(odd)} items are in one run only, e.g. {odd[0]!r}")
    states = [(bool(a[item]), bool(b[item])) for item in a]
    only_a, only_b = states.count((True, False)), states.count((False, True))
    p_value = 1.0
    if only_a + only_b:
        tail = stats.binom.cdf(min(only_a, only_b), only_a + only_b, 0.5)
        p_value = min(1.0, 2 * float(tail))
    both, neither = states.count((True, True)), states.count((False, False))
    return Comparison(len(states), both, only_a, only_b, neither, p_value)


def paired_difference(
    a: Sequence[float],
    b: Sequence[float],
    clusters: Sequence[Hashable],
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> Difference:
    """Return the difference of two means over the same items, from a bootstrap over clusters.

    With the same seed and clusters it sees the draws of ``joint_means``, so its interval is that
    of the two methods' difference in every draw.

    Args:
        a: Scores of the first method, such as F1 of each pair.
        b: Scores of the second method, of the same items in the same order.
        clusters: The cluster of each item, e.g. its video.
        seed: Seed of the generator.
        draws: How often.
        level: Coverage, in (0, 1).

    Returns:
        The difference in the unit of the scores, and ``bootstrap_p`` of its draws.

    Raises:
        ValueError: If the lengths differ or a score is not finite.

    Example:
        >>> found = paired_difference([50, 80, 60], [40, 60, 60], ["u", "v", "w"], seed=1)
        >>> found.estimate.value, found.estimate.low, found.estimate.high
        (10.0, 0.0, 20.0)
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if not len(first) == len(second) == len(clusters):
        raise ValueError(f"{len(first)} and {len(second)} scores, {len(clusters)} clusters")
    gains = first - second
    if not np.isfinite(gains).all():
        raise ValueError("scores must be finite")
    ones = np.ones((len(gains), 1))
    means = drawn_ratios(gains[:, None], ones, clusters, seed=seed, draws=draws)[:, 0]
    found = estimate(
        float(gains.mean()) if len(gains) else np.nan,
        means,
        n=len(gains),
        clusters=len(set(clusters)),
        seed=seed,
        level=level,
    )
    return Difference(found, bootstrap_p(means))


def bootstrap_p(differences: ArrayLike) -> float:
    r"""Return the two-sided p-value of no difference, from the differences of all draws.

    .. math::
        p = \min\left(1,\; 2\, \frac{1 + \min(\#\{d^* \le 0\}, \#\{d^* \ge 0\})}{1 + D}\right)

    over the D defined draws: the level at which the percentile interval just reaches 0 (Efron and
    Tibshirani 1993, section 15.4). One is added so that a p-value is never 0: with 10,000 draws
    the smallest is 0.0002.

    Args:
        differences: One a draw, NaN where undefined.

    Returns:
        The p-value in (0, 1]; NaN without a defined draw.

    Example:
        >>> bootstrap_p([0.5, 1.0, 1.5, -0.5, 2.0, 0.25, 1.0, 1.0, 3.0])
        0.4
        >>> bootstrap_p([0.0, 0.0])
        1.0
    """
    values: NDArray[np.float64] = np.asarray(differences, dtype=np.float64)
    values = values[~np.isnan(values)].round(NOISE_DIGITS)
    if not len(values):
        return float("nan")
    tail = min(int((values <= 0).sum()), int((values >= 0).sum()))
    return min(1.0, 2 * (1 + tail) / (1 + len(values)))


def one_sample_t(gains: Sequence[float], level: float = LEVEL) -> Gain:
    r"""Test whether the mean gain of a pair is 0 (Student 1908), as VidOmni's Table 13 does.

    .. math::
        t = \frac{\bar g}{s / \sqrt n}, \quad n - 1 \text{ degrees of freedom}

    Args:
        gains: Score with minus without, one a pair; pairs count as independent of each other.
        level: Coverage of the interval of the mean, in (0, 1).

    Returns:
        Mean and interval in the unit of the gains. With fewer than two pairs there is no test;
        nor is there where all gains are the same, since their spread is 0.

    Example:
        >>> found = one_sample_t([1.0, 2.0, 3.0])
        >>> round(found.t, 3), round(found.p_value, 3), found.reason
        (3.464, 0.074, '')
        >>> one_sample_t([2.0, 2.0]).reason
        'all gains are the same'
    """
    values = np.asarray(gains, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError("gains must be finite")
    n, nan = len(values), float("nan")
    mean = float(values.mean()) if n else nan
    if n < 2:
        return Gain(n, mean, nan, nan, nan, nan, "fewer than two pairs")
    if np.ptp(values).round(NOISE_DIGITS) == 0:
        return Gain(n, mean, nan, nan, nan, nan, "all gains are the same")
    found = stats.ttest_1samp(values, 0.0)
    low, high = found.confidence_interval(level)
    return Gain(n, mean, float(found.statistic), float(found.pvalue), float(low), float(high), "")


def holm(p_values: Sequence[float]) -> list[float]:
    r"""Return p-values adjusted for how many there are (Holm 1979, Scand. J. Stat. 6, 65-70).

    .. math::
        \tilde p_{(k)} = \max_{j \le k} \min(1, (m - j + 1)\, p_{(j)})

    A comparison whose adjusted value is below 0.05 holds when the chance of any false one among
    all is to stay below 5 %. Tests need not be independent of each other.

    Args:
        p_values: In any order, each in [0, 1]; NaN for a test that there was not, which stays
            NaN and is not counted in m.

    Returns:
        The adjusted values in the given order.

    Raises:
        ValueError: If a p-value is outside [0, 1].

    Example:
        >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
        [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, dtype=np.float64)
    there = np.flatnonzero(~np.isnan(values))
    if ((values[there] < 0) | (values[there] > 1)).any():
        raise ValueError("p-values must be in [0, 1]")
    adjusted = np.full(len(values), np.nan)
    order = there[np.argsort(values[there], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * values[order]))
    return [float(p) for p in adjusted]


def stars(p_value: float) -> str:
    """Return how a p-value is marked: ``***`` below 0.001, ``**`` 0.01, ``*`` 0.05, else n.s.

    Example:
        >>> stars(0.0005), stars(0.05), stars(float("nan"))
        ('***', 'n.s.', '')
    """
    if np.isnan(p_value):
        return ""
    return next((mark for below, mark in LEVELS_OF_STARS if p_value < below), "n.s.")
