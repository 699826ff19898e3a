"""``vidomni_pacs``: PAC-S of an answer against the frames of its video."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.data.hashes import file_sha256
from vidomni_plugin.detectors.pacs import READINGS, SCALE, Reading, pacs
from vidomni_plugin.models.detectors.arguments import refused
from vidomni_plugin.models.detectors.base import Scored
from vidomni_plugin.models.detectors.checkpoint import load_checkpoint
from vidomni_plugin.models.detectors.clip_detector import ClipDetector, frame_scores
from vidomni_plugin.models.detectors.clip_model import ClipModel
from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["PREFIX", "PacsDetector"]

Floats = NDArray[np.float32]
PREFIX = "A photo depicts "
"""What stands before each text, as in the public checkpoints' training."""
NONE = "none"


class PacsDetector(ClipDetector):
    """PAC-S as a model of the host, see docs/detectors/pacs.md.

    Args:
        pretrained: A CLIP model of the checkpoint's architecture: a hub id, or a folder. It
            gives tokens and pictures their form.
        weights: The file with the weights of PAC-S; ``none`` where those of ``pretrained`` are
            them already.
        reading: How the frames of a video become one score: one of ``READINGS``.
        long_text: ``truncate`` as PAC-S does, or ``refuse``.
        given: As ``ClipDetector``.
    """

    name = "vidomni_pacs"
    scores_within = (0.0, SCALE)
    known = f"weights, reading, {ClipDetector.known}"

    def __init__(
        self,
        pretrained: object = "",
        weights: object = "",
        reading: object = "pooled",
        long_text: object = "truncate",
        **given: Any,  # noqa: ANN401
    ) -> None:
        self.reading = refused(self.name, lambda: _reading(reading))
        self._weights = str(weights or "")
        self._digest: str | None = None
        super().__init__(pretrained, long_text=long_text, **given)

    def _load(self, device: Any) -> ClipModel:  # noqa: ANN401
        if not self._weights:
            message = f"give the file of PAC-S as weights=FILE, or weights={NONE}"
            hint = f"weights={NONE} takes those of pretrained=: with plain CLIP that is no PAC-S"
            raise InputProblems(self.name, [Problem("usage", "--model_args", message, hint)])
        if self._weights == NONE:
            return super()._load(device)
        file = path_of(self._weights)
        if not file.is_file():
            message = f"there is no such file; give one, or weights={NONE}"
            raise InputProblems(self.name, [Problem("weights", str(file), message)])
        clip = super()._load(device)
        load_checkpoint(self.name, file, clip.model)
        self._digest = file_sha256(file)[:12]
        return clip

    def told(self) -> Mapping[str, object]:
        """Return the settings that decide a score."""
        return {**super().told(), "reading": self.reading, "weights": self._digest}

    def told_before_loading(self) -> Mapping[str, object]:
        """Return all of them but the weights, whose file is read with the model."""
        return {name: value for name, value in self.told().items() if name != "weights"}

    def prompt(self, text: str) -> str:
        """Return the text with its prefix, which EMScore does not use."""
        return text if self.reading == "emscore" else PREFIX + text

    def score_features(self, frames: Floats, words: Floats, ids: Sequence[int]) -> Scored:
        """Return PAC-S with the scores of the frames."""
        found = pacs(frames, words, self.reading, w=SCALE)
        return Scored(found.score, frame_scores(found.frame_scores))


def _reading(given: object) -> Reading:
    for reading in READINGS:
        if given == reading:
            return reading
    raise ValueError(f"reading={given} is not known; give one of {', '.join(READINGS)}")
