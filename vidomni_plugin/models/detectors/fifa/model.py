"""``vidomni_fifa``: a language model finds the facts of a text, a VideoQA model checks each."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from lmms_eval.api.instance import Instance
from loguru import logger

from vidomni_plugin.detectors.answer import answer_with, read_answer
from vidomni_plugin.models.detectors.arguments import read_arguments
from vidomni_plugin.models.detectors.base import Answered, Detector, Scored, Shown
from vidomni_plugin.models.detectors.fifa.arguments import FifaArguments, read_fifa_arguments
from vidomni_plugin.models.detectors.fifa.chain import Chain, chain_of
from vidomni_plugin.models.detectors.fifa.endpoint_model import stopping
from vidomni_plugin.models.detectors.fifa.heard import Outcome
from vidomni_plugin.models.detectors.fifa.prompts import identity
from vidomni_plugin.models.detectors.fifa.sides import Models, models
from vidomni_plugin.models.detectors.fifa.verdict import Judged, judged
from vidomni_plugin.models.requests import Asked
from vidomni_plugin.models.runner.outcomes import failed_text
from vidomni_plugin.problems import printable

__all__ = ["FifaDetector"]

HINT = "Answer yes or no."
"""Follows each question: FIFA's code gives the bare question, and takes any reply."""


@dataclass(frozen=True, slots=True)
class Text:
    """What is judged, and the answer that it belongs to."""

    text: str
    item: str
    """Named beside each call."""


class FifaDetector(Detector):
    """Scores a text by the share of its facts that hold in the video.

    Args:
        text, statements, threshold, threshold_overlap, threshold_settings: As every detector, see
            ``read_arguments``.
        device, batch_size, max_batch_size: Given by the host; a model of the host gets them.
        own: FIFA's own arguments, see docs/detectors/fifa.md.

    Raises:
        InputProblems: If an argument, a model or the file of replies cannot be used.
    """

    name = "vidomni_fifa"

    def __init__(
        self,
        text: object = "question_answer",
        statements: object = "",
        threshold: object = "",
        threshold_overlap: object = "refuse",
        threshold_settings: object = "refuse",
        device: object = None,
        batch_size: object = None,
        max_batch_size: object = None,
        **own: Any,  # noqa: ANN401
    ) -> None:
        self.own: FifaArguments = read_fifa_arguments(own)
        of_the_threshold = (threshold_overlap, threshold_settings)
        super().__init__(read_arguments(self.name, text, threshold, statements, *of_the_threshold))
        host = {"device": device, "batch_size": batch_size, "max_batch_size": max_batch_size}
        self._stop = threading.Event()
        self.models: Models = models(self.own, host, self._stop)
        self._chains: dict[str, Future[Chain]] = {}
        self._pool: ThreadPoolExecutor | None = None
        self._inside = False
        self._without: Counter[str] = Counter()

    def told(self) -> Mapping[str, object]:
        """Return the settings that decide a score."""
        return {**self.models.told, **self.told_before_loading()}

    def told_before_loading(self) -> Mapping[str, object]:
        """Return all of them but the models."""
        return {"prompts": identity(), "hint": self.own.hint}

    def generate_until(self, requests: Sequence[Instance]) -> list[str]:
        """Return the answers in the order of the requests, which may be any.

        Behind an endpoint the language model works ahead, while videos are looked at.
        """
        with self._asking():
            for request in requests if self.models.ahead else ():
                self._submit(self._text_of(self._asked(request)))
            return super().generate_until(requests)

    def answer_video(self, requests: Sequence[Instance], answered: Answered) -> None:
        """Answer the requests of one video.

        What failed for a reason that is not the text's is a failure to ``vidomni_runner``, which
        asks again in the next run.
        """
        with self._asking():
            super().answer_video(requests, lambda place, text: answered(place, _for_journal(text)))

    def score_video(self, video: Shown, texts: Sequence[str]) -> Sequence[Scored]:
        """Return the score of each text; all questions about the video are asked together."""
        with self._asking():
            return [one.scored for one in self._judged(video, [Text(text, "") for text in texts])]

    def clean(self) -> None:
        """Say what was asked and what it cost; the host calls this when all is answered."""
        rank = f", rank {self.rank}" if self.world_size > 1 else ""
        if told := self.models.summary():
            logger.info(f"{self.name}{rank}: {told}")
        if self._without:
            listed = ", ".join(f"{status} {n:,}" for status, n in self._without.most_common())
            logger.warning(f"{self.name}{rank}: answers without a score: {listed}")
        self.models.close()  # replies are on disk since they came
        super().clean()

    def _answers(self, questions: Sequence[Asked]) -> list[str]:
        first = questions[0]
        video = Shown(first.video[0], str(first.doc["media_digest"]))
        found = self._judged(video, [self._text_of(question) for question in questions])
        for question, one in zip(questions, found, strict=True):
            self._note(question.item, one.scored)
        told, threshold = self._told(first), self.arguments.threshold.value
        return [
            answer_with(
                {**told, **one.scored.detail},
                one.scored.score,
                threshold,
                reason="request_failed" if one.again else "",
            )
            for one in found
        ]

    def _note(self, item: str, one: Scored) -> None:
        """Count an answer without a score, and tell of the first of a kind."""
        if one.score is None:
            status = str(one.detail["status"])
            self._without[status] += 1
            if self._without[status] == 1:
                text = printable(str(one.detail["error"]))
                logger.warning(f"{self.name}: {item} has no score: {status}: {text}")

    def _text_of(self, question: Asked) -> Text:
        return Text(self._text(question), question.item)

    def _judged(self, video: Shown, texts: Sequence[Text]) -> list[Judged]:
        chains = [future.result() for future in [self._submit(text) for text in texts]]
        places = [
            (place, number)
            for place, chain in enumerate(chains)
            if not chain.status
            for number in chain.questions
        ]
        questions = [self._question(chains[place].questions[number]) for place, number in places]
        items = [texts[place].item for place, _ in places]
        said: list[dict[int, Outcome]] = [{} for _ in chains]
        if questions:
            outcomes = self.models.videoqa.answers(video, questions, items)
            for (place, number), outcome in zip(places, outcomes, strict=True):
                said[place][number] = outcome
        compat = self.own.paper_compat
        return [
            judged(chain, replies, published=compat)
            for chain, replies in zip(chains, said, strict=True)
        ]

    def _question(self, question: str) -> str:
        return f"{question} {HINT}" if self.own.hint else question

    def _submit(self, text: Text) -> Future[Chain]:
        """Return what will be the facts of a text; each text is asked about once."""
        if text.text not in self._chains:
            ask = partial(self.models.llm.ask, item=text.item)
            self._chains[text.text] = self._run(partial(chain_of, text.text, ask))
        return self._chains[text.text]

    def _run(self, work: Callable[[], Chain]) -> Future[Chain]:
        if self._pool is not None:
            return self._pool.submit(work)
        done: Future[Chain] = Future()
        done.set_result(work())
        return done

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Have threads for the language model inside, where it is behind an endpoint."""
        if self._inside:
            yield
            return
        self._inside = True
        if self.models.ahead:
            self._pool = ThreadPoolExecutor(self.models.ahead, thread_name_prefix=self.name)
        try:
            with stopping(self._stop):
                yield
        finally:
            if self._pool is not None:
                self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool, self._inside = None, False
            self._chains.clear()


def _for_journal(text: str) -> str:
    """Return an answer as the runner keeps it: a failure that may pass is no answer."""
    known = read_answer(text)
    if known is None or known.reason != "request_failed":
        return text
    return failed_text(f"{known.detail.get('status')}: {known.detail.get('error')}")
