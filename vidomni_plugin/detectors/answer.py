"""A detector's answer to one request: one line of JSON, which the tasks and reports read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from vidomni_plugin.scores import LARGEST_SCORE

__all__ = [
    "DETECTOR_REASONS",
    "Answer",
    "answer",
    "answer_with",
    "looks_like_answer",
    "read_answer",
]

Label = Literal["ACCEPT", "REJECT"]
DetectorReason = Literal["", "no_threshold", "not_finite", "no_score", "request_failed"]

_REASONS: tuple[DetectorReason, ...] = get_args(DetectorReason)
DETECTOR_REASONS: dict[str, str] = {
    "no_threshold": "a detector's score without a threshold: `vidomni calibrate` finds one",
    "not_finite": "a detector's score is no finite number, or beyond 1e100 on either side of 0",
    "no_score": "a detector has no score for this answer; its detail says why",
    "request_failed": "the runner's request to an API failed; it answers with its error",
}
"""Why a detector's answer has no label."""
_KEYS = {"score", "label", "threshold", "reason", "detail"}
_ALWAYS = _KEYS - {"reason"}
_START = re.compile(
    r'\s*\{\s{0,20}"score"\s{0,20}:[^{}]{1,500}?,\s{0,20}"label"\s{0,20}:[^{}]{1,40}?,'
    r'\s{0,20}"threshold"\s{0,20}:'
)
"""How an answer begins, in any way of writing JSON."""
DEEPEST = 100
"""Lists and objects in each other beyond this are no detail that a detector gives."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a detector. It has a label exactly when it has a score and a threshold."""

    score: float | None
    """Higher is more support; never NaN, and at most ``LARGEST_SCORE`` from 0."""
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
    """Return the text that a detector answers with: see ``answer_with``.

    Example:
        >>> answer(0.5, 0.5, frames=[0.25, 0.75])
        '{"score": 0.5, "label": "ACCEPT", "threshold": 0.5, "detail": {"frames": [0.25, 0.75]}}'
        >>> read_answer(answer(float("nan"), 0.5)).reason
        'not_finite'
    """
    return answer_with(detail, score, threshold, reason=reason)


def answer_with(
    detail: Mapping[str, object],
    score: float | None,
    threshold: float | None,
    *,
    reason: Literal["", "no_score", "not_finite", "request_failed"] = "",
) -> str:
    """Return the text that a detector answers with: one line of JSON.

    The label is ACCEPT iff ``score >= threshold``. A score that is not finite, or is beyond
    ``LARGEST_SCORE``, is written as none at all, and so has no label.

    Args:
        detail: What reports and readers may want to see, by any names: JSON values and arrays.
            Numbers in it that are not finite become null.
        score: Higher is more support; None where the detector found none.
        threshold: A finite number up to ``LARGEST_SCORE``, or None where none was set.
        reason: Why there is no score: ``request_failed`` where a call failed, which metrics count
            on its own; otherwise ``no_score``, with more in ``detail``.

    Raises:
        ValueError: If the threshold is not such a number, there is a score and a reason against
            it, or the detail is deeper than ``DEEPEST``.

    Example:
        >>> read_answer(answer_with({"score": "any name"}, 0.25, None)).detail
        {'score': 'any name'}
    """
    if threshold is not None and not abs(threshold) <= LARGEST_SCORE:
        raise ValueError(f"a threshold is a finite number up to {LARGEST_SCORE}, not {threshold}")
    if reason and score is not None:
        raise ValueError(f"a score of {score}, and the reason {reason!r} why there is none")
    value = None if score is None else float(score)
    limit = None if threshold is None else float(threshold)
    why: DetectorReason = reason
    label: Label | None = None
    if value is None:
        why = why or "no_score"
    elif not abs(value) <= LARGEST_SCORE:
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

    The label must be that of the score and the threshold, and the reason one that can be: an
    edited answer is none. JSON may be written in any way, with its keys in any order.

    Example:
        >>> read_answer(answer(0.2, 0.5)).label
        'REJECT'
        >>> read_answer("ACCEPT") is None
        True
    """
    row = _row(text)
    if row is None or not row.keys() <= _KEYS or not isinstance(row["detail"], dict):
        return None
    if not (_number(row["score"]) and _number(row["threshold"])):
        return None
    score, threshold = (None if row[k] is None else float(row[k]) for k in ("score", "threshold"))
    label = None if score is None or threshold is None else _decision(score, threshold)
    reason = row.get("reason", "")
    why = next((known for known in _REASONS if known == reason), None)
    if row["label"] != label or why is None or (label is None) != bool(why):
        return None
    if bool(why) and (why == "no_threshold") != (score is not None):
        return None
    if _is_deep(text) and _is_deeper(row["detail"]):
        return None
    return Answer(score, label, threshold, why, row["detail"])


def looks_like_answer(text: str) -> bool:
    """Return whether a text is written as a detector's answer is, though it may be cut or edited.

    Example:
        >>> looks_like_answer('{"score": 0.9, "label": "ACCEPT", "threshold": 0.5, "det')
        True
    """
    return _START.match(text) is not None or _row(text) is not None


def _row(text: str) -> dict[str, Any] | None:
    """Return a JSON object with the keys of an answer, and maybe with others."""
    if text.lstrip()[:1] != "{" or not all(f'"{key}"' in text for key in _ALWAYS):
        return None
    try:
        row = json.loads(text, parse_constant=_none)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) and row.keys() >= _ALWAYS else None


def _decision(score: float, threshold: float) -> Label:
    return "ACCEPT" if score >= threshold else "REJECT"


def _number(value: object) -> bool:
    """Return whether a value is None or a number that may be a score."""
    if value is None:
        return True
    # JSON has whole numbers of any size, which no float holds; NaN is never smaller.
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) <= LARGEST_SCORE  # type: ignore[arg-type]


def _none(constant: str) -> None:
    """Return what NaN and Infinity are here, which no JSON has."""


def _is_deep(text: str) -> bool:
    """Return whether a text of JSON may be deep: most are not, and need no second look."""
    return text.count("[") + text.count("{") > DEEPEST


def _is_deeper(value: object) -> bool:
    """Return whether lists and objects in each other are more than ``DEEPEST``."""
    layer: list[Any] = [value]
    depth = -1
    while layer and depth <= DEEPEST:
        depth += 1
        inside = (v.values() if isinstance(v, dict) else v for v in layer if _holds(v))
        layer = [item for items in inside for item in items if _holds(item)]
    return depth > DEEPEST


def _holds(value: object) -> bool:
    return isinstance(value, dict | list)


def _plain(value: object, depth: int = 0) -> object:
    """Return a value as JSON holds it: arrays as lists, numbers that are not finite as null."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if depth > DEEPEST and isinstance(value, Mapping | list | tuple):
        raise ValueError(f"a detail deeper than {DEEPEST}")
    if isinstance(value, Mapping):
        return {str(key): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    return value
