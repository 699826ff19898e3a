"""Which of several copies stays does not depend on their order."""

from __future__ import annotations

import itertools

import numpy as np

from tests.build.pool.clips import cropped, scene
from tests.build.pool.test_views import greys
from vidomni_plugin.build.pool.duplicates import Candidate, near_duplicates
from vidomni_plugin.build.pool.views import FRAMES, hashes_of


def candidate(name, frames, pixels=6144, duration_s=2.0):
    hashes = hashes_of(greys(frames)).astype("<u8").tobytes()
    return Candidate(name, pixels, duration_s, hashes, [True] * FRAMES)


def names(copies):
    return [(copy.name, copy.of) for copy in copies]


def test_the_largest_stays_then_the_longest_then_the_first_by_name():
    frames = scene(1)
    group = [
        candidate("a", frames, 100, 2.05),
        candidate("b", frames, 200, 2.0),
        candidate("c", frames, 200, 2.1),
        candidate("d", frames, 200, 2.1),
        candidate("x", scene(2), 50),
    ]
    expected = [("d", "c"), ("b", "c"), ("a", "c")]
    for order in itertools.permutations(group):
        assert names(near_duplicates(order, 10)) == expected


def test_what_is_rejected_is_near_to_what_stays_and_not_only_to_a_copy_of_it():
    """A chain: the second is near to the first, the third to the second alone."""
    rng = np.random.default_rng(0)
    bits = rng.permutation(63)
    first = np.zeros((FRAMES, 49), dtype=np.uint64)
    chain = []
    for step in range(3):
        flip = sum((1 << int(bit) for bit in bits[: 8 * step]), 0)
        hashes = (first ^ np.uint64(flip)).astype("<u8").tobytes()
        chain.append(Candidate(str(step), 100, 2.0, hashes, [True] * FRAMES))
    assert names(near_duplicates(chain, 10)) == [("1", "0")]


def test_an_excerpt_is_no_copy():
    frames = scene(1)
    pair = [candidate("a", frames, duration_s=2.0), candidate("b", frames, duration_s=2.5)]
    assert near_duplicates(pair, 10) == []


def test_no_video_and_one():
    seen = []
    assert near_duplicates([], 10) == []
    one = [candidate("a", cropped(scene(1), 0, 0, 1, 1))]
    assert near_duplicates(one, 10, lambda done, of: seen.append((done, of))) == []
    assert seen == [(1, 1)]
