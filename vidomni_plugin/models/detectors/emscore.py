"""``vidomni_emscore``: EMScore of an answer against the frames of its video."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.detectors.emscore import IdfTable, emscore, idf_table
from vidomni_plugin.models.detectors.base import Scored
from vidomni_plugin.models.detectors.clip_detector import ClipDetector, frame_scores
from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["EMScoreDetector"]

Floats = NDArray[np.float32]
MODEL = "openai/clip-vit-base-patch32"
"""The backbone of EMScore's code, ViT-B/32, as the hub has it."""
FEWEST = 2
"""Texts of a corpus: one alone gives every word a weight of 0."""


class EMScoreDetector(ClipDetector):
    """EMScore as a model of the host, see docs/detectors/emscore.md.

    Args:
        pretrained: A CLIP model: a hub id, or a folder.
        idf: A text file with one text a line: how rare a token is there is its weight. Without
            it every token weighs the same.
        given: As ``ClipDetector``.
    """

    name = "vidomni_emscore"
    scores_within = (-1.0, 1.0)
    """But for rare ones, where precision and recall differ in sign."""
    known = f"idf, {ClipDetector.known}"

    def __init__(self, pretrained: object = MODEL, idf: object = "", **given: Any) -> None:  # noqa: ANN401
        corpus = _corpus(self.name, path_of(idf)) if idf else []
        joined = "\n".join(corpus)
        self._corpus = hashlib.sha256(joined.encode()).hexdigest()[:12] if corpus else None
        super().__init__(pretrained, **given)
        self._table = self._weights(corpus)

    def _weights(self, corpus: Sequence[str]) -> IdfTable | None:
        if not corpus:
            return None
        ids = [self.clip.ids(text) for text in corpus]
        return idf_table(ids, end=ids[0][-1])

    def told(self) -> Mapping[str, object]:
        """Return the settings that decide a score."""
        return {**super().told(), "idf": self._corpus}

    def score_features(self, frames: Floats, words: Floats, ids: Sequence[int]) -> Scored:
        """Return EMScore with its parts."""
        weights = None if self._table is None else self._table.of(ids)
        found = emscore(frames, words, weights)
        parts = {name: getattr(found, name) for name in ("coarse", "precision", "recall", "f")}
        return Scored(found.full_f, {**parts, **frame_scores(found.frame_scores)})


def _corpus(detector: str, path: Path) -> list[str]:
    """Return the texts of a file, one a line; empty lines are none."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "the file is not UTF-8 text"
        raise InputProblems(detector, [Problem("usage", f"idf={path}", why)]) from None
    texts = [line.strip() for line in text.split("\n") if line.strip()]
    if len(texts) < FEWEST:
        message = f"{len(texts)} texts, and weights of words need {FEWEST} or more, one a line"
        raise InputProblems(detector, [Problem("usage", f"idf={path}", message)])
    return texts
