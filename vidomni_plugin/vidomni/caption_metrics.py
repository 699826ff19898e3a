"""What is counted in generated captions. None of it says whether a caption is true.

``words`` and ``sentences`` are means over the captions that there are; ``empty`` and
``suspect`` are shares of all videos that were asked about, in percent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from vidomni_plugin.scores import EMPTY, Score, percent

__all__ = ["METRICS", "aggregate", "metric_items", "score", "summary"]

Item = Mapping[str, Any]

METRICS: tuple[str, ...] = ("words", "sentences", "empty", "suspect", "missing")
"""Every metric of the task, in the order of the docs."""


def metric_items(detail: Item) -> dict[str, dict[str, Any]]:
    """Return what the host stores of one caption under each metric.

    ``words`` carries the whole detail. An item has a ``score`` exactly where the metric is a
    mean over items and there is something to count, so that the host's standard errors are
    those of the reported mean.

    Args:
        detail: One caption; see ``vidomni_plugin.vidomni.caption_task.detail``.
    """
    ids = {"video_id": detail["video_id"]}
    there = detail["words"] > 0
    suspect = there and bool(detail["faults"])
    return {
        "words": {**detail, **({"score": detail["words"]} if there else {})},
        "sentences": {**ids, **({"score": detail["sentences"]} if there else {})},
        "empty": {**ids, "score": 0.0 if there else 100.0},
        "suspect": {**ids, "score": 100.0 if suspect else 0.0},
        "missing": {**ids, "missing": detail["missing"]},
    }


def score(name: str, items: Iterable[Item]) -> Score:
    """Return a metric with its denominator.

    Args:
        name: One of ``METRICS``.
        items: What ``metric_items`` made under this name, one a video, in any order.

    Returns:
        ``words``, ``sentences``: mean over captions, >= 0. ``empty``, ``suspect``: percent of
        the answers, lower is better. ``missing``: videos left out. -1 over nothing.
    """
    rows = list(items)
    if name == "missing":
        lost = max((row["missing"] for row in rows), default=0)
        return Score(float(lost), len(rows) + lost, "videos")
    scores = [row["score"] for row in rows if "score" in row]
    if name in {"empty", "suspect"}:
        share = percent(math.fsum(scores) / 100.0, len(rows), when_empty=EMPTY)
        return Score(share, len(rows), "answers")
    mean = math.fsum(scores) / len(scores) if scores else EMPTY
    return Score(mean, len(scores), "captions")


def aggregate(name: str, items: Iterable[Item]) -> float:
    """Return the value of ``score``, which is what the host wants."""
    return score(name, items).value


def summary(details: Iterable[Item]) -> dict[str, Score]:
    """Return every metric over captions, as one run of the host reports them."""
    per_caption = [metric_items(detail) for detail in details]
    return {name: score(name, (items[name] for items in per_caption)) for name in METRICS}
