"""What stands at the top of a report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.report.builders import signature, vidhalloc_run, vidomni_run
from vidomni_plugin.problems import Problem
from vidomni_plugin.report.findings import findings
from vidomni_plugin.report.runs import Run, TaskRun

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


def of(task_run: TaskRun) -> Run:
    return Run(task_run.run, Path(task_run.run), {task_run.task: task_run}, ())


def test_several_prompts_within_one_run_are_told():
    (found,) = findings([run("a", prompt="judge@1/judge@2")])
    assert found.message == "several prompts in one run: a (judge@1/judge@2)"


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"gold": [0]}, id="gold"),
        pytest.param({"video_id": "v9"}, id="video"),
        pytest.param({"sentences": ["Another."]}, id="sentences"),
    ],
)
def test_other_items_under_the_same_ids_are_told_whatever_the_hash_says(fields):
    one = vidomni_run("a", {"v1__x": [0], "v2__x": [1]}, {"v1__x": [1], "v2__x": [1]})
    first, second = one.items
    other = replace(one, run="b", items=[{**first, **fields}, second])
    (found,) = findings([of(one), of(other)])
    assert found.message == "different data: 1 pair id means other items in b than in a"


def test_other_categories_of_vidhalloc_are_told_by_pair():
    pairs = {"v1__x": ("ACCEPT", "REJECT"), "v2__x": ("ACCEPT", None)}
    moved = {pair: {"category": "trh"} for pair in pairs}
    runs = [of(vidhalloc_run("a", pairs)), of(vidhalloc_run("b", pairs, moved))]
    (found,) = findings(runs)
    assert found.message == "different data: 2 pair ids mean other items in b than in a"


@pytest.mark.parametrize(("pairs", "told"), [(10, 1), (9, 0)])
def test_one_run_given_twice_is_asked_about(pairs, told):
    verdicts = {f"v{k}__x": ("ACCEPT", "REJECT") for k in range(pairs)}
    runs = [of(vidhalloc_run(name, verdicts)) for name in ("a", "b")]
    found = findings(runs)
    assert [problem.code for problem in found] == ["same-answers"] * told
    assert findings([*runs[:1], of(vidhalloc_run("b", {**verdicts, "v0__x": (None, None)}))]) == []


def test_other_generation_settings_are_told_where_logs_tell_them():
    usual = dict(signature().generation)
    runs = [
        vidomni_run(name, {"v__x": [1]}, {"v__x": [1]}, signature=signature(name, generation=given))
        for name, given in (("a", usual), ("b", usual | {"max_new_tokens": "99"}), ("c", {}))
    ]
    found = findings([Run(run.run, Path(), {"vidomni": run}, ()) for run in runs])
    assert [problem.message for problem in found] == ["different max_new_tokens: 8192: a; 99: b"]


@pytest.mark.parametrize(
    "changes", [{"checkpoint": "other"}, {"model_args": {"seed": "2"}}], ids=str
)
def test_two_models_that_always_accept_are_not_one_run_given_twice(changes):
    verdicts = {f"v{k}__x": ("ACCEPT", "ACCEPT") for k in range(20)}
    a, b = (vidhalloc_run(name, verdicts) for name in "ab")
    assert a.answered_as(b)
    other = replace(b, signature=replace(b.signature, **changes))
    assert not a.answered_as(other)
    assert "same-answers" not in {problem.code for problem in findings([of(a), of(other)])}
