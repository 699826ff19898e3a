"""Run the host's command in this process, without what it hides of its failures.

The host prints a traceback for every failure and ends with exit code 0. Its command is called
here as it is; only the three names below are replaced in it while it runs.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from vidomni_plugin.interrupts import stop_if_interrupted, watched
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.run.arguments import TITLE

if TYPE_CHECKING:
    from lmms_eval.tasks import TaskManager

__all__ = ["Evaluated", "Failed", "call_host", "task_manager"]


class Evaluated(NamedTuple):
    """What the host hands back on the first rank."""

    results: Mapping[str, Any]
    samples: Mapping[str, list[dict[str, Any]]]


class Failed(RuntimeError):
    """The host's run failed; the message is the cause on one line."""


class _Ended(BaseException):
    """Carries a failure through the host's ``except Exception``."""

    def __init__(self, cause: BaseException) -> None:
        self.cause = cause


def task_manager(told: argparse.Namespace) -> TaskManager:
    """Return the host's index of tasks, as its command makes it (seconds)."""
    from lmms_eval.tasks import TaskManager

    return TaskManager(told.verbosity, include_path=told.include_path, model_name=told.model)


def call_host(
    told: argparse.Namespace,
    manager: TaskManager | None = None,
    model: Callable[[str, bool], type] | None = None,
) -> Evaluated | None:
    """Run the host's command and return its results; None on every rank but the first.

    Args:
        told: The host's arguments.
        manager: The index of tasks, where it was made before.
        model: Gives the class of the model, in place of the host's registry.

    Raises:
        Failed: With the cause; its traceback was printed.
        InputProblems: If an input is bad.
        KeyboardInterrupt: If the user stopped it.
    """
    import lmms_eval.__main__ as command

    got: list[Evaluated] = []

    def caught(arguments: argparse.Namespace) -> Any:  # noqa: ANN401
        try:
            results, samples = evaluate(arguments)
        # All that ends an evaluation, the host's own sys.exit among it, is told by its cause.
        except BaseException as error:
            raise _Ended(error) from None
        if results is not None:
            got.append(Evaluated(results, samples or {}))
        return results, samples

    evaluate = command.cli_evaluate_single
    kept_arguments = sys.argv
    with (
        watched(),
        _replaced(command, "cli_evaluate_single", caught),
        _models(model),
        _index(manager),
    ):
        sys.argv = [TITLE]
        try:
            command.cli_evaluate(told)
            stop_if_interrupted()
        except _Ended as ended:
            raise _told(ended.cause) from None
        except (Exception, SystemExit) as error:  # before or behind the evaluation itself
            raise _told(error) from None
        finally:
            sys.argv = kept_arguments
    return got[0] if got else None


@contextmanager
def _replaced(owner: Any, name: str, value: object) -> Iterator[None]:  # noqa: ANN401
    kept = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, kept)


@contextmanager
def _models(model: Callable[[str, bool], type] | None) -> Iterator[None]:
    from lmms_eval import models

    if model is None:
        yield
        return
    import vidomni_plugin.models.runner.inner  # noqa: F401 - it keeps the host's own function

    with _replaced(models, "get_model", model):
        yield


@contextmanager
def _index(manager: TaskManager | None) -> Iterator[None]:
    """Spare the host the seconds of reading all its task files again."""
    import lmms_eval.__main__ as command

    if manager is None:
        yield
        return
    with _replaced(command, "TaskManager", lambda *_, **__: manager):
        yield


def _told(error: BaseException) -> BaseException:
    """Return what is raised for a failure; print the traceback of one that nobody expects."""
    from vidomni_plugin.models.runner.outcomes import reason_of

    hidden = error.__context__
    if isinstance(error, SystemExit) and isinstance(hidden, InputProblems):
        return hidden
    if isinstance(error, InputProblems) or not isinstance(error, (Exception, SystemExit)):
        return error  # Ctrl-C, and what our own models raise to end a run
    if isinstance(error, SystemExit):
        text = " ".join(str(error.code).split()) if error.code else ""
        return Failed(f"the host ended without results{': ' * bool(text)}{text}")
    traceback.print_exception(error)
    return Failed(reason_of(error))
