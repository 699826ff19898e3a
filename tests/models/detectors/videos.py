"""Videos for tests of detectors: small, and without loss, so that pixels are known exactly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def write_video(path: Path, frames: NDArray[np.uint8]) -> Path:
    """Write RGB frames, shape ``(n, height, width, 3)``, without loss."""
    import av

    with av.open(str(path), "w") as container:
        stream = container.add_stream("ffv1", rate=8)
        stream.height, stream.width = frames.shape[1:3]
        stream.pix_fmt = "bgr0"
        for picture in frames:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))
    return path


def noise(count: int, seed: int = 0) -> NDArray[np.uint8]:
    """Return random frames of 32 by 32 pixels."""
    return np.random.default_rng(seed).integers(0, 256, (count, 32, 32, 3), dtype=np.uint8)
