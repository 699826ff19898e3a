"""What each pair adds to each metric: every metric is a sum over another, so draws are cheap."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.joint import ratios
from vidomni_plugin.report.runs import TaskRun
from vidomni_plugin.report.same_pair import video_of
from vidomni_plugin.scores import REQUEST_FAILED
from vidomni_plugin.vidhalloc import metrics as vidhalloc_metrics
from vidomni_plugin.vidomni import metrics as vidomni_metrics

__all__ = ["ANSWERED", "MAIN", "UNPARSED", "Terms", "pair_terms", "ratios"]

Floats = NDArray[np.float64]

MAIN = {"vidomni": "f1", "vidhalloc": "overall"}
"""The score that a benchmark is known by."""
UNPARSED = {"vidomni": "unlabelled", "vidhalloc": "undecided"}
"""The share in percent of what was not answered: sentences without a label, answers without a
verdict."""
ANSWERED = "_answered"
"""End of the names of scores over what was answered: the main score where no request failed."""
VIDOMNI = (*vidomni_metrics.MEANS, "micro_f1")
VIDHALLOC = ("factual", "counterfactual", *vidhalloc_metrics.GROUPS, "overall_answered")


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """The whole pairs of one run, sorted as the draws of a report want them."""

    metrics: tuple[str, ...]
    ids: tuple[str, ...]
    clusters: tuple[Hashable, ...]
    """The video of each pair."""
    tops: Floats
    """Shape ``(pairs, metrics)``, in points: the sum of a column over that of ``bottoms`` is
    the metric."""
    bottoms: Floats
    """Shape ``(pairs, metrics)``: 1 where a pair is in the stratum of a mean."""

    def only(self, names: Sequence[str]) -> Terms:
        """Return the columns of some metrics, in the order of the names."""
        columns = [self.metrics.index(name) for name in names]
        tops, bottoms = self.tops[:, columns], self.bottoms[:, columns]
        return replace(self, metrics=tuple(names), tops=tops, bottoms=bottoms)


def pair_terms(
    run: TaskRun, only: Collection[str] | None = None, *, answered: bool = False
) -> Terms:
    """Return what the pairs of a run of VidOmni or VidHalLoc add to its metrics.

    Args:
        run: Of one of these kinds.
        only: Ids of the pairs that are wanted; None for all.
        answered: Whether scores over answered items are wanted too. Two runs are not compared by
            them: each has its own failures.
    """
    items = [item for item in run.items if only is None or item["pair_id"] in only]
    terms = _vidomni(items) if run.kind == "vidomni" else _vidhalloc(items)
    return terms.only([m for m in terms.metrics if answered or not m.endswith(ANSWERED)])


def _terms(
    metrics: Sequence[str],
    rows: Sequence[tuple[str, Hashable, Sequence[float], Sequence[float]]],
) -> Terms:
    shape = (len(rows), len(metrics))
    return Terms(
        tuple(metrics),
        tuple(row[0] for row in rows),
        tuple(row[1] for row in rows),
        np.array([row[2] for row in rows], dtype=np.float64).reshape(shape),
        np.array([row[3] for row in rows], dtype=np.float64).reshape(shape),
    )


def _vidomni(items: Sequence[Mapping[str, Any]]) -> Terms:
    rows = []
    # Videos in the order of their ids: the draws are then those of ``vidomni_measures.measure``.
    for item in sorted(items, key=lambda item: (str(item["video_id"]), str(item["pair_id"]))):
        of = vidomni_metrics.metric_items(item)
        counts = of["micro_f1"]
        tops = [of[name].get("score", 0.0) for name in vidomni_metrics.MEANS]
        bottoms = [float("score" in of[name]) for name in vidomni_metrics.MEANS]
        tops.append(200.0 * counts["tp"])
        bottoms.append(2.0 * counts["tp"] + counts["fp"] + counts["fn"])
        rows.append((str(item["pair_id"]), str(item["video_id"]), tops, bottoms))
    return _terms(VIDOMNI, rows)


def _vidhalloc(items: Sequence[Mapping[str, Any]]) -> Terms:
    whole = vidhalloc_metrics.whole_pairs(items).whole
    # Nothing was decided where a detector had no threshold: no pair is in any accuracy.
    decided = float(not vidhalloc_metrics.has_scores_only(items))
    rows = []
    for factual, other in sorted(whole, key=lambda pair: (*video_of(pair[0]), pair[0]["pair_id"])):
        right = [
            vidhalloc_metrics.is_correct("factual", factual["label"]),
            vidhalloc_metrics.is_correct("counterfactual", other["label"]),
        ]
        groups = vidhalloc_metrics.GROUPS.values()
        answered = REQUEST_FAILED not in (factual["reason"], other["reason"])
        bottoms = [1.0, 1.0, *(float(factual["category"] in group) for group in groups)]
        bottoms.append(float(answered))
        hits = [*right, *[all(right)] * (len(groups) + 1)]
        bottoms = [decided * bottom for bottom in bottoms]
        tops = [100.0 * hit * bottom for hit, bottom in zip(hits, bottoms, strict=True)]
        rows.append((str(factual["pair_id"]), video_of(factual), tops, bottoms))
    return _terms(VIDHALLOC, rows)
