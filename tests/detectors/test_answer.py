"""A detector's answer is one line of JSON that reads back as it was, and nothing else is one."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.detectors.answer import DETECTOR_REASONS, answer, read_answer
from vidomni_plugin.labels import parse_verdict
from vidomni_plugin.parsing.reasons import REASONS

finite = st.floats(allow_nan=False, allow_infinity=False)


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


@pytest.mark.parametrize(
    "change",
    [
        {"label": "REJECT"},
        {"label": None},
        {"score": "0.9"},
        {"score": True},
        {"score": 10**400},
        {"threshold": math.inf},
        {"detail": []},
        {"reason": "no_threshold"},
        {"reason": ["x"]},
        {"more": 1},
    ],
)
def test_an_edited_answer_gives_no_verdict(change):
    whole = json.loads(answer(0.9, 0.5, said="ACCEPT"))
    text = json.dumps(whole | change)
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
    with pytest.raises(ValueError, match="finite number"):
        answer(0.5, math.nan)
    with pytest.raises(ValueError, match="why there is none"):
        answer(0.5, 0.5, reason="no_score")
