"""What all detectors share as models of the host: one video at a time, answers as JSON."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from accelerate import PartialState
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms
from loguru import logger

from vidomni_plugin.detectors.answer import answer_with
from vidomni_plugin.detectors.text import text_of
from vidomni_plugin.host import running_documents
from vidomni_plugin.interrupts import stop_if_interrupted, watched
from vidomni_plugin.models.detectors.arguments import DetectorArguments
from vidomni_plugin.models.requests import Asked, asked, by_video
from vidomni_plugin.models.runner.outcomes import free_memory, reason_of
from vidomni_plugin.models.runner.progress import Videos
from vidomni_plugin.problems import InputProblems, Problem, printable
from vidomni_plugin.video.failures import UnreadableVideo
from vidomni_plugin.wording import counted

__all__ = ["Answered", "Detector", "Scored", "Shown", "compute_device"]

NO_SCORE = '{"score": null'
"""How an answer without a score begins."""
Answered = Callable[[int, str], None]
"""Called with the place of a request and its answer, as soon as that is there."""


class Shown(NamedTuple):
    """The video that texts are compared with."""

    path: str
    digest: str
    """Of its content: the name of what is kept of it."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What a detector found for one text."""

    score: float | None
    """Higher is more support; None where there is no score."""
    detail: Mapping[str, object] = field(default_factory=dict)
    """What the score was made of, or as ``status`` why there is none: JSON values and arrays."""


