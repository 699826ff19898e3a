"""``vidomni_runner``: wraps any model of the host, so that its answers are never lost."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from accelerate import PartialState
from lmms_eval.api.instance import GenerationResult, Instance
from lmms_eval.api.model import lmms
from loguru import logger

from vidomni_plugin.models.runner.arguments import TITLE, read_arguments
from vidomni_plugin.models.runner.asking import Asking, useless
from vidomni_plugin.models.runner.entries import JournalContents, read_journal
from vidomni_plugin.models.runner.guard import Guard
from vidomni_plugin.models.runner.inner import NoModel, build, kind_of
from vidomni_plugin.models.runner.journal import Journal
from vidomni_plugin.models.runner.keys import digest_of, run_settings, settings_differ
from vidomni_plugin.models.runner.outcomes import result_of
from vidomni_plugin.models.runner.plan import Question, questions_of, videos_of
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.video.cache import CACHE

__all__ = ["RunnerChat", "RunnerSimple"]

SHOWN = 5
"""How many items an error names."""


def _of_inner(name: str) -> property:
    """Return an attribute that is the inner model's own, also when the host sets it."""

    def get(self: RunnerSimple) -> Any:  # noqa: ANN401
        return getattr(self.inner_model, name)

    def put(self: RunnerSimple, value: object) -> None:
        setattr(self.inner_model, name, value)

    return property(get, put)


