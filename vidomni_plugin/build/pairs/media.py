"""What the roles see of a video: frames with their times, or the file itself."""

from __future__ import annotations

import base64
import io
import math
import mimetypes
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
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
from vidomni_plugin.video.lean import rgb

__all__ = ["Looks", "times_of"]

KEPT_BYTES = 256 << 20
"""Size of the pictures that are kept: about 50 videos."""
AROUND_S = 0.5
"""A second look begins so long before its interval and ends so long after it."""
FRAMES = ("visual", "on_screen_text", "camera_editing")
"""Modalities that frames carry."""
SOUND = ("speech_audio", "non_speech_audio")
_Look = tuple[str, str]


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
        settings = self._settings
        start = max(0.0, interval.start_sec - AROUND_S)
        end = min(video.duration_s, interval.end_sec + AROUND_S)
        times = times_of(start, end, settings.focus_fps, settings.most_frames)
        return _frames(video, {"focus": times}, settings.focus_long_side, settings)["focus"]

    def modalities(self, video: VideoFile) -> list[str]:
        """Return which modalities of a video are sent."""
        if self._settings.policy == "frames_timestamped_v1":
            return list(FRAMES)
        sound = SOUND if video.has_audio else ()
        return [FRAMES[0], *sound, *FRAMES[1:], "container_metadata"]

    def _looks(self, video: VideoFile) -> Mapping[bool, Sequence[Part]]:
        settings = self._settings
        if settings.policy == "native_video_url_v1":
            file = [_file(video)]
            return {False: file, True: file}
        times = {
            name: times_of(0.0, video.duration_s, fps, settings.most_frames)
            for name, fps in (("usual", settings.fps), ("camera", settings.camera_fps))
        }
        found = _frames(video, times, settings.long_side, settings)
        return {False: found["usual"], True: found["camera"]}


def _frames(
    video: VideoFile, looks: Mapping[str, Sequence[float]], long_side: int, settings: MediaSettings
) -> dict[str, list[Part]]:
    """Return the parts of several looks, decoded in one pass: the frame shown at each time."""
    wanted = sorted({time for times in looks.values() for time in times})
    pictures: dict[float, Part] = {}
    try:
        for time, pixels in _shown_at(str(video.path), wanted):
            pictures[time] = _picture(pixels, long_side, settings.jpeg_quality)
    except Exception as error:  # what a decoder raises is not one family of errors
        raise UnreadableVideo(str(video.path), "pyav", error) from error
    return {
        name: [part for time in times for part in (_time(time), pictures[time])]
        for name, times in looks.items()
    }


def _shown_at(path: str, times: Sequence[float]) -> Any:  # noqa: ANN401 - an iterator of pairs
    """Yield each time with the pixels of the frame that is shown then."""
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
            while waiting and last is not None and at - zero > waiting[0] + 1e-6:
                yield waiting.pop(0), rgb(last)
            last = frame
            if not waiting:
                return
        if last is None:
            raise ValueError("no frame can be decoded")
        for time in waiting:
            yield time, rgb(last)


def _picture(pixels: NDArray[np.uint8], long_side: int, quality: int) -> Part:
    image = Image.fromarray(np.ascontiguousarray(pixels))
    if max(image.size) > long_side:
        scale = long_side / max(image.size)
        size = tuple(max(1, round(side * scale)) for side in image.size)
        image = image.resize((size[0], size[1]), Image.Resampling.BICUBIC)
    file = io.BytesIO()
    image.save(file, "JPEG", quality=quality)
    return {"type": "image_url", "image_url": {"url": _data("image/jpeg", file.getvalue())}}


def _time(time: float) -> Part:
    return {"type": "text", "text": f"{time:.2f} s"}


def _file(video: VideoFile) -> Part:
    kind = mimetypes.guess_type(video.path.name)[0] or "video/mp4"
    try:
        content = video.path.read_bytes()
    except OSError as error:
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
