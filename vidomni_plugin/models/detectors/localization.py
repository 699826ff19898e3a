"""``vidomni_localization``: how much a model looks at the span that it names itself.

The measure is MTLA's. To ask for the event of an answer and to score that answer with it is our
adaptation, published nowhere; docs/detectors/localization.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from vidomni_plugin.detectors.localization import LAYERS, localized_attention, span_tokens
from vidomni_plugin.models.detectors.arguments import (
    OF_EVERY_DETECTOR,
    read_arguments,
    refuse_unknown,
    refused,
    whole_number,
    whole_numbers,
)
from vidomni_plugin.models.detectors.base import Detector, Scored, Shown, compute_device
from vidomni_plugin.models.detectors.clip import Clip, read_clip
from vidomni_plugin.models.detectors.localization_model import LocalizingChat, Reply
from vidomni_plugin.models.detectors.localization_span import (
    digit_tokens,
    read_span,
    why_not_scored,
)
from vidomni_plugin.models.detectors.plain_texts import scored_where_plain
from vidomni_plugin.models.detectors.prompt import NAMES, Prompt
from vidomni_plugin.models.detectors.prompt import prompt as prompt_of
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.vidhalloc.chosen_with import checkpoint_name

__all__ = ["Localization", "band", "band_of"]

FRAMES = 32
"""What VidHalLoc's paper gives open models."""
REPLY_TOKENS = 64
"""Room for a span and a sentence around it; a reply that needs more has no score."""
OF_LAYERS = 36
"""Layers of Qwen3-VL-8B, for which MTLA's band is stated."""
PROMPT = Prompt(
    "localize",
    "<|video|>Event: {caption}\n"
    "When does this event happen in the video? Give its start and its end in seconds, in the form "
    "[start, end], and nothing else.",
)
KNOWN = (
    "pretrained, prompt, frames, layers, query_tokens, max_new_tokens, min_pixels, max_pixels, "
    f"dtype, device, device_map, {OF_EVERY_DETECTOR}"
)


