"""How much a video's pictures change: the motion score, and whether anything changes at all."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["BLOCKS", "GRID", "Change", "luma"]

Grey = NDArray[np.float32]
GRID = 64
"""Side of the grey pictures that are compared: every resolution becomes this one."""
BLOCKS = 16
"""Parts of the width and the height in which a change is looked for."""
STEP_S = 0.125
"""Time between pictures that are compared, in seconds: every frame rate becomes this one."""
LEVELS = 255.0
_WEIGHTS = np.array([0.299, 0.587, 0.114], dtype=np.float32)
"""Of red, green and blue in the brightness (ITU-R BT.601)."""
NOISE = 1e-6
"""Time stamps are rounded: a frame that is due at a multiple of the step may come this early."""


def luma(picture: NDArray[np.uint8]) -> Grey:
    """Return the brightness of an RGB picture in [0, 255], shape ``(height, width)``."""
    grey: Grey = picture.astype(np.float32) @ _WEIGHTS
    return grey


class Change:
    r"""Measures change while a video is decoded; one picture is kept at a time.

    The motion score is

    .. math::
        m = \frac{\sum_k \mathrm{mean}_{xy} |Y_k(x, y) - Y_{k-1}(x, y)| / 255}
                 {\sum_k (t_k - t_{k-1})}

    over consecutive pictures :math:`Y_k` of 64 x 64 averaged grey cells, taken at the first
    frame of each eighth of a second. It is the part of the whole brightness range by which a
    cell changes in a second: 0 for a still picture, at most 8. Averaging and the fixed
    step keep it from depending on the resolution and on the frame rate, from 8 a second on; fewer
    show less of fast motion. Cuts count as change.
    """

    def __init__(self) -> None:
        self._first: Grey | None = None
        self._last: Grey | None = None
        self._last_at = 0.0
        self._slot = -1
        self._sum = 0.0
        self._seconds = 0.0
        self.largest = 0.0
        """Largest difference of a block of any frame from the first frame, in grey levels."""

    def add(self, time_s: float, grey: Grey) -> None:
        """Take the next frame.

        Args:
            time_s: Since the first frame; never less than the one before.
            grey: In [0, 255], shape ``(GRID, GRID)``.
        """
        blocks: Grey = grey.reshape(BLOCKS, GRID // BLOCKS, BLOCKS, GRID // BLOCKS).mean((1, 3))
        if self._first is None:
            self._first = blocks
        self.largest = max(self.largest, float(np.abs(blocks - self._first).max()))
        slot = math.floor((time_s + NOISE) / STEP_S)
        if slot <= self._slot:
            return
        self._slot = slot
        if self._last is not None:
            self._sum += float(np.abs(grey - self._last).mean()) / LEVELS
            self._seconds += time_s - self._last_at
        self._last, self._last_at = grey, time_s

    def score(self) -> float:
        """Return the motion score in [0, 8]; 0 where there are not two pictures to compare."""
        return self._sum / self._seconds if self._seconds > 0 else 0.0
