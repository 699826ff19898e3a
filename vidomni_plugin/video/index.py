"""Where the frames of a video are: time stamps and key frames, read without decoding."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.data.probe import ends_inside_a_box
from vidomni_plugin.video.cache import file_identity

if TYPE_CHECKING:
    from av.container import InputContainer

__all__ = ["NoTimeStamps", "VideoIndex", "index_of"]

WITH_TIMES = {"mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm"}
"""Containers that store a time stamp for each frame; in others it is guessed."""
REMEMBERED = 16
"""Indexes kept, the last used ones: 1 MB each for a video of 90 minutes."""


class NoTimeStamps(ValueError):
    """A container or file whose frames cannot be found by their time stamps."""


@dataclass(frozen=True, slots=True)
class KeyFrame:
    """A frame from which decoding can start, in units of the stream's time base."""

    pts: int
    dts: int


@dataclass(frozen=True, slots=True)
class VideoIndex:
    """The frames of a video in the order in which they are shown."""

    fps: float
    """Average frames per second, as the container states it."""
    times: NDArray[np.int64]
    """Time stamp of each shown frame, in units of the stream's time base, ascending."""
    keys: tuple[KeyFrame, ...]
    """Key frames, by time stamp."""

    def __len__(self) -> int:
        return len(self.times)

    def key_before(self, time: int) -> int:
        """Return the place in ``keys`` of the last one that is not shown after ``time``.

        Frames that lean on the key frame before theirs (open groups) are shown before theirs,
        so they too are decoded from the right one.
        """
        return max(0, bisect_right(self.keys, time, key=lambda key: key.pts) - 1)


def index_of(path: str) -> VideoIndex:
    """Return the index of a video file; the last ones are remembered.

    Raises:
        NoTimeStamps: If frames cannot be told apart by time stamps.
        ValueError: If there is no video in the file, or the file is cut off.
        av.FFmpegError: If it cannot be opened.
    """
    identity = file_identity(path)
    return _index(path) if identity is None else _remembered(path, identity)


@lru_cache(maxsize=REMEMBERED)
def _remembered(path: str, identity: tuple[str, int, int]) -> VideoIndex:
    return _index(path)


def _index(path: str) -> VideoIndex:
    import av

    with closing(av.open(path)) as container:
        if not container.streams.video:
            raise ValueError("no video stream")
        if container.format.name not in WITH_TIMES:
            raise NoTimeStamps(f"no time stamps in {container.format.name}")
        return _packets(container, path)


def _packets(container: InputContainer, path: str) -> VideoIndex:
    stream = container.streams.video[0]
    times = array("q")
    keys: list[KeyFrame] = []
    packets = 0
    for packet in container.demux(stream):
        pts = packet.pts
        if not packet.size:
            continue  # the empty packet that ends the stream
        packets += 1
        if pts is None:
            raise NoTimeStamps("frames without time stamps")
        if packet.is_keyframe:
            keys.append(KeyFrame(pts, pts if packet.dts is None else packet.dts))
        if not packet.is_discard:  # what an edit list cuts away is decoded, but not shown
            times.append(pts)
    if packets < stream.frames and ends_inside_a_box(Path(path)):
        raise ValueError(f"the file is cut off: {packets} of {stream.frames} frames are there")
    if not times or not keys:
        raise ValueError("no frame can be decoded")
    shown = np.sort(np.frombuffer(times, np.int64))
    if not np.diff(shown).all():
        raise NoTimeStamps("frames with the same time stamp")
    keys.sort(key=lambda key: key.pts)
    rate = stream.average_rate or stream.guessed_rate
    if not rate:
        raise NoTimeStamps("no frame rate")
    return VideoIndex(float(rate), shown, tuple(keys))
