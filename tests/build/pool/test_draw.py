"""Samples: exact numbers, the same for the same seed, even where they can be."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.build.pool.draw import (
    Stratum,
    Unassigned,
    allocate,
    draw,
    motion_thirds,
    rank,
    spread,
    with_tasks,
)
from vidomni_plugin.build.pool.lines import PoolVideo

SIZES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 40), min_size=1)


def video(number, third="low", source="s", task="video_qa"):
    digest = rank(0, "digest", str(number))
    facts = {"path": f"/v/{number}.mp4", "sha256": digest, "parent": f"v{number}"}
    facts |= {"motion": 0.1, "duration_s": 2.0, "width": 96, "height": 64, "fps": 16.0}
    facts |= {"frames": 32, "has_audio": False, "motion_third": third, "source": source}
    return PoolVideo(video_id=f"v{number}", task=task, **facts)


@pytest.mark.parametrize(
    ("sizes", "count", "how", "expected"),
    [
        pytest.param({"a": 9, "b": 9}, 6, "equal", {"a": 3, "b": 3}, id="even"),
        pytest.param({"a": 9, "b": 9}, 5, "equal", {"a": 3, "b": 2}, id="the first gets the rest"),
        pytest.param({"a": 9, "b": 1}, 6, "equal", {"a": 5, "b": 1}, id="others make up for it"),
        pytest.param({"a": 2, "b": 1}, 6, "equal", {"a": 2, "b": 1}, id="all there are"),
        pytest.param({"a": 60, "b": 30}, 9, "proportional", {"a": 6, "b": 3}, id="shares"),
        pytest.param(
            {"a": 50, "b": 30, "c": 20}, 4, "proportional", {"a": 2, "b": 1, "c": 1}, id="largest"
        ),
        pytest.param({"a": 0}, 3, "proportional", {"a": 0}, id="nothing"),
    ],
)
def test_worked_by_hand(sizes, count, how, expected):
    assert allocate(sizes, count, how, list(sizes)) == expected


@given(SIZES, st.integers(0, 200), st.sampled_from(["equal", "proportional"]))
def test_the_number_is_exact_and_no_stratum_gives_more_than_it_has(sizes, count, how):
    given_ = allocate(sizes, count, how, sorted(sizes))
    assert sum(given_.values()) == min(count, sum(sizes.values()))
    assert all(0 <= given_[name] <= size for name, size in sizes.items())
    if how == "equal":
        short = [given_[name] for name in sizes if given_[name] < sizes[name]]
        assert not short or max(given_.values()) - min(short) <= 1


@given(st.dictionaries(st.text("abc", min_size=1), st.floats(0, 8), max_size=40))
def test_thirds_are_of_one_size_and_in_order(motion):
    thirds = motion_thirds(motion)
    count = Counter(thirds.values())
    sizes = [count[third] for third in ("low", "middle", "high")]
    assert thirds.keys() == motion.keys()
    assert max(sizes) - min(sizes) <= 1
    of = {third: [motion[n] for n in motion if thirds[n] == third] for third in count}
    for low, high in (("low", "middle"), ("middle", "high")):
        if low in of and high in of:
            assert max(of[low]) <= min(of[high])


def test_videos_of_one_motion_are_taken_by_their_ids():
    still = dict.fromkeys("fdbeca", 0.0)
    assert sorted(motion_thirds(still).items()) == list(
        zip("abcdef", ["low", "low", "middle", "middle", "high", "high"], strict=True)
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("sources", "count"), [(5, 15), (20, 50), (20, 100), (1, 4)])
def test_what_is_left_over_does_not_lean_to_a_task_a_third_or_a_source(sources, count, seed):
    """Fewer videos than strata, or some left over: the strata that give one more are even."""
    thirds, tasks = ("low", "middle", "high"), ("video_qa", "video_captioning")
    cells = itertools.product(thirds, (f"s{k}" for k in range(sources)), tasks, range(3))
    pool = [video(k, third, source, task) for k, (third, source, task, _) in enumerate(cells)]
    sample = draw(pool, count, seed)
    assert len(sample) == count
    for name, values in (("motion_third", 3), ("task", 2), ("source", sources)):
        found = Counter(getattr(one, name) for one in sample)
        assert max(found.values()) - (min(found.values()) if len(found) == values else 0) <= 2, name


STRATA = st.lists(
    st.builds(
        Stratum,
        st.sampled_from(["low", "middle", "high"]),
        st.sampled_from("abcd"),
        st.sampled_from(["video_qa", "video_captioning"]),
    ),
    unique=True,
)


@given(STRATA, st.randoms(use_true_random=False), st.integers(0, 3))
def test_strata_are_spread_in_one_way_whatever_their_order(strata, drawn, seed):
    order = spread(strata, seed)
    assert sorted(order) == sorted(strata)
    drawn.shuffle(strata)
    assert spread(strata, seed) == order


def test_given_tasks_stay_and_the_others_even_them_out():
    videos = [Unassigned(f"v{k}", "s", "low", "video_qa" if k < 4 else None) for k in range(10)]
    tasks = with_tasks(videos, seed=3)
    assert all(tasks[f"v{k}"] == "video_qa" for k in range(4))
    assert Counter(tasks.values()) == {"video_qa": 5, "video_captioning": 5}
    assert with_tasks(reversed(videos), seed=3) == tasks
    others = [Unassigned(f"v{k}", "s", "low", None) for k in range(40)]
    assert with_tasks(others, seed=3) != with_tasks(others, seed=4)


def test_tasks_of_single_videos_are_even_as_a_whole():
    videos = [Unassigned(f"v{k}", f"source {k}", "low", None) for k in range(20)]
    assert Counter(with_tasks(videos, 0).values()) == {"video_qa": 10, "video_captioning": 10}


def test_the_same_seed_is_the_same_sample_in_any_order():
    videos = [video(k, third, s) for k, (third, s) in enumerate([("low", "a"), ("high", "b")] * 30)]
    sample = draw(videos, 10, seed=5)
    assert draw(videos[::-1], 10, seed=5) == sample
    assert [v.video_id for v in sample] == sorted(v.video_id for v in sample)
    assert Counter(v.source for v in sample) == {"a": 5, "b": 5}
    assert draw(videos, 10, seed=6) != sample
    # A larger sample of the same seed holds the smaller one.
    assert {v.video_id for v in sample} < {v.video_id for v in draw(videos, 20, seed=5)}
    assert draw(videos, 1000, seed=5) == sorted(videos, key=lambda v: v.video_id)
    assert draw([], 3, seed=5) == []
