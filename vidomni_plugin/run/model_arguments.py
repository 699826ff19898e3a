"""What can be told of ``--model_args`` before a model is loaded: its names, paths and values."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from loguru import logger

from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems, Problem, printable
from vidomni_plugin.run.arguments import TITLE
from vidomni_plugin.run.options import near
from vidomni_plugin.run.planned import NAMED_BY, RunPlan

__all__ = [
    "check_model_arguments",
    "check_threshold",
    "is_detector",
    "missing_checkpoints",
    "taken_by",
]

PLACE = "--model_args"
OF_A_DETECTOR = frozenset(["text", "threshold", "statements"])
"""Arguments of our detectors that are checked together."""
LOCAL = ("/", "./", "../", "~")
"""How a path begins; anything else may be a name on a hub."""


class Taken(NamedTuple):
    """The arguments of a model's class."""

    names: frozenset[str]
    strict: bool
    """Whether it refuses every other name."""


def check_model_arguments(plan: RunPlan, model: type) -> None:
    """Check the names of a model's arguments, and the values of those that are ours.

    Args:
        plan: The run.
        model: The class of the model that answers.

    Raises:
        InputProblems: With every argument that the class would refuse. One that it would pass
            over is a warning, if there is another of almost the same name.
    """
    from vidomni_plugin.models.runner.arguments import OWN

    taken = taken_by(model)
    known = sorted(taken.names | set(OWN))
    problems: list[Problem] = []
    for name in plan.given:
        if name in known:
            continue
        hint = near(name, known)
        message = f"{name}: {plan.inner} has no such argument"
        if taken.strict:
            hint = hint or f"it has {', '.join(sorted(taken.names))}"
            problems.append(Problem("usage", PLACE, message, hint))
        elif hint:
            logger.warning(printable(f"{TITLE}: {PLACE}: {message}, and may pass over it; {hint}"))
    problems += _values(plan.given, model)
    if problems:
        raise InputProblems(TITLE, problems)


def check_threshold(
    plan: RunPlan, model: type, documents: Callable[[], Sequence[Mapping[str, Any]]]
) -> None:
    """Refuse a detector's threshold that was chosen on videos of the run.

    Args:
        plan: The run.
        model: The class of the model that answers.
        documents: What the run would ask.

    Raises:
        InputProblems: If it shares a video, and that is not allowed.
    """
    from vidomni_plugin.vidhalloc.overlap import calibrated_on, overlap_policy

    if not is_detector(model):
        return
    calibrated = calibrated_on(plan.given.get("threshold"))
    if calibrated and overlap_policy(plan.given.get("threshold_overlap")) == "refuse":
        calibrated.refuse(TITLE, (doc for doc in documents() if "side" in doc))


def is_detector(model: type) -> bool:
    """Return whether a class is one of our detectors, which judge answers of VidHalLoc alone."""
    return taken_by(model).names >= {"threshold", "threshold_overlap"}


def taken_by(model: type) -> Taken:
    """Return which arguments a class and those that it hands them on to take.

    A class with ``**kwargs`` counts as strict only where its source refuses what is left.
    """
    names: set[str] = set()
    for owner in model.__mro__:
        if "__init__" not in vars(owner):
            continue
        parameters = inspect.signature(owner.__init__).parameters.values()  # type: ignore[misc]
        named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        names |= {one.name for one in parameters if one.kind in named} - {"self"}
        rest = next((one.name for one in parameters if one.kind is one.VAR_KEYWORD), None)
        if rest is None:
            return Taken(frozenset(names), strict=True)
        try:
            source = inspect.getsource(owner.__init__)  # type: ignore[misc]
        except (OSError, TypeError):
            break
        names |= set(re.findall(rf"\b{rest}(?:\.pop\(|\.get\(|\[)\s*[\"'](\w+)", source))
        if re.search(_refusing(rest), source):
            return Taken(frozenset(names), strict=True)
        if not re.search(rf"super\(\)\.__init__\([^)]*\*\*{rest}\b", source):
            break
    return Taken(frozenset(names), strict=False)


def _refusing(rest: str) -> str:
    """Return a pattern of how classes refuse what is left in their ``**rest``."""
    return (
        rf"assert\s+(?:not\s+{rest}\b|{rest}\s*==\s*\{{\}}|len\({rest}\)\s*==\s*0)"
        rf"|refuse_unknown\([^)]*\b{rest}\b"
        rf"|if\s+{rest}:\s+(?:\w+\s*=[^\n]*\n\s*)*raise\b"
    )


def _values(given: Mapping[str, Any], model: type) -> Iterator[Problem]:
    """Yield what is wrong with the values of arguments that only our models have."""
    names = taken_by(model).names
    try:
        if {"prefix", "prefix_gb", "labels_only"} <= names:
            from vidomni_plugin.models.prefix.arguments import sharing

            sharing(*_given(("prefix", "prefix_gb", "labels_only"), given, model))
        if names >= OF_A_DETECTOR:
            from vidomni_plugin.models.detectors.arguments import read_arguments

            text, threshold, statements = _given(("text", "threshold", "statements"), given, model)
            policies = [given.get(f"threshold_{name}") for name in ("overlap", "settings")]
            detector = str(getattr(model, "name", model.__name__))
            read_arguments(detector, text, threshold, statements, *policies)
    except InputProblems as found:
        yield from found.problems
    except ValueError as error:
        yield Problem("usage", PLACE, str(error))


def _given(names: tuple[str, ...], given: Mapping[str, Any], model: type) -> list[Any]:
    """Return the values of some arguments, the class's own where none is given."""
    defaults: dict[str, Any] = {}
    for owner in reversed(model.__mro__):
        if "__init__" in vars(owner):
            parameters = inspect.signature(owner.__init__).parameters  # type: ignore[misc]
            defaults |= {name: one.default for name, one in parameters.items()}
    return [given.get(name, defaults[name]) for name in names]


def missing_checkpoints(plan: RunPlan, model: type | None) -> Iterator[Problem]:
    """Yield each local checkpoint that is not there.

    Args:
        plan: The run.
        model: The class of the model; None where that is not known.
    """
    if "openai" in plan.inner or any(name.endswith("url") for name in plan.given):
        return  # the path is a name on another machine
    ours = model is not None and model.__module__.startswith("vidomni_plugin.models.detectors")
    for name in NAMED_BY:
        value = plan.given.get(name)
        if not isinstance(value, str) or not value.startswith(LOCAL):
            continue
        path = path_of(value)
        if not path.exists():
            hint = f"give an existing folder, or a name on the hub without {value[0]} before it"
            yield Problem("no-folder", PLACE, f"{name}={value}: there is no such path", hint)
        elif value.startswith("~") and not ours:
            message = f"{name}={value}: the host does not know ~"
            yield Problem("usage", PLACE, message, f"write {name}={path}")
