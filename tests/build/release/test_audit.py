"""The audit finds what is in two splits."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.build.release.audit import KINDS, Held, overlaps, refuse_overlaps
from vidomni_plugin.data.layout import SPLITS
from vidomni_plugin.problems import InputProblems

HELD = st.lists(
    st.builds(Held, st.sampled_from(KINDS), st.sampled_from("abc"), st.sampled_from(SPLITS))
)


@given(HELD)
def test_every_value_in_two_splits_is_found_and_no_other(held):
    found = {
        (kind, *case["splits"], value)
        for kind, cases in overlaps(held).items()
        for case in cases
        for value in case["values"]
    }
    wanted = {
        (one.kind, *sorted((one.split, other.split), key=SPLITS.index), one.value)
        for one, other in itertools.product(held, held)
        if (one.kind, one.value) == (other.kind, other.value) and one.split != other.split
    }
    assert found == wanted


def test_every_kind_is_refused_with_its_names():
    held = [Held(kind, f"{kind}-x", split) for kind in KINDS for split in SPLITS[1:]]
    found = overlaps(held)
    near = [{"videos": ["videoqa_0001", "captioning_0001"], "splits": list(SPLITS[:2])}]
    audit = {"passed": False, "overlaps": found | {"near_identical": near}}
    with pytest.raises(InputProblems) as caught:
        refuse_overlaps(audit | {"all_source_videos_content_unique": True}, "no release")
    messages = [(one.place, one.message) for one in caught.value.problems]
    assert messages == [
        *(("Eval_set and Test_set", f"{kind} in both: {kind}-x") for kind in KINDS),
        ("Main_set and Eval_set", "near_identical in both: videoqa_0001, captioning_0001"),
    ]
