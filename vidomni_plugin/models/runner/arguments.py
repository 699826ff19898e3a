"""The runner's own arguments, told apart from those of the model that it wraps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems, Problem, refuse_start
from vidomni_plugin.video.settings import bytes_of

__all__ = ["OWN", "TITLE", "RunnerArguments", "read_arguments", "refuse"]

TITLE = "vidomni_runner"
OWN = ("inner", "journal", "at_once", "labels_only", "answers_only", "guard", "cache_gb")
"""Names of the runner's own arguments; every other one is the inner model's."""
FLAGS = {"labels_only": False, "answers_only": False, "guard": True}


@dataclass(frozen=True, slots=True)
class RunnerArguments:
    """What a user asks of the runner, checked."""

    inner: str
    """Name of a model in the host's registry."""
    journal: Path
    at_once: int | None = None
    """Requests handed to the inner model in one call; None is its batch size."""
    labels_only: bool = False
    answers_only: bool = False
    """Whether all answers must be in the journal; the inner model is then not loaded."""
    guard: bool = True
    """Whether useless first answers end the run."""
    cache_bytes: int | None = None
    """Room for decoded videos; None is the cache's own default."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the inner model, those of the host included."""


refuse = partial(refuse_start, TITLE)
"""Raises the one problem that keeps a run from starting: place, message, hint."""


def read_arguments(arguments: Mapping[str, Any]) -> RunnerArguments:
    """Return the arguments of the runner and of its inner model.

    Args:
        arguments: All of ``--model_args`` and what the host adds to them.

    Raises:
        InputProblems: Names every argument of the runner that cannot be used so.

    Example:
        >>> read = read_arguments({"inner": "qwen3_vl", "journal": "j", "at_once": 2, "fps": 1})
        >>> read.inner, read.at_once, read.given
        ('qwen3_vl', 2, {'fps': 1})
    """
    problems: list[Problem] = []

    def wrong(message: str, hint: str) -> None:
        problems.append(Problem("usage", "--model_args", message, hint))

    inner = str(arguments.get("inner") or "")
    if not inner:
        wrong("which model is to answer?", "name a model of the host, such as inner=qwen3_vl")
    elif inner == TITLE:
        wrong("the runner cannot wrap itself", "name the model that is to answer")
    if not arguments.get("journal"):
        wrong("where is the journal?", "give a folder, such as journal=runs/qwen3_vl")
    at_once = arguments.get("at_once")
    if at_once is not None and not _is_whole(at_once):
        wrong(f"at_once={at_once} is no number of requests", "a whole number from 1 on")
        at_once = None
    room: int | None = None
    if (gigabytes := arguments.get("cache_gb")) is not None:
        try:
            room = bytes_of(gigabytes)
        except ValueError:
            wrong(f"cache_gb={gigabytes} is no size", "gigabytes, such as cache_gb=4")
    flags: dict[str, bool] = {}
    for name, default in FLAGS.items():
        value = str(arguments.get(name, default)).lower()
        flags[name] = value == "true"
        if value not in {"true", "false"}:
            wrong(f"{name}={arguments[name]}", f"{name}=true or {name}=false")
    if problems:
        raise InputProblems(TITLE, problems)
    return RunnerArguments(
        inner=inner,
        journal=path_of(arguments["journal"]),
        at_once=at_once,
        cache_bytes=room,
        given={name: value for name, value in arguments.items() if name not in OWN},
        **flags,
    )


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not _is_flag(value) and value >= 1
