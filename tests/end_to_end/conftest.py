"""The real host inside this process: a run takes tenths of a second after the first import."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from loguru import logger

sys.path.insert(0, str(Path(__file__).parent))


@dataclass
class Evaluation:
    """Results of the host and the warnings that our hooks logged."""

    results: dict[str, Any]
    warnings: list[str] = field(default_factory=list)

    def scores(self, task: str) -> dict[str, float]:
        """Return the metrics of a task, without standard errors."""
        rows = self.results["results"][task]
        return {
            name.removesuffix(",none"): value
            for name, value in rows.items()
            if name.endswith(",none") and "_stderr" not in name
        }


@pytest.fixture
def evaluate(tmp_path: Path) -> Iterator[Callable[..., Evaluation]]:
    """Return a function that evaluates tasks with recorded responses, or with a model object."""
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    warnings: list[str] = []
    handler = logger.add(lambda message: warnings.append(str(message)), level="WARNING")

    def run(tasks: list[str], responses: dict[str, str] | Any, **options: Any) -> Evaluation:
        warnings.clear()
        model, model_args = responses, ""
        if isinstance(responses, dict):
            file = tmp_path / "responses.jsonl"
            rows = ({"id": name, "response": text} for name, text in responses.items())
            file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            model, model_args = "vidomni_replay", f"responses={file}"
        manager = TaskManager(include_defaults=False, model_name="vidomni_replay")
        results = simple_evaluate(
            model=model, model_args=model_args, tasks=tasks, task_manager=manager, **options
        )
        return Evaluation(results, list(warnings))

    yield run
    logger.remove(handler)
