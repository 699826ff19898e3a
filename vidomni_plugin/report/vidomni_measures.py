"""VidOmni's scores of a run by stratum, with intervals from one bootstrap over videos.

A score is a ratio of sums over pairs: a mean is the sum of the pairs' scores over the number of
pairs, a recall the sentences found over the sentences there are. So all scores of all runs on
the same pairs are drawn together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.bootstrap import cluster_bootstrap
from vidomni_plugin.data.statistics.captions import CATEGORIES
from vidomni_plugin.data.statistics.videos import DURATIONS, TYPE_NAMES
from vidomni_plugin.joint import ratios
from vidomni_plugin.published import same_model
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidomni_scored import Flags, Floats, Scored
from vidomni_plugin.scores import EMPTY, percent
from vidomni_plugin.vidomni.metrics import prf, score

__all__ = [
    "Key",
    "Measured",
    "Ratio",
    "category_recall",
    "mean_of",
    "measure",
    "minus",
    "strata",
    "without_youtube",
]

Key = tuple[str | int, ...]
"""What is measured: ("score", "f1"), ("type", 1), ("cell", 1, "short"), ("source", name) ..."""
SMALLEST = 2
"""A stratum needs videos to draw from; one video has no interval."""


class Measured(NamedTuple):
    """A score in percent, or a difference of scores in points, with its interval."""

    value: float | None
    """None where the stratum is empty: never 0 by default."""
    low: float | None
    """None where there is nothing, or only one video, to draw from."""
    high: float | None
    over: int
    """Denominator: pairs or sentences."""
    videos: int
    """Videos that these come from."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """A score and what each pair adds to it, so that it can be drawn again."""

    value: float | None
    top: Floats
    bottom: Floats
    videos: tuple[str, ...]
    less: Ratio | None = None
    """What is subtracted, where this is a difference of two ratios."""


def _ratio(value: float, top: NDArray[np.generic], bottom: NDArray[np.generic], s: Scored) -> Ratio:
    return Ratio(
        None if value == EMPTY else value,
        np.asarray(top, dtype=np.float64),
        np.asarray(bottom, dtype=np.float64),
        s.videos,
    )


def mean_of(scored: Scored, values: Floats, where: Flags | None = None) -> Ratio:
    """Return the mean of a score over pairs, in a stratum or over all of them.

    Args:
        scored: The run.
        values: The score of each of its pairs in percent, shape ``(pairs,)``.
        where: Which pairs are in the stratum; None for all.

    Returns:
        In percent, 0 to 100; without a value where no pair is in the stratum.
    """
    inside = np.ones(len(values), dtype=bool) if where is None else where
    found = score("f1", ({"score": value} for value in values[inside].tolist()))
    return _ratio(found.value, np.where(inside, values, 0.0), inside, scored)


def category_recall(scored: Scored, category: str) -> Ratio:
    """Return the recall over the Incorrect sentences that carry an error category.

    A sentence with several categories counts in each (Figure 8, arXiv 2609.21521).
    """
    carries = scored.carries[:, CATEGORIES.index(category)]
    there = scored.per_pair(carries)
    found = scored.per_pair(carries & scored.flagged)
    total, hits = int(there.sum()), int(found.sum())
    value = prf(hits, 0, total - hits).recall if total else EMPTY
    return _ratio(value, 100.0 * found, there, scored)


def minus(a: Ratio, b: Ratio) -> Ratio:
    """Return the difference of two ratios over the same pairs.

    Returns:
        a minus b in points; without a value where one of them has none.

    Example:
        >>> one = np.ones(2)
        >>> half, none = (Ratio(v, v * one, one, ("v", "w")) for v in (50.0, 20.0))
        >>> minus(half, none).value
        30.0
    """
    value = None if a.value is None or b.value is None else a.value - b.value
    return Ratio(value, a.top, a.bottom, a.videos, b)


def without_youtube(scored: Scored) -> Flags:
    """Return the pairs whose video does not come from YouTube (Table 12).

    None of them where it is not known of all: early versions did not log it.
    """
    names = [str(item["source_dataset"]).strip().casefold() for item in scored.items]
    if not all(names):
        return np.zeros(len(names), dtype=bool)
    return np.array([not name.startswith("youtube") for name in names], dtype=bool)


def strata(scored: Scored) -> dict[Key, Ratio]:
    """Return every score of one run by what is measured; empty strata have no value."""
    found: dict[Key, Ratio] = dict(_overall(scored))
    f1 = scored.f1
    kinds = {kind: scored.where("complexity_type", kind) for kind in TYPE_NAMES}
    lengths = scored.durations()
    for kind, of_type in kinds.items():
        found["type", kind] = mean_of(scored, f1, of_type)
        for name in DURATIONS:
            found["cell", kind, name] = mean_of(scored, f1, of_type & (lengths == name))
    for name in DURATIONS:
        found["duration", name] = mean_of(scored, f1, lengths == name)
    for source in sorted({str(item["caption_source"]) for item in scored.items}):
        found["source", source] = mean_of(scored, f1, scored.where("caption_source", source))
    found |= _self_and_cross(scored)
    for category in CATEGORIES:
        found["category", category] = category_recall(scored, category)
    return found


def _self_and_cross(scored: Scored) -> dict[Key, Ratio]:
    """Return F1 on captions that the verifier wrote, on those of others, and the difference."""
    checkpoint = scored.run.signature.checkpoint
    sources = [str(item["caption_source"]) for item in scored.items]
    mine = {source for source in set(sources) if same_model(checkpoint, source)}
    own = np.array([source in mine for source in sources], dtype=bool)
    on_own, on_others = mean_of(scored, scored.f1, own), mean_of(scored, scored.f1, ~own)
    return {
        ("score", "self"): on_own,
        ("score", "cross"): on_others,
        ("score", "self_minus_cross"): minus(on_own, on_others),
    }


def _overall(scored: Scored) -> Iterator[tuple[Key, Ratio]]:
    yield ("score", "precision"), mean_of(scored, scored.precision)
    yield ("score", "recall"), mean_of(scored, scored.recall)
    yield ("score", "f1"), mean_of(scored, scored.f1)
    yield ("score", "f1_flawed"), mean_of(scored, scored.f1, scored.flawed)
    yield ("score", "without_youtube"), mean_of(scored, scored.f1, without_youtube(scored))
    tp, fp, fn = (int(counts.sum()) for counts in (scored.tp, scored.fp, scored.fn))
    both = 2 * scored.tp + scored.fp + scored.fn
    yield ("score", "micro_f1"), _ratio(prf(tp, fp, fn).f1, 200.0 * scored.tp, both, scored)
    perfect = np.array([prf(int(wrong), 0, 0).f1 for wrong in scored.tp + scored.fn])
    yield ("score", "ceiling"), mean_of(scored, perfect)
    silent, known = scored.unlabelled, scored.known
    share = percent(int(silent.sum()), int(known.sum()), when_empty=EMPTY)
    yield ("score", "unlabelled"), _ratio(share, 100.0 * silent, known, scored)


def measure(ratios: Sequence[Ratio], settings: Settings) -> list[Measured]:
    """Return each score with the percentile interval of a bootstrap over videos.

    All videos of a run are drawn with replacement, whatever the stratum; runs on the same pairs
    are drawn together. The order of the pairs does not matter.

    Args:
        ratios: Scores of any runs.
        settings: Seed, draws and level.

    Returns:
        One a ratio, in its unit; without an interval where fewer than two videos are behind it.

    Example:
        >>> ratio = Ratio(50.0, np.array([100.0, 0.0]), np.ones(2), ("v", "w"))
        >>> measure([ratio], Settings(draws=500))
        [Measured(value=50.0, low=0.0, high=100.0, over=2, videos=2)]
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for at, ratio in enumerate(ratios):
        groups.setdefault(ratio.videos, []).append(at)
    found: dict[int, Measured] = {}
    for videos, places in groups.items():
        results = _measure_together(videos, [ratios[at] for at in places], settings)
        found.update(zip(places, results, strict=True))
    return [found[at] for at in range(len(ratios))]


