"""The same id with other content is another pair, for everything that joins two runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.report.builders import vidhalloc_run, vidomni_run
from vidomni_plugin.report.compare import compare
from vidomni_plugin.report.ensemble import merge
from vidomni_plugin.report.page.items import browser_data
from vidomni_plugin.report.runs import Run, TaskRun
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidhalloc_pairs import in_common, methods
from vidomni_plugin.report.vidomni_scored import common_pairs, score_run

GOLD = {"v1__a": [1, 0], "v2__a": [1, 1], "v3__a": [0, 1]}
PAIRS = dict.fromkeys(GOLD, ("ACCEPT", "REJECT"))
OF_A_CAPTION = {
    "video_id": "v9",
    "sentences": ["Other.", "Words."],
    "gold": [1, 1],
    "errors": [["Order"], []],
    "complexity_type": 5,
    "duration_s": 4000.0,
}
OF_ANSWERS = {
    "video_id": "v9",
    "category": "trh",
    "task_type": "video_captioning",
    "question": "And where?",
    "candidate_answer": "There.",
}
SETTINGS = Settings(draws=100)


def items_of(*runs: TaskRun) -> list[list[int]]:
    """Return which runs answered each item of the page that has the first pair's id."""
    data = browser_data([Run(run.run, None, {run.task: run}, ()) for run in runs])
    return [list(item["answers"]) for item in data["items"] if item["id"] == "v1__a"]


@pytest.mark.parametrize("field", OF_A_CAPTION)
def test_another_caption_under_the_same_id(field):
    a = vidomni_run("a", GOLD, GOLD)
    first, *rest = a.items
    b = replace(a, run="b", items=[first | {field: OF_A_CAPTION[field]}, *rest])
    assert compare(a, b, SETTINGS).changed == ["v1__a"]
    assert merge(a, b).different == 1
    left, right = common_pairs(score_run(a), score_run(b))
    assert left.pair_ids == right.pair_ids == ("v2__a", "v3__a")
    assert items_of(a, b) == [[0], [1]]


@pytest.mark.parametrize("field", OF_ANSWERS)
@pytest.mark.parametrize("side", ["factual", "counterfactual"])
def test_other_answers_under_the_same_id(field, side):
    a = vidhalloc_run("a", PAIRS, {pair: {"category": "eeh"} for pair in PAIRS})
    items = [
        item | {field: OF_ANSWERS[field]}
        if item["pair_id"] == "v1__a" and item["side"] == side
        else item
        for item in a.items
    ]
    b = replace(a, run="b", items=items)
    assert compare(a, b, SETTINGS).changed == ["v1__a"]
    assert [m.ids for m in in_common(methods([a, b]))] == [("v2__a", "v3__a")] * 2
    # Both answers go to the other item, also the one that is the same.
    assert items_of(a, b) == [[0], [1]]


def test_a_file_that_was_encoded_anew_is_the_same_pair():
    a = vidomni_run("a", GOLD, GOLD)
    b = vidomni_run("b", GOLD, GOLD, {pair: {"duration_s": 12.04} for pair in GOLD})
    assert compare(a, b, SETTINGS).changed == []
    assert common_pairs(score_run(a), score_run(b))[0].pair_ids == tuple(GOLD)
    assert items_of(a, b) == [[0, 1]]
