"""A detector's answer is one line of JSON that reads back as it was, and nothing else is one."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.detectors.answer import (
    DEEPEST,
    DETECTOR_REASONS,
    answer,
    answer_with,
    looks_like_answer,
    read_answer,
)
from vidomni_plugin.labels import parse_verdict
from vidomni_plugin.parsing.reasons import REASONS
from vidomni_plugin.scores import LARGEST_SCORE
from vidomni_plugin.vidhalloc.metrics import usable_score

finite = st.floats(-LARGEST_SCORE, LARGEST_SCORE)


@given(score=finite, threshold=finite, note=st.text())
def test_scores_and_thresholds_come_back_to_the_last_bit(score, threshold, note):
    text = answer(score, threshold, note=note)
    found = read_answer(text)
    assert "\n" not in text
    assert (found.score, found.threshold) == (score, threshold)
    assert found.label == ("ACCEPT" if score >= threshold else "REJECT")
    assert found.detail == {"note": note}
    assert parse_verdict(text).label == found.label


@pytest.mark.parametrize(
    ("score", "threshold", "reason", "expected"),
    [
        (0.5, 0.5, "", ("ACCEPT", "")),
        (np.float32(0.5), 0.5, "", ("ACCEPT", "")),
        (math.nextafter(0.5, 0), 0.5, "", ("REJECT", "")),
        (0.5, None, "", (None, "no_threshold")),
        (math.nan, 0.5, "", (None, "not_finite")),
        (-math.inf, None, "", (None, "not_finite")),
        (LARGEST_SCORE, 0.5, "", ("ACCEPT", "")),
        (math.nextafter(LARGEST_SCORE, math.inf), 0.5, "", (None, "not_finite")),
        (-1e200, None, "", (None, "not_finite")),
        (None, 0.5, "", (None, "no_score")),
        (None, None, "request_failed", (None, "request_failed")),
    ],
)
def test_labels_and_reasons(score, threshold, reason, expected):
    text = answer(score, threshold, reason=reason, said="ACCEPT. Verdict: REJECT")
    found = read_answer(text)
    assert (found.label, found.reason) == expected
    verdict = parse_verdict(text)
    assert (verdict.label, verdict.reason) == expected
    assert json.loads(text)["score"] is None or expected[1] in {"", "no_threshold"}


def test_every_reason_has_its_meaning():
    assert DETECTOR_REASONS.items() <= REASONS.items()


FORMS = ({}, {"separators": (",", ":")}, {"indent": 2}, {"sort_keys": True})
"""Ways in which another program may write the same JSON."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("threshold", [0.5, None])
def test_the_same_json_in_other_writing_is_the_same_answer(form, threshold):
    text = answer(0.1, threshold, said="Verdict: ACCEPT")
    other = json.dumps(json.loads(text), **form)
    assert read_answer(other) == read_answer(text)
    assert parse_verdict(other) == parse_verdict(text)


@given(score=st.one_of(finite, st.floats()), threshold=st.one_of(st.none(), finite))
def test_a_score_with_a_label_is_one_that_every_metric_takes(score, threshold):
    found = read_answer(answer(score, threshold))
    assert found.score == usable_score(score)
    assert (found.label is None) == (found.score is None or threshold is None)


def test_whole_numbers_are_compared_as_the_numbers_that_are_kept():
    row = {"score": 2**53, "label": "ACCEPT", "threshold": 2**53 + 1, "detail": {}}
    found = read_answer(json.dumps(row))
    assert (found.score, found.threshold) == (2.0**53, 2.0**53)
    assert isinstance(found.score, float)


def test_any_name_may_stand_in_a_detail():
    detail = dict.fromkeys(("score", "threshold", "reason", "detail", "label", "self", ""), 1)
    assert read_answer(answer_with(detail, 0.5, None)).detail == detail


def test_a_detail_without_an_end_is_none():
    inside: object = 0
    for _ in range(DEEPEST - 1):
        inside = [inside]
    assert read_answer(answer(0.5, None, a=inside)).detail == {"a": inside}
    with pytest.raises(ValueError, match="deeper"):
        answer(0.5, None, a=[[inside]])
    start = '{"score": 0.5, "label": "ACCEPT", "threshold": 0.5, "detail": {"a": '
    for depth in (DEEPEST + 1, 900, 100_000):
        text = f"{start}{'[' * depth}{']' * depth}}}}}"
        assert read_answer(text) is None
        assert parse_verdict(text).label is None


def test_long_texts_that_nearly_are_answers_take_no_time():
    for text in ("{" + " " * 10**6, '{"score":' + " " * 10**6, '{"score":0' + ',"label":' * 10**5):
        assert not looks_like_answer(text)


@pytest.mark.parametrize(
    "change",
    [
        {"label": "REJECT"},
        {"label": None},
        {"score": "0.9"},
        {"score": True},
        {"score": 10**400},
        {"score": 1e101},
        {"score": math.nan},
        {"threshold": math.inf},
        {"threshold": -1e101},
        {"detail": []},
        {"detail": "ACCEPT"},
        {"reason": "no_threshold"},
        {"reason": ["x"]},
        {"score": None, "label": None, "reason": "no_threshold"},
        {"threshold": None, "label": None, "reason": "no_threshold", "score": None},
        {"threshold": None, "label": None, "reason": "request_failed"},
        {"threshold": None, "label": None},
        {"more": 1},
    ],
)
def test_an_edited_answer_gives_no_verdict(change):
    whole = json.loads(answer(0.9, 0.5, said="ACCEPT"))
    for form in FORMS:
        text = json.dumps(whole | change, **form)
        assert read_answer(text) is None
        assert parse_verdict(text).label is None


def test_an_answer_that_was_cut_gives_no_verdict():
    text = answer(0.1, 0.5, said="Verdict: ACCEPT")
    for end in range(len(text)):
        assert read_answer(text[:end]) is None
        known = '"REJECT"' in text[:end] and '"threshold": ' not in text[:end]
        assert parse_verdict(text[:end]).label in ({None, "REJECT"} if known else {None})


def test_json_of_a_language_model_is_read_as_before():
    assert parse_verdict('{"verdict": "ACCEPT", "score": 0.9}').label == "ACCEPT"
    assert read_answer('{"verdict": "ACCEPT"}') is None


def test_arrays_and_numbers_that_are_not_finite_in_the_detail():
    text = answer(1.0, None, frames=np.array([[1.0, math.nan]]), facts={1: (True, math.inf)})
    assert read_answer(text).detail == {"frames": [[1.0, None]], "facts": {"1": [True, None]}}


def test_what_makes_no_answer():
    for none in (math.nan, math.inf, -1e101):
        with pytest.raises(ValueError, match="finite number"):
            answer(0.5, none)
    with pytest.raises(ValueError, match="why there is none"):
        answer(0.5, 0.5, reason="no_score")