def _measure_together(
    videos: tuple[str, ...], ratios: Sequence[Ratio], settings: Settings
) -> list[Measured]:
    number = {name: k for k, name in enumerate(sorted(set(videos)))}
    of_pair = np.array([number[name] for name in videos])
    places: dict[bytes, int] = {}  # many strata and all runs have denominators in common
    columns: list[Floats] = []

    def column(values: Floats) -> int:
        at = places.setdefault(values.tobytes(), len(columns))
        if at == len(columns):
            sums = np.bincount(of_pair, weights=values, minlength=len(number))
            columns.append(sums.astype(np.float64))
        return at

    terms = [
        tuple(
            column(part)
            for r in ((ratio, ratio.less) if ratio.less else (ratio,))
            for part in (r.top, r.bottom)
        )
        for ratio in ratios
    ]
    intervals = cluster_bootstrap(
        np.stack(columns, axis=1),
        [partial(_drawn, terms=each) for each in terms],
        seed=settings.seed,
        draws=settings.draws,
        level=settings.level,
    )
    found = []
    for ratio, (_, bottom, *_), interval in zip(ratios, terms, intervals, strict=True):
        there = int((columns[bottom] > 0).sum())
        over = round(float(ratio.bottom.sum()))
        known = ratio.value is not None and there >= SMALLEST and not interval.reason
        low, high = (interval.low, interval.high) if known else (None, None)
        found.append(Measured(ratio.value, low, high, over, there))
    return found


def _drawn(sums: Floats, terms: tuple[int, ...]) -> Floats:
    top, bottom, *less = terms
    drawn = ratios(sums[:, top], sums[:, bottom])  # an empty draw is NaN, and left out
    return drawn - ratios(sums[:, less[0]], sums[:, less[1]]) if less else drawn
