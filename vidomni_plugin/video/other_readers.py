"""The readers of transformers and of the host's simple runners, each video once.

Their callers may keep what they get, and change it: they are given copies.
"""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Callable, Hashable
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np

from vidomni_plugin.video.cache import FrameCache, file_identity

__all__ = ["wrap_load_video", "wrap_transformers"]

BACKEND = "LMMS_VIDEO_DECODE_BACKEND"
"""The host's variable for the decoder of ``read_video``."""


class _Metadata(Exception):
    """Leaves a decoder when it has opened a video and not yet decoded it."""

    def __init__(self, metadata: Any) -> None:  # noqa: ANN401
        self.metadata = metadata


def wrap_transformers(module: ModuleType, cache: FrameCache) -> None:
    """Cache the decoders that video processors of transformers use."""
    decoders: dict[str, Callable[..., Any]] | None = getattr(module, "VIDEO_DECODERS", None)
    if not decoders or any(hasattr(decoder, "__wrapped__") for decoder in decoders.values()):
        return
    for name, decoder in list(decoders.items()):
        decoders[name] = _sampled_once(name, decoder, cache)


def _sampled_once(name: str, decoder: Callable[..., Any], cache: FrameCache) -> Callable[..., Any]:
    """Return a decoder that is asked once for the frames which a sampling function chooses.

    The function cannot be a key, its choice can: the video is opened first to learn what the
    function needs, and that is remembered.
    """
    opened: dict[Hashable, Any] = {}

    @wraps(decoder)
    def read(video: Any, sample_indices_fn: Callable[..., Any], **options: Any) -> Any:  # noqa: ANN401
        file = file_identity(video)
        if file is None:
            return decoder(video, sample_indices_fn, **options)
        if file not in opened:
            opened[file] = _metadata_of(decoder, video, options)
        metadata = copy.deepcopy(opened[file])
        numbers = sample_indices_fn(metadata=metadata, **options)
        chosen = np.asarray(numbers, dtype=np.int64).tobytes()
        given = tuple(sorted((option, repr(value)) for option, value in options.items()))
        return cache.get(
            ("transformers", name, file, given, chosen),
            lambda: decoder(video, lambda metadata, **_: numbers, **options),
            lambda value: int(value[0].nbytes),
            copy.deepcopy,
            copy.deepcopy,
        )

    return read


def _metadata_of(decoder: Callable[..., Any], video: object, options: dict[str, Any]) -> Any:  # noqa: ANN401
    def leave(metadata: Any, **_: Any) -> Any:  # noqa: ANN401
        raise _Metadata(metadata)

    try:
        decoder(video, leave, **options)
    except _Metadata as found:
        return found.metadata
    raise RuntimeError("the decoder did not ask which frames to read")


def wrap_load_video(module: ModuleType, cache: FrameCache) -> None:
    """Cache ``read_video``, also where a runner has imported it by name."""
    plain = getattr(module, "read_video", None)
    if plain is None or hasattr(plain, "__wrapped__"):
        return

    @wraps(plain)
    def read_video(video_path: Any, *args: Any, **options: Any) -> Any:  # noqa: ANN401
        several = isinstance(video_path, list | tuple) and video_path
        file = file_identity(video_path[0] if several else video_path)
        key = None
        if file is not None:
            given = (*map(repr, args), *sorted((name, repr(v)) for name, v in options.items()))
            key = ("read_video", os.environ.get(BACKEND), file, given)
        return cache.get(
            key,
            lambda: plain(video_path, *args, **options),
            lambda value: int(value.nbytes),
            np.copy,
            np.copy,
        )

    for name, user in list(sys.modules.items()):
        if not name.startswith("lmms_eval.models.") or user is None:
            continue
        for attribute, value in list(vars(user).items()):
            if value is plain:
                setattr(user, attribute, read_video)
