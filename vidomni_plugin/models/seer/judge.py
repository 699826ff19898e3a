"""Run a checkpoint on video files as the host does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from vidomni_plugin.models.seer.network import PIXELS
from vidomni_plugin.models.seer.shipped import digest
from vidomni_plugin.models.seer.traits import FRAMES

__all__ = ["Judge"]


@lru_cache(maxsize=1)
def _decoded(video: Path, frames: int, _written: int) -> tuple[Any, Any]:
    """Return a video's frames and what is known about them; the last video is remembered.

    Several checkpoints are asked about one clip after another, and each clip is decoded once.

    Args:
        video: Its file.
        frames: How many are sampled.
        _written: When the file was written, in nanoseconds: another file has another time.
    """
    from qwen_vl_utils import process_vision_info

    shown = {"type": "video", "video": str(video), "nframes": frames, **PIXELS}
    chat = [{"role": "user", "content": [shown]}]
    _, videos, _ = process_vision_info([chat], return_video_kwargs=True, return_video_metadata=True)
    (pictures, about), *_ = videos
    return pictures, about


class Judge:
    """A checkpoint that judges answers about video files, several at once."""

    def __init__(self, checkpoint: Path) -> None:
        import torch
        from transformers import AutoProcessor, Qwen2_5_VLForConditionalGeneration

        self.weights = digest(checkpoint)
        """Fingerprint of the weights, taken before they are loaded: the file could be replaced."""
        self.model = Qwen2_5_VLForConditionalGeneration.from_pretrained(
            checkpoint, dtype=torch.bfloat16
        ).eval()
        self.processor = AutoProcessor.from_pretrained(checkpoint, **PIXELS)

    def answers(
        self, video: Path, prompts: Sequence[str], tokens: int = 4, frames: int = FRAMES
    ) -> list[str]:
        """Return the generated text for each prompt about one video."""
        import torch

        pictures, about = _decoded(video, frames, video.stat().st_mtime_ns)
        chats = [
            [{"role": "user", "content": [{"type": "video"}, {"type": "text", "text": prompt}]}]
            for prompt in prompts
        ]
        texts = self.processor.apply_chat_template(
            chats, tokenize=False, add_generation_prompt=True
        )
        inputs: Any = self.processor(
            text=texts,
            videos=[pictures] * len(chats),
            video_metadata=[about] * len(chats),
            padding=True,
            padding_side="left",
            return_tensors="pt",
        )
        with torch.no_grad():
            made = self.model.generate(**inputs, max_new_tokens=tokens, do_sample=False)
        told: list[str] = self.processor.batch_decode(
            made[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True
        )
        return told
