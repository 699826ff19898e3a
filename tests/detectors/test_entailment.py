"""Scores of logits against the public code's own numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.detectors.case_files import number, table
from vidomni_plugin.detectors.entailment import (
    frame_indices,
    read_position,
    yes_against_no,
    yes_in_vocabulary,
)

CASES = table("entailment")
YES, NO, PADDING = 3, 5, 0
"""Token ids of the cases."""
ROWS = [
    pytest.param(case, row, id=f"{case['name']}-{row}")
    for case in CASES["cases"]
    for row in range(len(case["yes_logit"]))
]


@pytest.mark.parametrize(("case", "row"), ROWS)
def test_rows_of_the_public_code(case, row):
    logits = case["row_logits_at_read_position"][row]
    assert (logits[YES], logits[NO]) == (case["yes_logit"][row], case["no_logit"][row])
    assert read_position(case["input_ids"][row], PADDING) == case["read_position"][row]
    found = yes_against_no(logits[YES], logits[NO])
    assert found == pytest.approx(case["sigmoid_yes_minus_no_float64"][row], abs=1e-12)
    theirs = number(case["authors_float32"][row])
    if not math.isnan(theirs):  # their softmax underflows where another token has it all
        assert found == pytest.approx(theirs, abs=1e-5)


def test_the_case_in_which_the_public_code_has_no_number():
    (case,) = (case for case in CASES["cases"] if case["authors_float32"] == [None])
    assert 0 < yes_against_no(case["yes_logit"][0], case["no_logit"][0]) < 1


@pytest.mark.parametrize("asked", CASES["frame_indices"])
def test_frames_of_the_public_code(asked):
    frames, wanted = map(int, asked.split("/"))
    assert frame_indices(frames, wanted) == CASES["frame_indices"][asked]


def test_share_of_yes_in_the_whole_vocabulary():
    logits = np.array([0.0, 1.0, 2.0, 3.0])
    shares = np.exp(logits) / np.exp(logits).sum()
    assert [yes_in_vocabulary(logits, k) for k in range(4)] == pytest.approx(shares)
    assert yes_in_vocabulary([1000.0, 999.0], 1) == pytest.approx(yes_against_no(999.0, 1000.0))


def test_extreme_logits_stay_in_range():
    assert yes_against_no(1e4, -1e4) == 1
    assert yes_against_no(-1e4, 1e4) == 0
    assert math.isnan(yes_against_no(math.nan, 0.0))


@pytest.mark.filterwarnings("error")
def test_logits_without_a_share_are_no_number_and_no_warning():
    for yes, no in ((math.inf, math.inf), (-math.inf, -math.inf), (0.0, math.nan)):
        assert math.isnan(yes_against_no(yes, no))
    assert math.isnan(yes_in_vocabulary([math.inf, 0.0], 0))
    assert yes_in_vocabulary([-math.inf, 0.0], 0) == 0


def test_what_is_not_there_is_an_error():
    for token in (-1, 2):
        with pytest.raises(ValueError, match="no token"):
            yes_in_vocabulary([1.0, 2.0], token)
    for ids in ([], [PADDING, PADDING, 7]):
        with pytest.raises(ValueError, match="no token before the padding"):
            read_position(ids, PADDING)
    for frames, wanted in ((0, 4), (4, 0), (-1, 1)):
        with pytest.raises(ValueError, match="frames of"):
            frame_indices(frames, wanted)
