"""All that can be wrong with a run, told at once and before a model is loaded."""

from __future__ import annotations

import difflib
import fnmatch
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vidomni_plugin.host import range_of, task_documents
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.run.arguments import TITLE
from vidomni_plugin.run.model_arguments import (
    check_model_arguments,
    check_threshold,
    is_detector,
    missing_checkpoints,
)
from vidomni_plugin.run.planned import RunPlan

if TYPE_CHECKING:
    from lmms_eval.tasks import TaskManager

__all__ = ["check_run"]

ROOM = 200_000_000
"""Bytes that logs and journal of a whole run of both benchmarks may take."""
LISTED = "`lmms-eval tasks list` lists the tasks, and docs/tasks.md ours"


def check_run(plan: RunPlan, manager: TaskManager, *, loads: bool = True) -> None:
    """Check names, data and places of a run.

    Args:
        plan: The run.
        manager: The host's index of tasks.
        loads: Whether the model will be loaded, which needs its checkpoint.

    Raises:
        InputProblems: Names everything that keeps it from starting.
    """
    problems: list[Problem] = []
    kind = _model_kind(plan, problems)
    model = _model_class(plan) if not problems else None
    if model is not None:
        problems += _found(partial(check_model_arguments, plan, model), "--model_args")
    if loads:
        problems += missing_checkpoints(plan, model)
    for place, check in (
        ("--model_args", lambda: _runner_arguments(plan)),
        ("--output_path", lambda: _output(plan.output)),
        ("--journal", lambda: _journal(plan)),
    ):
        problems += _found(check, place)
    known: list[str] = []
    for name in str(plan.host.tasks).split(","):
        matched = _tasks_of(name, manager)
        known += [task for task in matched if task not in known]
        if not matched:
            problems.append(_unknown_task(name, manager))
    for task in known:
        refused = [] if model is None else list(_not_judged(plan.inner, model, task, manager))
        problems += refused or _task(task, plan, manager, kind)
    if model is not None and not problems:
        asks = partial(_documents, known, plan, manager)
        problems += _found(partial(check_threshold, plan, model, asks), "--model_args")
    if problems:
        raise InputProblems(TITLE, list(dict.fromkeys(problems)))


def _tasks_of(name: str, manager: TaskManager) -> list[str]:
    """Return the tasks that a name or a pattern stands for; a task file stands for itself."""
    if "*" in name:
        return fnmatch.filter(manager.all_tasks, name)
    return [name] if name in manager.task_index or _is_file(name) else []


def _found(check: Callable[[], None], place: str) -> list[Problem]:
    try:
        check()
    except InputProblems as found:
        return found.problems
    except OSError as error:
        reason = error.strerror or str(error)
        return [Problem("no-folder", str(error.filename or place), reason)]
    return []


def _model_kind(plan: RunPlan, problems: list[Problem]) -> str:
    from lmms_eval.models import MODEL_REGISTRY_V2

    try:
        resolved = MODEL_REGISTRY_V2.resolve(plan.inner, force_simple=plan.kind_is_simple)
    except ValueError:
        names = MODEL_REGISTRY_V2.list_model_names()
        hint = _near(plan.inner, names) or "`lmms-eval models` lists the models"
        message = f"the host knows no model {plan.inner!r}"
        problems.append(Problem("usage", "--model", message, hint))
        return "chat"
    return str(resolved.model_type)


def _model_class(plan: RunPlan) -> type | None:
    """Return the class of the model; None where its import fails, as loading it will say."""
    from lmms_eval.models import MODEL_REGISTRY_V2

    try:
        model: type = MODEL_REGISTRY_V2.get_model_class(plan.inner, plan.kind_is_simple)
    except Exception:  # other people's modules raise anything, and the run has the traceback
        return None
    return model


def _runner_arguments(plan: RunPlan) -> None:
    from vidomni_plugin.models.runner.arguments import read_arguments

    if plan.journal is not None:
        read_arguments({**plan.given, "inner": plan.inner or None, "journal": str(plan.journal)})


def _output(folder: Path) -> None:
    """Write into the folder once, and look for room."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder):
        pass
    free = shutil.disk_usage(folder).free
    if free < ROOM:
        message = f"{free / 1e6:.0f} MB are free, and a run may need {ROOM / 1e6:.0f} MB"
        hint = "make room, or choose another --output_path"
        raise InputProblems(TITLE, [Problem("no-folder", str(folder), message, hint)])


def _journal(plan: RunPlan) -> None:
    """Open the journal, which takes the lock of this rank, and close it."""
    from vidomni_plugin.models.runner.journal import Journal

    if plan.journal is not None:
        Journal(plan.journal, int(os.environ.get("RANK") or 0), {}).close()


def _task(name: str, plan: RunPlan, manager: TaskManager, kind: str) -> Iterator[Problem]:
    documents = task_documents(manager, name)
    if documents is not None:
        yield from _found(documents.check, name)
    elif plan.shard is not None:
        message = f"{name} cannot be cut into shards: its documents are the host's"
        hint = "run it in a job of its own, without --shard"
        yield Problem("usage", "--shard", message, hint)
    elif not _is_file(name):
        yield from _data_of_another(name, manager, kind)


def _not_judged(inner: str, model: type, name: str, manager: TaskManager) -> Iterator[Problem]:
    """Yield that a detector would refuse a task once it is loaded; none of a file."""
    if not is_detector(model) or manager.task_index.get(name, {}).get("type") != "task":
        return
    documents = task_documents(manager, name)
    if documents is None or not documents.has_verdicts:
        hint = "use vidhalloc, vidhalloc_eval, vidhalloc_qa, vidhalloc_caption or vidhalloc_mini"
        message = f"{inner} judges answers of VidHalLoc, and not {name}"
        yield Problem("usage", "--tasks", message, hint)


def _documents(names: list[str], plan: RunPlan, manager: TaskManager) -> list[dict[str, Any]]:
    """Return what the run would ask of our tasks."""
    chosen = range_of(plan.host.limit, int(plan.host.offset or 0))
    found = [task_documents(manager, name) for name in names]
    return [doc for documents in found if documents is not None for doc in documents.asked(chosen)]


def _data_of_another(name: str, manager: TaskManager, kind: str) -> Iterator[Problem]:
    """Load a task of the host: it would do so once the model is in memory."""
    from lmms_eval.tasks import get_task_dict

    from vidomni_plugin.models.runner.outcomes import reason_of

    try:
        get_task_dict([name], manager, kind)
    # Other people's tasks raise anything, and some end the process.
    except (Exception, SystemExit) as error:
        hint = "get its data first, or leave the task out: the others would be lost with it"
        yield Problem("no-data", name, reason_of(error), hint)


def _is_file(name: str) -> bool:
    return Path(name).is_file() or Path(name).is_dir()


def _unknown_task(name: str, manager: TaskManager) -> Problem:
    hint = _near(name, manager.all_tasks) or LISTED
    return Problem("usage", "--tasks", f"the host knows no task {name!r}", hint)


def _near(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, n=3)
    return f"did you mean {' or '.join(near)}?" if near else ""
