"""What a reader must know before the numbers: what is wrong with the runs, or differs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from vidomni_plugin.problems import Problem
from vidomni_plugin.report.runs import Run, TaskRun
from vidomni_plugin.report.same_pair import CONTENT
from vidomni_plugin.wording import counted

__all__ = ["different_settings", "findings"]

MUST_AGREE = {
    "data": "different data",
    "prompt": "different prompts",
    "task_version": "different versions of the task",
}
"""Settings without which two rows of a table do not measure the same thing."""
LONGEST_LIST = 5
"""So many runs are named."""
SAME_GENERATION = "scores tell of these settings too, not only of the models"
SAME_DATA = "rows of one table measure the same only on the same data and prompt"


def findings(runs: Sequence[Run]) -> list[Problem]:
    """Return every warning on these runs, each once: what was read, then what differs."""
    found: list[Problem] = []
    for run in runs:
        found += run.problems
        for task_run in run.tasks.values():
            found += task_run.problems
    found += different_settings(runs)
    return list(dict.fromkeys(found))


def different_settings(runs: Sequence[Run]) -> list[Problem]:
    """Return in which settings the runs of one task differ that should not."""
    return list(_different(runs))


def _different(runs: Sequence[Run]) -> Iterator[Problem]:
    by_task: dict[str, list[TaskRun]] = defaultdict(list)
    for run in runs:
        for name, task_run in run.tasks.items():
            if task_run.kind in {"vidomni", "vidhalloc"}:
                by_task[name].append(task_run)
    for task, of_task in sorted(by_task.items()):
        for field, what in MUST_AGREE.items():
            names: dict[str, list[str]] = defaultdict(list)
            for task_run in of_task:
                value = getattr(task_run.signature, field)
                names[value or "not in the log"].append(task_run.run)
            if len(names) > 1:
                groups = "; ".join(f"{value}: {_some(names[value])}" for value in sorted(names))
                yield Problem("different-settings", task, f"{what}: {groups}", SAME_DATA)
        yield from _other_generation(task, of_task)
        for task_run in of_task:
            prompt = task_run.signature.prompt or ""
            if "/" in prompt:
                message = f"several prompts in one run: {task_run.run} ({prompt})"
                yield Problem("different-settings", task, message, SAME_DATA)
        yield from _other_content(task, of_task)
        yield from _same_answers(task, of_task)


def _other_generation(task: str, runs: Sequence[TaskRun]) -> Iterator[Problem]:
    """Yield which settings of generation differ, such as how long an answer may be."""
    told = [run for run in runs if run.signature.generation]
    for setting in sorted({name for run in told for name in run.signature.generation}):
        names: dict[str, list[str]] = defaultdict(list)
        for run in told:
            names[run.signature.generation.get(setting, "not set")].append(run.run)
        if len(names) > 1:
            groups = "; ".join(f"{value}: {_some(names[value])}" for value in sorted(names))
            message = f"different {setting}: {groups}"
            yield Problem("different-settings", task, message, SAME_GENERATION)


def _other_content(task: str, runs: Sequence[TaskRun]) -> Iterator[Problem]:
    """Yield which runs hold other items under ids that an earlier run has, too."""
    known: dict[tuple[str, object], tuple[object, str]] = {}
    for run in runs:
        content_of = CONTENT[run.kind]
        other: dict[str, set[str]] = defaultdict(set)
        for item in run.items:
            key = (str(item["pair_id"]), item.get("side"))
            content = content_of([item])
            first, name = known.setdefault(key, (content, run.run))
            if content != first:
                other[name].add(key[0])
        for name, ids in sorted(other.items()):
            of_both = f"{counted(len(ids), 'pair id means', 'pair ids mean')} other items"
            message = f"different data: {of_both} in {run.run} than in {name}"
            yield Problem("different-settings", task, message, SAME_DATA)


def _same_answers(task: str, runs: Sequence[TaskRun]) -> Iterator[Problem]:
    """Yield which runs answered every item as an earlier run did, to the letter."""
    for k, run in enumerate(runs):
        for other in runs[:k]:
            if run.answered_as(other):
                message = f"{run.run} and {other.run} have the same answer to every item"
                hint = "is one run given twice? Means over runs count it once"
                yield Problem("same-answers", task, message, hint)
                break


def _some(names: Sequence[str]) -> str:
    rest = len(names) - LONGEST_LIST
    return ", ".join(names[:LONGEST_LIST]) + (f" and {rest} more" if rest > 0 else "")
