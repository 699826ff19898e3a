"""Put the cache and the chosen reader where the host's runners read videos."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from types import ModuleType

from vidomni_plugin.video.cache import CACHE, FrameCache
from vidomni_plugin.video.decord_reader import wrap_decord
from vidomni_plugin.video.other_readers import wrap_load_video, wrap_transformers
from vidomni_plugin.video.qwen import wrap_qwen
from vidomni_plugin.video.settings import cache_bytes

__all__ = ["install"]

WRAPPERS: Mapping[str, Callable[[ModuleType, FrameCache], None]] = {
    "qwen_vl_utils.vision_process": wrap_qwen,
    "qwen_omni_utils.v2_5.vision_process": wrap_qwen,
    "decord": wrap_decord,
    "transformers.video_utils": wrap_transformers,
    "lmms_eval.models.model_utils.load_video": wrap_load_video,
}
"""By module. One that is not imported is left alone: no runner of this process uses it yet."""

_LOCK = threading.Lock()


def install(max_bytes: int | None = None) -> None:
    """Wrap the video readers that are imported by now; cheap, and may be called for every request.

    Args:
        max_bytes: Bound of the cache. None leaves a bound that was set, and sets it from the
            environment where none was.

    Raises:
        InputProblems: If ``VIDOMNI_READER`` or ``VIDOMNI_CACHE_GB`` is wrong.
    """
    with _LOCK:
        if max_bytes is not None or CACHE.max_bytes is None:
            CACHE.resize(cache_bytes() if max_bytes is None else max_bytes)
        for name, wrap in WRAPPERS.items():
            module = sys.modules.get(name)
            if module is not None:
                wrap(module, CACHE)
