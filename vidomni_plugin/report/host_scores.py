"""The scores of a task in the host's results file, and what task they are of."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vidomni_plugin.problems import Problem
from vidomni_plugin.report.runs import Kind

__all__ = ["KINDS", "host_scores", "kind_of", "lower_is_better", "mapping", "spoiled_scores"]

KINDS: dict[Kind, frozenset[str]] = {
    "vidomni": frozenset({"f1", "micro_f1", "f1_flawed"}),
    "vidhalloc": frozenset({"factual", "counterfactual", "overall"}),
    "captioning": frozenset({"words", "sentences", "suspect"}),
}
"""Metrics that tell what a task is, whatever its name."""


def host_scores(row: object) -> dict[str, float]:
    """Return the metrics of a task; a name keeps its filter where another filter has it too."""
    scores: dict[str, float] = {}
    for key, value in mapping(row).items():
        name, _, _ = key.partition(",")
        if name.endswith(("_stderr", "_stderr_clt", "_stderr_clustered")):
            continue
        if _is_number(value) and _is_finite(value):
            scores[key if name in scores else name] = float(value)
    return scores


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # JSON has integers of any size
        return False


def spoiled_scores(row: object, task: str, results: Path | None) -> list[Problem]:
    """Return a problem if a task's scores are not all finite numbers."""
    bad = [
        key
        for key, value in mapping(row).items()
        if _is_number(value) and not _is_finite(value) and "_stderr" not in key
    ]
    if not bad:
        return []
    message = f"{task}: the results file has no finite number for {', '.join(bad[:3])}"
    message += f" and {len(bad) - 3} more" if len(bad) > 3 else ""
    return [Problem("other-score", str(results), message)]


def kind_of(row: object) -> Kind:
    """Return what a task is by the names of its metrics, whatever their values."""
    found = {key.partition(",")[0] for key, value in mapping(row).items() if _is_number(value)}
    return next((kind for kind, names in KINDS.items() if names <= found), "other")


def lower_is_better(results: Mapping[str, Any], task: str) -> frozenset[str]:
    """Return the metrics of a task that are better the lower, such as a word error rate.

    Example:
        >>> sorted(lower_is_better({"higher_is_better": {"asr": {"wer": False, "n": True}}}, "asr"))
        ['wer']
    """
    told = mapping(mapping(results.get("higher_is_better")).get(task))
    return frozenset(name for name, higher in told.items() if higher is False)


def mapping(value: object) -> Mapping[str, Any]:
    """Return a part of a results file, empty where it is no mapping: anything may stand there."""
    return value if isinstance(value, Mapping) else {}
