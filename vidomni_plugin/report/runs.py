"""Runs of the host as its output folders hold them, with everything that is not as it should be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from vidomni_plugin.problems import Problem

__all__ = ["Run", "Signature", "TaskRun"]

Kind = Literal["vidomni", "vidhalloc", "captioning", "other"]


@dataclass(frozen=True, slots=True)
class Signature:
    """The settings behind the scores of one task in one run; None where the log does not say."""

    model: str
    """The host's name of the runner, as after ``--model``."""
    model_args: Mapping[str, str]
    """What stood after ``--model_args``, by name, sorted."""
    checkpoint: str
    """``pretrained`` or ``model`` of the arguments, else the runner's name."""
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


@dataclass(frozen=True, slots=True)
class TaskRun:
    """One task of one run."""

    run: str
    """Name of the run in tables: unique in a report."""
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
    """Broken lines, missing samples, items that differ from the host's scores."""
    responses: Mapping[str, str]
    """The answers as scored, by answer id."""


@dataclass(frozen=True, slots=True)
class Run:
    """One results file and its samples."""

    name: str
    folder: Path
    tasks: Mapping[str, TaskRun]
    problems: Sequence[Problem]
