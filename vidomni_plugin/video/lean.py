"""Read frames with PyAV by their time stamps: only what is needed, in little memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.video.index import KeyFrame, VideoIndex

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.packet import Packet
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

__all__ = ["read_frames", "rgb", "walk_frames"]

Frames = NDArray[np.uint8]

THREADS = min(8, os.cpu_count() or 1)
"""Decoding threads at most; more are hardly faster."""
FRAMES_A_THREAD = 16
"""Each thread holds a few frames of its own: a reading of few frames gets few threads."""
ITU601, LIMITED = 5, 1
"""FFmpeg's numbers. PyAV passes the frame's own matrix and range to the conversion only if these,
of the result, differ from them; for RGB they change nothing else. decord uses the frame's own."""


def read_frames(path: str, index: VideoIndex, wanted: Sequence[int]) -> Frames:
    """Return frames of a video as decord's ``get_batch`` does: the same pixels.

    For each key frame that wanted frames follow, the file is read from there to the last of them.
    Each frame is converted straight into its place in the result.

    Args:
        path: The video file.
        index: Its index.
        wanted: Numbers of frames in the order in which they are shown; any order, repeats too.

    Returns:
        RGB frames, shape ``(len(wanted), height, width, 3)``, turned as the file says.

    Raises:
        ValueError: If a frame cannot be decoded.
        av.FFmpegError: If the file cannot be read.
    """
    in_order = range(len(index))
    places: dict[int, list[int]] = {}
    for place, number in enumerate(wanted):
        places.setdefault(in_order[number], []).append(place)
    frames: Frames | None = None
    for number, picture in walk_frames(path, index, list(places)):
        if frames is None:
            frames = np.empty((len(wanted), *picture.shape), dtype=np.uint8)
        for place in places[number]:
            frames[place] = picture
    if frames is None:
        raise ValueError("no frame is wanted")
    return frames


def walk_frames(
    path: str, index: VideoIndex, wanted: Sequence[int]
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Yield each wanted frame once, with its number, as ``read_frames`` reads them.

    One frame is in memory at a time. They come in the order in which they are decoded: nearly
    always that in which they are shown.
    """
    import av

    numbers = {int(index.times[number]): number for number in wanted}
    with av.open(path) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        stream.codec_context.thread_count = max(1, min(THREADS, len(wanted) // FRAMES_A_THREAD))
        for key, times in groupby(sorted(numbers), index.key_before):
            for frame in _found(container, stream, index.keys[: key + 1], set(times)):
                yield numbers[frame.pts or 0], rgb(frame)


def _found(
    container: InputContainer, stream: VideoStream, keys: Sequence[KeyFrame], wanted: set[int]
) -> Iterator[VideoFrame]:
    """Yield each wanted frame once, decoded from the last of ``keys``.

    Where pictures are renewed bit by bit (intra refresh), a decoder holds back the frames that
    are not whole yet. What has not come out is looked for from earlier key frames, in growing
    steps.
    """
    last, step = len(keys) - 1, 1
    while True:
        for frame in _decoded(container, stream, keys[: last + 1], set(wanted)):
            if frame.pts in wanted:
                wanted.remove(frame.pts)
                yield frame
        if not wanted:
            return
        if last == 0:
            at = float(min(wanted) * (stream.time_base or 0))
            raise ValueError(f"the frame at {at:.3f} s cannot be decoded")
        last, step = max(0, last - step), 2 * step


def _decoded(
    container: InputContainer, stream: VideoStream, keys: Sequence[KeyFrame], wanted: set[int]
) -> Iterator[VideoFrame]:
    """Yield frames from the last of ``keys`` on, until all ``wanted`` ones have come out."""
    decoder = stream.codec_context
    # H.264 marks frames that no other one leans on; they need not be decoded on the way. In
    # other codecs such a mark may hold within a layer only.
    may_skip = stream.codec_context.name == "h264"
    for packet in _from(container, stream, keys):
        if not packet.size:
            break
        if may_skip:
            decoder.skip_frame = "DEFAULT" if packet.pts in wanted else "NONREF"
        wanted.discard(packet.pts or 0)
        yield from decoder.decode(packet)
        if not wanted:
            break
    yield from decoder.decode(None)  # all that they lean on was before them


def _from(
    container: InputContainer, stream: VideoStream, keys: Sequence[KeyFrame]
) -> Iterator[Packet]:
    """Return packets that begin at the last of ``keys`` or, where seeking is coarse, before it."""
    last = keys[-1]
    for target in (last.pts, last.dts, keys[0].dts):
        container.seek(target, stream=stream)
        packets = container.demux(stream)
        first = next(packets, None)
        if first is not None and first.pts is not None and first.pts <= last.pts:
            break
    else:
        raise ValueError("the file cannot be read from its start")
    return chain([first], packets)


def rgb(frame: VideoFrame) -> NDArray[Any]:
    """Return a view of one frame as RGB, turned as the file says."""
    picture = frame.reformat(
        format="rgb24",
        dst_colorspace=ITU601,
        src_color_range=frame.color_range,
        dst_color_range=LIMITED,
    )
    plane = picture.planes[0]
    rows = np.frombuffer(memoryview(plane), np.uint8).reshape(picture.height, plane.line_size)
    pixels = rows[:, : 3 * picture.width].reshape(picture.height, picture.width, 3)
    return np.rot90(pixels, frame.rotation // 90)
