"""The arguments that all detectors take, checked before anything is loaded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from vidomni_plugin.detectors.text import TextKind, read_statements, text_kind
from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.run.options import near
from vidomni_plugin.vidhalloc.chosen_with import (
    ChosenWith,
    SettingsPolicy,
    chosen_with,
    settings_policy,
)
from vidomni_plugin.vidhalloc.overlap import (
    CalibratedOn,
    OverlapPolicy,
    calibrated_on,
    overlap_policy,
)
from vidomni_plugin.vidhalloc.thresholds import Threshold, read_threshold

__all__ = [
    "OF_EVERY_DETECTOR",
    "DetectorArguments",
    "read_arguments",
    "refuse_unknown",
    "refused",
    "whole_number",
    "whole_numbers",
]

Value = TypeVar("Value")

OF_EVERY_DETECTOR = "text, statements, threshold, threshold_overlap and threshold_settings"
"""Names of the arguments that all detectors take, as the last of a list."""


@dataclass(frozen=True, slots=True)
class DetectorArguments:
    """How any detector makes a decision of a score."""

    text: TextKind
    """What is compared with the video."""
    threshold: Threshold
    """Without a value: scores and no decisions, as ``vidomni calibrate`` needs them."""
    statements: Mapping[str, str] = field(default_factory=dict, repr=False)
    """By answer id, for ``text=statement``."""
    calibrated: CalibratedOn | None = None
    """The videos that the threshold was chosen on; None where that is not known."""
    overlap: OverlapPolicy = "refuse"
    """What becomes of a run that would judge some of them."""
    chosen: ChosenWith | None = None
    """The settings that the threshold was chosen with; None where that is not known."""
    other_settings: SettingsPolicy = "refuse"
    """What becomes of a run with others."""


def read_arguments(
    detector: str,
    text: object,
    threshold: object,
    statements: object,
    threshold_overlap: object = "refuse",
    threshold_settings: object = "refuse",
) -> DetectorArguments:
    """Return the shared arguments as the host parsed them, checked.

    Args:
        detector: Its name, for messages.
        text: ``answer``, ``question_answer`` or ``statement``.
        threshold: A number, a file that ``vidomni calibrate`` wrote, or the name of a published
            threshold; "" is none.
        statements: A file, see ``read_statements``; "" is none.
        threshold_overlap: ``refuse`` or ``allow``, where videos to be judged are among those that
            the threshold was chosen on.
        threshold_settings: ``refuse`` or ``allow``, where it was chosen for another detector or
            with other settings.

    Raises:
        InputProblems: If one of them cannot be used.
    """
    kind = refused(detector, lambda: text_kind(text))
    if (kind == "statement") != bool(statements):
        message = "text=statement and statements=FILE are given together or not at all"
        raise InputProblems(detector, [Problem("usage", "--model_args", message)])
    policy = refused(detector, lambda: overlap_policy(threshold_overlap))
    others = refused(detector, lambda: settings_policy(threshold_settings))
    limit = read_threshold("" if threshold is None else str(threshold))
    chosen = chosen_with(threshold)
    if chosen and others == "refuse":
        chosen.refuse(detector, {"detector": detector})
    sentences = read_statements(path_of(statements)) if statements else {}
    calibrated = calibrated_on(threshold)
    return DetectorArguments(kind, limit, sentences, calibrated, policy, chosen, others)


def refuse_unknown(detector: str, unknown: Iterable[str], known: str) -> None:
    """Refuse arguments that a detector does not take: a slip must not go unnoticed.

    Args:
        detector: Its name, for messages.
        unknown: Names that were given.
        known: The names that it takes, as they are told.

    Raises:
        InputProblems: With every unknown name, and the known one that is most like it.
    """
    names = re.findall(r"\w+", known)
    problems = []
    for name in sorted(unknown):
        meant = near(name, names)
        message = f"unknown: {name}; {meant}" if meant else f"unknown: {name}"
        problems.append(Problem("usage", "--model_args", message, f"known are {known}"))
    if problems:
        raise InputProblems(detector, problems)


def refused(detector: str, read: Callable[[], Value]) -> Value:
    """Return what ``read`` returns; its ValueError becomes the message that ends the run."""
    try:
        return read()
    except InputProblems:
        raise
    except ValueError as error:
        problem = Problem("usage", "--model_args", str(error))
        raise InputProblems(detector, [problem]) from None


def whole_number(name: str, value: object) -> int:
    """Return an argument that counts something.

    Raises:
        ValueError: If it is no whole number from 1 on.

    Example:
        >>> whole_number("frames", "8"), whole_number("frames", 8)
        (8, 8)
    """
    text = str(value).strip()
    if isinstance(value, bool) or not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise ValueError(f"{name}={value} is no whole number from 1 on")
    return int(text)


def whole_numbers(detector: str, **given: object) -> dict[str, int]:
    """Return those arguments that are given, as numbers from 1 on.

    Raises:
        InputProblems: If one of them is none.

    Example:
        >>> whole_numbers("vidomni_entailment", min_pixels=None, max_pixels="1024")
        {'max_pixels': 1024}
    """
    return {
        name: refused(detector, partial(whole_number, name, value))
        for name, value in given.items()
        if value is not None
    }
