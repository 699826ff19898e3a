"""All that VidOmni's tables and figures show, computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from vidomni_plugin.figures import labels
from vidomni_plugin.paired import Gain, one_sample_t
from vidomni_plugin.report.runs import TaskRun
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidomni_between import (
    Ensemble,
    SoundGain,
    Sweep,
    ensembles,
    frame_rates,
    recall_gains,
    sizes,
    sound_gains,
)
from vidomni_plugin.report.vidomni_measures import (
    Key,
    Measured,
    Ratio,
    mean_of,
    measure,
    strata,
)
from vidomni_plugin.report.vidomni_scored import Scored, common_pairs, has_sound, score_run

__all__ = ["AUDIO", "Analysis", "Row", "analyse", "sound_mark"]

AUDIO = ("Speech", "Sound Effect", "Background")
"""Categories of sound, in the order of Table 13."""
Strata = dict[Key, Measured]


@dataclass(frozen=True, slots=True)
class Row:
    """One run and its scores."""

    name: str
    scored: Scored
    found: Mapping[Key, Measured]

    def score(self, name: str) -> Measured:
        """Return a score over all pairs, such as "f1"."""
        return self.found["score", name]


@dataclass(frozen=True, slots=True)
class SizeGain:
    """Recall of a large model minus that of a small one of its family."""

    small: str
    large: str
    small_run: Scored
    large_run: Scored
    gains: Mapping[str, Measured]


@dataclass(frozen=True, slots=True)
class SoundRow:
    """The gain by sound in one audio category."""

    of: SoundGain
    gain: Measured
    test: Gain


@dataclass(frozen=True, slots=True)
class EnsembleRow:
    """Two verifiers and both together."""

    of: Ensemble
    first: Measured
    second: Measured
    together: Measured
    gain: Measured


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything that is measured of some runs of VidOmni."""

    settings: Settings
    rows: Sequence[Row]
    others: Sequence[TaskRun]
    """The host's other tasks, for the accuracies of Table 3."""
    empty: Sequence[TaskRun]
    """Runs of VidOmni without a scored pair."""
    common: Mapping[str, Measured] | None
    """F1 on the pairs that all runs scored, by row; None where they scored the same pairs."""
    sizes: Sequence[SizeGain]
    sweeps: Sequence[tuple[Sweep, Sequence[Strata]]]
    sound: Sequence[SoundRow]
    ensembles: Sequence[EnsembleRow]

    def name(self, scored: Scored) -> str:
        """Return the name of a run, or of a part of it."""
        return next(row.name for row in self.rows if row.scored.run is scored.run)

    @property
    def labels(self) -> dict[str, str]:
        """Return what figures call each run, by its name."""
        return labels(row.name for row in self.rows)


def sound_mark(run: TaskRun) -> str:
    """Return what the model was given as Table 3 writes it: v, or v,a with sound."""
    return "v,a" if has_sound(run) else "v"


def _names(runs: Sequence[TaskRun]) -> list[str]:
    """Return the runs' names, with their input or task where one name has several runs."""
    taken = [run.run for run in runs]
    inputs = [(run.run, sound_mark(run)) for run in runs]
    names = []
    for run in runs:
        if taken.count(run.run) == 1:
            names.append(run.run)
        elif inputs.count((run.run, sound_mark(run))) == 1:
            names.append(f"{run.run} ({sound_mark(run)})")
        else:
            names.append(f"{run.run} ({run.task})")
    return names


def analyse(task_runs: Sequence[TaskRun], settings: Settings) -> Analysis:
    """Return the scores of every run of VidOmni among some runs, and their comparisons.

    Args:
        task_runs: Runs of any tasks; those of VidOmni are measured, in this order.
        settings: Seed, draws and level of the intervals.
    """
    mine = [run for run in task_runs if run.kind == "vidomni"]
    named = [run for run in mine if run.items]
    scored = [score_run(run) for run in named]
    ratios = [strata(each) for each in scored]
    measured = measure([ratio for each in ratios for ratio in each.values()], settings)
    given = iter(measured)
    rows = [
        Row(name, each, {key: next(given) for key in keys})
        for name, each, keys in zip(_names(named), scored, ratios, strict=True)
    ]
    return Analysis(
        settings,
        rows,
        [run for run in task_runs if run.kind == "other"],
        [run for run in mine if not run.items],
        _common(rows, settings),
        _size_gains(rows, settings),
        _sweeps(scored, settings),
        _sound(scored, settings),
        _ensembles(scored, settings),
    )


