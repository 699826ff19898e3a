"""Frames of a video, one after the other: a long video is never in memory as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.models.detectors.arguments import whole_number
from vidomni_plugin.video.failures import UnreadableVideo
from vidomni_plugin.video.index import NoTimeStamps, index_of
from vidomni_plugin.video.lean import rgb, walk_frames

__all__ = ["Choose", "Frame", "Frames", "chosen_frames", "frame_count", "numbers", "shown_frames"]

Frames = int | Literal["all"]
"""How many frames of a video are looked at."""
Choose = Callable[[int, float], Sequence[int]]
"""Returns which frames are sampled, of a video's number of frames and its frames a second."""
READER = "pyav"
USUAL_FPS = 25.0


class Frame(NamedTuple):
    """One frame and how often it counts."""

    pixels: NDArray[np.uint8]
    """RGB, shape ``(height, width, 3)``."""
    places: tuple[int, ...]
    """Its places among the sampled frames; several where the video is shorter than asked."""


def frame_count(given: object) -> Frames:
    """Return the setting ``frames``, checked.

    Raises:
        ValueError: If it is neither ``all`` nor a whole number from 1 on.

    Example:
        >>> frame_count("all"), frame_count(32)
        ('all', 32)
    """
    if given == "all":
        return "all"
    try:
        return whole_number("frames", given)
    except ValueError as error:
        raise ValueError(f"{error}, and not all") from None


def numbers(frames: Frames, total: int) -> list[int]:
    """Return which frames of a video are sampled.

    They are spread evenly from the first frame to the last, rounded down, as in EMScore's
    code; one frame alone is the first. A video with fewer frames repeats some.

    Args:
        frames: How many.
        total: Frames of the video, at least 1.

    Example:
        >>> numbers(4, 10), numbers(4, 2), numbers("all", 3)
        ([0, 3, 6, 9], [0, 0, 0, 1], [0, 1, 2])
    """
    count = total if frames == "all" else frames
    return [int(number) for number in np.linspace(0, total - 1, count)]


def shown_frames(path: str, frames: Frames) -> Iterator[Frame]:
    """Yield each sampled frame once, decoded with PyAV.

    Args:
        path: The video file.
        frames: How many, see ``numbers``.

    Raises:
        UnreadableVideo: If it cannot be read to its end.
    """
    return chosen_frames(path, lambda total, fps: numbers(frames, total))


def chosen_frames(path: str, choose: Choose) -> Iterator[Frame]:
    """Yield each frame once that is chosen, as ``shown_frames`` does.

    Args:
        path: The video file.
        choose: Says which frames are sampled; it is called once.

    Raises:
        UnreadableVideo: If the video cannot be read to its end.
    """
    import av

    try:
        yield from _shown(path, choose)
    except (av.FFmpegError, OSError, ValueError) as error:
        raise UnreadableVideo(path, READER, error) from error


def _shown(path: str, choose: Choose) -> Iterator[Frame]:
    try:
        index = index_of(path)
    except NoTimeStamps:  # such as AVI: what there is is known once it has been decoded
        yield from _counted(path, choose)
        return
    places = _places(choose(len(index), index.fps))
    for number, pixels in walk_frames(path, index, sorted(places)):
        yield Frame(pixels, places[number])


def _counted(path: str, choose: Choose) -> Iterator[Frame]:
    total = sum(1 for _ in _every(path))
    if not total:
        raise ValueError("no frame can be decoded")
    places = _places(choose(total, _rate(path)))
    for number, pixels in enumerate(_every(path)):
        if number in places:
            yield Frame(pixels, places[number])


def _rate(path: str) -> float:
    """Return the frames a second that a container states; 25 where it states none."""
    import av

    with closing(av.open(path)) as container:
        stream = container.streams.video[0]
        return float(stream.average_rate or stream.guessed_rate or USUAL_FPS)


def _every(path: str) -> Iterator[NDArray[np.uint8]]:
    import av

    with closing(av.open(path)) as container:
        if not container.streams.video:
            raise ValueError("no video stream")
        container.streams.video[0].thread_type = "AUTO"
        for frame in container.decode(video=0):
            yield rgb(frame)


def _places(sampled: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """Return the places of each sampled frame."""
    places: dict[int, list[int]] = {}
    for place, number in enumerate(sampled):
        places.setdefault(number, []).append(place)
    return {number: tuple(own) for number, own in places.items()}
