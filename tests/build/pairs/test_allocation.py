"""Who is served next: by hand, against a plain search through all candidates, and the caps."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import settings as trials
from hypothesis import strategies as st

from tests.build.pairs.running import settings
from vidomni_plugin.build.pairs.allocation import Candidate, Had, choose, rank, why_not
from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
from vidomni_plugin.build.pairs.contracts.reasons import Reason
from vidomni_plugin.records import CATEGORY_OF_LEAF, Leaf

EEH, ECH, EQH = Leaf.ENTITY_EXISTENCE, Leaf.ENTITY_CATEGORY, Leaf.ENTITY_QUANTITY
NONE = Had.of([])


def fact(video: str, leaf: Leaf, number: int = 0) -> Candidate:
    return Candidate(video, f"fact_{video}_{leaf.value}_{number}", leaf)


facts = st.builds(fact, st.sampled_from("abcdefg"), st.sampled_from(list(LEAVES)))
some_facts = st.lists(facts, max_size=30, unique=True)
ceilings = st.dictionaries(
    st.sampled_from(sorted(CATEGORY_OF_LEAF.values())), st.integers(0, 3), max_size=8
)
asked = st.builds(
    lambda target, limits, each, seed: settings(
        target=target, ceilings=limits, pairs_per_video=each, seed=seed
    ),
    *(st.integers(1, 12), ceilings, st.integers(1, 2), st.integers(0, 3)),
)


def test_the_leaf_with_the_fewest_pairs_comes_first_then_the_one_with_the_fewest_candidates():
    had = Had.of([fact("z", EEH)])
    candidates = [fact("a", EEH), fact("b", ECH), fact("c", ECH), fact("d", EQH)]
    leaves = [one.leaf for one in choose(candidates, had, settings(target=80))]
    assert leaves[0] is EQH
    assert leaves[1] is ECH
    assert sorted(leaves[2:]) == sorted([EEH, ECH])


def test_equal_ones_are_ordered_by_their_hash():
    candidates = [fact(video, EEH) for video in "abcdef"]
    for seed in range(4):
        chosen = choose(candidates, NONE, settings(target=80, seed=seed))
        assert list(chosen) == sorted(candidates, key=lambda one: rank(one, seed))
    orders = {choose(candidates, NONE, settings(target=80, seed=seed)) for seed in range(4)}
    assert len(orders) == 4


@pytest.mark.parametrize(
    ("had", "changes", "reason"),
    [
        pytest.param([], {}, None, id="free"),
        pytest.param([("z", ECH)], {"target": 1}, Reason.TARGET_REACHED, id="target"),
        pytest.param([("a", ECH), ("a", EQH)], {}, Reason.VIDEO_CAP, id="two of the video"),
        pytest.param([("a", ECH)], {"pairs_per_video": 1}, Reason.VIDEO_CAP, id="one a video"),
        pytest.param([("a", EEH)], {}, Reason.LEAF_CAP, id="the leaf in the video"),
        pytest.param([("z", EEH)], {"target": 8}, Reason.LEAF_CAP, id="a share of the target"),
        pytest.param([], {"ceilings": {"eeh": 0}}, Reason.LEAF_CAP, id="no place at all"),
        pytest.param([("z", EEH)], {"target": 8, "ceilings": {"eeh": 2}}, None, id="own ceiling"),
    ],
)
def test_why_a_fact_is_kept_out(had, changes, reason):
    pairs = Had.of(fact(video, leaf) for video, leaf in had)
    assert why_not(fact("a", EEH), pairs, settings(**{"target": 80} | changes)) is reason


def plainly(candidates, had, settings):
    """Choose by looking through all that is free, again and again."""
    supply = Counter(one.leaf for one in candidates)
    counts = Counter(had.by_leaf)
    waiting = sorted(candidates, key=lambda one: rank(one, settings.seed))
    chosen = []
    while True:
        now = Had(counts, had.leaves_of_video)
        waiting = [one for one in waiting if why_not(one, now, settings) is None]
        if not waiting:
            return tuple(chosen)
        best = min(waiting, key=lambda one: (counts[one.leaf], supply[one.leaf]))
        chosen.append(best)
        counts[best.leaf] += 1
        waiting = [one for one in waiting if one.video_id != best.video_id]


@given(some_facts, some_facts, asked)
def test_a_plain_search_chooses_the_same(candidates, before, asked):
    had = Had.of(before)
    assert choose(candidates, had, asked) == plainly(candidates, had, asked)


@given(some_facts, some_facts, asked, st.randoms())
@trials(max_examples=60)
def test_no_cap_is_passed_and_the_order_of_the_candidates_does_not_matter(
    candidates, before, asked, random
):
    had = Had.of(before)
    chosen = choose(candidates, had, asked)
    mixed = list(candidates)
    random.shuffle(mixed)
    assert choose(mixed, had, asked) == chosen
    assert len({one.video_id for one in chosen}) == len(chosen)
    if not chosen:
        assert all(why_not(one, had, asked) for one in candidates)
        return
    after = Had.of([*before, *chosen])
    assert after.total <= asked.target
    for one in chosen:
        assert after.by_leaf[one.leaf] <= asked.ceiling(one.leaf)
        leaves = [other.leaf for other in (*before, *chosen) if other.video_id == one.video_id]
        assert len(leaves) == len(set(leaves)) <= asked.pairs_per_video


def test_shares_of_a_target():
    assert settings(target=20).ceiling(EEH) == 3
    assert settings(target=8).ceiling(EEH) == 1
    assert settings(target=20, ceilings={"ech": 9}).ceiling(ECH) == 9