def _common(rows: Sequence[Row], settings: Settings) -> dict[str, Measured] | None:
    """Return F1 on the pairs that all runs of a task have, by row.

    Runs over some of the documents are left out where others are over all: they would make the
    common pairs few. None where no run of a task has another pair than the rest.
    """
    found: dict[str, Measured] = {}
    for task in dict.fromkeys(row.scored.run.task for row in rows):
        of_task = [row for row in rows if row.scored.run.task == task]
        whole = [row for row in of_task if not row.scored.run.is_part]
        found |= _common_of_task(whole or of_task, settings)
    return found or None


def _common_of_task(rows: Sequence[Row], settings: Settings) -> dict[str, Measured]:
    if len(rows) < 2:
        return {}

    def cut(a: Scored | None, b: Scored) -> Scored | None:
        both = common_pairs(a, b) if a else None
        return both[0] if both else None

    first, *rest = (row.scored for row in rows)
    start: Scored | None = first
    shared = reduce(cut, rest, start)
    parts = [common_pairs(row.scored, shared) if shared else None for row in rows]
    kept = [part[0] if part else None for part in parts]
    if all(row.scored is each for row, each in zip(rows, kept, strict=True)):
        return {}
    found = measure([mean_of(each, each.f1) for each in kept if each], settings)
    values = iter(found)
    nothing = Measured(None, None, None, 0, 0)
    return {
        row.name: next(values) if each else nothing for row, each in zip(rows, kept, strict=True)
    }


def _size_gains(rows: Sequence[Row], settings: Settings) -> list[SizeGain]:
    names = {id(row.scored.run): row.name for row in rows}
    pairs = sizes([row.scored for row in rows])
    ratios = [recall_gains(small, large) for small, large in pairs]
    found = iter(measure([ratio for each in ratios for ratio in each.values()], settings))
    return [
        SizeGain(
            names[id(small.run)],
            names[id(large.run)],
            small,
            large,
            {category: next(found) for category in each},
        )
        for (small, large), each in zip(pairs, ratios, strict=True)
    ]


def _sweeps(scored: Sequence[Scored], settings: Settings) -> list[tuple[Sweep, Sequence[Strata]]]:
    found: list[tuple[Sweep, Sequence[Strata]]] = []
    for sweep in frame_rates(scored):
        ratios: list[dict[Key, Ratio]] = []
        for _, run in sweep.runs:
            kinds = sorted({item["complexity_type"] for item in run.items})
            by_type: dict[Key, Ratio] = {
                ("type", kind): mean_of(run, run.f1, run.where("complexity_type", kind))
                for kind in kinds
            }
            ratios.append({**by_type, ("score", "f1"): mean_of(run, run.f1)})
        values = iter(measure([ratio for each in ratios for ratio in each.values()], settings))
        found.append((sweep, [{key: next(values) for key in each} for each in ratios]))
    return found


def _sound(scored: Sequence[Scored], settings: Settings) -> list[SoundRow]:
    gains = sound_gains(scored, AUDIO)
    measured = measure([gain.gains for gain in gains], settings)
    return [
        SoundRow(gain, found, one_sample_t(gain.per_pair, settings.level))
        for gain, found in zip(gains, measured, strict=True)
    ]


def _ensembles(scored: Sequence[Scored], settings: Settings) -> list[EnsembleRow]:
    found = ensembles(scored)
    ratios = []
    for each in found:
        parts = (each.first, each.second, each.together)
        ratios += [*(mean_of(part, part.f1) for part in parts), each.gain]
    values = iter(measure(ratios, settings))
    return [
        EnsembleRow(each, next(values), next(values), next(values), next(values)) for each in found
    ]
