"""Ids follow from content."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.build.pairs.acting import facts_of
from vidomni_plugin.build.pairs.contracts.roles import ProposedFact
from vidomni_plugin.build.pairs.ids import comes_first, fact_id_of, pair_id_of
from vidomni_plugin.records import Leaf

FACT = facts_of("a")[Leaf.ATTRIBUTE_VALUE]


def id_of(sha: str = "0" * 64, **changes: object) -> str:
    return fact_id_of(sha, ProposedFact.model_validate({**FACT, **changes}))


def test_a_fact_is_named_by_video_fact_and_time_but_not_by_its_wording():
    assert re.fullmatch("fact_[0-9a-f]{16}", id_of())
    assert id_of(natural_language_fact="A cup of that colour is seen.") == id_of()
    assert id_of(time_scope={"start_sec": 0.12, "end_sec": 0.79}) == id_of()
    others = [
        id_of("1" * 64),
        id_of(time_scope={"start_sec": 0.2, "end_sec": 0.8}),
        id_of(normalized_fact={**FACT["normalized_fact"], "entity": "the mug"}),
        id_of(normalized_fact={**FACT["normalized_fact"], "attribute_value": "black"}),
    ]
    assert len({id_of(), *others}) == 5


@given(st.text(min_size=1), st.text(min_size=1))
def test_an_id_of_a_pair_is_a_plain_word(video_id, fact_id):
    assert re.fullmatch("[0-9A-Za-z_]+", pair_id_of(video_id, fact_id))


def test_either_answer_comes_first_about_as_often_and_not_for_both_reviewers_alike():
    first = {
        role: [comes_first(f"fact_{n}", role, 42) for n in range(1000)]
        for role in ("verifier", "monitor")
    }
    assert all(430 < sum(orders) < 570 for orders in first.values())
    alike = sum(map(bool.__eq__, first["verifier"], first["monitor"]))
    assert 430 < alike < 570
    assert first["monitor"] != [comes_first(f"fact_{n}", "monitor", 43) for n in range(1000)]
