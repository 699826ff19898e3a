"""Whole videos to ranks and shards: properties, and the least number of splits by brute force."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vidomni_plugin.data import deal as dealing
from vidomni_plugin.data.deal import deal, shard_videos

VIDEOS = st.lists(st.sampled_from("abcdefgh"), max_size=40)


def ranks_of(videos: list[str], order: list[int], ranks: int, start: int, stop: int | None):
    """Return the documents of each rank as the host hands them out."""
    places = range(len(videos))[start:stop]
    return [[order[place] for place in places[rank::ranks]] for rank in range(ranks)]


def split_videos(videos: list[str], shares: list[list[int]]) -> int:
    seen = Counter(video for share in shares for video in {videos[index] for index in share})
    return sum(number > 1 for number in seen.values())


@given(VIDEOS, st.integers(1, 9), st.integers(0, 12), st.one_of(st.none(), st.integers(0, 45)))
def test_same_documents_same_counts_few_splits(videos, ranks, start, stop):
    order = deal(videos, ranks, start, stop)
    assert sorted(order) == list(range(len(videos)))
    inside = set(range(len(videos))[start:stop])
    assert {order[k] for k in inside} == inside
    assert all(order[k] == k for k in range(len(videos)) if k not in inside)
    shares = ranks_of(videos, order, ranks, start, stop)
    assert [len(share) for share in shares] == [
        len(range(rank, len(inside), ranks)) for rank in range(ranks)
    ]
    assert split_videos(videos, shares) <= ranks - 1
    for share in shares if ranks > 1 else []:  # questions of a video come one after the other
        assert len([v for v, _ in itertools.groupby(share, key=lambda k: videos[k])]) == len(
            {videos[k] for k in share}
        )


@settings(max_examples=60)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=7), st.integers(2, 3))
def test_no_video_is_split_where_none_has_to_be(sizes, ranks):
    videos = [f"v{k}" for k, size in enumerate(sizes) for _ in range(size)]
    rooms = [len(range(rank, len(videos), ranks)) for rank in range(ranks)]
    possible = any(
        [sum(s for s, r in zip(sizes, given_to, strict=True) if r == rank) for rank in range(ranks)]
        == rooms
        for given_to in itertools.product(range(ranks), repeat=len(sizes))
    )
    split = split_videos(videos, ranks_of(videos, deal(videos, ranks), ranks, 0, None))
    assert (split == 0) == possible


@pytest.mark.parametrize(
    ("videos", "each", "ranks", "most"),
    [
        pytest.param(500, 5, 2, 0, id="VidOmni on 2"),
        pytest.param(500, 5, 4, 0, id="VidOmni on 4"),
        pytest.param(500, 5, 8, 4, id="VidOmni on 8: 313 and 312 make five together"),
        pytest.param(1000, 1, 7, 0, id="captions"),
        pytest.param(1, 9, 4, 1, id="one video for all"),
    ],
)
def test_sizes_of_the_benchmarks(videos, each, ranks, most, monkeypatch):
    """Also quick, told by its work: sums of sizes are looked for at most twice a try."""
    looked: list[int] = []

    def counted(counts, room):
        looked.append(room)
        return reachable(counts, room)

    reachable = dealing._reachable
    monkeypatch.setattr(dealing, "_reachable", counted)
    rows = [f"v{k:04d}" for k in range(videos) for _ in range(each)]
    order = deal(rows, ranks)
    assert len(looked) <= 2 * ranks * dealing.TRIES
    assert split_videos(rows, ranks_of(rows, order, ranks, 0, None)) <= most


def test_uneven_videos_of_vidhalloc_stay_whole():
    rows = [f"v{k:04d}" for k in range(1090) for _ in range(2 * (k % 3 + 1))]
    for ranks in (2, 3, 4, 8, 16):
        split = split_videos(rows, ranks_of(rows, deal(rows, ranks), ranks, 0, None))
        assert split <= len(rows) % (2 * ranks)  # odd counts of documents cannot be filled


@given(VIDEOS, st.integers(1, 9), st.randoms())
def test_shards_are_whole_balanced_and_do_not_depend_on_the_order(videos, shards, random):
    chosen = shard_videos(videos, shards)
    assert chosen.keys() == set(videos)
    loads = Counter({shard: 0 for shard in range(1, shards + 1)})
    loads.update(chosen[video] for video in videos)
    assert set(loads) == set(range(1, shards + 1))
    largest = max(Counter(videos).values(), default=0)
    assert max(loads.values()) - min(loads.values()) <= largest
    shuffled = list(videos)
    random.shuffle(shuffled)
    assert shard_videos(shuffled, shards) == chosen
