"""``decord.VideoReader`` that reads the same frames of the same file once.

Runners import the class by name, so its methods are replaced and not the class: every reader that
was imported before is the same object, and ``isinstance`` holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.video.cache import FrameCache, file_identity

__all__ = ["wrap_decord"]

KEY, OPEN = "_vidomni_key", "_vidomni_open"
"""Attributes that a reader gets: what its frames are kept under, and how it is opened."""
ARGUMENTS = ("ctx", "width", "height", "num_threads", "fault_tol")
"""Of a reader, after the file, in decord's order."""


class _Known(NamedTuple):
    """What a file's first reader learned when it was opened."""

    frames: int
    fps: float


def wrap_decord(module: ModuleType, cache: FrameCache) -> None:
    """Let readings use the cache, and open a file that is known only when it is read."""
    reader = getattr(module, "VideoReader", None)
    if reader is not None and not hasattr(reader, KEY):
        wrap_reader(reader, module, cache)


def wrap_reader(reader: type[Any], module: ModuleType, cache: FrameCache) -> None:
    """Replace the methods of one class; the rest of a reader works as before."""
    plain_open, plain_del = reader.__init__, reader.__del__
    plain_batch, plain_item = reader.get_batch, reader.__getitem__
    known: dict[Hashable, _Known] = {}

    @wraps(plain_open)
    def __init__(self: Any, uri: object, *args: Any, **options: Any) -> None:  # noqa: ANN401, N807
        given = dict(zip(ARGUMENTS, args, strict=False)) | options
        file = file_identity(uri)
        # Threads do not change pixels; tolerance of faults and other devices are left alone.
        plain = given.get("fault_tol", -1) == -1 and _on_cpu(given.get("ctx"))
        size = given.get("width", -1), given.get("height", -1)
        setattr(self, KEY, ("decord", file, size) if file and plain else None)
        if file in known:
            setattr(self, OPEN, lambda: plain_open(self, uri, **given))
            self._num_frame, self._avg_fps = known[file]
            self._key_indices = self._frame_pts = None
            return
        plain_open(self, uri, **given)
        if file is not None:
            known[file] = _Known(self._num_frame, self.get_avg_fps())

    def __getattr__(self: Any, name: str) -> Any:  # noqa: ANN401, N807
        """Open the file when its handle is first needed."""
        late = self.__dict__.pop(OPEN, None) if name == "_handle" else None
        if late is None:
            raise AttributeError(name)
        late()
        return self.__dict__["_handle"]

    @wraps(plain_del)
    def __del__(self: Any) -> None:  # noqa: ANN401, N807
        if "_handle" in self.__dict__:
            plain_del(self)

    @wraps(plain_batch)
    def get_batch(self: Any, indices: Sequence[int]) -> Any:  # noqa: ANN401
        numbers = np.asarray(indices, dtype=np.int64).tobytes()
        return kept(self, numbers, lambda: plain_batch(self, indices))

    @wraps(plain_item)
    def __getitem__(self: Any, idx: Any) -> Any:  # noqa: ANN401, N807
        if isinstance(idx, slice) or not -len(self) <= idx < len(self):
            return plain_item(self, idx)
        return kept(self, idx % len(self), lambda: plain_item(self, idx))

    def kept(self: Any, what: Hashable, read: Callable[[], Any]) -> Any:  # noqa: ANN401
        key = self.__dict__.get(KEY)
        if key is None:
            return read()
        # The reader's own result where it reads, else a copy: the caller may change it.
        return cache.get((*key, what), read, _size, _as_numpy, given_back)

    def given_back(frames: NDArray[np.uint8]) -> Any:  # noqa: ANN401
        return module.bridge.bridge_out(module.nd.array(frames))

    reader.__init__ = __init__
    reader.__getattr__ = __getattr__
    reader.__del__ = __del__
    reader.get_batch = get_batch
    reader.__getitem__ = __getitem__
    setattr(reader, KEY, None)


def _on_cpu(device: Any) -> bool:  # noqa: ANN401
    return device is None or device.device_type == 1  # decord's number of the CPU


def _size(frames: Any) -> int:  # noqa: ANN401
    return math.prod(frames.shape)  # a byte for each value


def _as_numpy(frames: Any) -> NDArray[np.uint8]:  # noqa: ANN401
    """Return frames as an array of their own, from decord or a library that it is bridged to."""
    plain = frames.asnumpy() if hasattr(frames, "asnumpy") else frames.numpy().copy()
    return np.asarray(plain, dtype=np.uint8)
