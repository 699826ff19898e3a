"""Near-identical videos of a release: every pair of them, and no excerpt."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from vidomni_plugin.build.pool.duplicates import DURATIONS
from vidomni_plugin.build.pool.measure import Facts, Measured
from vidomni_plugin.build.pool.views import FRAMES, VIEWS
from vidomni_plugin.build.release.alike import near_pairs


def seen(bits, seconds=4.0, usable=FRAMES):
    """Return a video whose hashes all have so many of their lowest bits set."""
    hashes = np.full((FRAMES, VIEWS), (1 << bits) - 1, dtype="<u8").tobytes()
    has = [k < usable for k in range(FRAMES)]
    return Measured(Facts(96, 64, 64, seconds, 16.0, False, 0.0, 50.0, 0.1, has), hashes)


def test_worked_by_hand():
    videos = [("a", seen(0)), ("b", seen(10)), ("c", seen(20)), ("d", seen(0, 4.4)), ("e", seen(5))]
    found = [(one.one, one.other, one.bits) for one in near_pairs(videos, 10.0)]
    assert found == [
        *[("a", "b", 10.0), ("b", "c", 10.0), ("a", "d", 0.0), ("b", "d", 10.0)],
        *[("a", "e", 5.0), ("b", "e", 5.0), ("d", "e", 5.0)],
    ]
    assert near_pairs(videos, -1.0) == []
    assert near_pairs([], 10.0) == []


VIDEOS = st.lists(
    st.tuples(st.integers(0, 30), st.floats(1.0, 3.0), st.integers(0, FRAMES)), max_size=8
)


@given(VIDEOS)
@settings(deadline=None)
def test_every_two_are_compared_whichever_comes_first(told):
    videos = [(str(k), seen(*one)) for k, one in enumerate(told)]
    wanted = {
        (a, b)
        for a, b in itertools.combinations(range(len(told)), 2)
        if abs(told[a][0] - told[b][0]) <= 10
        and abs(told[a][1] - told[b][1]) <= DURATIONS * max(told[a][1], told[b][1])
        and 2 * min(told[a][2], told[b][2]) >= FRAMES
    }
    assert {(int(one.one), int(one.other)) for one in near_pairs(videos, 10.0)} == wanted
    turned = near_pairs(videos[::-1], 10.0)
    assert {tuple(sorted((int(one.one), int(one.other)))) for one in turned} == wanted