class Localization(Detector):
    """Scores a text with the attention to the span in which the model says that it happens.

    Args:
        pretrained: Hub id or folder of a model in the layout of Qwen2.5-VL or Qwen3-VL.
        prompt: A text file with a question for a span; "" for ours.
        frames: Frames that are taken from a video; even.
        layers: Layers that are averaged, such as ``8-21``, from 0; ``all``; "" for MTLA's share
            of the depth.
        query_tokens: ``first``: the first digit of the span asks, as in MTLA's code for videos;
            ``all``: every token with a digit of it.
        max_new_tokens: Where a reply is cut off; then it has no score.
        min_pixels: Least size of a frame, for processors that know it.
        max_pixels: Largest size of a frame, for processors that know it.
        dtype: ``auto`` for the checkpoint's own, ``float32``, ``bfloat16`` or ``float16``.
        device_map: ``auto`` spreads one model over all GPUs of this process.
        text: ``answer``, ``question_answer`` or ``statement``.
        statements: The file of statements.
        threshold: A number, a file or a published name.
        threshold_overlap: ``refuse`` or ``allow``, see ``read_arguments``.
        threshold_settings: The same.
        device: Given by the host.
        batch_size: Given by the host; every question is a batch of its own.
        max_batch_size: The same.
        unknown: Anything else is refused.

    Raises:
        InputProblems: If an argument or the model cannot be used.
    """

    name = "vidomni_localization"

    def __init__(
        self,
        pretrained: str = "",
        prompt: str = "",
        frames: object = FRAMES,
        layers: object = "",
        query_tokens: str = "first",
        max_new_tokens: object = REPLY_TOKENS,
        min_pixels: object = None,
        max_pixels: object = None,
        dtype: str = "auto",
        device_map: str = "",
        text: str = "question_answer",
        statements: str = "",
        threshold: object = "",
        threshold_overlap: object = "refuse",
        threshold_settings: object = "refuse",
        device: object = None,
        batch_size: object = None,
        max_batch_size: object = None,
        **unknown: object,
    ) -> None:
        refuse_unknown(self.name, unknown, KNOWN)
        if not pretrained:
            raise self._usage("give the model: --model_args pretrained=HUB_ID_OR_FOLDER")
        of_the_threshold = (threshold_overlap, threshold_settings)
        arguments = read_arguments(self.name, text, threshold, statements, *of_the_threshold)
        if str(query_tokens) not in ("first", "all"):
            raise self._usage(f"query_tokens={query_tokens} is neither first nor all")
        if str(prompt) in NAMES:
            raise self._usage(f"prompt={prompt} asks for yes or no, and not for a span")
        self.query = cast(Literal["first", "all"], str(query_tokens))
        self.prompt = prompt_of(str(prompt)) if prompt else PROMPT
        self.frames = refused(self.name, lambda: whole_number("frames", frames))
        self.most_tokens = refused(
            self.name, lambda: whole_number("max_new_tokens", max_new_tokens)
        )
        self.pixels = whole_numbers(self.name, min_pixels=min_pixels, max_pixels=max_pixels)
        wanted = refused(self.name, lambda: band(layers))
        self.checkpoint = checkpoint_name(pretrained)
        self.dtype = str(dtype)
        super().__init__(arguments)
        place = refused(self.name, lambda: compute_device(device))
        self.chat = LocalizingChat(
            str(pretrained), place, self.dtype, str(device_map) or None, self.pixels
        )
        self.depth = len(self.chat.layers())
        self.layers = refused(self.name, lambda: band_of(wanted, self.depth))
        parts = self.prompt.around_video("It rains.")
        self.chat.check(*parts, self.frames)
        self.chat.try_out(self.chat.chat(*parts, video=True), self.frames, self.layers)

    def told(self) -> Mapping[str, object]:
        """Return the settings that decide a score."""
        return {
            "adaptation": "ours, after MTLA; unpublished",
            **self.told_before_loading(),
            "layers": f"{self.layers.start}-{self.layers.stop - 1} of {self.depth}",
        }

    def told_before_loading(self) -> Mapping[str, object]:
        """Return all of them but the layers, of which the model has how many it has."""
        return {
            "checkpoint": self.checkpoint,
            "prompt": self.prompt.identity,
            "dtype": self.dtype,
            "frames": self.frames,
            "query_tokens": self.query,
            "max_new_tokens": self.most_tokens,
            **self.pixels,
        }

    def score_video(self, video: Shown, texts: Sequence[str]) -> Iterator[Scored]:
        """Yield the score of each text; the video is decoded and encoded once."""
        clip = read_clip(video.path, self.frames)

        def scores(plain: Sequence[str]) -> Iterator[Scored]:
            chats = [self.chat.chat(*self.prompt.around_video(text), video=True) for text in plain]
            for reply in self.chat.replies(clip, chats, self.most_tokens):
                yield self._scored(reply, clip)

        yield from scored_where_plain(texts, self.chat.special_token_in, scores)

    def _scored(self, reply: Reply, clip: Clip) -> Scored:
        duration = clip.total / clip.fps
        detail: dict[str, Any] = {"video_frames": clip.total, "duration_s": round(duration, 3)}
        detail["reply"] = reply.text
        span = read_span(reply.text) if reply.finished else "unfinished"
        if isinstance(span, str):
            return Scored(None, {**detail, "status": span})
        detail["span"] = [span.start, span.end]
        if why := why_not_scored(span, duration):
            return Scored(None, {**detail, "status": why})
        count = len(reply.video)
        region = span_tokens(span[:2], duration, reply.groups, count // reply.groups)
        if not region:
            return Scored(None, {**detail, "status": "no_video_tokens"})
        digits = digit_tokens(reply.text, reply.ends, span)
        asking = digits[:1] if self.query == "first" else digits
        attention = self.chat.attention(reply, asking, self.layers)
        whole = range(len(attention))
        detail |= {
            "region_tokens": len(region),
            "video_tokens": count,
            "queries": len(asking),
            "video_attention": localized_attention(attention, range(count), layers=whole),
        }
        return Scored(localized_attention(attention, region, layers=whole), detail)

    def _usage(self, message: str) -> InputProblems:
        return InputProblems(self.name, [Problem("usage", "--model_args", message)])


def band(given: object) -> range | Literal["all"] | None:
    """Return the setting ``layers``; None is the default.

    Raises:
        ValueError: If it is no layer and no band of layers.

    Example:
        >>> band("8-21"), band(4), band("")
        (range(8, 22), range(4, 5), None)
    """
    text = str(given).strip()
    if text in ("", "all"):
        return "all" if text else None
    first, dash, last = text.partition("-")
    ends = (first, last if dash else first)
    if isinstance(given, bool) or not all(end.isascii() and end.isdigit() for end in ends):
        raise ValueError(f"layers={given} is no band of layers such as 8-21, and not all")
    start, stop = (int(end) for end in ends)
    if start > stop:
        raise ValueError(f"layers={given}: the first is after the last")
    return range(start, stop + 1)


def band_of(wanted: range | Literal["all"] | None, depth: int) -> range:
    """Return which layers of a model count.

    Args:
        wanted: What ``band`` returned; the default is the share of the depth that MTLA's layers
            8 to 21 are of 36.
        depth: Layers of the model.

    Raises:
        ValueError: If the model lacks a layer.

    Example:
        >>> band_of(None, 36), band_of(None, 28), band_of(None, 2)
        (range(8, 22), range(6, 17), range(0, 1))
    """
    if wanted is None:
        start = math.floor(LAYERS.start * depth / OF_LAYERS + 0.5)
        return range(start, max(start + 1, math.floor(LAYERS.stop * depth / OF_LAYERS + 0.5)))
    if wanted == "all":
        return range(depth)
    if wanted.stop > depth:
        message = f"layers={wanted.start}-{wanted.stop - 1}"
        raise ValueError(f"{message}: the model has {depth} layers, 0-{depth - 1}")
    return wanted
