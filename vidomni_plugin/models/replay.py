"""A model that answers from a file: to score recorded responses, and to test the tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from accelerate import PartialState
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms

from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.samples import read_responses

__all__ = ["ReplayChat", "ReplaySimple"]

SHOWN = 5
"""How many missing ids the error names."""


class ReplaySimple(lmms):  # type: ignore[misc]
    """Answers every request with its recorded response.

    Args:
        responses: JSON lines ``{"id": ..., "response": ...}``; an id is a VidOmni pair id, or
            a VidHalLoc pair id followed by ``/factual`` or ``/counterfactual``. A samples
            file that the host wrote for one of our tasks works as well.
        batch_size, device, max_batch_size: Given by the host to every model; not used.

    Raises:
        InputProblems: If the file cannot be used, or lacks an answer.
    """

    def __init__(
        self,
        responses: str = "",
        batch_size: object = None,
        device: object = None,
        max_batch_size: object = None,
        **unknown: object,
    ) -> None:
        super().__init__()
        if unknown:
            usage = f"unknown: {', '.join(sorted(unknown))}; only responses=FILE is known"
            raise InputProblems("vidomni_replay", [Problem("usage", "--model_args", usage)])
        if not responses:
            usage = "give the file: --model_args responses=FILE"
            raise InputProblems("vidomni_replay", [Problem("usage", "--model_args", usage)])
        self._path = path_of(responses)
        self._responses = read_responses(self._path)
        self.device = PartialState().device
        """Where the host gathers the results of several ranks."""

    def generate_until(self, requests: Sequence[Instance]) -> list[str]:
        """Return the recorded responses, or raise once if some are not in the file."""
        ids = [self._answer_id(*request.args[-3:]) for request in requests]
        missing = sorted({answer_id for answer_id in ids if answer_id not in self._responses})
        if missing:
            named = ", ".join(missing[:SHOWN]) + (", ..." if len(missing) > SHOWN else "")
            message = f"no response for {len(missing)} of {len(set(ids))} requests: {named}"
            raise InputProblems(
                "vidomni_replay", [Problem("missing-response", str(self._path), message)]
            )
        return [self._responses[answer_id] for answer_id in ids]

    def _answer_id(self, doc_id: int, task: str, split: str) -> str:
        doc: dict[str, Any] = self.task_dict[task][split][doc_id]
        # Other benchmarks have no such ids; their requests are named by task and number.
        return str(doc.get("answer_id", f"{task}:{doc_id}"))

    def loglikelihood(self, requests: Sequence[Instance]) -> list[tuple[float, bool]]:
        """Not possible: a recorded text has no likelihood."""
        raise InputProblems(
            "vidomni_replay", [Problem("usage", "--tasks", "only tasks that generate text")]
        )

    generate_until_multi_round = loglikelihood


class ReplayChat(ReplaySimple):
    """The same for the host's chat tasks, whose requests carry messages."""

    is_simple = False
