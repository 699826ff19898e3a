"""Whether one detector's scores tell answers apart better than another's: no threshold needed."""

from __future__ import annotations

from vidomni_plugin.joint import estimate
from vidomni_plugin.paired import bootstrap_p
from vidomni_plugin.report.metric_row import MetricRow
from vidomni_plugin.report.runs import TaskRun
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidhalloc_pairs import methods
from vidomni_plugin.separation import drawn_separation, separation

__all__ = ["OF_SCORES", "score_rows"]

OF_SCORES = ("auroc", "ranking")
"""Metrics of scores that are compared, the first one the main one."""


def score_rows(a: TaskRun, b: TaskRun, settings: Settings) -> list[MetricRow]:
    """Return AUROC and Ranking of two detectors over the pairs that both gave all scores.

    Intervals and p-values are of the paired bootstrap: both runs in the same draws of videos.

    Args:
        a: A run of VidHalLoc.
        b: One over the same pairs.
        settings: Seed, draws and level.

    Returns:
        A row a metric; none where a run has no scores.
    """
    if a.kind != "vidhalloc":
        return []
    (of_a,), (of_b,) = methods([a]), methods([b])
    if of_a.ids != of_b.ids or of_a.videos != of_b.videos:
        raise ValueError("the runs do not hold the same pairs")
    both = of_a.scored & of_b.scored
    if not both.any():
        return []
    videos = [video for video, kept in zip(of_a.videos, both, strict=True) if kept]
    pair = [of.scores[both].T for of in (of_a, of_b)]
    whole = [separation(above, below) for above, below in pair]
    drawn = [
        drawn_separation(above, below, videos, seed=settings.seed, draws=settings.draws)
        for above, below in pair
    ]
    rows = []
    for metric in OF_SCORES:
        one, two = (getattr(found, metric) for found in whole)
        gains = getattr(drawn[0], metric) - getattr(drawn[1], metric)
        clusters = len(set(videos))
        found = estimate(
            one - two,
            gains,
            n=len(videos),
            clusters=clusters,
            seed=settings.seed,
            level=settings.level,
        )
        p = float("nan") if found.reason else bootstrap_p(gains)
        ends = (found.low, found.high)
        rows.append(MetricRow(metric, len(videos), clusters, one, two, *ends, p, p, found.reason))
    return rows
