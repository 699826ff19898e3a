"""Answers of two detectors, or of one with two settings, in one run are told."""

from __future__ import annotations

from dataclasses import replace

from tests.report.builders import vidhalloc_run
from vidomni_plugin.detectors.answer import answer, read_answer
from vidomni_plugin.detectors.settings import SETTINGS, mixed
from vidomni_plugin.report.faults import faults_of
from vidomni_plugin.vidhalloc.metrics import summary


def answers(*details, threshold=None):
    return [(str(k), read_answer(answer(0.5, threshold, **one))) for k, one in enumerate(details)]


def test_the_first_answer_with_each_other_setting_is_named():
    found = mixed(
        answers(
            {"detector": "x", "frames": 8},
            {"detector": "x", "frames": 8, "tokens": 3},
            {"detector": "y", "frames": 32},
            {"detector": "y", "frames": 32},
            {"detector": "z", "frames": 8},
        )
    )
    assert [one.place for one in found] == ["2", "4"]
    assert found[0].said == 'detector "y", and "x" at 0; frames 32, and 8 at 0'
    assert found[1].said == 'detector "z", and "x" at 0'


def test_what_is_not_told_or_is_of_the_item_alone_is_not_compared():
    assert mixed([]) == []
    assert mixed(answers({}, {"frames": 8}, {}, {"frames": 8})) == []
    assert mixed(answers({"tokens": 1, "frame_scores": [1]}, {"tokens": 2})) == []
    assert mixed(answers({"yes": ["a"]}, {"yes": ["a"]}, {"yes": ["b"]}))[0].place == "2"


def test_thresholds_are_compared_where_they_are_asked_for():
    both = answers({}, threshold=0.5) + answers({}, threshold=0.25)
    assert mixed(both) == []
    assert mixed(both, thresholds=True)[0].said == "threshold 0.25, and 0.5 at 0"


def test_every_setting_of_a_detector_counts():
    for name in SETTINGS:
        assert len(mixed(answers({name: 1}, {name: 2}))) == 1


def faults(run, tmp_path):
    found = faults_of(run, summary(run.items), tmp_path / "samples_vidhalloc.jsonl")
    return [problem for problem in found if problem.code == "mixed-settings"]


def test_reports_warn_of_a_run_of_two_settings(tmp_path):
    pair = ("ACCEPT", "REJECT")
    run = vidhalloc_run("m", {"v1__x": pair, "v2__x": pair})
    for thresholds, frames, expected in (
        ((0.5, 0.5), (8, 8), None),
        ((0.5, 0.25), (8, 8), "threshold 0.25, and 0.5 at v1__x/factual"),
        ((0.5, 0.5), (8, 4), "frames 4, and 8 at v1__x/factual"),
    ):
        items, responses = [], {}
        for item in run.items:
            second = item["pair_id"] == "v2__x"
            text = answer(0.7, thresholds[second], frames=frames[second])
            items.append({**item, "detector_score": 0.7, "detector_threshold": thresholds[second]})
            responses[f"{item['pair_id']}/{item['side']}"] = text
        found = faults(replace(run, items=items, responses=responses), tmp_path)
        assert bool(found) == (expected is not None)
        if expected:
            assert expected in found[0].message
    assert faults(run, tmp_path) == []  # a model that answers in words
