"""Hand-made candidates through all gates: good ones pass, bad ones end with their reason."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.build.pairs.gates.chain import Passed, bad, bad_candidate, end_of, good, good_candidate
from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
from vidomni_plugin.build.pairs.contracts.reasons import MEANINGS, Reason

GOOD, BAD = good(), bad()
ORDERS = pytest.mark.parametrize("factual_first", [True, False], ids=["factual first", "last"])


def test_two_good_ones_a_leaf_in_both_tasks():
    counts = Counter((case["leaf"], case["task"]) for case in GOOD.values())
    assert set(counts) == {
        (leaf.value, task) for leaf in LEAVES for task in ("video_qa", "video_captioning")
    }
    assert set(counts.values()) == {1}


@ORDERS
@pytest.mark.parametrize("name", GOOD)
def test_good_ones_pass(name, factual_first):
    end = end_of(good_candidate(name), factual_first=factual_first)
    assert isinstance(end, Passed), end


@ORDERS
@pytest.mark.parametrize("case", BAD, ids=lambda case: case["why"])
def test_bad_ones_end_with_their_reason(case, factual_first):
    candidate = bad_candidate(case)
    end = end_of(candidate, factual_first=factual_first)
    assert not isinstance(end, Passed)
    assert end.reason is Reason(candidate.ends), end


def test_every_reason_that_a_gate_gives_has_its_candidate():
    """The others are given where nothing is judged: by the allocation, the store, the calls."""
    gates = {reason for reason, told in MEANINGS.items() if told.stage in ("HCR", "FER", "GVP")}
    gates |= {reason for reason, told in MEANINGS.items() if told.stage == "CRV"}
    assert gates - {Reason.NO_FACT} == {Reason(case["ends"]) for case in BAD} - {
        Reason.SCHEMA_VIOLATION
    }
    assert len(BAD) >= 40


def test_a_row_that_is_wrong_does_not_cost_the_other_leaves():
    candidate = good_candidate("a cat")
    candidate.replies["plan"]["opportunities"][2] |= {
        "constructibility": "constructible",
        "anchor_summary": "the cups",
        "evidence_intervals": [{"start_sec": 30, "end_sec": 31}],
    }
    assert isinstance(end_of(candidate), Passed)
