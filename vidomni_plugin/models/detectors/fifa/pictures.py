"""Frames of a video as an OpenAI-compatible endpoint takes them: pictures, each with its time."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vidomni_plugin.models.detectors.fifa.sampling import sampled
from vidomni_plugin.models.detectors.frames import chosen_frames

__all__ = ["Look", "pictures"]

QUALITY = 90
"""Of a JPEG: a picture is about a tenth of what it is without loss."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a video is looked at."""

    fps: float = 1.0
    """Frames of a second; FIFA's code."""
    most: int = 64
    """Frames of a video at most. FIFA's code has 768, which few endpoints take."""
    max_pixels: int = 360 * 420
    """Of a frame; FIFA's code. Larger ones are made smaller, and none larger."""


def pictures(path: str, look: Look) -> list[Mapping[str, object]]:
    """Return the parts of a message that show a video: for each frame its time and the picture.

    Args:
        path: The video file; it is decoded once, and one frame is in memory at a time.
        look: Which frames, and how large.

    Raises:
        UnreadableVideo: If it cannot be read to its end.
    """
    rate = 1.0
    shown: list[int] = []

    def choose(total: int, fps: float) -> list[int]:
        nonlocal rate
        rate = fps
        shown.extend(sampled(total, fps, look.fps, look.most))
        return shown

    found: dict[int, Mapping[str, object]] = {}
    for frame in chosen_frames(path, choose):
        picture = _picture(frame.pixels, look.max_pixels)
        found |= dict.fromkeys(frame.places, picture)
    parts: list[Mapping[str, object]] = []
    for place in sorted(found):
        parts.append({"type": "text", "text": f"{shown[place] / rate:.1f} s:"})
        parts.append(found[place])
    return parts


def _picture(pixels: NDArray[np.uint8], max_pixels: int) -> Mapping[str, object]:
    image = Image.fromarray(np.ascontiguousarray(pixels))
    scale = (max_pixels / (image.width * image.height)) ** 0.5
    if scale < 1:
        size = (max(1, int(image.width * scale)), max(1, int(image.height * scale)))
        image = image.resize(size, Image.Resampling.BICUBIC)
    file = io.BytesIO()
    image.save(file, "JPEG", quality=QUALITY)
    data = base64.b64encode(file.getvalue()).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{data}"}}
