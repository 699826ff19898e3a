"""The frames of a video that a video language model is shown, all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.detectors.entailment import frame_indices
from vidomni_plugin.models.detectors.frames import READER, chosen_frames
from vidomni_plugin.video.failures import UnreadableVideo

__all__ = ["Clip", "read_clip"]


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """Frames taken from a video."""

    frames: NDArray[np.uint8]
    """RGB, shape ``(T, height, width, 3)``."""
    numbers: Sequence[int]
    """Which frames of the video they are."""
    total: int
    """Frames of the whole video."""
    fps: float


@dataclass(slots=True)
class _Facts:
    """What is known of a video once it has been looked at."""

    numbers: Sequence[int] = ()
    total: int = 0
    fps: float = 0.0


def read_clip(path: str, frames: int) -> Clip:
    """Return frames of a video, spread as Owl-Con's code does; a short video repeats some.

    Args:
        path: The video file.
        frames: How many.

    Raises:
        UnreadableVideo: If it cannot be read, or its frames change their size.
    """
    facts = _Facts()

    def choose(total: int, fps: float) -> Sequence[int]:
        facts.numbers, facts.total, facts.fps = frame_indices(total, frames), total, fps
        return facts.numbers

    pixels: NDArray[np.uint8] | None = None
    for frame in chosen_frames(path, choose):
        if pixels is None:
            pixels = np.empty((frames, *frame.pixels.shape), dtype=np.uint8)
        if frame.pixels.shape != pixels.shape[1:]:
            error = ValueError("its frames have several sizes")
            raise UnreadableVideo(path, READER, error)
        pixels[list(frame.places)] = frame.pixels
    if pixels is None:
        raise UnreadableVideo(path, READER, ValueError("no frame can be decoded"))
    return Clip(pixels, facts.numbers, facts.total, facts.fps)
