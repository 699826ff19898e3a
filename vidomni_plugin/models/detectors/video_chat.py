"""A video language model of transformers, asked for what it would say first."""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import AutoConfig, AutoModelForImageTextToText, AutoProcessor
from transformers.video_utils import VideoMetadata

from vidomni_plugin.models.detectors.clip import Clip
from vidomni_plugin.models.detectors.places import pretrained_of
from vidomni_plugin.models.prefix.inputs import once
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.video.failures import reason_of

__all__ = ["VideoChat"]

EVERY_TYPE = "Model type should be one of"
"""Transformers lists more than a hundred classes behind this."""
TITLE = "video language model"
PIXELS = "pixel_values_videos"
"""What every model of transformers calls the frames of a video."""
BLACK_SIDE = 112
"""Of a frame to try a processor with, in pixels."""
PLACEHOLDERS = ("image", "video")
EDGES = ("shortest_edge", "longest_edge")
"""What Qwen's processors call the least and the largest number of pixels of a frame."""
THOUGHT = ("<think>", "</think>")
WEIGHTS_HINT = "give the hub id or the folder of an image-text-to-text model of transformers"
TEMPLATE_HINT = "take a model whose template takes a turn of video and text"


class VideoChat:
    """Gives the logits of the first token of an answer.

    Args:
        pretrained: Hub id or folder of an image-text-to-text model whose processor takes videos.
        device: Where the model goes.
        device_map: ``auto`` spreads it over all GPUs; then ``device`` does not count.
        dtype: ``auto`` for that of the checkpoint, or a name such as ``float32``.
        pixels: ``min_pixels`` and ``max_pixels`` of a frame, for processors that know them.

    Raises:
        InputProblems: If there is no such model, or it takes no video or has no chat template.
    """

    def __init__(
        self,
        pretrained: str,
        device: str | torch.device,
        dtype: str = "auto",
        device_map: str | None = None,
        pixels: Mapping[str, int] | None = None,
    ) -> None:
        kind = _dtype(dtype)
        _check_pixels(pixels or {})
        pretrained = pretrained_of(TITLE, pretrained, WEIGHTS_HINT)
        try:
            AutoConfig.from_pretrained(pretrained)  # a hub out of reach is waited for once
            self.processor = AutoProcessor.from_pretrained(pretrained)
            model, found = AutoModelForImageTextToText.from_pretrained(
                pretrained, dtype=kind, device_map=device_map, output_loading_info=True
            )
        except Exception as error:  # whatever transformers makes of a file or a name
            why = reason_of(error).partition(EVERY_TYPE)[0].strip()
            message = f"no model can be loaded from here: {why}"
            raise _refused(pretrained, message, WEIGHTS_HINT) from error
        if found["missing_keys"]:
            message = f"weights are missing, such as {min(found['missing_keys'])}"
            raise _refused(pretrained, message, "they would be random numbers")
        self.name = pretrained
        self.model: Any = (model if device_map else model.to(device)).eval()
        self.tokenizer = getattr(self.processor, "tokenizer", self.processor)
        if not getattr(self.processor, "chat_template", None):
            hint = "take a model that was trained to chat, such as one named ...-Instruct"
            raise _refused(pretrained, "its processor has no chat template", hint)
        if getattr(self.processor, "video_processor", None) is None:
            raise _refused(pretrained, "its processor takes no videos", "take a video model")
        template = str(self.processor.chat_template)
        self._no_thinking = {"enable_thinking": False} if "enable_thinking" in template else {}
        self._marks = self._special_tokens()
        self._pixels = dict(pixels or {})
        self._sizes(frames=1)
        accepted = inspect.signature(self.model.forward).parameters
        self._takes_encoded = "mm_encoder_outputs" in accepted
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in accepted else {}
        self.encodings = 0
        """Passes of the vision tower so far."""

    def _special_tokens(self) -> list[str]:
        added = getattr(self.tokenizer, "added_tokens_decoder", {}).values()
        marks = {str(token) for token in added if token.special}
        marks |= set(self.tokenizer.all_special_tokens)
        marks |= {getattr(self.processor, f"{kind}_token", None) or "" for kind in PLACEHOLDERS}
        return sorted(mark for mark in marks if mark.strip())

    def _sizes(self, frames: int) -> dict[str, Any]:
        """Return what the video processor is told of the size of so many frames."""
        videos = self.processor.video_processor
        # Qwen's: long videos are bounded as its own package bounds them.
        told = {"cap_pixels_per_frame": True} if hasattr(videos, "cap_pixels_per_frame") else {}
        if not self._pixels:
            return told
        least, most = (getattr(videos.size, edge, None) or 0 for edge in EDGES)
        if not (least and most):
            hint = "leave out min_pixels and max_pixels"
            raise _refused(self.name, "its frames have a size of their own", hint)
        whole = _sizes_the_whole(videos)
        # A cap on a frame would be lifted to the least size of the whole there.
        told = dict.fromkeys(told, not whole)
        times = frames if whole else 1
        if "min_pixels" in self._pixels:
            least = self._pixels["min_pixels"] * times
            most = max(least, most)
        if "max_pixels" in self._pixels:
            most = self._pixels["max_pixels"] * times
            least = min(least, most)
        return {**told, "size": dict(zip(EDGES, (least, most), strict=True))}

    def special_token_in(self, text: str) -> str | None:
        """Return a token of the model's own that a text spells; None where it is plain text.

        Such a text would put an end to its turn, or claim a place of the video.
        """
        return next((mark for mark in self._marks if mark in text), None)

    def check(self, before: str, after: str, frames: int) -> None:
        """Check on a harmless text and black frames that the model can be asked.

        Args:
            before: What stands before the video.
            after: What stands after it.
            frames: How many; 0 for no video.

        Raises:
            InputProblems: If the chat template loses the text or the video, or opens a thinking
                block, after which the first token is no answer; if the processor refuses.
        """
        video = frames > 0
        rendered = self.chat(before, after, video=video)
        if any(text.strip() not in rendered for text in (before, after)):
            raise _refused(self.name, "its chat template loses the text", TEMPLATE_HINT)
        if video and rendered == self.chat(before, after, video=False):
            raise _refused(self.name, "its chat template has no place for a video", TEMPLATE_HINT)
        opened, closed = (rendered.rfind(mark) for mark in THOUGHT)
        if opened > closed:
            hint = "take the model's variant that answers at once (Instruct)"
            raise _refused(self.name, "its chat template makes it think before it answers", hint)
        black = np.zeros((frames, BLACK_SIDE, BLACK_SIDE, 3), dtype=np.uint8)
        clip = Clip(black, range(frames), frames, 1.0) if video else None
        try:
            self._inputs(self.processor, clip, rendered)
        except Exception as error:  # whatever a processor makes of it
            message = f"its processor refuses frames={frames}: {reason_of(error)}"
            raise _refused(self.name, message, "take another number of frames") from error

    def chat(self, before: str, after: str, *, video: bool) -> str:
        """Return one turn of the user after the chat template, ready for the answer.

        Raises:
            InputProblems: If the template fails.
        """
        texts = [{"type": "text", "text": text} if text else None for text in (before, after)]
        parts = [texts[0], {"type": "video"} if video else None, texts[1]]
        turn = {"role": "user", "content": [part for part in parts if part]}
        try:
            return str(
                self.processor.apply_chat_template(
                    [turn], tokenize=False, add_generation_prompt=True, **self._no_thinking
                )
            )
        except Exception as error:  # a template is a program of the model's authors
            message = f"its chat template fails: {reason_of(error)}"
            raise _refused(self.name, message, TEMPLATE_HINT) from error

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def first_token_logits(self, clip: Clip | None, chats: Sequence[str]) -> Iterator[Tensor]:
        """Yield the logits of the token after each chat, float32 on the CPU, shape ``(V,)``.

        Every chat is a batch of its own: no score depends on its neighbours. The vision tower
        runs once where the model takes encoded videos, as those of transformers 5.24 do,
        otherwise once a chat; the numbers are the same.

        Args:
            clip: The video of all chats; None for chats without one.
            chats: What ``chat`` returned.
        """
        processor = once(self.processor)
        seen: Any = None
        for chat in chats:
            inputs = self._inputs(processor, clip, chat)
            if seen is not None:
                inputs.pop(PIXELS)
                inputs["mm_encoder_outputs"] = {"video": copy.copy(seen)}
            elif clip is not None:
                self.encodings += 1
            output = self.model(**inputs, use_cache=False, **self._last_only)
            if clip is not None and self._takes_encoded and seen is None:
                seen = getattr(output, "video_outputs", None)
            yield output.logits[0, -1].float().cpu()

    def _inputs(self, processor: Any, clip: Clip | None, chat: str) -> dict[str, Any]:  # noqa: ANN401
        given: dict[str, Any] = {}
        if chat.startswith(self.tokenizer.bos_token or "\0"):
            given["add_special_tokens"] = False  # the template has written it already
        if clip is not None:
            metadata = VideoMetadata(
                total_num_frames=clip.total, fps=clip.fps, frames_indices=list(clip.numbers)
            )
            frames = torch.from_numpy(clip.frames).permute(0, 3, 1, 2)
            given |= {"videos": [frames], "video_metadata": [metadata], "do_sample_frames": False}
            given |= self._sizes(len(clip.frames))
        inputs = processor(text=[chat], return_tensors="pt", **given)
        moved = {name: _moved(value, self.model.device) for name, value in inputs.items()}
        if PIXELS in moved:  # the other numbers, such as seconds a grid, stay exact
            moved[PIXELS] = moved[PIXELS].to(self.model.dtype)
        return moved


