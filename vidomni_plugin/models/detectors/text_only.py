"""``vidomni_text_only``: a video language model is asked about the text without the video."""

from __future__ import annotations

from typing import Any

from vidomni_plugin.models.detectors.arguments import OF_EVERY_DETECTOR, refuse_unknown
from vidomni_plugin.models.detectors.entailment import Entailment

__all__ = ["TextOnly"]

OF_THE_VIDEO = ("video", "frames", "min_pixels", "max_pixels")
"""Arguments of ``Entailment`` that would do nothing here."""


class TextOnly(Entailment):
    """``vidomni_entailment`` with ``video=none`` under a name of its own.

    Args:
        given: As ``Entailment``, without those that are about the video.

    Raises:
        InputProblems: If an argument or the model cannot be used.
    """

    name = "vidomni_text_only"
    known = "pretrained, prompt, spaces, dtype, device, device_map, " + OF_EVERY_DETECTOR

    def __init__(self, **given: Any) -> None:  # noqa: ANN401
        idle = {name: given[name] for name in OF_THE_VIDEO if name in given}
        refuse_unknown(self.name, idle, self.known)
        super().__init__(video="none", **given)
