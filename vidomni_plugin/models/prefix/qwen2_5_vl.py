"""``vidomni_qwen2_5_vl``: the host's chat runner of Qwen2.5-VL, with each video read once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import decord
from lmms_eval.models.chat.qwen2_5_vl import Qwen2_5_VL as HostQwen2_5_VL
from loguru import logger
from torch import Tensor

from vidomni_plugin.models.prefix.runner import OneVideoAtATime

__all__ = ["SharedQwen25VL"]

FRAME_FACTOR = 2
"""qwen_vl_utils takes an even number of frames, 2 at least."""
HOST_MAX_NEW_TOKENS = 128
"""Where a task does not say how long an answer may be."""


class SharedQwen25VL(OneVideoAtATime, HostQwen2_5_VL):  # type: ignore[misc]
    """Gives the answers of the host's ``qwen2_5_vl``; each method repeats a step of it."""

    name = "vidomni_qwen2_5_vl"
    patch_size = 14
    is_simple = False

    def _sampling(self, video: str) -> dict[str, Any]:
        pixels = {"max_pixels": self.max_pixels, "min_pixels": self.min_pixels}
        if self.fps is not None:
            return {**pixels, "fps": self.fps}
        try:
            total = len(decord.VideoReader(video))
        except Exception as error:  # any fault: the reader says it better
            logger.warning(f"The frames of {video} could not be counted: {error}")
            return {**pixels, "nframes": self.max_num_frames}
        even = min(self.max_num_frames, total) // FRAME_FACTOR * FRAME_FACTOR
        return {**pixels, "nframes": max(FRAME_FACTOR, even)}

    def _text(self, chat: list[dict[str, Any]]) -> str:
        (text,) = self.processor.apply_chat_template(
            [chat], tokenize=False, add_generation_prompt=True
        )
        return str(text)

    def _processed(
        self,
        processor: Any,  # noqa: ANN401
        text: str,
        frames: Tensor,
        metadata: Any,  # noqa: ANN401
        sampling: Mapping[str, Any],
    ) -> Any:  # noqa: ANN401
        return processor(
            text=[text],
            images=None,
            videos=[frames],
            video_metadata=[metadata],
            padding=True,
            padding_side="right",
            return_tensors="pt",
        )

    def _settings(self, generation: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "eos_token_id": self.tokenizer.eos_token_id,
            "pad_token_id": self.tokenizer.pad_token_id,
            "do_sample": False,
            "temperature": None,
            "top_p": None,
            "top_k": None,
            "num_beams": 1,
            "max_new_tokens": generation.get("max_new_tokens", HOST_MAX_NEW_TOKENS),
            "use_cache": self.use_cache,
        }