def _moved(value: Any, device: torch.device) -> Any:  # noqa: ANN401
    return value.to(device) if isinstance(value, Tensor) else value


def _sizes_the_whole(videos: Any) -> bool:  # noqa: ANN401
    """Whether a processor's bounds are those of all frames together, as Qwen3-VL's."""
    for owner in type(videos).__mro__:
        resize = getattr(sys.modules.get(owner.__module__), "smart_resize", None)
        if resize is not None:
            return "num_frames" in inspect.signature(resize).parameters
    return False


def _check_pixels(pixels: Mapping[str, int]) -> None:
    least, most = (pixels.get(name) for name in ("min_pixels", "max_pixels"))
    if least and most and least > most:
        message = f"min_pixels={least} is more than max_pixels={most}"
        raise InputProblems(TITLE, [Problem("usage", "--model_args", message)])


def _dtype(name: str) -> Any:  # noqa: ANN401
    known = {"float32", "float16", "bfloat16"}
    if name == "auto":
        return name
    if name not in known:
        hint = f"give auto, {', '.join(sorted(known))}"
        problem = Problem("usage", "--model_args", f"dtype={name} is not known", hint)
        raise InputProblems(TITLE, [problem])
    return getattr(torch, name)


def _refused(model: str, message: str, hint: str) -> InputProblems:
    return InputProblems(TITLE, [Problem("weights", model, message, hint)])
