"""How unlike videos are, and how unlike the windows of a video: pure functions of features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BINS",
    "Compared",
    "Map",
    "Windows",
    "compare",
    "diversity",
    "map_of",
    "pooled",
    "windows",
]

Features = NDArray[np.float64]
BINS = 100
"""Of the histogram of distances, over [0, 2]."""
BLOCK = 1024
"""Videos that are compared with all others at a time."""


def _unit(features: Features) -> Features:
    """Return vectors of length 1; a vector of zeros stays."""
    lengths = np.linalg.norm(features, axis=-1, keepdims=True)
    scaled: Features = features / np.where(lengths > 0, lengths, 1)
    return scaled


def pooled(frames: NDArray[np.float32]) -> Features:
    """Return one vector of length 1: the mean of frames' features, each of length 1 before.

    Args:
        frames: Shape ``(..., frames, d)``; the last but one axis goes away.
    """
    return _unit(_unit(frames.astype(np.float64)).mean(axis=-2))


def diversity(features: Features) -> float | None:
    r"""Return the mean cosine distance of all pairs, in [0, 2]; more is more diverse.

    .. math::
        \frac{1}{n (n - 1)} \sum_{i \neq j} (1 - u_i \cdot u_j)
        = 1 - \frac{|\sum_i u_i|^2 - \sum_i |u_i|^2}{n (n - 1)}

    Args:
        features: Of length 1, shape ``(n, d)``.

    Returns:
        None for less than two.
    """
    count = len(features)
    if count < 2:
        return None
    total = features.sum(axis=0)
    return float(1 - (total @ total - (features * features).sum()) / (count * (count - 1)))


class Compared(NamedTuple):
    """Every video against every other one, by cosine distance."""

    nearest: NDArray[np.intp]
    """Index of the nearest other video."""
    distance: Features
    """Distance to it."""
    histogram: NDArray[np.int64]
    """Of all pairs, in ``BINS`` equal parts of [0, 2]."""


def compare(features: Features) -> Compared:
    """Compare all pairs, some rows at a time.

    Args:
        features: Of length 1, shape ``(n, d)``, at least two.
    """
    count = len(features)
    nearest = np.zeros(count, dtype=np.intp)
    distance = np.zeros(count)
    histogram = np.zeros(BINS, dtype=np.int64)
    for start in range(0, count, BLOCK):
        rows = np.arange(start, min(start + BLOCK, count))
        apart = np.clip(1 - features[rows] @ features.T, 0, 2)
        later = np.arange(count) > rows[:, None]  # each pair once
        histogram += np.histogram(apart[later], BINS, (0, 2))[0]
        apart[np.arange(len(rows)), rows] = np.inf
        nearest[rows] = apart.argmin(axis=1)
        distance[rows] = apart.min(axis=1)
    return Compared(nearest, distance, histogram)


class Map(NamedTuple):
    """Videos in two dimensions."""

    places: Features
    """Shape ``(n, 2)``."""
    explained: tuple[float, float]
    """Share of the variance along each axis."""


def map_of(features: Features) -> Map:
    """Return the first two principal components.

    No seed and no setting decides where a video lies, and the distance of two on the map is never
    more than their distance in truth. The sign of an axis is such that its largest weight is
    positive.

    Args:
        features: Shape ``(n, d)``, at least one.
    """
    centred = features - features.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred)
    axes = vectors[:, ::-1][:, :2]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    shares = np.clip(values[::-1][:2], 0, None) / max(values.clip(0).sum(), np.finfo(float).tiny)
    return Map(centred @ axes, (float(shares[0]), float(shares[1])))


class Windows(NamedTuple):
    """How much a video's content changes, by cosine distances of its windows."""

    windows: int
    adjacent: float
    """Mean distance of a window to the next, in [0, 2]."""
    pairwise: float
    """Mean distance of two windows, in [0, 2]."""
    spread: float
    """Mean distance of a window to the mean of all, in [0, 1]."""


def windows(features: Features) -> Windows | None:
    r"""Return the distances within a video; None for a single window.

    With windows :math:`u_i` of length 1 and their mean :math:`m`, the spread is :math:`1 - |m|`:
    the mean of :math:`1 - u_i \cdot m / |m|`.

    Args:
        features: Of length 1, in the order of time, shape ``(windows, d)``.
    """
    pairwise = diversity(features)
    if pairwise is None:
        return None
    adjacent = 1 - (features[1:] * features[:-1]).sum(axis=1)
    spread = 1 - np.linalg.norm(features.mean(axis=0))
    return Windows(len(features), float(adjacent.mean()), pairwise, float(spread))
