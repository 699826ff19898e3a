"""Distances between and within videos, against scikit-learn and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.metrics.pairwise import cosine_distances
from sklearn.neighbors import NearestNeighbors

from vidomni_plugin.build.pool import diversity as module
from vidomni_plugin.build.pool.diversity import (
    BINS,
    compare,
    diversity,
    map_of,
    pooled,
    windows,
)


def vectors(count=40, size=6, seed=0):
    return pooled(np.random.default_rng(seed).normal(size=(count, 1, size)).astype(np.float32))


def test_diversity_is_the_mean_of_all_pairs():
    found = vectors()
    pairs = cosine_distances(found)[np.triu_indices(40, 1)]
    assert diversity(found) == pytest.approx(pairs.mean())


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([[1, 0], [1, 0]], 0.0),
        ([[1, 0], [0, 1]], 1.0),
        ([[1, 0], [-1, 0]], 2.0),
        ([[1, 0], [0, 1], [0, 1]], 2 / 3),
        ([[1, 0]], None),
    ],
)
def test_diversity_worked_by_hand(rows, expected):
    found = diversity(np.array(rows, dtype=float))
    assert found == (None if expected is None else pytest.approx(expected))


def test_nearest_and_histogram_in_any_block(monkeypatch):
    found = vectors()
    distances, nearest = (
        NearestNeighbors(n_neighbors=2, metric="cosine").fit(found).kneighbors(found)
    )
    pairs = cosine_distances(found)[np.triu_indices(40, 1)]
    for block in (1, 7, 1024):
        monkeypatch.setattr(module, "BLOCK", block)
        compared = compare(found)
        assert compared.nearest.tolist() == nearest[:, 1].tolist()
        assert compared.distance == pytest.approx(distances[:, 1])
        assert compared.histogram.tolist() == np.histogram(pairs, BINS, (0, 2))[0].tolist()


def test_the_map_is_that_of_principal_components():
    found = vectors()
    theirs = PCA(2)
    places = theirs.fit_transform(found)
    ours = map_of(found)
    assert ours.explained == pytest.approx(theirs.explained_variance_ratio_)
    for axis in range(2):
        assert np.abs(ours.places[:, axis]) == pytest.approx(np.abs(places[:, axis]))
    # The sign does not hang on the order of the videos.
    assert map_of(found[::-1]).places[::-1] == pytest.approx(ours.places)


def test_a_map_of_one_video_and_of_equal_ones():
    for count in (1, 3):
        found = map_of(np.ones((count, 4)) / 2)
        assert found.places.tolist() == [[0, 0]] * count
        assert found.explained == (0, 0)


def test_windows_worked_by_hand():
    """Three windows: 0, 90 and 90 degrees."""
    found = windows(np.array([[1, 0], [0, 1], [0, 1]], dtype=float))
    assert found is not None
    assert found.windows == 3
    assert found.adjacent == pytest.approx(1 / 2)
    assert found.pairwise == pytest.approx(2 / 3)
    assert found.spread == pytest.approx(1 - np.sqrt(5) / 3)
    mean = np.array([1, 2]) / np.sqrt(5)
    assert found.spread == pytest.approx(np.mean([1 - mean[0], 1 - mean[1], 1 - mean[1]]))
    assert windows(np.array([[1.0, 0.0]])) is None


def test_pooling_takes_each_frame_alike():
    frames = np.array([[[10, 0], [0, 1]], [[0, 0], [0, 3]]], dtype=np.float32)
    assert pooled(frames) == pytest.approx(np.array([[np.sqrt(0.5)] * 2, [0, 1]]))
