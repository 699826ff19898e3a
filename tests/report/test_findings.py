"""What stands at the top of a report."""

from __future__ import annotations

from pathlib import Path

from tests.report.builders import signature, vidomni_run
from vidomni_plugin.problems import Problem
from vidomni_plugin.report.findings import findings
from vidomni_plugin.report.runs import Run

CUT = Problem("cut-short", "a_samples_vidomni.jsonl", "1 usable sample of 2")


def run(name: str, *, problems: tuple[Problem, ...] = (), task: str = "vidomni", **settings) -> Run:
    task_run = vidomni_run(
        name, {"v1__x": [0]}, {"v1__x": [1]}, task=task, signature=signature(name, **settings)
    )
    return Run(name, Path(name), {task: task_run}, problems)


def test_alike_runs_have_nothing_to_tell():
    assert findings([run("a"), run("b"), run("c", task="vidomni_av", data="other")]) == []


def test_problems_of_runs_come_first_and_once():
    assert findings([run("a", problems=(CUT,)), run("b", problems=(CUT,))]) == [CUT]


def test_runs_on_different_data_are_told_apart():
    (found,) = findings([run("a"), run("b", data="ffff"), run("c")])
    assert str(found) == (
        "vidomni: different data: 0123456789abcdef: a, c; ffff: b [different-settings]"
    )


def test_what_a_log_does_not_say_is_not_taken_for_the_same():
    (found,) = findings([run("a"), run("b", prompt=None)])
    assert "different prompts: not in the log: b; verification@000000000000: a" in str(found)


def test_many_names_are_counted():
    runs = [run(f"r{k}", data="other") for k in range(7)]
    (found,) = findings([run("a"), *runs])
    assert "other: r0, r1, r2, r3, r4 and 2 more" in found.message
