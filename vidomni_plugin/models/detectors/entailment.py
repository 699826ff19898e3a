"""``vidomni_entailment``: how much a video language model prefers yes to no (Owl-Con's score)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.detectors.entailment import yes_against_no
from vidomni_plugin.models.detectors.asking import AskingDetector, logit_of
from vidomni_plugin.models.detectors.base import Scored

__all__ = ["Entailment"]


class Entailment(AskingDetector):
    """Scores a text with P(yes) / (P(yes) + P(no)); docs/detectors/entailment.md."""

    name = "vidomni_entailment"
    default_prompt = "owl_con"

    def score(self, logits: NDArray[np.float32]) -> Scored:
        """Return the share of yes among yes and no, in [0, 1]; higher is more support."""
        yes, no = (logit_of(logits, tokens) for tokens in (self.tokens.yes, self.tokens.no))
        return Scored(yes_against_no(yes, no), {"yes_logit": yes, "no_logit": no})
