"""Readers by name: open a video, and read frames of it by their numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.video.index import index_of
from vidomni_plugin.video.lean import THREADS, read_frames

__all__ = ["OPENERS", "OpenVideo"]


@dataclass(frozen=True, slots=True)
class OpenVideo:
    """A video that can be read."""

    frames: int
    fps: float
    read: Callable[[Sequence[int]], NDArray[np.uint8]]
    """Returns frames by number as RGB, shape ``(n, height, width, 3)``."""


def _pyav(path: str) -> OpenVideo:
    index = index_of(path)
    return OpenVideo(len(index), index.fps, partial(read_frames, path, index))


def _torchcodec(path: str) -> OpenVideo:
    from torchcodec.decoders import VideoDecoder

    # The other way to seek guesses where frames are, and gives wrong ones at variable rates.
    decoder = VideoDecoder(
        path, seek_mode="exact", dimension_order="NHWC", num_ffmpeg_threads=THREADS
    )
    facts = decoder.metadata

    def read(wanted: Sequence[int]) -> NDArray[np.uint8]:
        frames: NDArray[np.uint8] = decoder.get_frames_at(indices=list(wanted)).data.numpy()
        return frames

    return OpenVideo(facts.num_frames, facts.average_fps, read)


OPENERS: Mapping[str, Callable[[str], OpenVideo]] = {"pyav": _pyav, "torchcodec": _torchcodec}
"""decord is not among them: the host reads with it itself."""
