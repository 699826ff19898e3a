"""Which frames of a video are shown: some a second, as FIFA's code has Qwen2.5-VL see them."""

from __future__ import annotations

import numpy as np

__all__ = ["LEAST", "sampled"]

LEAST = 4
"""Frames of a video that is shorter than they would take at the rate."""
PAIR = 2
"""Qwen2.5-VL puts two frames into one token, so their number is even."""


def sampled(total: int, video_fps: float, fps: float, most: int) -> list[int]:
    """Return the numbers of the frames that are shown, spread evenly from the first to the last.

    Their count is ``total / video_fps * fps``, at least 4 and at most ``most``, and even: the rule
    of qwen-vl-utils 0.0.14. A video with fewer frames gives those it has; one frame is one.

    Args:
        total: Frames of the video, at least 1.
        video_fps: Its frames a second.
        fps: Frames that are shown of a second.
        most: Frames that are shown at most.

    Example:
        >>> sampled(30, 30.0, 1.0, 64), sampled(1, 30.0, 1.0, 64)
        ([0, 10, 19, 29], [0])
        >>> len(sampled(30 * 60, 30.0, 1.0, 32))
        32
    """
    most = min(most, total)
    count = min(max(total / video_fps * fps, min(LEAST, most)), most)
    even = max(min(PAIR, most), int(count) // PAIR * PAIR)
    # Halves go to the even number, as torch rounds them.
    return [int(number) for number in np.linspace(0, total - 1, even).round()]
