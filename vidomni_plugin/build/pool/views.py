"""Perceptual hashes of frames, of the whole picture and of parts, to find copies that were cropped.

The hash is that of the discrete cosine transform: 63 signs of its lowest frequencies against
their median, which encoding and scaling hardly touch. A crop moves everything; so a hash is also
made of each part of the picture that a mild crop might leave. The whole of a cropped copy then
has nearly the hash of one of the parts of the original.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["FRAMES", "VIEWS", "distances", "hashes_of", "usable"]

Hashes = NDArray[np.uint64]
FRAMES = 8
"""Frames of a video, at the middles of eight equal parts of its length."""
SIDE = 32
"""Side of a picture before its transform."""
KEPT = 8
"""Lowest frequencies of each axis; with the constant left out they give 63 bits."""
SPANS = (
    (0.0, 1.0),
    *((start, start + size) for size in (0.9, 0.8) for start in (0.0, (1 - size) / 2, 1 - size)),
)
"""Parts of an axis: all of it, and 9/10 and 8/10 of it at the start, the middle and the end."""
VIEWS = len(SPANS) ** 2
"""Parts of a picture, the whole one first: each part of the height with each of the width."""
FLAT = 3.0
"""Grey levels of standard deviation below which a picture has no structure to compare."""


def _transform(span: tuple[float, float], size: int) -> NDArray[np.float64]:
    """Return the matrix from ``size`` pixels to the lowest frequencies of a part of them."""
    edges = np.linspace(span[0] * size, span[1] * size, SIDE + 1)
    pixels = np.arange(size)
    low = np.maximum(edges[:-1, None], pixels)
    high = np.minimum(edges[1:, None], pixels + 1)
    boxes = np.clip(high - low, 0, None) / np.diff(edges)[:, None]
    places = (np.arange(SIDE) + 0.5) * np.pi / SIDE
    cosines: NDArray[np.float64] = np.cos(np.arange(KEPT)[:, None] * places) @ boxes
    return cosines


def hashes_of(greys: NDArray[np.float32]) -> Hashes:
    """Return the hashes of frames and of parts of them.

    Args:
        greys: Brightness, shape ``(frames, size, size)``.

    Returns:
        Shape ``(frames, VIEWS)``; those of the whole pictures are in column 0. The highest bit
        is always 0.
    """
    axis = np.stack([_transform(span, greys.shape[-1]) for span in SPANS])
    rows = np.einsum("vks,fst->fvkt", axis, greys.astype(np.float64))
    waves = np.einsum("wlt,fvkt->fvwkl", axis, rows)
    signs = waves.reshape(len(greys), VIEWS, KEPT * KEPT)[:, :, 1:]
    bits = signs > np.median(signs, axis=2, keepdims=True)
    weights = np.uint64(1) << np.arange(KEPT * KEPT - 1, dtype=np.uint64)
    hashes: Hashes = (bits * weights).sum(axis=2, dtype=np.uint64)
    return hashes


def usable(greys: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which frames have structure; the hash of a flat picture is made of noise."""
    enough: NDArray[np.bool_] = greys.std(axis=(1, 2)) >= FLAT
    return enough


def distances(
    one: Hashes, has: NDArray[np.bool_], others: Hashes, have: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return how far a video is from others: mean bits a frame, of the parts that fit best.

    Args:
        one: Its hashes, shape ``(FRAMES, VIEWS)``.
        has: Which of its frames are usable, shape ``(FRAMES,)``.
        others: Shape ``(n, FRAMES, VIEWS)``.
        have: Shape ``(n, FRAMES)``.

    Returns:
        In [0, 63], shape ``(n,)``; infinite where less than half of the frames are usable in
        both. The whole of one is compared with each part of the other, and the other way round;
        the same part in all frames.
    """
    both = have & has
    count = both.sum(axis=1)
    weights = both[:, :, None].astype(np.uint8)

    def least(differ: Hashes) -> NDArray[np.uint16]:
        found = (_ones(differ) * weights).sum(axis=1, dtype=np.uint16)
        of_best: NDArray[np.uint16] = found.min(axis=1)
        return of_best

    bits = np.minimum(least(others ^ one[:, :1]), least(others[:, :, :1] ^ one))
    return np.where(2 * count >= FRAMES, bits / np.maximum(count, 1), np.inf)


_ONES = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)


def _ones(hashes: Hashes) -> NDArray[np.uint8]:
    """Return how many bits of each are set."""
    if hasattr(np, "bitwise_count"):  # numpy 2
        found: NDArray[np.uint8] = np.bitwise_count(hashes)
        return found
    octets = np.ascontiguousarray(hashes).view(np.uint8).reshape(*hashes.shape, 8)
    counted: NDArray[np.uint8] = _ONES[octets].sum(axis=-1, dtype=np.uint8)
    return counted
