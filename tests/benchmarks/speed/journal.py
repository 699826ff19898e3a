"""What the runner and its journal cost: 4,000 answers that take a millisecond each.

``python tests/benchmarks/speed/journal.py`` prints the row.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms
from lmms_eval.models import MODEL_REGISTRY_V2
from lmms_eval.models.registry_v2 import ModelManifest
from loguru import logger

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.benchmarks.speed.rows import Row
from vidomni_plugin.models.runner import plan
from vidomni_plugin.models.runner.journal import Journal
from vidomni_plugin.models.runner.model import RunnerChat
from vidomni_plugin.vidhalloc.prompt import judge_prompt

ANSWERS = 4000
EACH = 4
"""Questions a video."""
SECONDS = 0.001
ROUNDS = 3
TARGET = 0.10


class Millisecond(lmms):
    """Reads its document, as every runner does, and computes for a millisecond."""

    is_simple = False

    def __init__(self, **unused: Any) -> None:
        super().__init__()

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return one verdict a request."""
        return [self._answer(*request.args) for request in requests]

    def _answer(
        self, _: str, doc_to_messages: Any, settings: Any, doc_id: int, task: str, split: str
    ) -> str:
        doc_to_messages(self.task_dict[task][split][doc_id])
        start = time.thread_time()
        while time.thread_time() - start < SECONDS:
            pass
        return "Verdict: ACCEPT. The video shows it from the first second to the last."

    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]:
        """Not needed."""
        raise NotImplementedError

    generate_until_multi_round = loglikelihood


def _documents() -> Dataset:
    return Dataset.from_list(
        [
            {
                "answer_id": f"pair_{k // 2}/{'factual' if k % 2 == 0 else 'counterfactual'}",
                "side": "factual",
                "video": f"/data/v{k // EACH}.mp4",
                "media_digest": f"{k // EACH:016x}",
                "question": f"What does the person in scene {k} do with the red box?",
                "candidate_answer": "She puts the red box under the table and leaves the room.",
            }
            for k in range(ANSWERS)
        ]
    )


def _messages(doc: dict[str, Any]) -> list[dict[str, Any]]:
    text = judge_prompt(doc["question"], doc["candidate_answer"])
    video = {"type": "video", "url": doc["video"]}
    return [{"role": "user", "content": [video, {"type": "text", "text": text}]}]


def _requests() -> list[Instance]:
    settings = {"max_new_tokens": 2048, "temperature": 0, "do_sample": False}
    return [
        Instance(
            "generate_until",
            ("", _messages, dict(settings), k, "bench", "test"),
            0,
            {"task": "bench", "doc_id": k, "repeats": 1},
        )
        for k in range(ANSWERS)
    ]


class Meter:
    """Adds up the CPU seconds of this thread inside some functions."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def metered(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, metered."""

        def run(*args: Any, **kwargs: Any) -> Any:
            start = time.thread_time()
            try:
                return function(*args, **kwargs)
            finally:
                self.seconds += time.thread_time() - start

        return run


def _answers(model: lmms, documents: Dataset) -> list[str]:
    model.task_dict["bench"] = {"test": documents}
    return [getattr(answer, "text", answer) for answer in model.generate_until(_requests())]


def _shares(documents: Dataset, expected: list[str]) -> tuple[float, float]:
    """Return the share of the journal in one run, and the seconds when all is in the journal."""
    meter = Meter()
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "answer_key", meter.metered(plan.answer_key))
        for name in ("open", "add", "close"):
            patch.setattr(Journal, name, meter.metered(getattr(Journal, name)))
        process, thread = time.process_time(), time.thread_time()
        runner = RunnerChat(inner="bench_millisecond", journal=folder)
        assert _answers(runner, documents) == expected
        whole, mine = time.process_time() - process, time.thread_time() - thread
        share = (meter.seconds + whole - mine) / whole  # the rest is the thread that syncs
        start = time.process_time()
        runner = RunnerChat(inner="bench_millisecond", journal=folder)
        assert _answers(runner, documents) == expected
        return share, time.process_time() - start


def rows() -> list[Row]:
    """Return the share of keys, lines and syncs in the CPU time of a run of short answers."""
    MODEL_REGISTRY_V2.register_manifest(
        ModelManifest("bench_millisecond", chat_class_path=f"{__name__}.Millisecond"),
        overwrite=True,
    )
    logger.disable("vidomni_plugin")
    documents = _documents()
    import_module("vidomni_plugin.labels")  # every run imports it, at the latest to score
    expected, plain, ours, shares = [], [], [], []
    for _ in range(ROUNDS):
        start = time.process_time()
        expected = _answers(Millisecond(), documents)
        plain.append(time.process_time() - start)
        start = time.process_time()
        share, again = _shares(documents, expected)
        ours.append(time.process_time() - start - again)
        shares.append(share)
    logger.enable("vidomni_plugin")
    more = statistics.median(ours) / statistics.median(plain)
    note = (
        f"{ANSWERS} answers of 1 ms about {ANSWERS // EACH} videos, {ROUNDS} rounds, same answers; "
        f"the whole runner takes {more:.2f} of the model alone, and {again:.2f} s when all "
        "answers are in the journal"
    )
    unit = "share of the run's CPU time"
    return [
        Row("journal's share of a run", math.nan, statistics.median(shares), TARGET, unit, note)
    ]


if __name__ == "__main__":
    for row in rows():
        print(f"{row.quantity}: {row.ours:.3f} (target {row.target}) {row.unit}; {row.note}")
