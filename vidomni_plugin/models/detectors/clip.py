"""The frames of a video that a video language model is shown, all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.detectors.entailment import frame_indices
from vidomni_plugin.video.failures import UnreadableVideo
from vidomni_plugin.video.index import NoTimeStamps
from vidomni_plugin.video.readers import OPENERS

__all__ = ["Clip", "read_clip"]

READER = "pyav"


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


def read_clip(path: str, frames: int) -> Clip:
    """Return frames of a video, spread as Owl-Con's code does; a short video repeats some.

    Args:
        path: The video file.
        frames: How many.

    Raises:
        UnreadableVideo: If it cannot be read.
    """
    import av

    try:
        video = OPENERS[READER](path)
        numbers = frame_indices(video.frames, frames)
        return Clip(video.read(numbers), numbers, video.frames, video.fps)
    except NoTimeStamps:  # such as AVI
        return _by_decord(path, frames)
    except (av.FFmpegError, OSError, ValueError) as error:
        raise UnreadableVideo(path, READER, error) from error


def _by_decord(path: str, frames: int) -> Clip:
    import decord

    try:
        video = decord.VideoReader(path)
        numbers = frame_indices(len(video), frames)
        pixels = video.get_batch(numbers).asnumpy()
        return Clip(pixels, numbers, len(video), float(video.get_avg_fps()))
    except (decord.DECORDError, RuntimeError, IndexError, ValueError) as error:
        raise UnreadableVideo(path, "decord", error) from error
