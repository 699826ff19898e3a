"""The whole pairs of VidHalLoc runs as 0/1 matrices, joined by id."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.records import DYNAMIC, ONTOLOGY
from vidomni_plugin.report.runs import TaskRun
from vidomni_plugin.report.same_pair import answers_content, video_of
from vidomni_plugin.scores import EMPTY, percent
from vidomni_plugin.vidhalloc import metrics

__all__ = [
    "ALL",
    "CATEGORIES",
    "DH",
    "MEASURES",
    "OH",
    "TASK_TYPES",
    "Method",
    "Part",
    "by_task",
    "in_common",
    "methods",
    "one_of_each",
]

Item = Mapping[str, Any]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

CATEGORIES = (*ONTOLOGY, *DYNAMIC)
"""The eight categories in the paper's order."""
TASK_TYPES = {"video_qa": "QA", "video_captioning": "captioning"}
"""The two tasks of the items, with the names that tables show."""
MEASURES = ("factual", "counterfactual", "overall")
"""The paper's three accuracies; columns of ``Method.correct``."""


class Part(NamedTuple):
    """A part of the pairs, by category and by task."""

    title: str
    categories: tuple[str, ...] = CATEGORIES
    task_type: str | None = None


ALL = Part("all")
OH = Part("OH", ONTOLOGY)
DH = Part("DH", DYNAMIC)


@dataclass(frozen=True, slots=True)
class Method:
    """What one run decided on its whole pairs, sorted by video and pair id."""

    name: str
    task: str
    pairs: tuple[tuple[Item, Item], ...]
    """The factual and the counterfactual answer of each pair."""
    ids: tuple[str, ...]
    videos: tuple[tuple[str, str], ...]
    """Task and id of each pair's video: both tasks may number their videos alike."""
    categories: NDArray[np.str_]
    """Of each pair, shape ``(pairs,)``."""
    task_types: NDArray[np.str_]
    correct: Bools
    """Shape ``(pairs, 3)``: right on the factual answer, on the counterfactual one, on both."""
    scores: Floats
    """Shape ``(pairs, 2)``: scores of both answers; NaN where an answer has none."""
    answers: tuple[Item, ...]
    """Every answer of the run, those of pairs that are not whole among them."""

    def mask(self, part: Part) -> Bools:
        """Return which pairs belong to a part, shape ``(pairs,)``."""
        inside = np.isin(self.categories, part.categories)
        if part.task_type is not None:
            inside &= self.task_types == part.task_type
        return inside

    def score(self, measure: str, part: Part = ALL) -> float | None:
        """Return one of ``MEASURES`` over a part in percent.

        None where it has no pair, and where no answer was decided: see ``scores_only``.
        """
        if self.scores_only:
            return None
        # As ``metrics.score`` does it, but without joining the answers again for every part.
        right = self.correct[self.mask(part), MEASURES.index(measure)]
        return percent(int(right.sum()), len(right), when_empty=EMPTY) if len(right) else None

    def only(self, keep: Sequence[bool] | Bools) -> Method:
        """Return the method on some of its pairs; ``answers`` become theirs."""
        pairs = [pair for pair, kept in zip(self.pairs, keep, strict=True) if kept]
        return _method(self.name, self.task, pairs, [answer for pair in pairs for answer in pair])

    @property
    def scores_only(self) -> bool:
        """Whether the run is a detector's without a threshold, which has no accuracy."""
        return metrics.has_scores_only(self.answers)

    @property
    def scored(self) -> Bools:
        """Which pairs have scores of both answers, shape ``(pairs,)``."""
        return np.asarray(~np.isnan(self.scores).any(axis=1))


def methods(task_runs: Iterable[TaskRun]) -> list[Method]:
    """Return the VidHalLoc runs among some, in their order; names are unique.

    A run that holds several tasks gets their names behind its own.
    """
    runs = [run for run in task_runs if run.kind == "vidhalloc"]
    often = Counter(run.run for run in runs)
    return [
        _method(
            run.run if often[run.run] == 1 else f"{run.run} ({run.task})",
            run.task,
            metrics.whole_pairs(answers).whole,
            answers,
        )
        for run in runs
        for answers in [[_judged(item) for item in run.items]]
    ]


def by_task(found: Iterable[Method]) -> dict[str, list[Method]]:
    """Return methods by task, in the order in which tasks first come."""
    groups: dict[str, list[Method]] = {}
    for method in found:
        groups.setdefault(method.task, []).append(method)
    return groups


def in_common(found: Sequence[Method]) -> list[Method]:
    """Return methods on the pairs that all of them have; their rows then match.

    A pair whose video, category, question or answers differ is not the same pair: the runs saw
    different versions of it. A method without a whole pair is left out: it has nothing to
    compare.
    """
    there = [method for method in found if method.ids]
    if not there:
        return []
    first, *others = (_content(method) for method in there)
    shared = {
        pair_id
        for pair_id, content in first.items()
        if all(other.get(pair_id) == content for other in others)
    }
    return [
        method if len(method.ids) == len(shared) else method.only([i in shared for i in method.ids])
        for method in there
    ]


def _content(method: Method) -> dict[str, tuple[object, ...]]:
    """Return what makes each pair what it is, by pair id."""
    return {
        pair_id: answers_content(pair)
        for pair_id, pair in zip(method.ids, method.pairs, strict=True)
    }


def one_of_each(method: Method) -> Bools:
    """Return which pairs are on videos with just one OH and one DH pair (Table 13)."""
    ontology = Counter(v for v, oh in zip(method.videos, method.mask(OH), strict=True) if oh)
    of_all = Counter(method.videos)
    matched = {video for video, count in of_all.items() if count == 2 and ontology[video] == 1}
    return np.array([video in matched for video in method.videos], dtype=bool)


def _method(
    name: str, task: str, pairs: Sequence[tuple[Item, Item]], answers: Sequence[Item]
) -> Method:
    ordered = sorted(pairs, key=lambda pair: (*video_of(pair[0]), str(pair[0]["pair_id"])))
    correct = np.array([[answer["correct"] for answer in pair] for pair in ordered], dtype=bool)
    correct = correct.reshape(-1, 2)
    scores = [[_scored(answer) for answer in pair] for pair in ordered]
    return Method(
        name,
        task,
        tuple(ordered),
        tuple(str(factual["pair_id"]) for factual, _ in ordered),
        tuple(video_of(factual) for factual, _ in ordered),
        np.array([str(factual["category"]) for factual, _ in ordered], dtype=np.str_),
        np.array([str(factual["task_type"]) for factual, _ in ordered], dtype=np.str_),
        np.column_stack([correct, correct.all(axis=1)]),
        np.array(scores, dtype=np.float64).reshape(-1, 2),
        tuple(answers),
    )


def _judged(answer: Item) -> Item:
    return {**answer, "correct": metrics.is_correct(answer["side"], answer["label"])}


def _scored(answer: Item) -> float:
    """Return the score of an answer, also of logs in which others wrote one as ``score``."""
    found = answer.get("detector_score")
    score = metrics.usable_score(answer.get("score") if found is None else found)
    return math.nan if score is None else score
