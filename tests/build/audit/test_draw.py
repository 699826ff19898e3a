"""The sample: equally many a category, the same for the same seed, and what is too few."""

from __future__ import annotations

import random

import pytest

from tests.build.audit.exported import LEAVES, record, release
from vidomni_plugin.build.audit.draw import draw, items_of
from vidomni_plugin.build.audit.files import read_source
from vidomni_plugin.build.audit.labels import CODES, code_of
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.records import VidHalLocPair


def pairs_of(per_category: int, videos: int = 1000) -> list[VidHalLocPair]:
    rows = [
        record(8 * n + k, leaf, (8 * n + k) % videos)
        for n in range(per_category)
        for k, leaf in enumerate(LEAVES)
    ]
    return [VidHalLocPair.model_validate(row) for row in rows]


def test_the_papers_design(tmp_path):
    source = read_source(release(tmp_path / "VidHalLoc"))
    assert len(source.pairs) == 2000
    drawn = draw(source.pairs, place="x")
    assert [pair.leaf_label.value for pair in drawn.audit] == [
        leaf for leaf in LEAVES for _ in range(100)
    ]
    ids = [pair.pair_id for pair in drawn.audit]
    assert len(set(ids)) == 800
    for at in range(0, 800, 100):
        assert ids[at : at + 100] == sorted(ids[at : at + 100])
    practice = [pair.pair_id for pair in drawn.calibration]
    assert len(practice) == 30
    assert not set(practice) & set(ids)
    counts = [sum(p.leaf_label.value == leaf for p in drawn.calibration) for leaf in LEAVES]
    assert counts == [4, 4, 4, 4, 4, 4, 3, 3]
    seen = {pair.media.video_id for pair in drawn.audit}
    assert not seen & {pair.media.video_id for pair in drawn.calibration}


def test_the_order_of_the_pairs_does_not_matter_and_the_seed_does():
    pairs = pairs_of(20)
    shuffled = pairs.copy()
    random.Random(1).shuffle(shuffled)
    first = draw(pairs, place="x", per_category=5, calibration=4)
    assert draw(shuffled, place="x", per_category=5, calibration=4) == first
    other = draw(pairs, place="x", per_category=5, calibration=4, seed=1)
    assert {p.pair_id for p in other.audit} != {p.pair_id for p in first.audit}


def test_a_known_draw():
    """Whoever draws with another NumPy must get the same items, or be told by this test."""
    drawn = draw(pairs_of(10), place="x", per_category=2, calibration=1)
    numbers = [int(pair.pair_id.rpartition("_")[2]) // 8 for pair in drawn.audit]
    assert numbers == [2, 4, 4, 6, 4, 5, 0, 3, 4, 6, 3, 8, 7, 8, 0, 3]


def test_every_category_with_too_few_is_named():
    pairs = [p for p in pairs_of(10) if p.leaf_label.value != LEAVES[6]]
    few = [p for p in pairs if p.leaf_label.value != LEAVES[1] or p.pair_id.endswith("01")]
    with pytest.raises(InputProblems) as raised:
        draw(few, place="here", per_category=5, calibration=0)
    told = [str(problem) for problem in raised.value.problems]
    assert told == [
        "here: ECH: 1 pairs, 5 are wanted [too-few]",
        "here: TRH: 0 pairs, 5 are wanted [too-few]",
    ]


def test_fewer_are_taken_where_that_is_allowed_also_none():
    pairs = pairs_of(3)
    drawn = draw(pairs, place="x", per_category=5, calibration=30, allow_fewer=True)
    assert len(drawn.audit) == 24
    assert drawn.calibration == []
    without = [pair for pair in pairs if pair.leaf_label.value != LEAVES[0]]
    left = draw(without, place="x", per_category=2, calibration=7, allow_fewer=True)
    assert len(left.audit) == 14
    assert len(left.calibration) == 7
    assert LEAVES[0] not in {pair.leaf_label.value for pair in left.audit + left.calibration}
    with pytest.raises(InputProblems, match="there is no pair"):
        draw([], place="x", per_category=2, allow_fewer=True)


def test_too_few_for_the_calibration():
    with pytest.raises(InputProblems, match="8 pairs are left for the calibration, 30"):
        draw(pairs_of(3), place="x", per_category=2)


def test_the_calibration_prefers_other_videos_but_not_at_any_price():
    drawn = draw(pairs_of(4, videos=9), place="x", per_category=2, calibration=16)
    assert len(drawn.calibration) == 16


def test_items_have_names_of_their_own():
    drawn = draw(pairs_of(10), place="x", per_category=2, calibration=3)
    items = items_of(drawn, 20260818)
    names = [item.item for item in items]
    assert len(set(names)) == len(names) == 19
    assert [item.batch for item in items] == ["audit"] * 16 + ["calibration"] * 3
    assert not set(names) & {item.item for item in items_of(drawn, 1)}


def test_codes():
    assert [code_of(leaf) for leaf in LEAVES] == list(CODES)
    assert CODES == ("EEH", "ECH", "EQH", "AVH", "SRH", "APH", "TRH", "CPH")