class Detector(lmms):  # type: ignore[misc]
    """A model that scores texts against a video; a subclass says how.

    Args:
        arguments: What is compared, and from which score on an answer is accepted.

    Raises:
        InputProblems: If the host is about to ask about videos that the threshold was chosen on.
    """

    is_simple = False
    name: ClassVar[str]
    """Under which the host knows it."""
    scores_within: ClassVar[tuple[float, float] | None] = (0.0, 1.0)
    """Where its scores lie; None where that is anywhere."""

    def __init__(self, arguments: DetectorArguments) -> None:
        super().__init__()
        self.arguments = arguments
        self._warned = False
        self._warned_of_settings = False
        self._check_range()
        self._check_settings(self.told_before_loading())
        # Subclasses load their model after this.
        if arguments.calibrated is not None:
            self._check_overlap(_answers_to_judge())
        if arguments.text == "statement":
            self._check_statements(str(doc["answer_id"]) for doc in _answers_to_judge())
        self.device = PartialState().device
        """Where the host gathers the results of several ranks."""

    @abstractmethod
    def score_video(self, video: Shown, texts: Sequence[str]) -> Iterable[Scored]:
        """Return the score of each text against one video, in their order.

        Where they come one after the other, each answer is kept as soon as it is there.
        A score depends on the video and the text alone, never on what else is asked.
        """

    def told(self) -> Mapping[str, object]:
        """Return the settings that decide a score; they go into each answer."""
        return {}

    def told_before_loading(self) -> Mapping[str, object]:
        """Return those of them that are known before the model is loaded.

        It is asked by this class when it is made: a subclass has set what it needs by then.
        """
        return {}

    def generate_until(self, requests: Sequence[Instance]) -> list[str]:
        """Return the answers in the order of the requests, which may be any.

        A video that cannot be read costs its own answers their score, and not the run.
        """
        questions = [self._asked(request) for request in requests]
        self._check_settings(self.told())
        self._check_overlap(question.doc for question in questions)
        self._check_statements(question.item for question in questions)
        results: dict[int, str] = {}
        groups = by_video(questions)
        with Videos(len(groups), shown=self.rank == 0) as progress, watched():
            for places in groups:
                answers = self._or_failures([questions[place] for place in places])
                for place, text in zip(places, answers, strict=True):
                    results[place] = text
                    progress.answered(failed=text.startswith(NO_SCORE))
                progress.video_done()
                stop_if_interrupted()
        return [results[place] for place in range(len(requests))]

    def answer_video(self, requests: Sequence[Instance], answered: Answered) -> None:
        """Answer the requests of one video; ``vidomni_runner`` keeps each answer in its journal."""
        questions = [self._asked(request) for request in requests]
        self._check_settings(self.told())
        self._check_overlap(question.doc for question in questions)
        self._check_statements(question.item for question in questions)
        for places in by_video(questions):
            answers = self._answers([questions[place] for place in places])
            for place, text in zip(places, answers, strict=True):
                answered(place, text)

    def loglikelihood(self, requests: Sequence[Instance]) -> list[tuple[float, bool]]:
        """Not possible: a detector judges answers of VidHalLoc."""
        raise self._not_ours("tasks that compare likelihoods")

    generate_until_multi_round = loglikelihood

    def _asked(self, request: Instance) -> Asked:
        question = asked(request, self.task_dict)
        if not question.verdict or len(question.video) != 1:
            raise self._not_ours(question.task)
        return question

    def _or_failures(self, questions: Sequence[Asked]) -> Iterator[str]:
        """Yield the answers about one video.

        Where a text brings the model down, the others get their scores all the same: those that
        are not answered yet are asked once more, each alone.
        """
        done, failed = 0, None
        try:
            for text in self._answers(questions):
                done += 1
                yield text
            return
        except InputProblems:
            raise
        except Exception as error:  # whatever a decoder or a model raises
            stop_if_interrupted()  # it may be what came of that
            if len(questions) == 1 or isinstance(error, UnreadableVideo):
                failed = self._failed(questions[0], len(questions) - done, error)
        if failed is not None:
            yield from failed
            return
        free_memory()
        for question in questions[done:]:
            yield from self._or_failures([question])

    def _answers(self, questions: Sequence[Asked]) -> Iterable[str]:
        first = questions[0]
        video = Shown(first.video[0], str(first.doc["media_digest"]))
        scored = self.score_video(video, [self._text(question) for question in questions])
        threshold = self.arguments.threshold.value
        told = self._told(first)
        for one in scored:
            yield answer_with({**told, **one.detail}, one.score, threshold)

    def _failed(self, question: Asked, count: int, error: Exception) -> list[str]:
        why = printable(reason_of(error))
        logger.opt(exception=error).debug(f"{self.name}: a video failed")
        logger.warning(
            f"{self.name}: {counted(count, 'answer')} about {question.video[0]} without a score: "
            f"{why}"
        )
        told = self._told(question)
        failed = answer_with(
            {**told, "status": "failed", "error": why},
            None,
            self.arguments.threshold.value,
            reason="request_failed",
        )
        return [failed] * count

    def _told(self, question: Asked) -> dict[str, object]:
        told = {"detector": self.name, "text": self.arguments.text, **self.told()}
        told["threshold_source"] = self.arguments.threshold.source
        chosen, calibrated = self.arguments.chosen, self.arguments.calibrated
        if chosen is not None and self.arguments.other_settings == "allow":
            told["threshold_settings"] = "allow"
        if calibrated is not None and self.arguments.overlap == "allow":
            told["threshold_overlap"] = "allow"
            told["threshold_saw_video"] = calibrated.saw(question.doc)
        return told

    def _check_overlap(self, docs: Iterable[Mapping[str, Any]]) -> None:
        """Refuse to judge a threshold on videos that it was chosen on, or warn of it once."""
        calibrated = self.arguments.calibrated
        if calibrated is None or self._warned:
            return
        if self.arguments.overlap == "refuse":
            calibrated.refuse(self.name, docs)
        elif problem := calibrated.shared(docs):
            self._warned = True
            logger.warning(
                f"{self.name}: {printable(problem.place)} was {printable(problem.message)}"
            )

    def _check_settings(self, told: Mapping[str, object]) -> None:
        """Refuse a threshold of another detector or of other settings, or warn of it once."""
        chosen = self.arguments.chosen
        if chosen is None:
            return
        told = {"detector": self.name, "text": self.arguments.text, **told}
        if self.arguments.other_settings == "refuse":
            chosen.refuse(self.name, told)
        elif (found := chosen.differences(told)) and not self._warned_of_settings:
            self._warned_of_settings = True
            said = f"{self.name}: {chosen.source} was chosen with {'; '.join(found)}"
            logger.warning(printable(said))

    def _check_range(self) -> None:
        """Warn of a threshold that no score, or every score, would reach."""
        threshold, within = self.arguments.threshold, self.scores_within
        if threshold.value is None or within is None or threshold.source != "number":
            return
        low, high = within
        if not low <= threshold.value <= high:
            logger.warning(
                f"{self.name}: threshold={threshold.value:g} is outside of {low:g} to {high:g}, "
                "where its scores lie: every answer gets the same decision"
            )

    def _check_statements(self, items: Iterable[str]) -> None:
        """Refuse answers without a statement before the first one is judged."""
        if self.arguments.text != "statement":
            return
        lacking = sorted(set(items) - self.arguments.statements.keys())
        if lacking:
            problems = [
                Problem("statement", "statements", f"no statement for {item}") for item in lacking
            ]
            raise InputProblems(self.name, problems)

    def _text(self, question: Asked) -> str:
        return text_of(question.doc, self.arguments.text, self.arguments.statements)

    def _not_ours(self, task: str) -> InputProblems:
        message = f"a detector judges one answer of VidHalLoc about one video, and not {task}"
        hint = "use vidhalloc, vidhalloc_eval, vidhalloc_qa, vidhalloc_caption or vidhalloc_mini"
        return InputProblems(self.name, [Problem("usage", "--tasks", message, hint)])


def _answers_to_judge() -> Iterator[dict[str, Any]]:
    """Yield what the host is about to ask; nothing outside of a run."""
    for docs in running_documents().values():
        yield from (doc for doc in docs if "side" in doc)


def compute_device(device: object) -> Any:  # noqa: ANN401
    """Return where the model of this process computes, as a ``torch.device``.

    Args:
        device: What the host was told; with several processes each takes its own GPU, unless
            they were told to use the CPU.

    Raises:
        ValueError: If there is no such device.
    """
    import torch

    state = PartialState()
    try:
        told = None if device in (None, "", "auto") else torch.device(str(device))
        if told is not None:
            torch.empty(0, device=told).cpu()  # a device that gives nothing back is none
    except (RuntimeError, AssertionError) as error:  # a torch without CUDA asserts
        raise ValueError(f"device={device}: {reason_of(error)}") from None
    if told is None or (told.type == "cuda" and state.num_processes > 1):
        return state.device
    return told
