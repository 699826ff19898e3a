"""How this project enters lmms-eval: its models, its tasks, and what a run was told (0.7.3).

lmms-eval has an entry point for models and none for tasks. Its model entry point calls
``manifests`` whenever its registry is imported; that also adds this project's tasks to every
``TaskManager``, and has their data checked before a model is loaded. A future host with an
entry point for tasks will make ``install_tasks`` unnecessary.

What else is known of the host's inner parts stands where it is used: its command and its
arguments in ``run``, its models and their requests in ``models``, their readers in ``video``.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from vidomni_plugin.console import make_reentrant
from vidomni_plugin.data.documents import TaskDocs
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.vidomni.captioning import NAME_KEYS

if TYPE_CHECKING:
    from lmms_eval.models.registry_v2 import ModelManifest
    from lmms_eval.tasks import TaskManager

__all__ = [
    "RUNNER",
    "TESTED_VERSION",
    "DocumentRange",
    "install_tasks",
    "manifests",
    "range_of",
    "running_documents",
    "running_model",
    "running_range",
    "running_seeds",
    "task_documents",
    "tasks_folder",
]

TESTED_VERSION = "0.7.3"
"""The release of lmms-eval that this version of the project is tested with."""
RUNNER = "vidomni_runner"
"""Our model that wraps another one, which its argument ``inner`` names."""
_INSTALLED = "_vidomni_installed"


def tasks_folder() -> Path:
    """Return the folder of the task YAML files, for ``--include_path``."""
    return Path(__file__).resolve().parent.parent / "lmms_eval_tasks"


def manifests() -> list[ModelManifest]:
    """Return the models that this project adds; the host's entry point calls this.

    Calling it also makes the tasks visible, see ``install_tasks``.
    """
    from lmms_eval.models.registry_v2 import ModelManifest

    install_tasks()
    return [
        ModelManifest(
            model_id="vidomni_replay",
            simple_class_path="vidomni_plugin.models.replay.ReplaySimple",
            chat_class_path="vidomni_plugin.models.replay.ReplayChat",
        ),
        ModelManifest(
            model_id=RUNNER,
            simple_class_path="vidomni_plugin.models.runner.model.RunnerSimple",
            chat_class_path="vidomni_plugin.models.runner.model.RunnerChat",
        ),
        ModelManifest(
            model_id="vidomni_qwen2_5_vl",
            chat_class_path="vidomni_plugin.models.prefix.qwen2_5_vl.SharedQwen25VL",
        ),
        ModelManifest(
            model_id="vidomni_qwen3_vl",
            chat_class_path="vidomni_plugin.models.prefix.qwen3_vl.SharedQwen3VL",
        ),
        ModelManifest(
            model_id="vidomni_emscore",
            chat_class_path="vidomni_plugin.models.detectors.emscore.EMScoreDetector",
        ),
        ModelManifest(
            model_id="vidomni_pacs",
            chat_class_path="vidomni_plugin.models.detectors.pacs.PacsDetector",
        ),
        ModelManifest(
            model_id="vidomni_text_only",
            chat_class_path="vidomni_plugin.models.detectors.text_only.TextOnly",
        ),
        ModelManifest(
            model_id="vidomni_constant",
            chat_class_path="vidomni_plugin.models.detectors.baselines.ConstantDetector",
        ),
        ModelManifest(
            model_id="vidomni_entailment",
            chat_class_path="vidomni_plugin.models.detectors.entailment.Entailment",
        ),
        ModelManifest(
            model_id="vidomni_vqascore",
            chat_class_path="vidomni_plugin.models.detectors.vqascore.VQAScore",
        ),
        ModelManifest(
            model_id="vidomni_fifa",
            chat_class_path="vidomni_plugin.models.detectors.fifa.model.FifaDetector",
        ),
        ModelManifest(
            model_id="vidomni_localization",
            chat_class_path="vidomni_plugin.models.detectors.localization.Localization",
        ),
    ]


def install_tasks() -> None:
    """Make every ``TaskManager`` know this project's tasks and check their data first.

    On the command line bad data end the run with one message and exit code 1, before the
    model is loaded. Through Python ``InputProblems`` is raised when the tasks are loaded;
    there the host loads the model before.
    """
    from lmms_eval.tasks import TaskManager

    make_reentrant()
    if hasattr(TaskManager, _INSTALLED):
        return
    setattr(TaskManager, _INSTALLED, True)
    initialize_tasks = TaskManager.initialize_tasks
    match_tasks = TaskManager.match_tasks
    load_task_or_group = TaskManager.load_task_or_group

    @functools.wraps(initialize_tasks)
    def with_our_folder(
        self: TaskManager,
        include_path: str | list[str] | None = None,
        include_defaults: bool = True,
    ) -> Any:  # noqa: ANN401
        given = [include_path] if isinstance(include_path, str) else list(include_path or [])
        return initialize_tasks(self, [*given, str(tasks_folder())], include_defaults)

    @functools.wraps(match_tasks)
    def checked_for_the_command_line(self: TaskManager, task_list: list[str]) -> Any:  # noqa: ANN401
        names = match_tasks(self, task_list)
        _exit_on_input_problems()
        try:
            _check_data(self, names)
        except InputProblems as problems:
            raise SystemExit(f"vidomni: {problems}") from None
        return names

    @functools.wraps(load_task_or_group)
    def checked(self: TaskManager, task_list: Any = None, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        names = [task_list] if isinstance(task_list, str) else list(task_list or [])
        _check_data(self, names)
        _name_the_inner_model(self)
        return load_task_or_group(self, task_list, *args, **kwargs)

    TaskManager.initialize_tasks = with_our_folder
    TaskManager.match_tasks = checked_for_the_command_line
    TaskManager.load_task_or_group = checked


def running_model() -> tuple[str, str | Mapping[str, object]] | None:
    """Return the name and the arguments of the model that the host is evaluating.

    A task is not told which model will answer it. So the arguments are read from the call of
    ``simple_evaluate`` that is loading the tasks, whether the command line or a user's code
    made it. They are the host's ``--model`` and ``--model_args``; of a model that was given as
    an object, the name that it calls itself by. Of ``vidomni_runner`` it is the model inside.

    Returns:
        None outside of ``simple_evaluate``.
    """
    evaluation = _evaluation()
    if evaluation is None:
        return None
    model, given = evaluation.get("model"), evaluation.get("model_args")
    if isinstance(model, str):
        return (_inner_name(given) if model == RUNNER else model), given or ""
    model = getattr(model, "inner_model", None) or model
    names = {key: getattr(model, key, None) for key in NAME_KEYS}
    known = {key: name for key, name in names.items() if isinstance(name, str)}
    return type(model).__name__, known


def running_documents() -> dict[str, list[dict[str, Any]]]:
    """Return what the running ``simple_evaluate`` is about to ask, by task of ours.

    A model is made before the host loads the tasks, and cannot know them otherwise.

    Returns:
        Nothing outside of it, and where ``--limit`` is a share, which is no number yet.

    Raises:
        InputProblems: If data or videos are missing or bad.
    """
    evaluation, chosen = _evaluation(), running_range()
    manager = evaluation.get("task_manager") if evaluation else None
    if evaluation is None or chosen is None or manager is None or chosen.fraction:
        return {}
    named = {
        name: task_documents(manager, name) for name in map(str, evaluation.get("tasks") or ())
    }
    return {name: docs.asked(chosen) for name, docs in named.items() if docs is not None}


class DocumentRange(NamedTuple):
    """Which documents of a task the host evaluates."""

    start: int
    stop: int | None
    """None is the end."""
    kept: bool = False
    """Whether the host keeps its requests for other runs (``--cache_requests``)."""
    fraction: bool = False
    """Whether ``--limit`` is a share: the host makes a number of it at its first task."""


def running_range() -> DocumentRange | None:
    """Return which documents of each task the running ``simple_evaluate`` takes.

    Returns:
        None outside of it.
    """
    evaluation = _evaluation()
    if evaluation is None:
        return None
    return range_of(
        evaluation.get("limit"),
        int(evaluation.get("offset") or 0),
        kept=bool(evaluation.get("cache_requests")),
    )


def range_of(limit: float | None, start: int, *, kept: bool = False) -> DocumentRange:
    """Return which documents of each task the host takes.

    Args:
        limit: Its ``--limit``: a number, a share below 1, or None.
        start: Its ``--offset``.
        kept: Whether it keeps requests.

    Example:
        >>> range_of(8, 4), range_of(0.5, 0).fraction
        (DocumentRange(start=4, stop=12, kept=False, fraction=False), True)
    """
    if limit is None or limit == -1:
        return DocumentRange(start, None, kept)
    if limit < 1:
        return DocumentRange(start, None, kept, fraction=True)
    return DocumentRange(start, start + int(limit), kept)


def running_seeds() -> list[int | None]:
    """Return the seeds of the running ``simple_evaluate``: for Python, numpy and torch.

    Returns:
        Nothing outside of it, and where they are the host's own.
    """
    evaluation = _evaluation()
    if evaluation is None:
        return []
    from lmms_eval.evaluator import simple_evaluate

    names = ("random_seed", "numpy_random_seed", "torch_random_seed")
    parameters = inspect.signature(simple_evaluate).parameters
    seeds = [evaluation.get(name) for name in names]
    return [] if seeds == [parameters[name].default for name in names] else seeds


def _evaluation() -> Mapping[str, Any] | None:
    """Return the arguments of the running ``simple_evaluate``."""
    frame = inspect.currentframe()
    while frame is not None:
        in_host = frame.f_globals.get("__name__") == "lmms_eval.evaluator"
        if in_host and frame.f_code.co_name == "simple_evaluate":
            return frame.f_locals
        frame = frame.f_back
    return None


def _name_the_inner_model(manager: TaskManager) -> None:
    """Let the tasks choose for the model that answers, such as what it gets of the sound.

    The host tells its ``TaskManager`` the name of ``vidomni_runner``, or its object.
    """
    if manager.model_name == RUNNER:
        running = running_model()
        manager.model_name = running[0] if running else RUNNER
    elif not isinstance(manager.model_name, str):
        manager.model_name = getattr(manager.model_name, "inner_name", manager.model_name)


def _inner_name(model_args: object) -> str:
    """Return which model the runner wraps; itself where the arguments do not say."""
    from lmms_eval.utils import simple_parse_args_string

    try:
        given = simple_parse_args_string(model_args) if isinstance(model_args, str) else model_args
    except ValueError:  # an argument without "=": the host says so when it makes the model
        return RUNNER
    return str(given.get("inner") or RUNNER) if isinstance(given, Mapping) else RUNNER


def task_documents(manager: TaskManager, name: object) -> TaskDocs | None:
    """Return what makes the documents of a task of ours; None for every other task."""
    import lmms_eval.tasks
    from lmms_eval.utils import load_yaml_config

    host_tasks = Path(lmms_eval.tasks.__file__).parent
    entry = manager.task_index.get(name, {}) if isinstance(name, str) else {}
    path = str(entry.get("yaml_path", ""))
    if not path.endswith(".yaml") or Path(path).is_relative_to(host_tasks):
        return None
    documents = load_yaml_config(path, mode="full").get("process_docs")
    return documents if isinstance(documents, TaskDocs) else None


def _check_data(manager: TaskManager, names: Iterable[object]) -> None:
    """Check the data of the named tasks whose documents are ours; all problems come at once."""
    problems: list[Problem] = []
    titles: list[str] = []
    for name in names:
        documents = task_documents(manager, name)
        if documents is None:
            continue
        try:
            documents.check()
        except InputProblems as found:
            titles.append(found.title)
            problems += [problem for problem in found.problems if problem not in problems]
    if problems:
        title = "; ".join(dict.fromkeys(titles))
        raise InputProblems(title, problems, listed_by="vidomni data check")


def _exit_on_input_problems() -> None:
    """Let the command line end with the message alone where an input is bad.

    The command line prints a traceback for every exception and then exits with 0. It calls
    ``evaluator.simple_evaluate`` through the module, which only this process sees replaced.
    """
    evaluator = sys.modules.get("lmms_eval.evaluator")
    if evaluator is None:  # not the command line, which has imported it by then
        return
    simple_evaluate = evaluator.simple_evaluate
    if hasattr(simple_evaluate, _INSTALLED):
        return

    @functools.wraps(simple_evaluate)
    def exiting(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        try:
            return simple_evaluate(*args, **kwargs)
        except InputProblems as problems:
            raise SystemExit(f"vidomni: {problems}") from None

    setattr(exiting, _INSTALLED, True)
    evaluator.simple_evaluate = exiting  # type: ignore[attr-defined]
