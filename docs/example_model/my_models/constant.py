"""A chat model that gives one answer to everything: the smallest model there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms


class ConstantModel(lmms):
    """Answers every request with the same text.

    Args:
        answer: The text.
        unused: The host also gives batch_size, max_batch_size and device.
    """

    is_simple = False

    def __init__(self, answer: str = "ACCEPT", **unused: Any) -> None:  # noqa: ANN401
        super().__init__()
        self.answer = answer

    def generate_until(self, requests: Sequence[Instance]) -> list[str]:
        """Return one text a request, in their order."""
        answers = []
        for request in requests:
            _, doc_to_messages, _, doc_id, task, split = request.args
            messages = doc_to_messages(self.task_dict[task][split][doc_id])
            # A real model puts these through its processor: the video first, then the text.
            kinds = [part["type"] for part in messages[0]["content"]]
            assert kinds == ["video", "text"]
            answers.append(self.answer)
        return answers

    def loglikelihood(self, requests: Sequence[Instance]) -> list[tuple[float, bool]]:
        """Not needed by tasks that generate text."""
        raise TypeError("this model only generates text")

    generate_until_multi_round = loglikelihood
