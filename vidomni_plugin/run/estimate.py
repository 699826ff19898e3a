"""How many frames and tokens a model gets of a video, before any model is loaded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = [
    "Sampling",
    "formula",
    "frames_of",
    "refused",
    "sampling_of",
    "text_tokens",
    "video_tokens",
]

Family = Literal["qwen2_5_vl", "qwen3_vl"]
PATCH: Mapping[Family, int] = {"qwen2_5_vl": 14, "qwen3_vl": 16}
"""Side of a patch of the vision tower; four patches of two frames make one token."""
MIN_PIXELS = 256 * 28 * 28
MAX_PIXELS = 1_605_632
MAX_FRAMES = 32
"""Defaults of the host's runners of both families."""
FRAMES_BY_RATE = 768
"""Frames that qwen_vl_utils takes of a video at most where a runner gives ``fps`` alone."""
MIN_BY_RATE = 4
VIDEO_MAX_TOKENS = 768
"""Tokens that qwen_vl_utils leaves two frames at most."""
CONTEXT = 128_000 * 0.9
"""Tokens that qwen_vl_utils leaves a whole video."""
PER_TOKEN = 4
"""Characters of English text that make about one token."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """What a run's arguments say of the frames."""

    family: Family | None
    """None where it is not known how the model makes tokens of frames."""
    max_frames: int | None
    fps: float | None
    min_pixels: int = MIN_PIXELS
    max_pixels: int = MAX_PIXELS


def sampling_of(inner: str, arguments: Mapping[str, Any]) -> Sampling:
    """Return how a model of the host takes frames, as far as its arguments tell.

    Example:
        >>> sampling_of("vidomni_qwen3_vl", {"max_num_frames": 64}).max_frames
        64
        >>> sampling_of("internvl_hf", {}).max_frames is None
        True
    """
    family = next((name for name in PATCH if inner.endswith(name)), None)
    known = {
        name: float(arguments[name])
        for name in ("max_num_frames", "fps", "min_pixels", "max_pixels")
        if isinstance(arguments.get(name), (int, float))
    }
    frames = known.get("max_num_frames", MAX_FRAMES if family else math.nan)
    return Sampling(
        family=family,
        max_frames=None if math.isnan(frames) else int(frames),
        fps=known.get("fps"),
        min_pixels=int(known.get("min_pixels", MIN_PIXELS)),
        max_pixels=int(known.get("max_pixels", MAX_PIXELS)),
    )


def frames_of(sampling: Sampling, frames: int, fps: float) -> int | None:
    """Return how many frames of a video the model is shown; None where nothing tells.

    Args:
        sampling: Of the run.
        frames: Of the video.
        fps: Frames a second of the video.
    """
    if sampling.fps is not None and fps > 0:
        most = sampling.max_frames if sampling.family == "qwen3_vl" else None
        most = min(most or FRAMES_BY_RATE, frames)
        if sampling.family is None:
            most = min(sampling.max_frames or frames, frames)
        wanted = min(max(frames / fps * sampling.fps, MIN_BY_RATE), _even(most))
        return max(2, _even(wanted))
    if sampling.max_frames is None:
        return None
    if sampling.family == "qwen3_vl":  # its runner does not look at the video; see ``refused``
        return round(sampling.max_frames / 2) * 2
    return max(2, _even(min(sampling.max_frames, frames)))


def refused(sampling: Sampling, frames: int) -> bool:
    """Return whether the host cannot show the model this video.

    Its ``qwen3_vl`` asks for ``max_num_frames`` without a look at the video where there is no
    ``fps``, and ``qwen_vl_utils`` takes no number below 2 or above the frames of the video.

    Example:
        >>> refused(sampling_of("qwen3_vl", {"max_num_frames": 64}), 40)
        True
        >>> refused(sampling_of("qwen3_vl", {"max_num_frames": 64, "fps": 2.0}), 40)
        False
    """
    if sampling.family != "qwen3_vl" or sampling.fps is not None or sampling.max_frames is None:
        return False
    return not 2 <= round(sampling.max_frames / 2) * 2 <= frames


def video_tokens(sampling: Sampling, frames: int, height: int, width: int) -> int | None:
    r"""Return how many tokens the frames of one video make; None for an unknown family.

    .. math::
        \lceil F / 2 \rceil \cdot \frac{h}{2p} \cdot \frac{w}{2p}

    with the side p of a patch (14 or 16), and h and w as ``qwen_vl_utils`` resizes a frame
    between ``min_pixels`` and ``max_pixels``.

    Args:
        sampling: Of the run.
        frames: That the model is shown (``frames_of``).
        height: Of the video in pixels.
        width: Of the video in pixels.
    """
    if sampling.family is None:
        return None
    from qwen_vl_utils.vision_process import smart_resize

    side = 2 * PATCH[sampling.family]
    allowed = min(VIDEO_MAX_TOKENS * side**2, CONTEXT * side**2 / frames * 2)
    most = min(sampling.max_pixels, max(allowed, int(sampling.min_pixels * 1.05)))
    h, w = smart_resize(height, width, side, min_pixels=sampling.min_pixels, max_pixels=most)
    return math.ceil(frames / 2) * (int(h) // side) * (int(w) // side)


def text_tokens(characters: int) -> int:
    """Return about how many tokens a text has.

    Example:
        >>> text_tokens(402)
        101
    """
    return math.ceil(characters / PER_TOKEN)


def formula(family: Family | None) -> str:
    """Return in words how tokens are estimated."""
    if family is None:
        return "unknown: it is not known how this model makes tokens of frames"
    side = 2 * PATCH[family]
    return (
        f"frames / 2 x (height / {side}) x (width / {side}) of the resized frames, "
        f"and characters / {PER_TOKEN} of the text"
    )


def _even(number: float) -> int:
    return int(number // 2) * 2