class RunnerSimple(lmms):  # type: ignore[misc]
    """Hands its inner model one video at a time and keeps each answer in a journal.

    To the host it is the inner model: what is not defined here is the inner model's.

    Args:
        arguments: ``inner``, ``journal`` and the rest of docs/runner.md; every other argument is
            the inner model's.

    Raises:
        InputProblems: If an argument or the journal cannot be used.
    """

    _force_simple = True
    _by_content = True
    """Whether files that arguments name are read, to count by their content."""
    rank = _of_inner("rank")
    world_size = _of_inner("world_size")
    _rank = _of_inner("_rank")
    _world_size = _of_inner("_world_size")
    cache_hook = _of_inner("cache_hook")
    task_dict = _of_inner("task_dict")

    def __init__(self, **arguments: Any) -> None:  # noqa: ANN401
        self.arguments = read_arguments(arguments)
        self.inner_name = self.arguments.inner
        kind = kind_of(self.inner_name, force_simple=self._force_simple)
        self.settings = run_settings(
            self.inner_name,
            kind,
            self.arguments.given,
            labels_only=self.arguments.labels_only,
            by_content=self._by_content,
        )
        self._settings_key = digest_of(self.settings)
        self._journal: Journal | None = None
        if self.arguments.answers_only:
            self.inner_model: lmms = NoModel()
        else:
            # Before the model is loaded: a journal in use is then an error of the first second.
            rank = int(os.environ.get("RANK", 0))
            self._journal = Journal(self.arguments.journal, rank, self.settings)
            try:
                self.inner_model = build(self.arguments, force_simple=self._force_simple)
            except BaseException:
                self._journal.close()
                raise
        self.is_simple = kind == "simple"

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if "inner_model" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.inner_model, name)

    @property
    def device(self) -> Any:  # noqa: ANN401
        """Where the host gathers the results of several ranks."""
        return getattr(self.inner_model, "device", None) or PartialState().device

    def set_cache_hook(self, cache_hook: object) -> None:
        """Give the inner model the host's hook."""
        self.inner_model.set_cache_hook(cache_hook)

    def clean(self) -> None:
        """Give back the memory of frames, and let the inner model free its own."""
        CACHE.release()
        self.inner_model.clean()

    def generate_until(self, requests: Sequence[Instance]) -> list[GenerationResult]:
        """Return one answer a request: from the journal, or asked now.

        Raises:
            InputProblems: If the run has to stop; what was answered is in the journal.
        """
        questions, padding = questions_of(requests, self.task_dict, self._settings_key)
        if self._journal is None:
            contents = self._complete(questions)
        else:
            self._journal.open()
            try:
                contents = self._journal.contents
                self._ask_missing(questions, self._journal)
            finally:
                self._journal.close()
        results = {
            question.place: result_of(
                contents.answers.get(question.key) or contents.failures[question.key]
            )
            for question in questions
        }
        # The host fills up ranks with copies of the last request, whose answers nobody reads.
        filler = results[questions[-1].place] if questions else GenerationResult("")
        results |= dict.fromkeys(padding, filler)
        return [results[place] for place in range(len(requests))]

    def _ask_missing(self, questions: Sequence[Question], journal: Journal) -> None:
        contents = journal.contents
        for problem in contents.problems:
            logger.warning(f"{TITLE}: {problem}")
        contents.problems.clear()
        videos = videos_of(questions, lambda question: question.key in contents.answers)
        missing = sum(map(len, videos))
        # One question at a time is a round of an agentic task, of which there are many.
        level = "INFO" if len(questions) > 1 else "DEBUG"
        logger.log(
            level,
            f"{TITLE}: {len(questions) - missing} of {len(questions)} answers are in "
            f"{journal.folder}; {missing} to ask, about {len(videos)} videos",
        )
        others = self._other_runs(contents)
        if missing and others:
            logger.log(level, f"{TITLE}: not used are answers of other settings: {others}")
        if missing:
            guard = Guard(
                useless,
                first=missing == len(questions),
                failed_before=contents.failures,
                on=self.arguments.guard,
            )
            shown = self.rank == 0
            Asking(self.inner_model, journal, self.arguments, guard, shown=shown).ask(videos)

    def _complete(self, questions: Sequence[Question]) -> JournalContents:
        """Return the journal, or raise with what is not in it."""
        folder = self.arguments.journal
        try:
            contents = read_journal(folder)
        except OSError as error:
            problem = Problem("no-folder", str(folder), error.strerror or str(error))
            raise InputProblems(TITLE, [problem]) from None
        known = contents.answers.keys() | contents.failures.keys()
        missing = [question.item for question in questions if question.key not in known]
        if missing:
            named = ", ".join(missing[:SHOWN]) + (", ..." if len(missing) > SHOWN else "")
            message = f"no answer to {len(missing)} of {len(questions)} requests: {named}"
            others = self._other_runs(contents)
            hint = f"the answers there are of other settings: {others}" if others else ""
            hint = hint or "run the same command without answers_only=true to ask them"
            problem = Problem("missing-response", str(folder), message, hint)
            raise InputProblems(TITLE, [problem])
        return contents

    def _other_runs(self, contents: JournalContents) -> str:
        """Return how the runs in a journal differ from this one, for people."""
        differ = [settings_differ(run, self.settings) for run in contents.runs]
        texts = dict.fromkeys(", ".join(found[:SHOWN]) for found in differ if found)
        return "; ".join(f"{text} (there / here)" for text in texts)

    def loglikelihood(self, requests: Sequence[Instance]) -> Any:  # noqa: ANN401
        """Hand over to the inner model."""
        return self._passed_on("loglikelihood", requests)

    def generate_until_multi_round(self, requests: Sequence[Instance]) -> Any:  # noqa: ANN401
        """Hand over to the inner model."""
        return self._passed_on("generate_until_multi_round", requests)

    def generate_visual_cot(self, requests: Sequence[Instance]) -> Any:  # noqa: ANN401
        """Hand over to the inner model."""
        return self._passed_on("generate_visual_cot", requests)

    def _passed_on(self, kind: str, requests: Sequence[Instance]) -> Any:  # noqa: ANN401
        logger.warning(
            f"{TITLE}: {len(requests)} {kind} requests go to {self.inner_name} as they are: "
            "the journal holds answers of generate_until only"
        )
        return getattr(self.inner_model, kind)(requests)


class RunnerChat(RunnerSimple):
    """The same for the host's chat models; of a model that has no chat class, its simple one."""

    is_simple = False
    _force_simple = False
