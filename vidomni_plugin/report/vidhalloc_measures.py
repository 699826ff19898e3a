"""Accuracies of VidHalLoc runs with their intervals, gaps between groups, and threshold curves.

Values come from ``vidhalloc/metrics.py``; here they get intervals over videos.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.bootstrap import percentiles
from vidomni_plugin.joint import Estimate, joint_gaps, joint_means
from vidomni_plugin.report.runs import SCORES_ONLY
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidhalloc_pairs import CATEGORIES, DH, MEASURES, OH, Method, Part
from vidomni_plugin.stats import wilson

__all__ = [
    "Curve",
    "Gap",
    "Share",
    "accuracies",
    "alike",
    "constant",
    "gaps",
    "macro_gaps",
    "resampled_in_categories",
    "shares",
    "threshold_curve",
]

Floats = NDArray[np.float64]


class Share(NamedTuple):
    """An accuracy over a part of the pairs, in percent; None where the part has no pair."""

    value: float | None
    low: float | None
    high: float | None
    pairs: int
    videos: int
    interval: str
    """How it was found: "Wilson" or "bootstrap"; empty where there is none."""


class Gap(NamedTuple):
    """Accuracy on OH and on DH pairs in percent, and OH minus DH in points with its interval."""

    oh: float | None
    dh: float | None
    gap: Estimate


class Curve(NamedTuple):
    """Accuracies in percent of accepting iff score >= threshold, one for each threshold."""

    thresholds: Floats
    """The distinct scores, rising."""
    factual: Floats
    counterfactual: Floats
    overall: Floats


def alike(found: Iterable[Method]) -> Iterator[list[Method]]:
    """Yield methods that have the same pairs together: one draw of videos serves them all."""
    groups: dict[tuple[object, ...], list[Method]] = {}
    for method in found:
        groups.setdefault((method.ids, method.videos), []).append(method)
    yield from groups.values()


def accuracies(found: Sequence[Method], settings: Settings) -> dict[str, dict[str, Estimate]]:
    """Return ``MEASURES`` of each method in percent, with intervals over its own videos."""
    estimates: dict[str, dict[str, Estimate]] = {}
    for group in alike(found):
        values = _percents(group)
        flat = joint_means(
            values,
            group[0].videos,
            seed=settings.seed,
            draws=settings.draws,
            level=settings.level,
        )
        estimates.update(_dealt(group, flat))
    return estimates


def gaps(found: Sequence[Method], settings: Settings) -> dict[str, dict[str, Gap]]:
    """Return OH, DH and their gap of each method (Table 14), by method and measure.

    Args:
        found: Runs of any pairs; each is measured over its own.
        settings: ``gap_seed``, draws and level.

    Returns:
        OH and DH in percent, None over no pair; the gap, OH minus DH, in points, NaN without
        pairs of both.
    """
    result = {}
    for group in alike(found):
        values = _percents(group)
        dealt = _dealt(group, _gaps(values, group[0], settings))
        for method in group:
            result[method.name] = {
                measure: Gap(method.score(measure, OH), method.score(measure, DH), gap)
                for measure, gap in dealt[method.name].items()
            }
    return result


def macro_gaps(common: Sequence[Method], settings: Settings) -> dict[str, Gap]:
    """Return the gaps of the average over methods (Table 12), by measure.

    Args:
        common: Methods on the same pairs: see ``in_common``.
        settings: Seed, draws and coverage.
    """
    estimates = _gaps(_average(common), common[0], settings)
    return {
        measure: Gap(_mean_score(common, measure, OH), _mean_score(common, measure, DH), gap)
        for measure, gap in zip(MEASURES, estimates, strict=True)
    }


def resampled_in_categories(common: Sequence[Method], settings: Settings) -> dict[str, Estimate]:
    """Return the gaps of the average with the paper's other interval, by measure (Table 12).

    Instead of videos, the pairs of each category are drawn with replacement, as many as there
    are: a check of how far the interval depends on what is drawn.
    """
    values, first = _average(common), common[0]
    generator = np.random.default_rng(settings.category_seed)
    sums = {group: np.zeros((settings.draws, len(MEASURES))) for group in (OH, DH)}
    for category in CATEGORIES:
        rows = values[first.mask(Part(category, (category,)))]
        if len(rows):
            drawn = _with_replacement(len(rows), settings.draws, generator)
            sums[OH if category in OH.categories else DH] += drawn @ rows
    ontology, dynamic = (first.mask(group) for group in (OH, DH))
    if not (ontology.any() and dynamic.any()):
        return {measure: _undefined(settings, "a group has no pair") for measure in MEASURES}
    gap = sums[OH] / ontology.sum() - sums[DH] / dynamic.sum()
    seen = values[ontology].mean(axis=0) - values[dynamic].mean(axis=0)
    result = {}
    for k, measure in enumerate(MEASURES):
        interval = percentiles(gap[:, k], len(values), settings.level)
        result[measure] = Estimate(
            float(seen[k]),
            interval.low,
            interval.high,
            len(values),
            len(values),
            settings.draws,
            settings.category_seed,
            0,
            interval.reason,
        )
    return result


def _with_replacement(size: int, draws: int, generator: np.random.Generator) -> Floats:
    """Return how often each draw of ``size`` rows holds each, shape ``(draws, size)``."""
    chosen = generator.integers(size, size=(draws, size))
    chosen += size * np.arange(draws)[:, None]
    counts = np.bincount(chosen.ravel(), minlength=draws * size).reshape(draws, size)
    return counts.astype(np.float64)


def shares(
    found: Sequence[Method], parts: Sequence[Part], measures: Sequence[str], settings: Settings
) -> dict[tuple[str, str, str], Share]:
    """Return accuracies over parts of the pairs, by (method, title of the part, measure).

    Where no video has two pairs of the part, its pairs are independent and the interval is
    Wilson's, which is sound even at 0 % and 100 %. Otherwise videos are drawn.

    Args:
        found: Runs of any pairs; each is measured over its own.
        parts: With titles that differ.
        measures: Some of ``MEASURES``.
        settings: ``seed``, draws and level.
    """
    result = {}
    columns = [MEASURES.index(measure) for measure in measures]
    for group in alike(found):
        for part in parts:
            inside = group[0].mask(part)
            videos = [video for video, kept in zip(group[0].videos, inside, strict=True) if kept]
            correct = np.hstack([method.correct[inside][:, columns] for method in group])
            intervals = iter(_intervals(correct, videos, settings))
            for method in group:
                for measure in measures:
                    low, high, kind = next(intervals)
                    value = method.score(measure, part)
                    if value is None:
                        low, high, kind = NO_INTERVAL
                    share = Share(value, low, high, len(videos), len(set(videos)), kind)
                    result[method.name, part.title, measure] = share
    return result


class _Interval(NamedTuple):
    low: float | None
    high: float | None
    kind: str
    """As ``Share.interval``."""


NO_INTERVAL = _Interval(None, None, "")


def _intervals(
    correct: NDArray[np.bool_], videos: Sequence[tuple[str, str]], settings: Settings
) -> list[_Interval]:
    over, apart = len(videos), len(set(videos))
    if apart < over:
        drawn = joint_means(
            100.0 * correct, videos, seed=settings.seed, draws=settings.draws, level=settings.level
        )
        return [NO_INTERVAL if e.reason else _Interval(e.low, e.high, "bootstrap") for e in drawn]
    found = [wilson(int(hits), over, settings.level) for hits in correct.sum(axis=0).tolist()]
    kind = "Wilson" if over else ""
    return [_Interval(_percent(w.low), _percent(w.high), kind) for w in found]


def threshold_curve(scores: Floats) -> Curve:
    """Return the accuracies at every distinct score, as when one threshold decides all answers.

    A pair is right as a whole iff counterfactual score < threshold <= factual score.

    Args:
        scores: Shape ``(pairs, 2)``: factual and counterfactual score; all finite.

    Example:
        >>> curve = threshold_curve(np.array([[0.9, 0.2], [0.6, 0.6]]))
        >>> curve.thresholds.tolist(), curve.overall.tolist()
        ([0.2, 0.6, 0.9], [0.0, 50.0, 50.0])
    """
    thresholds = np.unique(scores)

    def at_least(values: Floats) -> Floats:
        below = np.searchsorted(np.sort(values), thresholds, side="left")
        return np.asarray(100.0 * (1 - below / max(1, len(values))))

    factual, counterfactual = at_least(scores[:, 0]), at_least(scores[:, 1])
    # Of the pairs whose factual score is enough, those whose other score is too are wrong.
    overall = factual - at_least(scores.min(axis=1))
    return Curve(thresholds, factual, 100.0 - counterfactual, overall)


def constant(accept_rate: float) -> dict[str, float]:
    """Return what a method scores that accepts this share of answers without looking, percent.

    Example:
        >>> constant(1.0)
        {'factual': 100.0, 'counterfactual': 0.0, 'overall': 0.0}
        >>> constant(0.5)["overall"]
        25.0
    """
    factual, counterfactual = accept_rate, 1 - accept_rate
    values = (factual, counterfactual, factual * counterfactual)
    return {name: 100.0 * value for name, value in zip(MEASURES, values, strict=True)}


def _percents(group: Sequence[Method]) -> Floats:
    """Return ``correct`` of methods on the same pairs side by side, 0 or 100."""
    return np.asarray(100.0 * np.hstack([method.correct for method in group]), dtype=np.float64)


def _dealt(group: Sequence[Method], flat: Sequence[Estimate]) -> Mapping[str, dict[str, Estimate]]:
    width = len(MEASURES)
    return {
        method.name: dict(
            zip(
                MEASURES,
                map(_undecided, flat[k * width : (k + 1) * width])
                if method.scores_only
                else flat[k * width : (k + 1) * width],
                strict=True,
            )
        )
        for k, method in enumerate(group)
    }


def _undecided(estimate: Estimate) -> Estimate:
    nan = float("nan")
    return estimate._replace(value=nan, low=nan, high=nan, standard_error=nan, reason=SCORES_ONLY)


def _gaps(values: Floats, like: Method, settings: Settings) -> list[Estimate]:
    return joint_gaps(
        values,
        like.videos,
        like.mask(OH).tolist(),
        seed=settings.gap_seed,
        draws=settings.draws,
        level=settings.level,
    )


def _average(common: Sequence[Method]) -> Floats:
    """Return each pair's share of methods that are right, in percent, shape ``(pairs, 3)``."""
    return np.asarray(np.mean([100.0 * method.correct for method in common], axis=0))


def _mean_score(common: Sequence[Method], measure: str, part: Part) -> float | None:
    values = [method.score(measure, part) for method in common]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _percent(share: float | None) -> float | None:
    return None if share is None else 100.0 * share


def _undefined(settings: Settings, reason: str) -> Estimate:
    nan = float("nan")
    draws, seed = settings.draws, settings.category_seed
    return Estimate(nan, nan, nan, 0, 0, draws, seed, draws, reason)
