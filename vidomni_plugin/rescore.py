"""Score a saved samples file again, with today's parser and metrics and without a model."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.records import CATEGORY_OF_LEAF
from vidomni_plugin.samples import Sample, read_samples
from vidomni_plugin.scores import Score
from vidomni_plugin.vidhalloc import metrics as vidhalloc_metrics
from vidomni_plugin.vidhalloc import task as vidhalloc_task
from vidomni_plugin.vidomni import caption_metrics, caption_task
from vidomni_plugin.vidomni import metrics as vidomni_metrics
from vidomni_plugin.vidomni import task as vidomni_task

__all__ = ["Rescored", "rescore"]

_TASKS = {
    "vidomni": (vidomni_task.detail, vidomni_metrics.summary),
    "vidhalloc": (vidhalloc_task.detail, vidhalloc_metrics.summary),
    "vidomni_caption": (caption_task.detail, caption_metrics.summary),
}


class Rescored(NamedTuple):
    """The scores of one samples file."""

    scores: dict[str, Score]
    reasons: Counter[str]
    """Why answers lack labels, with the number of answers."""


def rescore(path: Path) -> Rescored:
    """Return every metric of one samples file: the numbers of the run that wrote it.

    Args:
        path: A ``*_samples_*.jsonl`` that the host wrote for one of our tasks.

    Raises:
        InputProblems: If a line is not whole, lacks a field, comes twice, or the file mixes
            benchmarks; names every such line.
    """
    samples = read_samples(path)
    problems: list[Problem] = []
    details: list[dict[str, Any]] = []
    benchmark = str(samples[0].detail["benchmark"])
    first: dict[str, str] = {}
    for sample in samples:
        if sample.detail["benchmark"] != benchmark:
            message = f"a sample of {sample.detail['benchmark']} among those of {benchmark}"
            problems.append(Problem("sample", sample.place, message))
        elif first.setdefault(sample.answer_id, sample.place) != sample.place:
            message = f"{sample.answer_id!r} was already at {first[sample.answer_id]}"
            problems.append(Problem("repeated-id", sample.place, message))
        else:
            details += _detail(benchmark, sample, problems)
    if problems:
        raise InputProblems(f"cannot score {path}", problems)
    labelled = [detail for detail in details if "faults" not in detail]  # captions have no labels
    reasons = Counter(str(detail["reason"]) for detail in labelled if detail["reason"])
    return Rescored(_TASKS[benchmark][1](details), reasons)


def _check(detail: Mapping[str, Any]) -> None:
    """Raise ValueError if a field that scores depend on was edited into something else."""

    def whole(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool)

    is_caption = detail["benchmark"] == "vidomni_caption"
    if not isinstance(detail["video_id" if is_caption else "pair_id"], str) or not (
        whole(detail["missing"]) and detail["missing"] >= 0
    ):
        raise ValueError("pair_id, video_id or missing")
    if is_caption:
        if not whole(detail["caption_prompt"]) or detail["caption_prompt"] not in range(1, 6):
            raise ValueError(f"caption_prompt {detail['caption_prompt']!r}")
        return
    if detail["benchmark"] == "vidhalloc":
        if detail["side"] not in {"factual", "counterfactual"}:
            raise ValueError(f"side {detail['side']!r}")
        if detail["category"] not in CATEGORY_OF_LEAF.values():
            raise ValueError(f"category {detail['category']!r}")
        return
    gold = detail["gold"]
    known = isinstance(gold, list) and all(g is None or (whole(g) and g in (0, 1)) for g in gold)
    if not known or not gold:
        raise ValueError("gold is not a list of 0, 1 and null")
    if detail["complexity_type"] not in range(1, 6) or not whole(detail["complexity_type"]):
        raise ValueError(f"complexity_type {detail['complexity_type']!r}")
    if not 0 < detail["duration_s"] < math.inf:
        raise ValueError(f"duration_s {detail['duration_s']!r}")


def _detail(benchmark: str, sample: Sample, problems: list[Problem]) -> list[dict[str, Any]]:
    """Return the sample scored anew, as a list of one, or note what is wrong with it."""
    make, summary = _TASKS.get(benchmark, (None, None))
    if make is None or summary is None:
        problems.append(Problem("sample", sample.place, f"unknown benchmark {benchmark!r}"))
        return []
    try:
        _check(sample.detail)
        detail = make(sample.detail, sample.response)
        summary([detail])
    except KeyError as error:
        problems.append(Problem("sample", sample.place, f"field {error} is missing"))
    except (TypeError, ValueError) as error:
        problems.append(Problem("sample", sample.place, f"a field is not as written: {error}"))
    else:
        return [detail]
    return []
