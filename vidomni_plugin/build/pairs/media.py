"""What the roles see of a video: frames with their times, or the file itself."""

from __future__ import annotations

import base64
import io
import math
import mimetypes
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vidomni_plugin.build.pairs.contracts.facts import Interval
from vidomni_plugin.build.pairs.policy.messages import Part
from vidomni_plugin.build.pairs.settings import MediaSettings
from vidomni_plugin.build.pairs.videos import VideoFile
from vidomni_plugin.video.failures import UnreadableVideo
from vidomni_plugin.video.index import index_of
from vidomni_plugin.video.lean import rgb, walk_frames

__all__ = ["MOST_FILE_BYTES", "Looks", "times_of"]

KEPT_BYTES = 256 << 20
"""Size of the pictures that are kept: about 50 videos."""
AROUND_S = 0.5
"""A second look begins so long before its interval and ends so long after it."""
FRAMES = ("visual", "on_screen_text", "camera_editing")
"""Modalities that frames carry."""
SOUND = ("speech_audio", "non_speech_audio")
ROUNDING_S = 1e-6
"""A frame that begins so much later than a time is shown then."""
MOST_FILE_BYTES = 100 * 10**6
"""Of a video that is sent as a file: it goes into the request as text, a third larger."""
Pixels = NDArray[Any]


def times_of(start_s: float, end_s: float, fps: float, most: int) -> list[float]:
    """Return the times of the frames of an interval, in seconds.

    They are ``1 / fps`` apart from the start on, and farther where there would be more than
    ``most``.

    Example:
        >>> times_of(0, 3, 1.0, 64), times_of(0, 10, 4.0, 2)
        ([0.0, 1.0, 2.0], [0.0, 5.0])
    """
    length = max(0.0, end_s - start_s)
    count = max(1, min(most, math.ceil(length * fps - 1e-6)))
    step = max(1 / fps, length / most)
    return [start_s + number * step for number in range(count)]


