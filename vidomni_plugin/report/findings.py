"""What a reader must know before the numbers: what is wrong with the runs, or differs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from vidomni_plugin.problems import Problem
from vidomni_plugin.report.runs import Run, TaskRun

__all__ = ["different_settings", "findings"]

MUST_AGREE = {
    "data": "different data",
    "prompt": "different prompts",
    "task_version": "different versions of the task",
}
"""Settings without which two rows of a table do not measure the same thing."""
LONGEST_LIST = 5
"""So many runs are named."""


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
                hint = "rows of one table measure the same only on the same data and prompt"
                yield Problem("different-settings", task, f"{what}: {groups}", hint)


def _some(names: Sequence[str]) -> str:
    rest = len(names) - LONGEST_LIST
    return ", ".join(names[:LONGEST_LIST]) + (f" and {rest} more" if rest > 0 else "")
