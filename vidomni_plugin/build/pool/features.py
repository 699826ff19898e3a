"""Features of the kept pictures, each on disk as soon as it is there: one SQLite file."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.build.pool.database import opened
from vidomni_plugin.build.pool.encoder import Encoder
from vidomni_plugin.build.pool.measure import WINDOW_FRAMES, Picture

__all__ = ["NAME", "FeatureStore", "VideoFeatures", "encoded", "open_features"]

NAME = "features.sqlite"
_TABLE = """
CREATE TABLE IF NOT EXISTS features (
    key TEXT, encoder TEXT, whole BLOB, windows BLOB, size INTEGER, PRIMARY KEY (key, encoder)
);
"""


@dataclass(frozen=True, slots=True)
class VideoFeatures:
    """What an encoder says of a video."""

    whole: NDArray[np.float32]
    """Of the uniform frames, shape ``(frames, d)``."""
    windows: NDArray[np.float32]
    """Shape ``(windows, frames, d)``."""


class FeatureStore:
    """Features by the key of a video's measurements and the digest of an encoder."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def get(self, key: str, encoder: str) -> VideoFeatures | None:
        """Return what is kept, or None."""
        row = self._database.execute(
            "SELECT whole, windows, size FROM features WHERE key = ? AND encoder = ?",
            (key, encoder),
        ).fetchone()
        if row is None:
            return None
        whole, windows = (np.frombuffer(blob, dtype="<f4") for blob in row[:2])
        size = row[2]
        return VideoFeatures(whole.reshape(-1, size), windows.reshape(-1, WINDOW_FRAMES, size))

    def keep(self, key: str, encoder: str, features: VideoFeatures) -> None:
        """Keep a video's features; they are on disk when this returns."""
        whole, windows = (
            part.astype("<f4").tobytes() for part in (features.whole, features.windows)
        )
        with self._database:
            self._database.execute(
                "INSERT OR REPLACE INTO features VALUES (?, ?, ?, ?, ?)",
                (key, encoder, whole, windows, features.whole.shape[1]),
            )


@contextmanager
def open_features(folder: Path) -> Iterator[FeatureStore]:
    """Open the features of a pool; the file is made where there is none.

    Raises:
        InputProblems: If the file cannot be read or written, or is no such file.
    """
    with opened(folder / NAME, _TABLE) as database:
        yield FeatureStore(database)


def encoded(
    encoder: Encoder, whole: Sequence[Picture], windows: Sequence[Picture], batch: int
) -> VideoFeatures:
    """Return the features of a video's pictures; a picture that is in both is encoded once.

    Args:
        encoder: The model.
        whole: The uniform frames.
        windows: The frames of the windows, window after window.
        batch: How many pictures go through the model at once.
    """
    jpegs = list(dict.fromkeys(picture.jpeg for picture in (*whole, *windows)))
    parts = [
        encoder.features([_pixels(jpeg) for jpeg in jpegs[start : start + batch]])
        for start in range(0, len(jpegs), batch)
    ]
    features = dict(zip(jpegs, np.concatenate(parts), strict=True))
    of_windows = np.stack([features[picture.jpeg] for picture in windows])
    return VideoFeatures(
        np.stack([features[picture.jpeg] for picture in whole]),
        of_windows.reshape(-1, WINDOW_FRAMES, of_windows.shape[1]),
    )


def _pixels(jpeg: bytes) -> NDArray[np.uint8]:
    from PIL import Image

    return np.array(Image.open(io.BytesIO(jpeg)).convert("RGB"))  # torch wants it writable
