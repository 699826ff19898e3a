"""What the user may set of a pool, with the reasons for the defaults."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FORMAT", "FRAME_SIDE", "Thresholds", "content_key"]

FORMAT = 1
"""Raise it when a decode pass measures something else; what was measured is then forgotten."""
FRAME_SIDE = 224
"""Shorter side of the kept pictures in pixels: what CLIP ViT-B/32 looks at."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where the checks draw the line; changing one never decodes a video again."""

    min_side: int = 224
    """Pixels of the shorter side. Most vision encoders see 224 pixels; less has to be blown up."""
    min_seconds: float = 2.0
    """Less shows one moment, and leaves nothing to ask about order."""
    max_seconds: float | None = None
    """No limit: how long a video may be depends on the models that will be asked."""
    black_share: float = 0.9
    """Share of black frames; a fade at both ends of a good video stays far below it."""
    frozen_level: float = 4.0
    """Of 255 grey levels, in a sixteenth of the width and height. Encoders make a still picture
    pulse by 0.5 to 4 (measured from 320x180 to 1280x720 pixels, x264 at rate factors 18 to 35,
    with camera noise and without; small pictures pulse most). An object of a sixteenth of the
    width and height that moves away makes half or more of its contrast."""
    near_bits: float = 10.0
    """Of 63 bits a frame, in the mean. Copies differ in 0 to 10, unlike videos in 19
    or more (docs/pool.md)."""


def content_key(sha256: str, frame_side: int) -> str:
    """Return what a video's measurements are kept under: its content, and how it was decoded."""
    return f"{sha256}:{FORMAT}:{frame_side}"
