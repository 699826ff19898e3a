"""Hashes: copies are near, others are far, and the transform is that of scipy."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy.fft import dctn

from tests.build.pool.clips import cropped, picture, scene
from vidomni_plugin.build.pool import views
from vidomni_plugin.build.pool.motion import luma
from vidomni_plugin.build.pool.views import FRAMES, VIEWS, distances, hashes_of, usable

SEEDS = range(8)
THRESHOLD = 10
"""The default of ``--near-bits``."""


def greys(frames):
    chosen = [frames[(2 * k + 1) * len(frames) // (2 * FRAMES)] for k in range(FRAMES)]
    small = [Image.fromarray(f).resize((64, 64), Image.Resampling.BOX) for f in chosen]
    return np.stack([luma(np.asarray(picture)) for picture in small])


def bits(one, other):
    """Return the distance of two videos from their frames."""
    a, b = greys(one), greys(other)
    found = distances(hashes_of(a), usable(a), hashes_of(b)[None], usable(b)[None])
    return float(found[0])


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    seed=st.sampled_from(SEEDS),
    size=st.tuples(st.floats(0.9, 1), st.floats(0.9, 1)),
    place=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_any_mild_crop_is_near_and_other_videos_are_far(seed, size, place):
    width, height = size
    part = cropped(
        scene(seed, scale=2)[::4], place[0] * (1 - width), place[1] * (1 - height), width, height
    )
    assert bits(scene(seed)[::4], part) <= THRESHOLD
    assert bits(scene(seed + 1)[::4], part) > THRESHOLD + 4


def test_the_hash_of_the_whole_is_that_of_an_independent_transform():
    grey = luma(picture(5, 64, 64))
    blocks = grey.reshape(32, 2, 32, 2).mean((1, 3))
    waves = dctn(blocks, type=2)[:8, :8]
    # Each coefficient differs from ours by the same factor, which no sign depends on.
    signs = waves.flatten()[1:]
    expected = sum(1 << k for k, bit in enumerate(signs > np.median(signs)) if bit)
    assert int(hashes_of(grey[None])[0, 0]) == expected


def test_a_view_is_the_hash_of_that_part():
    """Of 160 pixels, 9/10 and 8/10 are whole numbers of them, and so are their 32 boxes."""
    grey = luma(picture(5, 160, 160))
    spans = [(0, 160), (0, 144), (8, 152), (16, 160), (0, 128), (16, 144), (32, 160)]
    found = hashes_of(grey[None])[0].reshape(7, 7)
    for row, (top, bottom) in enumerate(spans):
        for column, (left, right) in enumerate(spans):
            part = grey[top:bottom, left:right]
            if (part.shape[0], part.shape[1]) == (part.shape[0],) * 2:
                assert found[row, column] == hashes_of(part[None])[0, 0]


def test_bounds_and_symmetry():
    hashes = [hashes_of(greys(scene(seed))) for seed in (1, 2)]
    all_usable = np.ones(FRAMES, dtype=bool)
    one = distances(hashes[0], all_usable, hashes[1][None], all_usable[None])
    other = distances(hashes[1], all_usable, hashes[0][None], all_usable[None])
    assert one == other
    assert 0 < one[0] <= 63
    same = distances(hashes[0], all_usable, hashes[0][None], all_usable[None])
    assert same == 0
    assert hashes[0].shape == (FRAMES, VIEWS)
    assert hashes[0].max() < 1 << 63


def test_flat_pictures_are_near_to_nothing():
    flat = [np.full((64, 64, 3), 90, dtype=np.uint8)] * FRAMES
    assert bits(flat, flat) == np.inf
    assert bits([*flat[:5], *scene(1)[:3]], [*flat[:5], *scene(1)[:3]]) == np.inf
    assert bits([*flat[:4], *scene(1)[:4]], [*flat[:4], *scene(1)[:4]]) == 0


def test_frames_that_are_flat_in_one_of_both_do_not_count():
    video = hashes_of(greys(scene(1)))
    other = video.copy()
    other[6:] = ~video[6:]
    have = np.array([True] * 6 + [False] * 2)
    assert distances(video, np.ones(8, dtype=bool), other[None], have[None]) == 0


def test_counting_bits_without_numpy_2(monkeypatch):
    hashes = hashes_of(greys(scene(1)))
    expected = views._ones(hashes)
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    assert (views._ones(hashes) == expected).all()
    assert [int(views._ones(np.uint64([n]))[0]) for n in (0, 1, 2**63 - 1)] == [0, 1, 63]


def test_unlike_videos_are_far_from_the_threshold():
    hashes = np.stack([hashes_of(greys(scene(seed))) for seed in range(30)])
    have = np.ones((30, FRAMES), dtype=bool)
    found = [distances(hashes[k], have[k], hashes[k + 1 :], have[k + 1 :]) for k in range(29)]
    assert np.concatenate(found).min() > THRESHOLD + 4
