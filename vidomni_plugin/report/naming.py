"""Names of runs in tables: the checkpoint, and what tells it from the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from vidomni_plugin.detectors.names import DETECTORS
from vidomni_plugin.problems import printable
from vidomni_plugin.report.runs import Run, Signature

__all__ = ["named"]

LONGEST = 60
"""Longest value in a name; longer ones end in dots."""
LONGEST_NAME = 200
"""Longest checkpoint in a name: no table is wide enough for more. The middle is left out."""


def named(runs: Sequence[Run], dates: Sequence[str], given: Sequence[str] = ()) -> list[Run]:
    """Return the runs with names that no two runs of the same task share.

    A name is the one that was given, else the last part of the checkpoint, or all of it where
    two end alike; of a detector its own name stands before it, as two may use one checkpoint.
    Where a task has two runs of one name, the settings that differ follow in
    brackets, then the date, then a number. A run of another task with one of these settings gets
    the same name, so that tables can set the tasks of one model side by side.

    Args:
        runs: In the order of the tables.
        dates: When each was run, as the names of its files say.
        given: What the user calls each; empty where nothing.
    """
    wanted = [printable(name).strip() for name in given or [""] * len(runs)]
    checkpoints = [_checkpoint(run) for run in runs]
    both = [*zip(wanted, checkpoints, strict=True)]
    names = _checkpoint_names([checkpoint for name, checkpoint in both if not name])
    told_apart = [
        name or _of_detector(run, names[checkpoint])
        for run, (name, checkpoint) in zip(runs, both, strict=True)
    ]
    groups = [
        (name, "" if name else _of_detector(run, checkpoint))
        for run, (name, checkpoint) in zip(runs, both, strict=True)
    ]
    for group in dict.fromkeys(groups):
        alike = [k for k, other in enumerate(groups) if other == group]
        if not _clash([runs[k] for k in alike], [told_apart[k] for k in alike]):
            continue
        for k, extra in zip(alike, _extras([runs[k] for k in alike]), strict=True):
            told_apart[k] += f" ({extra})" if extra else ""
    told_apart = _dated(runs, dates, told_apart)
    return [_with_name(run, name) for run, name in zip(runs, told_apart, strict=True)]


def _checkpoint(run: Run) -> str:
    """Return the checkpoint of a run; all its tasks have the same."""
    found = next((task.signature.checkpoint for task in run.tasks.values()), run.name)
    name = printable(found).strip() or "unnamed"
    half = LONGEST_NAME // 2
    return name if len(name) <= LONGEST_NAME else f"{name[: half - 1]}…{name[-half:]}"


def _of_detector(run: Run, name: str) -> str:
    """Return a name with the detector before it, where a detector made the run."""
    models = {task.signature.model for task in run.tasks.values()}
    (model,) = models if len(models) == 1 else ("",)
    return f"{model} {name}" if model in DETECTORS and model != name else name


def _checkpoint_names(checkpoints: Sequence[str]) -> dict[str, str]:
    last = {c: PurePosixPath(c.rstrip("/")).name or c for c in checkpoints}
    counts: dict[str, int] = {}
    for name in last.values():
        counts[name] = counts.get(name, 0) + 1
    return {c: name if counts[name] == 1 else c for c, name in last.items()}


def _clash(runs: Sequence[Run], names: Sequence[str]) -> bool:
    seen = [(name, task) for run, name in zip(runs, names, strict=True) for task in run.tasks]
    return len(set(seen)) < len(seen)


def _settings(signature: Signature) -> dict[str, str | None]:
    """Return what a name may tell of, in the order in which it does."""
    return {
        "runner": signature.model,
        "frames": signature.frames,
        "fps": signature.fps,
        "pixels": signature.pixels,
        "limit": signature.limit,
        "data": signature.data,
        "prompt": signature.prompt,
        **{name: value for name, value in signature.model_args.items()},
        **{name: value for name, value in signature.generation.items()},
        "plugin": signature.plugin,
    }


def _extras(runs: Sequence[Run]) -> list[str]:
    """Return what differs among runs of one checkpoint, by task, as few settings as suffice."""
    by_task: dict[str, list[dict[str, str | None]]] = {}
    for run in runs:
        for task in run.tasks.values():
            by_task.setdefault(task.task, []).append(_settings(task.signature))
    chosen: list[str] = []
    for rows in by_task.values():
        for name in dict.fromkeys(name for row in rows for name in row):
            told = {tuple(row.get(c) for c in chosen) for row in rows}
            more = {tuple(row.get(c) for c in [*chosen, name]) for row in rows}
            if len(more) > len(told):
                chosen.append(name)
    return [", ".join(filter(None, (_told(run, name) for name in chosen))) for run in runs]


def _told(run: Run, name: str) -> str:
    values = {_settings(task.signature).get(name) for task in run.tasks.values()} - {None}
    text = printable("/".join(sorted(map(str, values))))
    if not text:
        return ""
    return f"{name} {text if len(text) <= LONGEST else text[: LONGEST - 3] + '...'}"


def _dated(runs: Sequence[Run], dates: Sequence[str], names: Sequence[str]) -> list[str]:
    """Add dates, then numbers, to the names that are still those of two runs of one task."""
    result = list(names)
    for add in (lambda k, _: f" [{dates[k]}]", lambda _, seen: f" #{seen + 1}"):
        twice = _taken_twice(runs, result)
        counts: dict[str, int] = {}
        for k, name in enumerate(list(result)):
            if name in twice:
                seen = counts.setdefault(name, 0)
                counts[name] += 1
                result[k] = name + add(k, seen)
    return result


def _taken_twice(runs: Sequence[Run], names: Sequence[str]) -> set[str]:
    found: set[str] = set()
    seen: set[tuple[str, str]] = set()
    for run, name in zip(runs, names, strict=True):
        for task in run.tasks:
            if (name, task) in seen:
                found.add(name)
            seen.add((name, task))
    return found


def _with_name(run: Run, name: str) -> Run:
    tasks = {key: replace(task, run=name) for key, task in run.tasks.items()}
    return replace(run, name=name, tasks=tasks)
