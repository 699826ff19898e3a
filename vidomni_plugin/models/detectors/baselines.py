"""``vidomni_constant``: the same answer to everything, what every detector has to beat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vidomni_plugin.models.detectors.arguments import read_arguments, refuse_unknown, refused
from vidomni_plugin.models.detectors.base import Detector, Scored, Shown
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["ConstantDetector"]

OF_LABEL = {"ACCEPT": 1.0, "REJECT": 0.0}
BETWEEN = 0.5
"""The threshold of an answer by label."""


class ConstantDetector(Detector):
    """Gives every answer one score; no video is opened.

    Args:
        label: ``ACCEPT`` or ``REJECT``: a score of 1 or 0 with a threshold of 0.5.
        score: In place of a label, any finite score; ``threshold`` makes decisions of it.
        threshold: As every detector; only with ``score``.
        threshold_overlap, threshold_settings: As every detector, see ``read_arguments``.
        device, batch_size, max_batch_size: Given by the host to every model; not used.
        unknown: Arguments that are not known.

    Raises:
        InputProblems: If the arguments cannot be used.
    """

    name = "vidomni_constant"
    known = "label, score, threshold, threshold_overlap and threshold_settings"
    scores_within = None

    def __init__(
        self,
        label: object = "",
        score: object = None,
        threshold: object = "",
        threshold_overlap: object = "refuse",
        threshold_settings: object = "refuse",
        device: object = None,
        batch_size: object = None,
        max_batch_size: object = None,
        **unknown: object,
    ) -> None:
        refuse_unknown(self.name, unknown, self.known)
        by_label = label not in (None, "")
        if by_label == (score not in (None, "")):
            raise self._usage("give either label=ACCEPT|REJECT or score=NUMBER")
        if by_label:
            if str(label) not in OF_LABEL:
                raise self._usage(f"label={label} is neither ACCEPT nor REJECT")
            if threshold not in (None, ""):
                raise self._usage("a label is the decision already: leave the threshold out")
            score, threshold = OF_LABEL[str(label)], BETWEEN
        self._score = refused(self.name, lambda: _finite(score))
        super().__init__(
            read_arguments(
                *(self.name, "question_answer", threshold, ""),
                *(threshold_overlap, threshold_settings),
            )
        )

    def told(self) -> Mapping[str, object]:
        """Return that the text was not read."""
        return {"text": None}

    def told_before_loading(self) -> Mapping[str, object]:
        """Return the same."""
        return self.told()

    def score_video(self, video: Shown, texts: Sequence[str]) -> list[Scored]:
        """Return the one score for each text."""
        return [Scored(self._score)] * len(texts)

    def _usage(self, message: str) -> InputProblems:
        return InputProblems(self.name, [Problem("usage", "--model_args", message)])


def _finite(given: object) -> float:
    try:
        number = float(str(given))
    except ValueError:
        number = float("nan")
    if not abs(number) < float("inf"):
        raise ValueError(f"score={given} is no finite number")
    return number
