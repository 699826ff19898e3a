"""How much a model looks at a part of a video: localized attention, after MTLA (Apache-2.0).

MTLA scores a span that the model itself has named. To ask for the span of an answer's event, and
to score that, is our adaptation and is published nowhere.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["LAYERS", "localized_attention", "span_tokens"]

LAYERS = range(8, 22)
"""Layers that are averaged, counted from 0; MTLA's code takes these of every model."""


def localized_attention(
    attention: ArrayLike,
    region: ArrayLike,
    *,
    tokens: Literal["all", "first"] = "all",
    layers: range = LAYERS,
) -> float:
    r"""Return the share of attention on a region, over answer tokens, heads and layers.

    .. math::
        \frac{1}{|L| H |Q|} \sum_{l, h, q} \sum_{j \in region} A_{l,h,q,j}

    Args:
        attention: From answer tokens to video tokens, shape ``(layers, heads, Q, n)``.
        region: Indices of the video tokens of the region, each once; none gives 0.
        tokens: Answer tokens that count; for a span of a video MTLA's code takes the first.
        layers: Layers that count, of those that there are.

    Returns:
        In [0, 1]; higher is more support. It is not divided by the size of the region.

    Raises:
        ValueError: If the model has none of the layers, there is no answer token, or the region
            is no list of different video tokens.

    Example:
        >>> attention = np.full((10, 1, 2, 4), 0.25)
        >>> localized_attention(attention, [0, 1])
        0.5
    """
    values = np.asarray(attention, dtype=np.float64)
    if values.ndim != 4 or not values.shape[1] or not values.shape[2]:
        raise ValueError(f"attention of shape {values.shape}: (layers, heads, Q, n) is needed")
    there = [layer for layer in layers if layer < len(values)]
    if not there:
        raise ValueError(f"a model of {len(values)} layers has none of {layers.start} and later")
    chosen = values[there][:, :, : 1 if tokens == "first" else None]
    return float(chosen[..., _tokens(region, values.shape[-1])].sum(axis=-1).mean())


def _tokens(region: ArrayLike, of: int) -> NDArray[np.int64]:
    """Return a region, which numpy would also take for a mask, or count from the end."""
    given = np.asarray(region)
    whole = not given.size or np.issubdtype(given.dtype, np.integer)
    if given.ndim != 1 or not whole or len(np.unique(given)) < given.size:
        raise ValueError("a region is a list of different indices of video tokens")
    if given.size and not 0 <= given.min() <= given.max() < of:
        raise ValueError(f"a region with tokens {given.min()} to {given.max()} of {of}")
    return given.astype(np.int64)


def span_tokens(
    span: tuple[float, float] | None, duration_s: float, frames: int, tokens_per_frame: int
) -> list[int]:
    """Return the video tokens of a span of seconds: those of every frame it touches.

    Args:
        span: Start and end in seconds; None where the model named none.
        duration_s: Length of the video in seconds.
        frames: Frames that the model saw.
        tokens_per_frame: Tokens of each of them.

    Returns:
        Rising indices; none where the span is outside the video, or either has no length.

    Example:
        >>> span_tokens((2.4, 2.6), 10.0, frames=10, tokens_per_frame=2)
        [4, 5]
    """
    if span is None or not duration_s > 0 or not all(map(math.isfinite, (*span, duration_s))):
        return []
    # A number that is far outside may have no whole part that a float holds.
    first, last = (min(max(at * frames / duration_s, -1.0), frames + 1.0) for at in span)
    first, after = max(0, math.floor(first)), min(frames, math.ceil(last))
    return list(range(first * tokens_per_frame, after * tokens_per_frame))
