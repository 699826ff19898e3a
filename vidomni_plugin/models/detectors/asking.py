"""Detectors that ask a video language model whether a text is true: yes or no."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

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
from vidomni_plugin.models.detectors.plain_texts import scored_where_plain
from vidomni_plugin.models.detectors.prompt import prompt as prompt_of
from vidomni_plugin.models.detectors.video_chat import VideoChat
from vidomni_plugin.models.detectors.yes_no import spaces_of, yes_no
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.vidhalloc.chosen_with import checkpoint_name

__all__ = ["PAPER_FRAMES", "AskingDetector", "logit_of"]

PAPER_FRAMES = 32
"""What Owl-Con is given, and what VidHalLoc's paper gives open models."""


class AskingDetector(Detector):
    """Scores a text by the first token of the answer to a question about it.

    Args:
        pretrained: Hub id or folder of an image-text-to-text model whose processor takes videos.
        prompt: A prompt's name or file, see ``prompt.prompt``; "" for the detector's own.
        spaces: Which forms of "Yes" and "No" count, see ``yes_no.SPACES``.
        video: ``none`` asks without the video: what the text alone gives away.
        frames: Frames that are taken from a video.
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

    default_prompt: ClassVar[str]
    known: ClassVar[str] = (
        "pretrained, prompt, spaces, video, frames, min_pixels, max_pixels, dtype, device, "
        f"device_map, {OF_EVERY_DETECTOR}"
    )

    def __init__(
        self,
        pretrained: str = "",
        prompt: str = "",
        spaces: str = "both",
        video: object = True,
        frames: object = PAPER_FRAMES,
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
        refuse_unknown(self.name, unknown, self.known)
        if not pretrained:
            message = "give the model: --model_args pretrained=HUB_ID_OR_FOLDER"
            raise InputProblems(self.name, [Problem("usage", "--model_args", message)])
        of_the_threshold = (threshold_overlap, threshold_settings)
        arguments = read_arguments(self.name, text, threshold, statements, *of_the_threshold)
        self.frames = refused(self.name, lambda: whole_number("frames", frames))
        self.sees = refused(self.name, lambda: _sees(video))
        self.spaces = refused(self.name, lambda: spaces_of(spaces))
        self.pixels = whole_numbers(self.name, min_pixels=min_pixels, max_pixels=max_pixels)
        self.prompt = prompt_of(str(prompt or self.default_prompt))
        self.checkpoint = checkpoint_name(pretrained)
        self.dtype = str(dtype)
        super().__init__(arguments)
        place = refused(self.name, lambda: compute_device(device))
        self.chat = VideoChat(
            str(pretrained), place, self.dtype, str(device_map) or None, self.pixels
        )
        self.tokens = yes_no(self.chat.tokenizer, self.spaces, str(pretrained))
        self.chat.check(*self._parts("It rains."), self.frames if self.sees else 0)

    @abstractmethod
    def score(self, logits: NDArray[np.float32]) -> Scored:
        """Return the score of one text.

        Args:
            logits: Of the first token of the answer, shape ``(V,)``.
        """

    def told(self) -> Mapping[str, object]:
        """Return the settings that decide a score."""
        return {
            **self.told_before_loading(),
            "yes": self.tokens.yes_texts,
            "no": self.tokens.no_texts,
        }

    def told_before_loading(self) -> Mapping[str, object]:
        """Return all of them but the tokens of yes and no."""
        return {
            "checkpoint": self.checkpoint,
            "prompt": self.prompt.identity,
            "dtype": self.dtype,
            "frames": self.frames if self.sees else 0,
            **self.pixels,
        }

    def score_video(self, video: Shown, texts: Sequence[str]) -> Iterator[Scored]:
        """Yield the score of each text; the video is decoded and encoded once."""
        clip = read_clip(video.path, self.frames) if self.sees else None

        def scores(plain: Sequence[str]) -> Iterator[Scored]:
            chats = [self.chat.chat(*self._parts(text), video=self.sees) for text in plain]
            for logits in self.chat.first_token_logits(clip, chats):
                yield self._with_length(self.score(logits.numpy()), clip)

        yield from scored_where_plain(texts, self.chat.special_token_in, scores)

    def _parts(self, text: str) -> tuple[str, str]:
        """Return what stands before and after the video."""
        if self.sees:
            return self.prompt.around_video(text)
        return "", self.prompt.without_video(text)

    def _with_length(self, one: Scored, clip: Clip | None) -> Scored:
        more: dict[str, Any] = {} if clip is None else {"video_frames": clip.total}
        return Scored(one.score, {**one.detail, **more})


def logit_of(logits: NDArray[np.float32], tokens: Sequence[int]) -> float:
    """Return the logit of any of several tokens, which stand for one word.

    Example:
        >>> round(logit_of(np.log(np.array([1, 2, 3], dtype=np.float32)), (0, 1)), 5) == 1.09861
        True
    """
    return float(np.logaddexp.reduce(logits[list(tokens)].astype(np.float64)))


def _sees(video: object) -> bool:
    """Return the setting ``video``; the host turns some words into values."""
    told = "" if video is None else str(video).strip().lower()
    if told in {"true", "yes", ""}:
        return True
    if told in {"none", "false", "no"}:
        return False
    raise ValueError(f"video={video} is not known; give none to ask without the video")