class Looks:
    """Looks at videos, as parts of a message; a video is decoded once for all whole looks.

    Args:
        settings: Rates and sizes.
    """

    def __init__(self, settings: MediaSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._of_video: dict[str, threading.Lock] = {}
        self._kept: OrderedDict[str, Mapping[bool, Sequence[Part]]] = OrderedDict()

    def whole(self, video: VideoFile, *, camera: bool = False) -> Sequence[Part]:
        """Return a look at the whole video; closer together where the camera is judged.

        Where that would be too many frames (``is_close``), ``closer`` shows the interval.

        Raises:
            UnreadableVideo: If it cannot be decoded.
        """
        with self._lock:
            own = self._of_video.setdefault(video.video_id, threading.Lock())
        with own:
            with self._lock:
                if video.video_id in self._kept:
                    self._kept.move_to_end(video.video_id)
                    return self._kept[video.video_id][camera]
            looks = self._looks(video)
            with self._lock:
                self._kept[video.video_id] = looks
                while len(self._kept) > 1 and sum(map(_size, self._kept.values())) > KEPT_BYTES:
                    self._kept.popitem(last=False)
            return looks[camera]

    def focused(self, video: VideoFile, interval: Interval) -> Sequence[Part]:
        """Return a second look at an interval: more frames a second, and larger ones.

        Raises:
            UnreadableVideo: As ``whole``.
        """
        return self._part(video, interval, self._settings.focus_fps, self._settings.focus_long_side)

    def closer(self, video: VideoFile, interval: Interval) -> Sequence[Part]:
        """Return frames of an interval that are as close together as a camera change needs.

        Raises:
            UnreadableVideo: As ``whole``.
        """
        return self._part(video, interval, self._settings.camera_fps, self._settings.long_side)

    def is_close(self, video: VideoFile) -> bool:
        """Return whether a whole look is as close as that; a long video has too many frames."""
        settings = self._settings
        native = settings.policy == "native_video_url_v1"
        return native or video.duration_s * settings.camera_fps <= settings.most_frames

    def _part(
        self, video: VideoFile, interval: Interval, fps: float, long_side: int
    ) -> Sequence[Part]:
        settings = self._settings
        start = max(0.0, interval.start_sec - AROUND_S)
        end = min(video.duration_s, interval.end_sec + AROUND_S)
        times = times_of(start, end, fps, settings.most_frames)
        found = _frames(video, {"part": times}, long_side, settings)["part"]
        return [_words(f"Frames from {start:.2f} to {end:.2f} s, each after its time:"), *found]

    def modalities(self, video: VideoFile) -> list[str]:
        """Return which modalities of a video are sent."""
        if self._settings.policy == "frames_timestamped_v1":
            return list(FRAMES)
        sound = SOUND if video.has_audio else ()
        return [FRAMES[0], *sound, *FRAMES[1:], "container_metadata"]

    def _looks(self, video: VideoFile) -> Mapping[bool, Sequence[Part]]:
        settings = self._settings
        if settings.policy == "native_video_url_v1":
            file = [_file(video), _words(_length(video))]
            return {False: file, True: file}
        rates = {"usual": settings.fps, "camera": settings.camera_fps}
        if not self.is_close(video):
            rates["camera"] = settings.fps
        times = {
            name: times_of(0.0, video.duration_s, fps, settings.most_frames)
            for name, fps in rates.items()
        }
        found = _frames(video, times, settings.long_side, settings)
        told = _words(f"{_length(video)} Frames of it, each after its time:")
        return {False: [told, *found["usual"]], True: [told, *found["camera"]]}


def _frames(
    video: VideoFile, looks: Mapping[str, Sequence[float]], long_side: int, settings: MediaSettings
) -> dict[str, list[Part]]:
    """Return the parts of several looks, decoded in one pass: the frame shown at each time."""
    wanted = sorted({time for times in looks.values() for time in times})
    try:
        pictures = _pictures(str(video.path), wanted, long_side, settings.jpeg_quality)
    except Exception as error:  # what a decoder raises is not one family of errors
        raise UnreadableVideo(str(video.path), "pyav", error) from error
    return {
        name: [part for time in times for part in (_time(time), pictures[time])]
        for name, times in looks.items()
    }


def _pictures(path: str, wanted: Sequence[float], side: int, quality: int) -> dict[float, Part]:
    """Return the picture shown at each time; a frame that is shown at several is encoded once."""

    def encoded(found: Iterator[tuple[Sequence[float], Pixels]]) -> dict[float, Part]:
        pictures: dict[float, Part] = {}
        for times, pixels in found:
            pictures |= dict.fromkeys(times, _picture(pixels, side, quality))
        return pictures

    try:
        return encoded(_sought(path, wanted))
    except Exception:  # no index, or a file that can only be read from its start
        return encoded(_from_the_start(path, wanted))


def _sought(path: str, times: Sequence[float]) -> Iterator[tuple[Sequence[float], Pixels]]:
    """Yield frames with the times at which they are shown; only what they lean on is decoded.

    Raises:
        ValueError: If frames cannot be found by their time stamps.
    """
    import av

    index = index_of(path)
    with closing(av.open(path)) as container:
        unit = container.streams.video[0].time_base
    if unit is None:
        raise ValueError("time stamps of no unit")
    at = (index.times - index.times[0]) * float(unit)
    shown: dict[int, list[float]] = {}
    for time, number in zip(
        times, np.searchsorted(at, np.asarray(times) + ROUNDING_S, "right") - 1, strict=True
    ):
        shown.setdefault(max(0, int(number)), []).append(time)
    for number, pixels in walk_frames(path, index, list(shown)):
        yield shown[number], pixels


def _from_the_start(path: str, times: Sequence[float]) -> Iterator[tuple[Sequence[float], Pixels]]:
    """Yield the same by decoding all frames up to the last one."""
    import av

    waiting = list(times)
    last = None
    with closing(av.open(path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        zero = None
        for frame in container.decode(stream):
            at = frame.time
            if at is None:
                continue
            zero = at if zero is None else zero
            ended = [time for time in waiting if at - zero > time + ROUNDING_S]
            if ended and last is not None:
                yield ended, rgb(last)
                waiting = waiting[len(ended) :]
            last = frame
            if not waiting:
                return
    if last is None:
        raise ValueError("no frame can be decoded")
    yield waiting, rgb(last)


def _picture(pixels: Pixels, long_side: int, quality: int) -> Part:
    image = Image.fromarray(np.ascontiguousarray(pixels))
    if max(image.size) > long_side:
        scale = long_side / max(image.size)
        size = tuple(max(1, round(side * scale)) for side in image.size)
        image = image.resize((size[0], size[1]), Image.Resampling.BICUBIC)
    file = io.BytesIO()
    image.save(file, "JPEG", quality=quality)
    return {"type": "image_url", "image_url": {"url": _data("image/jpeg", file.getvalue())}}


def _time(time: float) -> Part:
    return _words(f"{time:.2f} s")


def _length(video: VideoFile) -> str:
    """Return what no frame tells: where the video ends, which no interval may pass."""
    return f"The video is {video.duration_s:.2f} s long."


def _words(text: str) -> Part:
    return {"type": "text", "text": text}


def _file(video: VideoFile) -> Part:
    kind = mimetypes.guess_type(video.path.name)[0] or "video/mp4"
    try:
        if (size := video.path.stat().st_size) > MOST_FILE_BYTES:
            raise ValueError(f"{size} bytes are too many to be sent as a file")
        content = video.path.read_bytes()
    except (OSError, ValueError) as error:
        raise UnreadableVideo(str(video.path), "python", error) from error
    return {"type": "video_url", "video_url": {"url": _data(kind, content)}}


def _data(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def _size(looks: Mapping[bool, Sequence[Part]]) -> int:
    return sum(
        len(part[part["type"]]["url"])
        for parts in looks.values()
        for part in parts
        if part["type"] != "text"
    )
