"""Where the videos of a report's items may lie on this machine."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from vidomni_plugin.data.locate import Benchmark, locate, mini_root
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.report.runs import Run

__all__ = ["data_roots"]

MINI = "_mini"
"""How the names of tasks over the built-in sample end."""


def data_roots(runs: Iterable[Run]) -> dict[Benchmark, Path]:
    """Return the folder of each benchmark's data; one whose data are not here is left out.

    Nothing is downloaded. The built-in sample is meant where all runs are of it.
    """
    tasks = [task for run in runs for task in run.tasks.values()]
    benchmarks: tuple[Benchmark, ...] = ("vidomni", "vidhalloc")
    roots: dict[Benchmark, Path] = {}
    for benchmark in benchmarks:
        names = {task.task for task in tasks if task.kind == benchmark}
        if not names:
            continue
        if all(name.endswith(MINI) for name in names):
            roots[benchmark] = mini_root(benchmark).path
            continue
        try:
            roots[benchmark] = locate(benchmark, may_download=False).path
        except InputProblems:
            continue  # a report of runs made elsewhere: the page has no links then
    return roots
