"""Scores of VidOmni-Bench: the only place where they are computed.

Positive class: label 1, an Incorrect sentence (arXiv 2609.21521, section 3). Unknown
sentences are left out. All scores are percents. A ratio with an empty denominator is 0, so
that a perfect verifier stays near 91 on the paper's data, where about 9 % of the captions
hold no Incorrect sentence; ``f1_flawed`` and ``micro_f1`` do not have that ceiling.
A pair whose request failed has no label and is in every denominator but that of
``f1_answered``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from vidomni_plugin.scores import EMPTY, REQUEST_FAILED, Score, percent

__all__ = [
    "METRICS",
    "PRF",
    "Counts",
    "aggregate",
    "count_labels",
    "duration_group",
    "metric_items",
    "prf",
    "score",
    "summary",
]

SHORT_S = 180.0
"""Longest short video in seconds (the paper's "up to 3 minutes")."""
LONG_S = 1800.0
"""Shortest long video in seconds (the paper's "30 minutes or more")."""

Item = Mapping[str, Any]


class Counts(NamedTuple):
    """Sentences of one pair by verdict and gold label; Unknown sentences are not counted."""

    tp: int
    fp: int
    fn: int
    tn: int
    unlabelled: int
    """Scored sentences without a label; they are also in ``fn`` or ``tn``."""


class PRF(NamedTuple):
    """Precision, recall and F1 of the Incorrect class, each in [0, 100], higher is better."""

    precision: float
    recall: float
    f1: float


def count_labels(labels: Sequence[int | None], gold: Sequence[int | None]) -> Counts:
    """Count one pair's sentences.

    Args:
        labels: The model's labels, shape ``(S,)``; None where it gave none, which counts as
            not flagged.
        gold: Gold labels, shape ``(S,)``; None for Unknown.

    Returns:
        The counts over the sentences whose gold label is known.

    Raises:
        ValueError: If the two sequences differ in length.

    Example:
        >>> count_labels([1, 1, 0, None, 1], [1, 0, 1, 1, None])
        Counts(tp=1, fp=1, fn=2, tn=0, unlabelled=1)
    """
    if len(labels) != len(gold):
        raise ValueError(f"{len(labels)} labels for {len(gold)} sentences")
    known = Counter(zip(labels, gold, strict=True))
    tp, fp = known[1, 1], known[1, 0]
    return Counts(
        tp=tp,
        fp=fp,
        fn=gold.count(1) - tp,
        tn=gold.count(0) - fp,
        unlabelled=known[None, 1] + known[None, 0],
    )


def prf(tp: int, fp: int, fn: int) -> PRF:
    r"""Return the scores of counts of sentences.

    .. math::
        P = \frac{TP}{TP + FP}, \quad R = \frac{TP}{TP + FN}, \quad
        F_1 = \frac{2 P R}{P + R} = \frac{2 TP}{2 TP + FP + FN}

    (arXiv 2609.21521, section 3.) A ratio with an empty denominator is 0.

    Example:
        >>> prf(tp=1, fp=1, fn=1)
        PRF(precision=50.0, recall=50.0, f1=50.0)
        >>> prf(tp=0, fp=0, fn=0)
        PRF(precision=0.0, recall=0.0, f1=0.0)
    """
    return PRF(
        precision=percent(tp, tp + fp, when_empty=0.0),
        recall=percent(tp, tp + fn, when_empty=0.0),
        f1=percent(2 * tp, 2 * tp + fp + fn, when_empty=0.0),
    )


def duration_group(seconds: float) -> str:
    """Return "short" (up to 180 s), "medium" or "long" (from 1,800 s).

    The paper leaves 3 to 4 minutes open; here medium starts right after short.

    Example:
        >>> [duration_group(s) for s in (180.0, 180.1, 1799.9, 1800.0)]
        ['short', 'medium', 'medium', 'long']
    """
    if seconds <= SHORT_S:
        return "short"
    return "medium" if seconds < LONG_S else "long"


MEANS: dict[str, tuple[str, str | None]] = {
    "f1": ("f1", None),
    "precision": ("precision", None),
    "recall": ("recall", None),
    "f1_answered": ("f1", "answered"),
    "f1_flawed": ("f1", "flawed"),
    **{f"f1_type{kind}": ("f1", f"type{kind}") for kind in (1, 2, 3, 4, 5)},
    **{f"f1_{group}": ("f1", group) for group in ("short", "medium", "long")},
}
"""Metrics that are means over pairs: name -> (score of a pair, stratum or None for all)."""
METRICS: tuple[str, ...] = (*MEANS, "micro_f1", "unlabelled", "failed", "missing")
"""Every metric of the task, in the order of the docs."""


def metric_items(detail: Item) -> dict[str, dict[str, Any]]:
    """Return what the host stores of one pair under each metric.

    ``f1`` carries the whole detail, which is all that a report or a new score needs; the
    others carry ids and numbers only. An item has a ``score`` exactly where the metric is a
    mean over pairs and the pair is in its stratum, so that the host's standard errors are
    those of the reported mean.

    Args:
        detail: One scored pair; see ``vidomni_plugin.vidomni.task.detail``.
    """
    counts = count_labels(detail["labels"], detail["gold"])
    scores = prf(counts.tp, counts.fp, counts.fn)._asdict()
    strata = {
        None,
        f"type{detail['complexity_type']}",
        duration_group(detail["duration_s"]),
        "flawed" if counts.tp + counts.fn else "flawless",
        "failed" if detail["reason"] == REQUEST_FAILED else "answered",
    }
    ids = {"pair_id": detail["pair_id"], "video_id": detail["video_id"]}
    items: dict[str, dict[str, Any]] = {
        name: {**ids, "score": scores[score]} if stratum in strata else dict(ids)
        for name, (score, stratum) in MEANS.items()
    }
    items["f1"] = {**detail, **counts._asdict(), "score": scores["f1"]}
    items["micro_f1"] = {**ids, "tp": counts.tp, "fp": counts.fp, "fn": counts.fn}
    items["unlabelled"] = {
        **ids,
        "unlabelled": counts.unlabelled,
        "scored": counts.tp + counts.fp + counts.fn + counts.tn,
        "status": detail["status"],
        "reason": detail["reason"],
    }
    items["failed"] = {**ids, "failed": "failed" in strata}
    items["missing"] = {**ids, "missing": detail["missing"]}
    return items


def score(name: str, items: Iterable[Item]) -> Score:
    """Return one metric over pairs; the order of the items does not matter.

    Args:
        name: One of ``METRICS``.
        items: What ``metric_items`` gave under that name, one a pair.

    Returns:
        A percent in [0, 100], higher is better except for ``unlabelled``; for ``failed`` the
        number of pairs whose request failed, for ``missing`` the number of pairs left out
        because their video is not there; ``EMPTY`` (-1) where no pair is in the stratum.
    """
    rows = list(items)
    if name == "missing":
        lost = max((row["missing"] for row in rows), default=0)
        return Score(float(lost), len(rows) + lost, "pairs")
    if name == "failed":
        return Score(float(sum(row["failed"] for row in rows)), len(rows), "pairs")
    if name == "micro_f1":
        totals = (sum(row[key] for row in rows) for key in ("tp", "fp", "fn"))
        return Score(prf(*totals).f1 if rows else EMPTY, len(rows), "pairs")
    if name == "unlabelled":
        scored = sum(row["scored"] for row in rows)
        share = percent(sum(row["unlabelled"] for row in rows), scored, when_empty=EMPTY)
        return Score(share, scored, "sentences")
    scores = [row["score"] for row in rows if "score" in row]
    mean = math.fsum(scores) / len(scores) if scores else EMPTY
    return Score(mean, len(scores), "pairs")


def aggregate(name: str, items: Iterable[Item]) -> float:
    """Return the value of ``score``, which is what the host wants."""
    return score(name, items).value


def summary(details: Iterable[Item]) -> dict[str, Score]:
    """Return every metric over scored pairs, as one run of the host reports them."""
    per_pair = [metric_items(detail) for detail in details]
    return {name: score(name, (items[name] for items in per_pair)) for name in METRICS}
