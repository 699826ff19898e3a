"""Answers become pairs by id; what is not whole is counted and in no score."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from tests.report.builders import vidhalloc_item, vidhalloc_run, vidomni_run
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidhalloc_pairs import (
    ALL,
    DH,
    OH,
    Part,
    by_task,
    in_common,
    methods,
    one_of_each,
)
from vidomni_plugin.report.vidhalloc_tables import tables

RIGHT, WRONG, SILENT = ("ACCEPT", "REJECT"), ("REJECT", "ACCEPT"), (None, "REJECT")


def one(run):
    (method,) = methods([run])
    return method


def test_answers_are_joined_by_id_and_not_by_row():
    run = vidhalloc_run("a", {"v2__x": RIGHT, "v1__y": WRONG, "v1__x": SILENT})
    straight = one(run)
    items = list(run.items)
    random.Random(1).shuffle(items)
    mixed = one(replace(run, items=items))
    assert straight.ids == mixed.ids == ("v1__x", "v1__y", "v2__x")
    assert straight.correct.tolist() == mixed.correct.tolist()
    assert straight.correct.tolist() == [
        [False, True, False],  # no verdict on the factual answer
        [False, False, False],
        [True, True, True],
    ]


def test_a_pair_with_one_answer_is_in_no_score():
    run = vidhalloc_run("a", {"v1__x": RIGHT})
    half = vidhalloc_item("v2__x", "factual", "ACCEPT")
    method = one(replace(run, items=[*run.items, half]))
    assert method.ids == ("v1__x",)
    assert len(method.answers) == 3
    assert method.score("factual") == 100.0


def test_correctness_is_decided_by_the_metrics_and_not_read_from_the_file():
    run = vidhalloc_run("a", {"v1__x": RIGHT})
    forged = [{**item, "correct": False} for item in run.items]
    assert one(replace(run, items=forged)).score("overall") == 100.0


def test_runs_of_other_benchmarks_are_left_out():
    other = vidomni_run("b", {"v1__x": [1]}, {"v1__x": [1]})
    assert [m.name for m in methods([other, vidhalloc_run("a", {})])] == ["a"]


def test_names_tell_the_tasks_of_one_run_apart():
    runs = [
        vidhalloc_run("a", {}, task="vidhalloc_qa"),
        vidhalloc_run("a", {}, task="vidhalloc_caption"),
        vidhalloc_run("b", {}, task="vidhalloc_qa"),
    ]
    found = methods(runs)
    assert [m.name for m in found] == ["a (vidhalloc_qa)", "a (vidhalloc_caption)", "b"]
    assert {task: len(group) for task, group in by_task(found).items()} == {
        "vidhalloc_qa": 2,
        "vidhalloc_caption": 1,
    }


def test_only_common_pairs_are_compared_and_their_rows_match():
    alike = {f"v{k}__x": {"category": "eeh"} for k in range(5)}
    first = one(vidhalloc_run("a", {"v1__x": RIGHT, "v2__x": WRONG, "v3__x": RIGHT}, alike))
    second = one(vidhalloc_run("b", {"v3__x": WRONG, "v2__x": RIGHT, "v4__x": RIGHT}, alike))
    empty = one(vidhalloc_run("c", {}))
    common = in_common([first, second, empty])
    shared = ("v2__x", "v3__x")
    assert [(m.name, m.ids) for m in common] == [("a", shared), ("b", shared)]
    assert [m.correct[:, 2].tolist() for m in common] == [[False, True], [True, False]]
    assert in_common([empty]) == in_common([]) == []


@pytest.mark.parametrize("field", ["video_id", "category", "task_type", "question"])
def test_other_content_under_the_same_id_is_no_common_pair(field):
    pairs = {f"v{k}__x": RIGHT for k in range(4)}
    other = {"video_id": "v9", "category": "trh", "task_type": "video_captioning"}
    changed = {"v0__x": {field: other.get(field, "another?")}}
    found = methods([vidhalloc_run("a", pairs), vidhalloc_run("b", pairs, changed)])
    common = in_common(found)
    assert [method.ids for method in common] == [("v1__x", "v2__x", "v3__x")] * 2
    assert common[0].videos == common[1].videos


def test_runs_on_other_data_under_the_same_ids_are_reported():
    pairs = {f"v{k}__x": RIGHT for k in range(16)}
    moved = {pair: {"video_id": f"w{k}", "category": "eeh"} for k, pair in enumerate(pairs)}
    runs = [vidhalloc_run("a", pairs), vidhalloc_run("b", pairs, moved)]
    found = {table.name: table for table in tables(runs, Settings(draws=100))}
    accuracy = [row[3] for row in found["vidhalloc_accuracy"].rows if row[0] in {"a", "b"}]
    assert accuracy == [16, 16]
    (note, *_) = found["vidhalloc_accuracy_common"].notes
    assert note.startswith("vidhalloc: 0 pairs are in all 2 runs")


def test_videos_of_both_tasks_are_apart_even_with_the_same_id():
    fields = {"v1__x": {"task_type": "video_qa"}, "v1__y": {"task_type": "video_captioning"}}
    method = one(vidhalloc_run("a", {"v1__x": RIGHT, "v1__y": RIGHT}, fields))
    assert len(set(method.videos)) == 2
    assert method.mask(Part("QA", task_type="video_qa")).tolist() == [False, True]


@pytest.mark.parametrize(
    ("categories", "matched"),
    [
        pytest.param(["eeh", "aph"], True, id="one of each"),
        pytest.param(["eeh", "ech"], False, id="two ontology"),
        pytest.param(["eeh"], False, id="one alone"),
        pytest.param(["eeh", "aph", "trh"], False, id="one of each and one more"),
    ],
)
def test_within_video_needs_one_pair_of_each_group(categories, matched):
    fields = {f"v1__{c}": {"category": c} for c in categories}
    method = one(vidhalloc_run("a", dict.fromkeys(fields, RIGHT), fields))
    assert one_of_each(method).tolist() == [matched] * len(categories)


def test_a_group_without_pairs_has_no_score():
    method = one(vidhalloc_run("a", {"v1__x": RIGHT}, {"v1__x": {"category": "eeh"}}))
    assert method.score("overall", OH) == 100.0
    assert method.score("overall", DH) is None
    assert one(vidhalloc_run("b", {})).score("overall", ALL) is None


def test_scores_are_numbers_of_both_answers_or_not_there():
    run = vidhalloc_run("a", {f"v{k}__x": RIGHT for k in range(1, 7)})
    given = iter([0.5, 1, 0.25, "0.5", True, 0.5, float("inf"), 0.5, 10**400, 1, -1e308, 1])
    method = one(replace(run, items=[{**item, "score": next(given)} for item in run.items]))
    assert method.scored.tolist() == [True, False, False, False, False, False]
    assert method.scores[0].tolist() == [0.5, 1.0]
    assert np.isnan(one(run).scores).all()


def test_a_detectors_own_score_goes_before_one_that_others_wrote():
    run = vidhalloc_run("a", {"v1__x": RIGHT})
    for fields, expected in (
        ({"detector_score": 0.25, "score": 0.5}, 0.25),
        ({"detector_score": None, "score": 0.5}, 0.5),
        ({"detector_score": 0.0}, 0.0),
    ):
        method = one(replace(run, items=[{**item, **fields} for item in run.items]))
        assert method.scores.tolist() == [[expected, expected]]
