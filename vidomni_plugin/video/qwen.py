"""The readers of qwen_vl_utils and qwen_omni_utils: cached, of the user's choice, with true errors.

Both packages keep their readers in a dictionary ``VIDEO_READER_BACKENDS``. What a reader returns is
resized and turned into floating point by its only caller (``fetch_video``), which copies it: frames
in the cache are never changed.
"""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Callable, Hashable, Mapping
from functools import wraps
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from loguru import logger

from vidomni_plugin.video.cache import FrameCache, file_identity, local_path
from vidomni_plugin.video.failures import UnreadableVideo
from vidomni_plugin.video.index import NoTimeStamps
from vidomni_plugin.video.readers import OPENERS
from vidomni_plugin.video.settings import torchcodec_fault, wanted_reader

__all__ = ["wrap_qwen"]

Request = Mapping[str, Any]
Reading = Callable[[Request], tuple[Any, ...]]
"""Reads what a message asks for: frames, metadata (in later versions), sampled frames a second."""

AFTER_READING = frozenset(
    ("type", "video", "min_pixels", "max_pixels", "total_pixels", "resized_height", "resized_width")
)
"""Entries of a request that a reader does not look at; the frames are resized later."""
FALLBACK = "torchvision"
"""What ``fetch_video`` turns to when a reader raises."""
FORCED = "FORCE_QWENVL_VIDEO_READER"
"""The packages' own variable."""


def wrap_qwen(module: ModuleType, cache: FrameCache) -> None:
    """Put our readers in the place of the package's, once."""
    backends: dict[str, Reading] | None = getattr(module, "VIDEO_READER_BACKENDS", None)
    if not backends or any(hasattr(reader, "__wrapped__") for reader in backends.values()):
        return
    host = dict(backends)
    wanted = wanted_reader()
    for name, original in host.items():
        reader, used = original, name
        if wanted is not None:
            used = wanted
            reader = _own(module, wanted, host["decord"]) if wanted in OPENERS else host["decord"]
        elif name == "torchcodec" and _is_broken_choice():
            reader, used = host["decord"], "decord"
        backends[name] = _cached(used, _explained(used, reader), cache, original)
    backends[FALLBACK] = _last_resort(backends[FALLBACK], host[FALLBACK], wanted is not None)


def _is_broken_choice() -> bool:
    """Return whether the package will choose a torchcodec that does not work, and say so once."""
    if os.environ.get(FORCED) or find_spec("torchcodec") is None or not torchcodec_fault():
        return False
    logger.warning(f"torchcodec does not work ({torchcodec_fault()}); decord reads the videos")
    return True


def _own(module: ModuleType, name: str, decord: Reading) -> Reading:
    """Return one of our readers in the form of the package's."""

    def read(request: Request) -> tuple[Any, ...]:
        import torch

        path = local_path(request["video"])
        if path is None:
            return decord(request)
        try:
            video = OPENERS[name](path)
        except NoTimeStamps as why:
            logger.info(f"{path}: {why}; decord reads it")
            return decord(request)
        # The package's own arithmetic, so that the same frames are taken.
        start, end, total = module.calculate_video_frame_range(request, video.frames, video.fps)
        count = module.smart_nframes(request, total_frames=total, video_fps=video.fps)
        numbers = torch.linspace(start, end, count).round().long().tolist()
        frames = torch.from_numpy(video.read(numbers)).permute(0, 3, 1, 2)
        metadata = {
            "fps": video.fps,
            "frames_indices": numbers,
            "total_num_frames": total,
            "video_backend": name,
        }
        return frames, metadata, count / max(total, 1e-6) * video.fps

    return read


def _explained(name: str, reader: Reading) -> Reading:
    """Return a reader whose errors name the file and the cause."""

    def read(request: Request) -> tuple[Any, ...]:
        try:
            return reader(request)
        except Exception as error:
            raise UnreadableVideo(str(request["video"]), name, error) from error

    return read


def _cached(name: str, reader: Reading, cache: FrameCache, original: Reading) -> Reading:
    @wraps(original)
    def read(request: Request) -> tuple[Any, ...]:
        value = cache.get(_key(name, request), lambda: reader(request), _size)
        # Some callers change the metadata.
        return value[0], *copy.deepcopy(value[1:])

    return read


def _key(name: str, request: Request) -> Hashable | None:
    file = file_identity(request["video"])
    if file is None:
        return None
    sampling = sorted((k, repr(v)) for k, v in request.items() if k not in AFTER_READING)
    return ("qwen", name, file, tuple(sampling))


def _size(value: tuple[Any, ...]) -> int:
    return int(value[0].numel() * value[0].element_size())


def _last_resort(reader: Reading, original: Reading, ours: bool) -> Reading:
    """Return what stands for the packages' fallback, which newer torchvision cannot do.

    ``fetch_video`` calls it while it handles the error of the reader that it had chosen. Another
    try with the same reader, or an AttributeError, would only hide that error.
    """

    @wraps(original)
    def read(request: Request) -> tuple[Any, ...]:
        error = sys.exc_info()[1]
        if not isinstance(error, UnreadableVideo) or error.path != str(request["video"]):
            return reader(request)  # chosen as a reader
        if not ours and _torchvision_reads():
            return reader(request)
        raise error

    return read


def _torchvision_reads() -> bool:
    from torchvision import io

    return hasattr(io, "read_video")
