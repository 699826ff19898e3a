"""Runs of the host as its output folders hold them, with everything that is not as it should be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from vidomni_plugin.problems import Problem
from vidomni_plugin.report.same_pair import CONTENT
from vidomni_plugin.scores import Score
from vidomni_plugin.vidhalloc.metrics import has_scores_only

__all__ = ["SCORES_ONLY", "Run", "Signature", "TaskRun"]

FEWEST_ALIKE = 20
"""So many equal answers are no chance."""
PART = frozenset({"limited", "cut-short"})
"""Problems of runs over some of the documents only."""
SCORES_ONLY = "scores only: no threshold was given"
"""Why a detector's run has no accuracy: it gave scores and, without a threshold, no verdict."""
Kind = Literal["vidomni", "vidhalloc", "captioning", "other"]


@dataclass(frozen=True, slots=True)
class Signature:
    """The settings behind the scores of one task in one run; None where the log does not say."""

    model: str
    """The host's name of the runner, as after ``--model``."""
    model_args: Mapping[str, str]
    """What stood after ``--model_args``, by name, sorted."""
    checkpoint: str
    """``pretrained``, ``model`` or the like of the arguments, else the runner's name."""
    frames: str | None
    fps: str | None
    pixels: str | None
    prompt: str | None
    """Name and hash of the prompt."""
    data: str | None
    """Digest of the data."""
    task_version: str | None
    host: str | None
    plugin: str | None
    generation: Mapping[str, str]
    limit: str | None
    """How many of how many documents; None for all of them."""

    def short(self) -> str:
        """Return the signature on one line, to stand beside a score.

        ``-`` is what the log does not say; of ``limit`` it says that there was none.
        """
        generation = ",".join(f"{name}={value}" for name, value in self.generation.items())
        parts = {
            "model": self.model,
            "checkpoint": self.checkpoint,
            "frames": self.frames,
            "fps": self.fps,
            "pixels": self.pixels,
            "prompt": self.prompt,
            "data": self.data,
            "task": self.task_version,
            "generation": generation,
            "limit": self.limit,
            "host": self.host,
            "plugin": self.plugin,
        }
        return "|".join(f"{name}:{value or '-'}" for name, value in parts.items())


@dataclass(frozen=True, slots=True)
class TaskRun:
    """One task of one run."""

    run: str
    """Name of the run in tables; runs of one model with different tasks share it, and two runs
    of the same task never do."""
    task: str
    kind: Kind
    signature: Signature
    items: Sequence[Mapping[str, Any]]
    """The whole detail of each scored pair (vidomni) or answer (vidhalloc); empty for others."""
    scores: Mapping[str, float]
    """The host's own results, by metric name without filter."""
    expected: int | None
    """Documents that the host says it evaluated."""
    problems: Sequence[Problem]
    """What a reader of the scores must know: broken lines, missing samples or videos, a limit,
    scores that differ from the host's."""
    responses: Mapping[str, str]
    """The answers as scored, by answer id."""
    rescored: Mapping[str, Score] | None = None
    """Every metric of the items, where it was computed already: see ``read.recomputed``."""
    lower_is_better: frozenset[str] = frozenset()
    """Metrics of another task of the host that are errors, as its log says."""

    @property
    def scores_only(self) -> bool:
        """Whether the run is a detector's without a threshold: see ``metrics.has_scores_only``."""
        return self.kind == "vidhalloc" and has_scores_only(self.items)

    @property
    def is_part(self) -> bool:
        """Whether the run scored some of its documents only: easy ones may lift its scores."""
        limited = self.signature.limit is not None
        return limited or bool(PART & {problem.code for problem in self.problems})

    def answered_as(self, other: TaskRun) -> bool:
        """Return whether one run may be the other: equal answers to all of many equal items.

        A few equal answers are no sign: two models may well agree on a handful. Nor are those of
        two models, or of one with other arguments: both may always say the same.
        """
        alike = len(self.responses) >= FEWEST_ALIKE and self.responses == other.responses
        return alike and self._model() == other._model() and self._content() == other._content()

    def _model(self) -> tuple[str, dict[str, str]]:
        return self.signature.checkpoint, dict(self.signature.model_args)

    def _content(self) -> dict[tuple[str, str | None], object]:
        content = CONTENT.get(self.kind)
        return {
            (str(item["pair_id"]), item.get("side")): content([item])
            for item in self.items
            if content
        }


@dataclass(frozen=True, slots=True)
class Run:
    """One results file and its samples."""

    name: str
    """As ``TaskRun.run``."""
    folder: Path
    tasks: Mapping[str, TaskRun]
    problems: Sequence[Problem]
