"""Features of a video's frames: made once, kept within the run and, if asked, on disk."""

from __future__ import annotations

import hashlib
import io
import json
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from loguru import logger
from numpy.typing import NDArray

from vidomni_plugin.data.lines import write_bytes
from vidomni_plugin.models.detectors.base import Shown
from vidomni_plugin.models.detectors.clip_model import ClipModel
from vidomni_plugin.models.detectors.frames import READER, Frames, shown_frames
from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems, Problem, printable
from vidomni_plugin.versions import package_version
from vidomni_plugin.video.cache import FrameCache

__all__ = ["FrameFeatures", "features_folder"]

Features = NDArray[np.float32]

FORM = 2
"""Goes up when files of an older form must not be read."""
ARRAY = "features.npy"
"""What numpy calls the one array in a file."""
KEPT_BYTES = 256 << 20
"""Of features within a run; 32 frames of a ViT-B/32 are 64 KiB."""


def features_folder(detector: str, given: object) -> Path | None:
    """Return the folder of the setting ``features``, which can be written; None for no folder.

    Raises:
        InputProblems: If it cannot be written.
    """
    if not given:
        return None
    folder = path_of(given)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            return folder
    except OSError as error:
        is_file = folder.is_file()
        why = "a file, and features= names a folder" if is_file else error.strerror or str(error)
        raise InputProblems(detector, [Problem("no-folder", str(folder), why)]) from None


class FrameFeatures:
    """The features of videos' sampled frames.

    Args:
        clip: The model.
        frames: How many frames of a video.
        batch: How many go through the model at once.
        folder: Where features are kept for other runs; None keeps them for this run.
    """

    def __init__(self, clip: ClipModel, frames: Frames, batch: int, folder: Path | None) -> None:
        self._clip = clip
        self._frames = frames
        self._batch = batch
        self._folder = folder
        self._weights = clip.picture_digest() if folder else ""
        self._kept = FrameCache(KEPT_BYTES)
        self.encoded = 0
        """Frames that went through the model."""

    def of(self, video: Shown) -> Features:
        """Return the features of a video's sampled frames, shape ``(frames, d)``.

        Raises:
            UnreadableVideo: If the video cannot be read.
        """
        found: Features = self._kept.get(
            (video.path, video.digest), lambda: self._found(video), lambda value: value.nbytes
        )
        return found

    def _found(self, video: Shown) -> Features:
        if self._folder is None:
            return self._made(video)
        file = self._folder / f"{self._name(video)}.npz"
        kept = _read(file)
        if kept is not None:
            return kept
        made = self._made(video)
        if np.isfinite(made).all():  # others give no score, and show that something is wrong
            _write(file, made)
        return made

    def _name(self, video: Shown) -> str:
        """Return the name of a video's file: a hash of all that decides what is in it."""
        parts = {"form": FORM, "video": video.digest, "frames": self._frames}
        parts |= {"reader": [READER, package_version("av")], "model": self._weights}
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def _made(self, video: Shown) -> Features:
        rows: dict[int, Features] = {}
        for places, features in self._encoded(video.path):
            for own, feature in zip(places, features, strict=True):
                rows |= dict.fromkeys(own, feature)
        return np.stack([rows[place] for place in range(len(rows))])

    def _encoded(self, path: str) -> Iterator[tuple[list[tuple[int, ...]], Features]]:
        places: list[tuple[int, ...]] = []
        pictures: list[NDArray[np.uint8]] = []
        for frame in shown_frames(path, self._frames):
            places.append(frame.places)
            pictures.append(frame.pixels.copy())  # the decoder may use its memory again
            if len(pictures) == self._batch:
                yield places, self._through(pictures)
                places, pictures = [], []
        if pictures:
            yield places, self._through(pictures)

    def _through(self, pictures: list[NDArray[np.uint8]]) -> Features:
        self.encoded += len(pictures)
        features: Features = self._clip.pictures(pictures)
        return features


def _write(file: Path, features: Features) -> None:
    """Keep features in a file with check sums, so that no damage goes unnoticed."""
    content = io.BytesIO()
    np.savez(content, features=features)
    try:
        write_bytes(file, content.getvalue())
    except OSError as error:  # a full disk costs time in the next run, and not this one
        logger.warning(printable(f"{file} is not kept: {error.strerror or error}"))


def _read(file: Path) -> Features | None:
    """Return features that were kept; None where there are none, or the file is damaged."""
    try:
        with zipfile.ZipFile(file) as opened, opened.open(ARRAY) as array:
            features: object = np.load(io.BytesIO(array.read()), allow_pickle=False)
    except FileNotFoundError:
        return None
    # Of a file that is none: what its container, its compression or its array makes of it.
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        logger.warning(printable(f"{file} is made anew: {error}"))
        return None
    if isinstance(features, np.ndarray) and features.dtype == np.float32:
        whole: Features = features
        if whole.ndim == 2 and len(whole) and np.isfinite(whole).all():
            return whole
    logger.warning(printable(f"{file} is made anew: it holds no features"))
    return None
