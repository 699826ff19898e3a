"""Write frames, and sound if there is any, as a small MP4 file."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from vidomni_plugin.data.mini.draw import Frame
from vidomni_plugin.data.mini.sounds import RATE, Samples

__all__ = ["QUALITY", "write_clip"]

QUALITY = 26
"""x264's constant rate factor: flat shapes stay clean and five seconds stay below 10 KB."""

TICKS = 1000
"""Time stamps per second: frame rates far below one have no usable time base of their own."""

VIDEO = {"preset": "slower", "threads": "1", "g": "32"}
"""One thread makes the bytes repeatable; a key frame every 32 frames keeps seeking fast."""


def write_clip(
    path: Path,
    pictures: Iterable[Frame],
    fps: Fraction,
    sound: Samples | None = None,
    quality: int = QUALITY,
) -> None:
    """Encode one clip as H.264 in yuv420p, with AAC sound when there are samples.

    Args:
        path: The file to write; its folder is made.
        pictures: Frames of one even size, shape ``(height, width, 3)``, RGB.
        fps: Frames per second; far less than one is fine.
        sound: One channel at ``RATE`` samples per second, within [-1, 1].
        quality: x264's constant rate factor; more loses more.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    tick = Fraction(1, TICKS)
    with av.open(path, "w", format="mp4", options={"fflags": "+bitexact"}) as container:
        video = container.add_stream("libx264", rate=fps, options={"crf": str(quality), **VIDEO})
        video.pix_fmt = "yuv420p"
        video.codec_context.time_base = tick
        audio = None
        if sound is not None:
            audio = container.add_stream("aac", rate=RATE, layout="mono")
            audio.bit_rate = 24000
        for index, picture in enumerate(pictures):
            video.height, video.width = picture.shape[:2]
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.time_base = tick
            frame.pts = round(index * TICKS / fps)
            frame.duration = round((index + 1) * TICKS / fps) - frame.pts
            container.mux(video.encode(frame))
        container.mux(video.encode(None))
        if audio is not None and sound is not None:
            block = av.AudioFrame.from_ndarray(
                np.ascontiguousarray(sound[None]), format="fltp", layout="mono"
            )
            block.sample_rate, block.pts, block.time_base = RATE, 0, Fraction(1, RATE)
            container.mux(audio.encode(block))
            container.mux(audio.encode(None))
