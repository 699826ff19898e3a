"""Decode a video once, every frame, and keep all that the pool needs of it."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.build.pool.cut_off import is_cut_off
from vidomni_plugin.build.pool.grid import TimeGrid, middles, nearest
from vidomni_plugin.build.pool.motion import GRID, Change, luma
from vidomni_plugin.build.pool.reasons import Reason
from vidomni_plugin.build.pool.views import FRAMES, hashes_of, usable
from vidomni_plugin.data.probe import CONTAINER_LAG, LAG_FRAMES, LAG_S
from vidomni_plugin.video.lean import ITU601, LIMITED

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

__all__ = ["Facts", "Measured", "Picture", "Role", "measure"]

WINDOWS = 12
"""Windows of a video at most, as in the paper."""
WINDOW_FRAMES = 4
"""Frames of a window, as in the paper."""
WINDOW_S = 1.0
"""A shorter window would show one moment; short videos have fewer windows."""
QUALITY = 85
"""Of the kept JPEG pictures: an encoder's features hardly move."""
BLACK_LEVEL = 32.0
"""Grey level of 255 below which a cell is black; 16 is black in most videos ..."""
BLACK_CELLS = 0.98
"""... and share of the cells that must be, as FFmpeg's ``blackframe`` has it."""

Role = str
"""``whole`` for the frames of the whole video, ``window`` for those of its windows."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a decode pass found out about a video."""

    width: int
    """In pixels, as shown: turned as the file says."""
    height: int
    frames: int
    duration_s: float
    fps: float
    """Frames by duration, from their time stamps."""
    has_audio: bool
    black: float
    """Share of black frames."""
    largest_change: float
    """See ``motion.Change``."""
    motion: float
    usable: list[bool]
    """Which of the hashed frames have structure."""


class Picture(NamedTuple):
    """A small frame that was kept."""

    role: Role
    number: int
    """In time; frames of a window follow those of the window before."""
    time_s: float
    jpeg: bytes


@dataclass(frozen=True, slots=True)
class Measured:
    """The result of a decode pass: facts with hashes and pictures, or a reason."""

    facts: Facts | None = None
    hashes: bytes = b""
    """Of ``views.hashes_of``, as little-endian 64-bit numbers."""
    pictures: list[Picture] = field(default_factory=list)
    reason: Reason | None = None
    detail: str = ""


class _Kept(NamedTuple):
    grey: NDArray[np.float32]
    picture: NDArray[np.uint8]


class _Unusable(Exception):
    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


def measure(path: Path, side: int, alive: Callable[[int], None]) -> Measured:
    """Decode every frame of a video.

    Args:
        path: The file.
        side: Shorter side of the kept pictures, in pixels; smaller videos are not blown up.
        alive: Told how many frames are done, after each.

    Returns:
        What was measured, or the reason why the video cannot be decoded; never raises for a bad
        file.
    """
    import av

    try:
        with path.open("rb") as file:
            if not file.read(1):
                return Measured(reason=Reason.EMPTY, detail="the file is empty")
        if is_cut_off(path):
            detail = "the file is shorter than its container says"
            return Measured(reason=Reason.TRUNCATED, detail=detail)
        with closing(av.open(str(path))) as container:
            return _measured(container, side, alive)
    except _Unusable as found:
        return Measured(reason=found.reason, detail=str(found))
    except av.EOFError:
        detail = "the file ends before its first frame"
        return Measured(reason=Reason.NO_FRAMES, detail=detail)
    except av.FFmpegError as error:
        return Measured(reason=Reason.UNDECODABLE, detail=error.strerror or str(error))
    except OSError as error:
        return Measured(reason=Reason.UNREADABLE, detail=error.strerror or str(error))
    except (ValueError, ArithmeticError) as error:  # odd sizes, rates or time stamps
        return Measured(reason=Reason.UNDECODABLE, detail=str(error))


