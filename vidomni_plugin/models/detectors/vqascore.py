"""``vidomni_vqascore``: how likely a video language model begins with yes (VQAScore)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.detectors.entailment import yes_in_vocabulary
from vidomni_plugin.models.detectors.asking import AskingDetector
from vidomni_plugin.models.detectors.base import Scored

__all__ = ["VQAScore"]


class VQAScore(AskingDetector):
    """Scores a text with P("Yes") over all tokens; docs/detectors/vqascore.md."""

    name = "vidomni_vqascore"
    default_prompt = "vqascore"

    def score(self, logits: NDArray[np.float32]) -> Scored:
        """Return the probability of yes, in [0, 1]; higher is more support."""
        yes, no = (
            sum(yes_in_vocabulary(logits, token) for token in tokens)
            for tokens in (self.tokens.yes, self.tokens.no)
        )
        return Scored(yes, {"no_probability": no})
