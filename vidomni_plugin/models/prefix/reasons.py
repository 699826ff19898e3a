"""Why a request is answered by the host's own runner, or with less sharing than was asked."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from lmms_eval.protocol import ChatMessages

__all__ = ["why_not_this_model", "why_not_this_request"]


def why_not_this_request(messages: ChatMessages, generation: Mapping[str, Any]) -> str | None:
    """Return why the host's own runner has to answer, or None for greedy text about one video.

    Args:
        messages: What the model is asked.
        generation: The generation settings as the task gives them.
    """
    images, videos, sounds = messages.extract_media()
    if images:
        return "images"
    if sounds:
        return "sound as a block of its own"
    if not videos:
        return "no video"
    if len(videos) > 1:
        return "several videos in a request"
    if not isinstance(videos[0], str):
        return "a video that is not a file"
    if generation.get("temperature", 0) != 0:
        return "sampling"
    if generation.get("num_beams", 1) != 1:
        return "beams"
    return None


def why_not_this_model(runner: Any) -> str | None:  # noqa: ANN401
    """Return why none of a runner's requests can share work, or None if they can.

    Args:
        runner: A chat runner of the host, loaded.
    """
    accepted = inspect.signature(runner.model.forward).parameters
    if "mm_encoder_outputs" not in accepted:
        return "this transformers does not take encoded videos; 5.24 does"
    if not runner.use_cache:
        return "use_cache=False"
    if str(getattr(runner.accelerator, "distributed_type", "")).endswith("FSDP"):
        return "FSDP"
    return None
