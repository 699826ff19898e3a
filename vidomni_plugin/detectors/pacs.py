"""PAC-S of one caption against one video, in the readings that the public sources allow.

The formulas are those of images, w * max(cos, 0); no code for video is public. ``pooled`` is our
default (docs/detectors/pacs.md says why).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vidomni_plugin.detectors.emscore import emscore, unit

__all__ = ["READINGS", "SCALE", "Pacs", "Reading", "pacs"]

SCALE = 2.0
"""Scale of the score, as published for PAC-S."""
Reading = Literal["frames", "pooled", "pooled_raw", "emscore"]
READINGS: dict[Reading, str] = {
    "frames": "mean of the scores of the frames (V1)",
    "pooled": "score of the mean of the frames' unit features (V2)",
    "pooled_raw": "score of the mean of the frames' features as they are (V2b)",
    "emscore": "EMScore on PAC-S features, without scale (V3)",
}
"""How a video's frames become one score."""


class Pacs(NamedTuple):
    """Score of one item, and what it was made of."""

    score: float
    """In [0, w]; for ``emscore`` that of EMScore. Higher is more support; NaN for zero features."""
    frame_scores: tuple[float, ...]
    """Score of each frame alone, in [0, w]."""


def pacs(
    frames: ArrayLike, words: ArrayLike, reading: Reading = "pooled", *, w: float = SCALE
) -> Pacs:
    r"""Return PAC-S of one text against one video.

    .. math::
        \mathrm{PAC}(v, c) = w \cdot \max(\cos(v, c), 0)

    Args:
        frames: Features of the frames, shape ``(T, D)``.
        words: Features of the text's tokens, shape ``(L, D)``; only ``emscore`` reads more than
            the last row, that of the whole text.
        reading: One of ``READINGS``.
        w: Scale.

    Raises:
        ValueError: If the shapes do not fit, or the reading is unknown.

    Example:
        >>> pacs([[3.0, 4.0], [0.0, -1.0]], [[0.0, 2.0]], "frames").score
        0.8
    """
    if reading not in READINGS:
        raise ValueError(f"reading {reading!r} is none of {', '.join(READINGS)}")
    raw, f, text = np.asarray(frames, dtype=np.float64), unit(frames), unit(words)
    if f.shape[1] != text.shape[1]:
        raise ValueError(f"frames of {f.shape[1]} numbers and words of {text.shape[1]}")
    of_frames = _score(f, text[-1], w)
    if reading == "frames":
        score = float(of_frames.mean())
    elif reading == "emscore":
        score = emscore(frames, words).full_f
    else:
        pooled = (f if reading == "pooled" else raw).mean(axis=0, keepdims=True)
        score = float(_score(unit(pooled), text[-1], w)[0])
    return Pacs(score, tuple(of_frames.tolist()))


def _score(
    features: NDArray[np.float64], text: NDArray[np.float64], w: float
) -> NDArray[np.float64]:
    return np.asarray(w * np.maximum(features @ text, 0.0))
