"""All that VidHalLoc's tables and figures show, computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vidomni_plugin.figures import labels
from vidomni_plugin.joint import Estimate
from vidomni_plugin.report.runs import TaskRun
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidhalloc_measures import (
    Curve,
    Gap,
    Share,
    accuracies,
    gaps,
    macro_gaps,
    resampled_in_categories,
    shares,
    threshold_curve,
)
from vidomni_plugin.report.vidhalloc_pairs import (
    ALL,
    CATEGORIES,
    DH,
    MEASURES,
    OH,
    TASK_TYPES,
    Method,
    Part,
    by_task,
    in_common,
    methods,
    one_of_each,
)
from vidomni_plugin.separation import SeparationIntervals, separation_intervals
from vidomni_plugin.vidhalloc import metrics

__all__ = [
    "TASK_PARTS",
    "Analysis",
    "Means",
    "Outcomes",
    "Scored",
    "analyse",
    "category_part",
    "task_part",
]

TASK_PARTS: dict[str, str | None] = {
    "all": None,
    **{name: task_type for task_type, name in TASK_TYPES.items()},
}
"""Both tasks together, then each, by the name that is shown."""


class Outcomes(NamedTuple):
    """Outcome states of a run's pairs."""

    percents: Sequence[float | None]
    """Share of pairs in each state of Table 15, in its order; None where there is no pair."""
    undecided: int
    """Pairs with an answer that has no verdict."""


@dataclass(frozen=True, slots=True)
class Means:
    """The average over the runs of a task, on the pairs that all of them have."""

    common: Sequence[Method]
    gaps: Mapping[str, Gap]
    """By measure (Table 12)."""
    in_categories: Mapping[str, Estimate]
    """The same with pairs drawn within each category, by measure."""
    inside: Sequence[Method]
    """The runs on the videos with one pair of either group."""
    inside_gap: Gap
    """Of Overall (Table 13)."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A run with scores, on the pairs that have a score of both answers."""

    method: Method
    overall: Estimate
    separation: SeparationIntervals
    by_part: Mapping[str, SeparationIntervals]
    """Of its pairs in each task, group and category, by name; without those that have none."""
    curve: Curve


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything that is measured of some runs of VidHalLoc; mappings are by a run's name."""

    settings: Settings
    methods: Sequence[Method]
    accuracies: Mapping[str, Mapping[str, Estimate]]
    """In percent, then by measure."""
    gaps: Mapping[str, Mapping[str, Gap]]
    """Then by measure (Table 14)."""
    inside: Sequence[Method]
    """Each run on the videos with one pair of either group."""
    inside_gaps: Mapping[str, Mapping[str, Gap]]
    shares: Mapping[tuple[str, str, str], Share]
    """By run, title of ``category_part`` or ``task_part``, and measure."""
    outcomes: Mapping[str, Outcomes]
    common: Mapping[str, Mapping[str, Mapping[str, Estimate]]]
    """Accuracies on the pairs of ``means``, by task; without tasks whose runs have the same."""
    means: Mapping[str, Means]
    """By task; without tasks that have no whole pair."""
    left_out: Mapping[str, Sequence[str]]
    """Runs that are in no average, by task: those over some of the documents, where others are
    over all, those with the same answers as another, and scores without a threshold."""
    scored: Sequence[Scored]

    @property
    def labels(self) -> dict[str, str]:
        """Return what figures call each run, by its name."""
        return labels(method.name for method in self.methods)


SCORE_PARTS: dict[str, Part] = {
    **{name: ALL._replace(task_type=task_type) for task_type, name in TASK_TYPES.items()},
    **{group.title: group for group in (OH, DH)},
    **{category.upper(): Part(category, (category,)) for category in CATEGORIES},
}
"""The parts of the pairs that scores are measured on, by the name that is shown."""


def category_part(category: str, task: str = "all") -> Part:
    """Return one category's pairs of one task of ``TASK_PARTS``."""
    return Part(f"{category} {task}", (category,), TASK_PARTS[task])


def task_part(task: str) -> Part:
    """Return all pairs of one task of ``TASK_PARTS``."""
    return ALL._replace(title=f"all {task}", task_type=TASK_PARTS[task])


def analyse(task_runs: Sequence[TaskRun], settings: Settings) -> Analysis:
    """Return the scores of every run of VidHalLoc among some runs, and their averages.

    Args:
        task_runs: Runs of any tasks; those of VidHalLoc are measured, in this order.
        settings: Seeds, draws and level of the intervals.
    """
    found = methods(task_runs)
    inside = [method.only(one_of_each(method)) for method in found]
    parts = [
        part
        for task in TASK_PARTS
        for part in (*(category_part(c, task) for c in CATEGORIES), task_part(task))
    ]
    left_out = _left_out(found, [run for run in task_runs if run.kind == "vidhalloc"])
    averaged = by_task(
        method for method in found if method.name not in left_out.get(method.task, ())
    )
    means = {
        task: _means(common, settings)
        for task, group in averaged.items()
        if (common := in_common(group))
    }
    return Analysis(
        settings,
        found,
        accuracies(found, settings),
        gaps(found, settings),
        inside,
        gaps(inside, settings),
        shares(found, parts, MEASURES, settings),
        {method.name: _outcomes(method) for method in found},
        {
            task: accuracies(means[task].common, settings)
            for task, group in averaged.items()
            if task in means and any(len(m.ids) > len(means[task].common[0].ids) for m in group)
        },
        means,
        left_out,
        _scored(found, settings),
    )


def _left_out(found: Sequence[Method], runs: Sequence[TaskRun]) -> dict[str, list[str]]:
    """Return the runs that would make an average one of few pairs, or count twice, by task."""
    names: dict[str, list[str]] = {}
    whole = {run.task for run in runs if not run.is_part and run.items}
    for k, (method, run) in enumerate(zip(found, runs, strict=True)):
        short = run.is_part and run.task in whole
        twice = any(run.task == other.task and run.answered_as(other) for other in runs[:k])
        if short or twice or method.scores_only:
            names.setdefault(run.task, []).append(method.name)
    return names


def _outcomes(method: Method) -> Outcomes:
    pairs = len(method.ids)
    counts = metrics.outcomes(answer for pair in method.pairs for answer in pair)
    return Outcomes(
        [100.0 * count / pairs if pairs and not method.scores_only else None for count in counts],
        sum(any(answer["label"] is None for answer in pair) for pair in method.pairs),
    )


def _means(common: Sequence[Method], settings: Settings) -> Means:
    inside = [method.only(one_of_each(method)) for method in common]
    return Means(
        common,
        macro_gaps(common, settings),
        resampled_in_categories(common, settings),
        inside,
        macro_gaps(inside, settings)["overall"],
    )


def _scored(found: Sequence[Method], settings: Settings) -> list[Scored]:
    cut = [method.only(method.scored) for method in found if method.scored.any()]
    right = accuracies(cut, settings)
    return [
        Scored(
            method,
            right[method.name]["overall"],
            _separation(method, settings),
            {
                name: _separation(method.only(inside), settings)
                for name, part in SCORE_PARTS.items()
                if (inside := method.mask(part)).any()
            },
            threshold_curve(method.scores),
        )
        for method in cut
    ]


def _separation(method: Method, settings: Settings) -> SeparationIntervals:
    return separation_intervals(
        method.scores[:, 0].tolist(),
        method.scores[:, 1].tolist(),
        method.videos,
        seed=settings.seed,
        draws=settings.draws,
        level=settings.level,
    )
