"""Ask the inner model, one video after the other, and keep each answer as soon as it is there."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from datetime import datetime, timezone
from typing import Any

from lmms_eval.api.model import lmms
from lmms_eval.models.model_utils.usage_metrics import is_budget_exceeded
from loguru import logger

from vidomni_plugin.data.locate import home
from vidomni_plugin.interrupts import stop_if_interrupted, watched
from vidomni_plugin.models.runner.arguments import TITLE, RunnerArguments
from vidomni_plugin.models.runner.entries import Answer
from vidomni_plugin.models.runner.guard import OF_FAILURES, Guard, failure_hint, likely_cause
from vidomni_plugin.models.runner.inner import answers_videos
from vidomni_plugin.models.runner.journal import Journal
from vidomni_plugin.models.runner.outcomes import (
    OVER_BUDGET,
    BadAnswer,
    Outcome,
    free_memory,
    is_no_room,
    outcome_of,
    outcomes_of,
    reason_of,
)
from vidomni_plugin.models.runner.plan import Question, fresh
from vidomni_plugin.models.runner.progress import Videos
from vidomni_plugin.models.runner.quiet import quiet
from vidomni_plugin.problems import InputProblems, Problem, printable
from vidomni_plugin.wording import counted

__all__ = ["Asking", "useless"]

NO_ANSWER = "the model gave no answer"


def useless(question: Question, text: str) -> bool:
    """Whether an answer to a question of ours gives no label at all; False for other tasks."""
    from vidomni_plugin.detectors.answer import read_answer
    from vidomni_plugin.labels import parse_sentence_labels, parse_verdict

    if question.sentences is not None:
        return parse_sentence_labels(text, question.sentences).status == "none"
    if not question.verdict or parse_verdict(text).label is not None:
        return False
    scored = read_answer(text)  # a detector without a threshold, whose scores find one
    return scored is None or scored.score is None


class Asking:
    """One call's questions on their way through the inner model into the journal.

    Args:
        inner: The model that answers.
        journal: Open for writing.
        arguments: Of the runner.
        guard: Says when to stop.
        shown: Whether this rank shows how far it is.
    """

    def __init__(
        self,
        inner: lmms,
        journal: Journal,
        arguments: RunnerArguments,
        guard: Guard,
        *,
        shown: bool,
    ) -> None:
        self._inner = inner
        self._journal = journal
        self._arguments = arguments
        self._guard = guard
        self._shown = shown
        self._left: Counter[int] = Counter()
        self._group: dict[int, int] = {}
        self._reasons: Counter[str] = Counter()
        self._stop: InputProblems | None = None
        self._logged: list[str] = []
        self._raised = False
        self._at: tuple[str, ...] | None = None

    def ask(self, videos: Sequence[Sequence[Question]]) -> None:
        """Ask all questions; when this returns each has an answer or a failure in the journal.

        Raises:
            InputProblems: If the run has to stop; what was answered is kept.
        """
        for number, questions in enumerate(videos):
            self._left[number] = len(questions)
            self._group |= {question.place: number for question in questions}
        with ExitStack() as stack:
            stack.callback(_stop_hearing, logger.add(self._hear, level="WARNING"))
            self._progress = stack.enter_context(Videos(len(videos), shown=self._shown))
            stack.enter_context(quiet())
            stack.enter_context(watched())
            for questions in self._chunks(videos):
                stop_if_interrupted()
                _stop_over_budget()
                self._use_our_readers(questions[0])
                self._ask_together(questions)
        if self._reasons:
            shown = "; ".join(f"{n} x {reason}" for reason, n in self._reasons.most_common(3))
            failed = counted(self._reasons.total(), "request")
            logger.warning(
                f"{TITLE}: {failed} failed; the next start with this journal asks again: {shown}"
            )

    def _chunks(self, videos: Sequence[Sequence[Question]]) -> Iterator[Sequence[Question]]:
        """Yield what is handed to the inner model together."""
        at_once = self._arguments.at_once
        if answers_videos(self._inner):
            yield from videos
        elif at_once is not None:
            every = [question for questions in videos for question in questions]
            yield from (every[k : k + at_once] for k in range(0, len(every), at_once))
        else:
            # Not over the end of a video: some runners take one frame count for a whole batch.
            size = 1 if self._arguments.labels_only else _batch_size(self._inner)
            for questions in videos:
                yield from (questions[k : k + size] for k in range(0, len(questions), size))

    def _ask_together(self, questions: Sequence[Question]) -> None:
        """Ask several questions; those that fail once more, each alone."""
        again: list[Question] = []

        def take(question: Question, outcome: Outcome, seconds: float) -> None:
            if outcome.failure is not None and outcome.again and len(questions) > 1:
                again.append(question)
            else:
                self._keep(question, outcome, seconds)

        for question in questions:
            if question.failure is not None:  # it cannot even be asked
                self._keep(question, Outcome(failure=question.failure), 0.0)
        asked = [question for question in questions if question.failure is None]
        if asked:
            call = self._call_video if answers_videos(self._inner) else self._call
            call(asked, take)
        if self._raised:  # not before: until then the error holds on to what it was raised over
            self._raised = False
            free_memory()
        self._stop_if_told()
        for question in again:
            self._ask_together([question])

    def _call(self, questions: Sequence[Question], take: Take) -> None:
        """Ask a stock model, which answers when all is done."""
        start = time.monotonic()
        try:
            with self._stopping(questions[0]):
                outputs = self._inner.generate_until([fresh(q) for q in questions])
            outcomes = outcomes_of(outputs, len(questions))
        except InputProblems:
            raise
        # Whatever a model or a decoder raises costs this item and not the run; the functions of
        # some tasks, which the model calls, end the whole process.
        except (Exception, SystemExit) as error:
            outcomes = [self._failed(error)] * len(questions)
        stop_if_interrupted()  # what came of the call may be cut off by it
        seconds = (time.monotonic() - start) / len(questions)
        for question, outcome in zip(questions, outcomes, strict=True):
            take(question, outcome, seconds)

    def _call_video(self, questions: Sequence[Question], take: Take) -> None:
        """Ask a model of ours, which says each answer as soon as it has it."""
        done: set[int] = set()
        last = time.monotonic()

        def answered(place: int, result: object) -> None:
            nonlocal last
            stop_if_interrupted()
            if place in done:
                return
            done.add(place)
            try:
                outcome = outcome_of(result)
            except BadAnswer as error:
                outcome = Outcome(failure=reason_of(error), again=True)
            now = time.monotonic()
            seconds, last = now - last, now
            try:
                take(questions[place], outcome, seconds)
            except InputProblems as problems:  # a model that catches everything must not hide it
                self._stop = problems
                raise

        failed = Outcome(failure=NO_ANSWER, again=True)
        answer_video: Callable[..., None] = self._inner.answer_video
        try:
            answer_video([fresh(question) for question in questions], answered)
        except InputProblems:
            raise
        except (Exception, SystemExit) as error:  # as in _call
            failed = self._failed(error)
        stop_if_interrupted()
        self._stop_if_told()
        for place, question in enumerate(questions):
            if place not in done:
                take(question, failed, time.monotonic() - last)

    def _use_our_readers(self, question: Question) -> None:
        """Wrap what reads videos, as far as it is imported by now; once a video is enough."""
        if question.video != self._at:
            from vidomni_plugin.video.install import install

            self._at = question.video
            install(self._arguments.cache_bytes)

    def _stopping(self, question: Question) -> AbstractContextManager[Any]:
        """Return what ends a stock model's answer behind its labels, where that is asked for."""
        if not self._arguments.labels_only or question.sentences is None:
            return nullcontext()
        from vidomni_plugin.models.labels_only import stopping

        return stopping(self._inner.model, self._inner.tokenizer, [question.sentences])

    def _keep(self, question: Question, outcome: Outcome, seconds: float) -> None:
        tokens = outcome.tokens
        answer = Answer(
            key=question.key,
            task=question.task,
            item=question.item,
            video=question.files,
            text=outcome.text,
            failure=outcome.failure,
            seconds=round(seconds, 3),
            at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
            input_tokens=tokens.input_tokens if tokens else None,
            output_tokens=tokens.output_tokens if tokens else None,
            reasoning_tokens=tokens.reasoning_tokens if tokens else None,
        )
        self._journal.add(answer)
        if outcome.failure is not None:
            self._reasons[outcome.failure] += 1
            logger.warning(f"{TITLE}: {question.item} failed: {outcome.failure}")
        self._progress.answered(failed=outcome.failure is not None)
        group = self._group[question.place]
        self._left[group] -= 1
        if not self._left[group]:
            self._progress.video_done()
        why = self._guard.see(question, answer)
        if why and self._stop is None:
            self._stop = self._useless_run(why)

    def _useless_run(self, why: str) -> InputProblems:
        hint = failure_hint(why) or OF_FAILURES
        if not self._guard.failing:
            self._journal.withdraw(self._guard.first, why)
            why += "; they are taken back, and a mended set-up asks again"
            hint = likely_cause(self._arguments.inner)
        if self._logged:
            why += f"; the model said: {self._logged[-1]}"
        return InputProblems(TITLE, [Problem("no-answers", self._arguments.inner, why, hint)])

    def _failed(self, error: BaseException) -> Outcome:
        logger.opt(exception=error).debug(f"{TITLE}: a request failed")
        self._raised = True
        reason = reason_of(error)
        if is_no_room(error):  # every other request would fail as this one
            hint = f"make room in {home()}, or where the model writes, and start again"
            self._stop = InputProblems(TITLE, [Problem("no-folder", "disk", reason, hint)])
        return Outcome(failure=reason, again=True)

    def _stop_if_told(self) -> None:
        if self._stop is not None:
            raise self._stop

    def _hear(self, message: Any) -> None:  # noqa: ANN401
        """Keep what the inner model warns of: the reason why it answers with nothing."""
        if not str(message.record["name"]).startswith("vidomni_plugin"):
            self._logged = [*self._logged, printable(message.record["message"])[:300]][-3:]


Take = Callable[[Question, Outcome, float], None]


def _stop_hearing(handler: int) -> None:
    with suppress(ValueError):  # a model that sets up the log anew has removed it
        logger.remove(handler)


def _stop_over_budget() -> None:
    if is_budget_exceeded():
        hint = "every answer is kept: start again with a higher --max_tokens"
        raise InputProblems(TITLE, [Problem("usage", "--max_tokens", OVER_BUDGET, hint)])


def _batch_size(inner: lmms) -> int:
    size = getattr(inner, "batch_size", 1)
    return size if isinstance(size, int) and size >= 1 else 1