def _measured(container: InputContainer, side: int, alive: Callable[[int], None]) -> Measured:
    if not container.streams.video:
        raise _Unusable(Reason.NO_VIDEO_STREAM, "no video stream")
    stream = container.streams.video[0]
    if stream.codec_context is None:
        raise _Unusable(Reason.UNDECODABLE, "a codec that the decoder does not know")
    stream.codec_context.thread_count = 1  # videos are decoded side by side
    change, grid = Change(), TimeGrid[_Kept]()
    frames = black = 0
    first: VideoFrame | None = None
    end = 0.0
    for time_s, frame in _frames(container, stream):
        first = first or frame
        grey = luma(_small(frame, GRID, GRID))
        change.add(time_s, grey)
        black += int((grey < BLACK_LEVEL).mean() >= BLACK_CELLS)
        grid.offer(time_s, lambda f=frame, g=grey: _Kept(g, _fitted(f, side)))  # type: ignore[misc]
        frames += 1
        length = float((frame.duration or 0) * (frame.time_base or 0))
        end = time_s + (length or (time_s / (frames - 1) if frames > 1 else 0.0))
        alive(frames)
    if first is None:
        raise _Unusable(Reason.NO_FRAMES, "no frame can be decoded")
    _refuse_missing_end(container, stream, end, frames)
    chosen = _chosen(grid, end, FRAMES)
    greys = np.stack([grid.kept[k][1].grey for k in chosen])
    turned = (first.rotation // 90) % 2 == 1
    facts = Facts(
        width=first.height if turned else first.width,
        height=first.width if turned else first.height,
        frames=frames,
        duration_s=round(end, 6),
        fps=round(frames / end, 6) if end > 0 else 0.0,
        has_audio=bool(container.streams.audio),
        black=black / frames,
        largest_change=round(change.largest, 4),
        motion=round(change.score(), 6),
        usable=[bool(one) for one in usable(greys)],
    )
    windows = max(1, min(WINDOWS, int(end // WINDOW_S), frames // WINDOW_FRAMES))
    of_windows = _chosen(grid, end, windows * WINDOW_FRAMES)
    jpegs = {k: _jpeg(grid.kept[k][1].picture) for k in {*chosen, *of_windows}}
    pictures = [
        Picture(role, number, round(grid.kept[k][0], 6), jpegs[k])
        for role, indices in (("whole", chosen), ("window", of_windows))
        for number, k in enumerate(indices)
    ]
    return Measured(facts, hashes_of(greys).astype("<u8").tobytes(), pictures)


def _frames(container: InputContainer, stream: VideoStream) -> Iterator[tuple[float, VideoFrame]]:
    """Yield every frame with its time since the first one, in seconds."""
    import av

    rate = float(stream.average_rate or stream.guessed_rate or 0) or 25.0
    start: float | None = None
    last, count = 0.0, 0
    try:
        for frame in container.decode(stream):
            if frame.is_corrupt:
                raise _Unusable(Reason.DAMAGED, f"a damaged frame {last:.2f} s into the video")
            given = frame.time if frame.time is not None else count / rate  # such as raw streams
            start = given if start is None else start
            last, count = max(last, given - start), count + 1
            yield last, frame
    except av.FFmpegError as error:
        why = error.strerror or str(error)
        detail = f"{why}, {last:.2f} s into the video"
        raise _Unusable(Reason.UNDECODABLE, detail) from None


def _refuse_missing_end(
    container: InputContainer, stream: VideoStream, end: float, frames: int
) -> None:
    """Raise where the frames end long before the stream does."""
    import av

    whole = (container.duration or 0) / av.time_base
    own = stream.duration is not None and stream.time_base is not None
    declared = float(stream.duration * stream.time_base) if own else whole  # type: ignore[operator]
    allowed = max(LAG_S, LAG_FRAMES * end / frames)
    if not own and len(container.streams) > 1:  # the sound may go on for longer
        allowed = max(5 * LAG_S, CONTAINER_LAG * declared, allowed)
    if declared - end > allowed:
        detail = f"the frames end at {end:.2f} s of {declared:.2f} s"
        raise _Unusable(Reason.TRUNCATED, detail)


def _chosen(grid: TimeGrid[_Kept], end: float, count: int) -> list[int]:
    times = [time_s for time_s, _ in grid.kept]
    return [nearest(times, wanted) for wanted in middles(0.0, end, count)]


def _small(frame: VideoFrame, width: int, height: int) -> NDArray[np.uint8]:
    """Return a frame as RGB, scaled by averaging and then turned as the file says."""
    scaled = frame.reformat(
        width=width,
        height=height,
        format="rgb24",
        interpolation="AREA",
        dst_colorspace=ITU601,  # as in ``video.lean``: the frame's own matrix and range are used
        src_color_range=frame.color_range,
        dst_color_range=LIMITED,
    )
    pixels = scaled.to_ndarray().astype(np.uint8, copy=False)
    return np.ascontiguousarray(np.rot90(pixels, frame.rotation // 90))


def _fitted(frame: VideoFrame, side: int) -> NDArray[np.uint8]:
    scale = min(1.0, side / min(frame.width, frame.height))
    return _small(frame, max(1, round(frame.width * scale)), max(1, round(frame.height * scale)))


def _jpeg(picture: NDArray[np.uint8]) -> bytes:
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=QUALITY)
    return file.getvalue()
