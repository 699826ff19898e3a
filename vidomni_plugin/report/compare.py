"""Whether one run beats another: the same items of both, differences with intervals and tests."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.joint import drawn_ratios, estimate, ratios
from vidomni_plugin.paired import Comparison, bootstrap_p, holm, mcnemar
from vidomni_plugin.report.compare_scores import score_rows
from vidomni_plugin.report.metric_row import MetricRow
from vidomni_plugin.report.read import recomputed
from vidomni_plugin.report.runs import SCORES_ONLY, TaskRun
from vidomni_plugin.report.same_pair import CONTENT
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.signature import Difference, differences
from vidomni_plugin.report.terms import MAIN, UNPARSED, Terms, pair_terms
from vidomni_plugin.scores import Score
from vidomni_plugin.vidhalloc import metrics as vidhalloc_metrics

__all__ = [
    "ALPHA",
    "Compared",
    "OnlyOne",
    "compare",
    "is_shown",
    "partners",
    "tested",
    "whole_pairs",
]

ALPHA = 0.05
"""A smaller p-value shows that one is better."""

Pairs = dict[str, list[Mapping[str, Any]]]


def is_shown(row: MetricRow) -> bool:
    """Return whether test and interval both say that one run is better, Holm's p where several.

    McNemar's test takes the pairs of a video as independent; the interval over videos does not.
    """
    return row.adjusted < ALPHA and not row.reason and not row.low <= 0 <= row.high


@dataclass(frozen=True, slots=True)
class OnlyOne:
    """What only one run got right: a pair of VidHalLoc, or a sentence of a VidOmni pair."""

    right: str
    """"A" or "B"."""
    pair_id: str
    video_id: str
    sentence: int | None
    """Its number in the caption, from 1; None for VidHalLoc."""
    gold: str
    a: str
    b: str
    text: str
    """The sentence, or the question."""


@dataclass(frozen=True, slots=True)
class Compared:
    """The comparison of one task of two runs."""

    a: TaskRun
    b: TaskRun
    differences: Sequence[Difference]
    common: int
    """Pairs that are in both, whole and the same: the ones that are compared."""
    only_in_a: int
    only_in_b: int
    changed: Sequence[str]
    """Ids that mean different items in the two runs; these are left out."""
    unparsed_a: float | None
    """Percent of the compared sentences without a label, or answers without a verdict."""
    unparsed_b: float | None
    other_videos: int
    """Pairs whose video file differs; they are compared."""
    rows: Sequence[MetricRow]
    """The main metric first; empty where there is no common item."""
    outcome: Comparison | None
    """Pairs by who got them right, for VidHalLoc."""
    only_one: Sequence[OnlyOne]

    @property
    def refused(self) -> list[Difference]:
        """Return the differences without which the runs would be comparable."""
        return [difference for difference in self.differences if not difference.of_the_model]


def partners(a: Mapping[str, TaskRun], b: Mapping[str, TaskRun]) -> list[tuple[TaskRun, TaskRun]]:
    """Return which task of one run is compared with which of the other.

    Tasks of the same name; where there are none, the only tasks of the same benchmark, such as
    ``vidomni`` and ``vidomni_av``.
    """
    ours_a = {name: run for name, run in a.items() if run.kind in MAIN}
    ours_b = {name: run for name, run in b.items() if run.kind in MAIN}
    same = [(run, ours_b[name]) for name, run in ours_a.items() if name in ours_b]
    if same:
        return same
    found = []
    for kind in MAIN:
        of_a = [run for run in ours_a.values() if run.kind == kind]
        of_b = [run for run in ours_b.values() if run.kind == kind]
        if len(of_a) == len(of_b) == 1:
            found.append((of_a[0], of_b[0]))
    return found


def compare(a: TaskRun, b: TaskRun, settings: Settings) -> Compared:
    """Return the comparison of two runs of the same benchmark.

    Pairs are joined by id. Only those count that both runs have, whole, with the same content.
    VidHalLoc's tests are exact ones of McNemar over pairs; VidOmni's, and those of detectors'
    scores, are of the paired bootstrap over videos. So are all intervals of the difference.
    Accuracies are not compared where a detector had no threshold; its scores are.
    """
    of_a, of_b = whole_pairs(a), whole_pairs(b)
    common = sorted(of_a.keys() & of_b.keys())
    content = CONTENT[a.kind]
    changed = [pair for pair in common if content(of_a[pair]) != content(of_b[pair])]
    kept = set(common) - set(changed)
    on = _on(a, kept), _on(b, kept)
    scores = recomputed(on[0]), recomputed(on[1])
    rows, outcome = _rows(*on, scores, settings)
    only_one = [one for pair in sorted(kept) for one in _only_one(a.kind, of_a[pair], of_b[pair])]
    decided = not (a.scores_only or b.scores_only)
    return Compared(
        a,
        b,
        differences(a, b),
        len(kept),
        len(of_a) - len(common),
        len(of_b) - len(common),
        changed,
        _unparsed(a.kind, scores[0]),
        _unparsed(a.kind, scores[1]),
        sum(_video_file(of_a[pair]) != _video_file(of_b[pair]) for pair in kept),
        rows,
        outcome,
        only_one if decided else [],
    )


def whole_pairs(run: TaskRun) -> Pairs:
    """Return the items of whole pairs by pair id; of VidHalLoc the factual answer first."""
    pairs: Pairs = {}
    for item in run.items:
        pairs.setdefault(str(item["pair_id"]), []).append(item)
    if run.kind == "vidomni":
        return pairs
    return {
        pair_id: sorted(items, key=lambda item: item["side"] != "factual")
        for pair_id, items in pairs.items()
        if len(items) == 2
    }


def _video_file(items: Sequence[Mapping[str, Any]]) -> str:
    return str(items[0].get("media_digest", ""))


def _on(run: TaskRun, kept: Collection[str]) -> TaskRun:
    """Return a run on some of its pairs."""
    items = [item for item in run.items if item["pair_id"] in kept]
    return replace(run, items=items, rescored=None)


def _rows(
    run_a: TaskRun,
    run_b: TaskRun,
    scores: tuple[Mapping[str, Score], Mapping[str, Score]],
    settings: Settings,
) -> tuple[list[MetricRow], Comparison | None]:
    """Return one row a metric, and who got which pairs right; nothing without a common pair."""
    a, b = pair_terms(run_a), pair_terms(run_b)
    if not a.ids:
        return [], None
    if a.ids != b.ids or a.clusters != b.clusters:
        raise ValueError("the runs do not hold the same pairs")
    width = len(a.metrics)
    drawn = drawn_ratios(
        np.hstack([a.tops, b.tops]),
        np.hstack([a.bottoms, b.bottoms]),
        a.clusters,
        seed=settings.seed,
        draws=settings.draws,
    )
    gains = drawn[:, :width] - drawn[:, width:]
    decided = not (run_a.scores_only or run_b.scores_only)
    main = MAIN[run_a.kind]
    rows: list[MetricRow] = []
    for k, metric in enumerate(a.metrics):
        one, two = (of_run[metric] for of_run in scores)
        row = tested(run_a.kind, a, b, k, gains[:, k], settings)
        if decided:
            rows.append(replace(row, n=one.over, a=_value(one), b=_value(two)))
        elif metric == main:
            rows.append(replace(row, reason=SCORES_ONLY))
    of_scores = score_rows(run_a, run_b, settings)
    rows = [*rows, *of_scores] if decided else of_scores or rows
    corrected = holm([row.p_value for row in rows])
    rows = [replace(row, adjusted=p) for row, p in zip(rows, corrected, strict=True)]
    rows.sort(key=lambda row: row.metric != main)
    outcome = None
    if run_a.kind == "vidhalloc" and decided:
        outcome = _mcnemar(a, b, a.metrics.index(main))
    return rows, outcome


def tested(
    kind: str, a: Terms, b: Terms, column: int, gains: NDArray[np.float64], settings: Settings
) -> MetricRow:
    """Return one metric of two runs on the same pairs, with its interval and its own p-value.

    Args:
        kind: Benchmark of both.
        a: Terms of the first run.
        b: Of the second, on the same pairs in the same order.
        column: Place of the metric.
        gains: A - B in each draw.
        settings: Seed and level.
    """
    # Either model alone may have flagged something where a ratio of counts has its sentences.
    # A pair of VidHalLoc is in one of two accuracies only where one run decided nothing.
    either = np.logical_and if kind == "vidhalloc" else np.logical_or
    inside = np.flatnonzero(either(a.bottoms[:, column] > 0, b.bottoms[:, column] > 0))
    one, two = (float(ratios(t.tops[:, column].sum(), t.bottoms[:, column].sum())) for t in (a, b))
    videos = len({a.clusters[row] for row in inside})
    found = estimate(
        one - two,
        gains,
        n=len(inside),
        clusters=videos,
        seed=settings.seed,
        level=settings.level,
    )
    p_value = float("nan")
    if kind == "vidhalloc" and len(inside):
        p_value = _mcnemar(a, b, column).p_value
    elif kind != "vidhalloc" and not found.reason:
        p_value = bootstrap_p(gains)
    ends = found.low, found.high
    metric = a.metrics[column]
    return MetricRow(metric, len(inside), videos, one, two, *ends, p_value, p_value, found.reason)


def _value(score: Score) -> float:
    return score.value if score.value >= 0 else float("nan")


def _unparsed(kind: str, scores: Mapping[str, Score]) -> float | None:
    share = scores.get(UNPARSED[kind])
    return share.value if share and share.value >= 0 else None


def _mcnemar(a: Terms, b: Terms, column: int) -> Comparison:
    """Test one accuracy of VidHalLoc over the pairs of its stratum."""
    inside = a.bottoms[:, column] > 0
    ids = [pair for pair, kept in zip(a.ids, inside, strict=True) if kept]
    right = [dict(zip(ids, (run.tops[inside, column] > 0).tolist(), strict=True)) for run in (a, b)]
    return mcnemar(*right)


def _only_one(
    kind: str, of_a: Sequence[Mapping[str, Any]], of_b: Sequence[Mapping[str, Any]]
) -> list[OnlyOne]:
    """Return what only one run got right in one pair."""
    pair_id, video_id = str(of_a[0]["pair_id"]), str(of_a[0]["video_id"])
    if kind == "vidhalloc":
        a, b = (all(_right(item) for item in items) for items in (of_a, of_b))
        if a == b:
            return []
        given = [" / ".join(i["label"] or "none" for i in items) for items in (of_a, of_b)]
        who, question = "A" if a else "B", str(of_a[0]["question"])
        gold = "ACCEPT / REJECT"
        return [OnlyOne(who, pair_id, video_id, None, gold, given[0], given[1], question)]
    found = []
    labels = zip(of_a[0]["gold"], of_a[0]["labels"], of_b[0]["labels"], strict=True)
    for k, (truth, one, two) in enumerate(labels):
        if truth is not None and (one == truth) != (two == truth):
            shown = ["none" if label is None else str(label) for label in (truth, one, two)]
            text = str(of_a[0]["sentences"][k])
            who = "A" if one == truth else "B"
            found.append(OnlyOne(who, pair_id, video_id, k + 1, shown[0], shown[1], shown[2], text))
    return found


def _right(item: Mapping[str, Any]) -> bool:
    return vidhalloc_metrics.is_correct(item["side"], item["label"])
