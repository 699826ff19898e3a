"""A detector's answer to one request: one line of JSON, which the tasks and reports read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

__all__ = ["DETECTOR_REASONS", "Answer", "answer", "looks_like_answer", "read_answer"]

Label = Literal["ACCEPT", "REJECT"]
DetectorReason = Literal["", "no_threshold", "not_finite", "no_score", "request_failed"]

_REASONS: tuple[DetectorReason, ...] = get_args(DetectorReason)
DETECTOR_REASONS: dict[str, str] = {
    "no_threshold": "a detector's score without a threshold: `vidomni calibrate` finds one",
    "not_finite": "a detector's score is no finite number",
    "no_score": "a detector has no score for this answer; its detail says why",
    "request_failed": "the runner's request to an API failed; it answers with its error",
}
"""Why a detector's answer has no label."""
_KEYS = {"score", "label", "threshold", "reason", "detail"}
_START = re.compile(r'\s*\{"score": [^{}]{1,500}?, "label": [^{}]{1,20}?, "threshold": ')


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a detector. It has a label exactly when it has a score and a threshold."""

    score: float | None
    """Higher is more support; never NaN or infinite."""
    label: Label | None
    threshold: float | None
    reason: DetectorReason = ""
    """Why there is no label; empty where there is one."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """What the score was made of: scores of frames, facts and their verdicts."""


def answer(
    score: float | None,
    threshold: float | None,
    *,
    reason: Literal["", "no_score", "request_failed"] = "",
    **detail: object,
) -> str:
    """Return the text that a detector answers with: one line of JSON.

    The label is ACCEPT iff ``score >= threshold``. A score that is not finite is written as none
    at all, and so has no label.

    Args:
        score: Higher is more support; None where the detector found none.
        threshold: A finite number, or None where none was set.
        reason: Why there is no score: ``request_failed`` where a call failed, which metrics count
            on its own; otherwise ``no_score``, with more in ``detail``.
        detail: What reports and readers may want to see: JSON values and arrays. Numbers in it
            that are not finite become null.

    Raises:
        ValueError: If the threshold is not finite, or there is a score and a reason against it.

    Example:
        >>> answer(0.5, 0.5, frames=[0.25, 0.75])
        '{"score": 0.5, "label": "ACCEPT", "threshold": 0.5, "detail": {"frames": [0.25, 0.75]}}'
        >>> read_answer(answer(float("nan"), 0.5)).reason
        'not_finite'
    """
    if threshold is not None and not math.isfinite(threshold):
        raise ValueError(f"a threshold is a finite number, not {threshold}")
    if reason and score is not None:
        raise ValueError(f"a score of {score}, and the reason {reason!r} why there is none")
    value = None if score is None else float(score)
    limit = None if threshold is None else float(threshold)
    why: DetectorReason = reason
    label: Label | None = None
    if value is None:
        why = why or "no_score"
    elif not math.isfinite(value):
        value, why = None, "not_finite"
    elif limit is None:
        why = "no_threshold"
    else:
        label = _decision(value, limit)
    row: dict[str, object] = {"score": value, "label": label, "threshold": limit}
    if why:
        row["reason"] = why
    return json.dumps({**row, "detail": _plain(detail)}, allow_nan=False)


def read_answer(text: str) -> Answer | None:
    """Return what a detector answered, or None where the text is no whole answer of one.

    The label must be that of the score and the threshold: an edited answer is none.

    Example:
        >>> read_answer(answer(0.2, 0.5)).label
        'REJECT'
        >>> read_answer("ACCEPT") is None
        True
    """
    if not looks_like_answer(text):
        return None
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict) or not row.keys() <= _KEYS or "detail" not in row:
        return None
    score, threshold, reason = row["score"], row["threshold"], row.get("reason", "")
    if not (_number(score) and _number(threshold) and isinstance(row["detail"], dict)):
        return None
    label = None if score is None or threshold is None else _decision(score, threshold)
    why = next((known for known in _REASONS if known == reason), None)
    if row["label"] != label or why is None or (label is None) != bool(why):
        return None
    return Answer(score, label, threshold, why, row["detail"])


def looks_like_answer(text: str) -> bool:
    """Return whether a text begins as a detector's answer does, though it may be cut or edited."""
    return _START.match(text) is not None


def _decision(score: float, threshold: float) -> Label:
    return "ACCEPT" if score >= threshold else "REJECT"


def _number(value: object) -> bool:
    """Return whether a value is None or a number that a float can hold."""
    if value is None:
        return True
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # JSON has whole numbers of any size
        return False


def _plain(value: object) -> object:
    """Return a value as JSON holds it: arrays as lists, numbers that are not finite as null."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
