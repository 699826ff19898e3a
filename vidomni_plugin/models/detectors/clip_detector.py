"""What EMScore and PAC-S share: a CLIP model, frames of a video, and texts of limited length."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from loguru import logger
from numpy.typing import NDArray

from vidomni_plugin.models.detectors.arguments import (
    OF_EVERY_DETECTOR,
    read_arguments,
    refuse_unknown,
    refused,
    whole_number,
)
from vidomni_plugin.models.detectors.base import Detector, Scored, Shown, compute_device
from vidomni_plugin.models.detectors.clip_model import ClipModel, dtype_of, load_clip
from vidomni_plugin.models.detectors.features import FrameFeatures, features_folder
from vidomni_plugin.models.detectors.frames import Frames, frame_count
from vidomni_plugin.vidhalloc.chosen_with import checkpoint_name
from vidomni_plugin.wording import counted

__all__ = ["ClipDetector", "ClipSettings", "LongText", "cut", "frame_scores", "settings"]

Floats = NDArray[np.float32]
LongText = Literal["refuse", "truncate"]
"""What becomes of a text with more tokens than the model takes: no score, or its first tokens."""

MOST_FRAME_SCORES = 128
"""More scores of frames are not written: there are thousands where every frame is looked at."""
DIGITS = 6
"""Of the scores of frames, which nothing is computed from; the score itself is at full length."""


@dataclass(frozen=True, slots=True)
class ClipSettings:
    """The arguments of a detector that uses CLIP, beside those of every detector."""

    pretrained: str
    frames: Frames
    frame_batch: int
    """Frames that go through the model at once; a matter of memory and speed."""
    dtype: str
    long_text: LongText
    features: Path | None


def settings(
    detector: str,
    pretrained: object,
    frames: object,
    frame_batch: object,
    dtype: object,
    long_text: object,
    features: object,
) -> ClipSettings:
    """Return the arguments as the host parsed them, checked.

    Raises:
        InputProblems: If one of them cannot be used.
    """
    count = refused(detector, lambda: frame_count(frames))
    batch = refused(detector, lambda: whole_number("frame_batch", frame_batch))
    refused(detector, lambda: dtype_of(dtype))
    policy = refused(detector, lambda: _long_text(long_text))
    folder = features_folder(detector, features)
    return ClipSettings(str(pretrained or ""), count, batch, str(dtype), policy, folder)


def _long_text(given: object) -> LongText:
    policies: tuple[LongText, ...] = get_args(LongText)
    for policy in policies:
        if given == policy:
            return policy
    raise ValueError(f"long_text={given} is not known; give one of {', '.join(policies)}")


class ClipDetector(Detector):
    """A detector that compares features of frames with features of a text.

    Args:
        pretrained: A CLIP model: a hub id, or a folder.
        frames: How many frames of a video, or ``all``.
        frame_batch: Frames that go through the model at once.
        dtype: ``float32``, ``float16`` or ``bfloat16``.
        long_text: ``refuse`` or ``truncate``, where a text has too many tokens.
        features: A folder that keeps the features of videos for other runs.
        text, threshold, statements, threshold_overlap, threshold_settings: As every detector, see
            ``read_arguments``.
        device: Where the model computes.
        batch_size, max_batch_size: Given by the host to every model; not used.
        unknown: Arguments that are not known.

    Raises:
        InputProblems: If an argument cannot be used, or there is no such model.
    """

    known: ClassVar[str] = (
        f"pretrained, frames, frame_batch, dtype, device, long_text, features, {OF_EVERY_DETECTOR}"
    )

    def __init__(
        self,
        pretrained: object,
        frames: object = "all",
        frame_batch: object = 32,
        dtype: object = "float32",
        long_text: object = "refuse",
        features: object = "",
        text: object = "question_answer",
        threshold: object = "",
        threshold_overlap: object = "refuse",
        threshold_settings: object = "refuse",
        statements: object = "",
        device: object = None,
        batch_size: object = None,
        max_batch_size: object = None,
        **unknown: object,
    ) -> None:
        refuse_unknown(self.name, unknown, self.known)
        self.settings = settings(
            self.name, pretrained, frames, frame_batch, dtype, long_text, features
        )
        of_the_threshold = (threshold_overlap, threshold_settings)
        super().__init__(read_arguments(self.name, text, threshold, statements, *of_the_threshold))
        self.clip = self._load(refused(self.name, lambda: compute_device(device)))
        self.frames = FrameFeatures(
            self.clip, self.settings.frames, self.settings.frame_batch, self.settings.features
        )
        self.texts = 0
        """Texts that went through the model."""

    def _load(self, device: Any) -> ClipModel:  # noqa: ANN401
        chosen = self.settings
        return load_clip(self.name, chosen.pretrained, device, dtype_of(chosen.dtype))

    def told(self) -> Mapping[str, object]:
        """Return the settings that decide a score."""
        chosen = self.settings
        return {
            "checkpoint": checkpoint_name(chosen.pretrained),
            "frames": chosen.frames,
            "dtype": chosen.dtype,
            "long_text": chosen.long_text,
        }

    def told_before_loading(self) -> Mapping[str, object]:
        """Return all of them."""
        return self.told()

    @abstractmethod
    def score_features(self, frames: Floats, words: Floats, ids: Sequence[int]) -> Scored:
        """Return the score of one text from its features and those of the frames."""

    def prompt(self, text: str) -> str:
        """Return the text as the model gets it."""
        return text

    def score_video(self, video: Shown, texts: Sequence[str]) -> list[Scored]:
        """Return the score of each text; the same text twice is encoded once."""
        frames = self.frames.of(video)
        found = {text: self._scored(frames, text) for text in dict.fromkeys(texts)}
        return [found[text] for text in texts]

    def _scored(self, frames: Floats, text: str) -> Scored:
        ids = self.clip.ids(self.prompt(text))
        longest = self.clip.longest
        told: dict[str, object] = {"tokens": len(ids), "sampled": len(frames)}
        if len(ids) > longest:
            if self.settings.long_text == "refuse":
                return Scored(None, {**told, "status": "too_long", "longest": longest})
            told["truncated"] = True
        ids = cut(ids, longest)
        self.texts += 1
        one = self.score_features(frames, self.clip.words(ids), ids)
        return Scored(one.score, {**told, **one.detail})

    def clean(self) -> None:
        """Say what was computed; the host calls this when all is answered."""
        if self.frames.encoded or self.texts:
            logger.info(
                f"{self.name}: {counted(self.frames.encoded, 'frame')} and "
                f"{counted(self.texts, 'text')} went through the model"
            )
        super().clean()


def cut(ids: Sequence[int], longest: int) -> list[int]:
    """Return at most ``longest`` tokens of a text, its end marker kept.

    Example:
        >>> cut([1, 5, 6, 7, 2], 4), cut([1, 2], 4)
        ([1, 5, 6, 2], [1, 2])
    """
    return list(ids) if len(ids) <= longest else [*ids[: longest - 1], ids[-1]]


def frame_scores(scores: Sequence[float]) -> dict[str, object]:
    """Return the scores of frames as a detail of an answer, where they are not too many."""
    if len(scores) > MOST_FRAME_SCORES:
        return {}
    return {"frame_scores": [round(score, DIGITS) for score in scores]}
