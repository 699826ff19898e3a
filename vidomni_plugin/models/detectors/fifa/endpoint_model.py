"""Ask a model behind an OpenAI-compatible endpoint, several calls at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from vidomni_plugin.endpoint.address import shown_url
from vidomni_plugin.endpoint.call import Call
from vidomni_plugin.endpoint.client import Client
from vidomni_plugin.endpoint.reply import Failed, Reply
from vidomni_plugin.models.detectors.base import Shown
from vidomni_plugin.models.detectors.fifa.arguments import TITLE, Side
from vidomni_plugin.models.detectors.fifa.heard import Heard, NotHeard, Outcome
from vidomni_plugin.models.detectors.fifa.pictures import pictures
from vidomni_plugin.models.detectors.fifa.prompts import Message, Role
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["EndpointText", "EndpointVideoQA", "in_threads", "stopping"]

VIDEO = "These are frames of a video, each with its time."
Given = TypeVar("Given")
Found = TypeVar("Found")


class EndpointModel:
    """One of the two models.

    Args:
        side: Its arguments.
        client: Asks its server.
    """

    def __init__(self, side: Side, client: Client) -> None:
        self.side, self.client = side, client
        self._settings: dict[str, object] = {"max_tokens": side.max_tokens}
        if side.temperature is not None:
            self._settings["temperature"] = side.temperature

    def ask_model(self, role: str, asked: Sequence[Message], item: str) -> Outcome:
        """Return what the model says.

        Raises:
            InputProblems: If the endpoint refuses the key or does not know the model: every other
                call would end the same way.
        """
        call = Call(role, tuple(asked), self.side.model, self._settings)
        try:
            return _heard(self.client.ask(call, item))
        except Failed as failed:
            if failed.breaks:
                message = f"{self.side.name}={self.side.model}: {failed.message}"
                hint = (
                    f"check {self.side.key_name}, {self.side.name} and {self.side.name}_base_url; "
                    "all replies are kept"
                )
                problem = Problem("usage", shown_url(self.side.base_url), message, hint)
                raise InputProblems(TITLE, [problem]) from None
            return NotHeard(str(failed.kind), failed.message, again=failed.is_infra)


class EndpointText(EndpointModel):
    """The language model."""

    def ask(self, role: Role, asked: Sequence[Message], item: str) -> Outcome:
        """Return what the model says; threads may ask at once."""
        return self.ask_model(role, asked, item)


class EndpointVideoQA(EndpointModel):
    """The model that sees the video, as frames.

    Args:
        side: Its arguments.
        client: Asks its server.
        at_once: Questions under way at a time.
        stop: Set when the run ends early.
    """

    def __init__(self, side: Side, client: Client, at_once: int, stop: threading.Event) -> None:
        super().__init__(side, client)
        self._at_once, self._stop = at_once, stop

    def answers(
        self, video: Shown, questions: Sequence[str], items: Sequence[str]
    ) -> list[Outcome]:
        """Return what the model says to each question.

        The video is decoded once; each question is a call with all of its frames. A question
        that comes twice is asked once.
        """
        shown = pictures(video.path, self.side.look)
        first: dict[str, str] = {}
        for question, item in zip(questions, items, strict=True):
            first.setdefault(question, item)
        ask = partial(self._ask, shown)
        found = in_threads(lambda one: ask(*one), list(first.items()), self._at_once, self._stop)
        said = dict(zip(first, found, strict=True))
        return [said[question] for question in questions]

    def _ask(self, shown: Sequence[Mapping[str, object]], question: str, item: str) -> Outcome:
        content = [{"type": "text", "text": VIDEO}, *shown, {"type": "text", "text": question}]
        return self.ask_model("videoqa", [{"role": "user", "content": content}], item)


def in_threads(
    work: Callable[[Given], Found], given: Sequence[Given], at_once: int, stop: threading.Event
) -> list[Found]:
    """Return what comes of each, in their order; after an error nothing new is begun."""
    pool = ThreadPoolExecutor(at_once, thread_name_prefix=TITLE)
    try:
        with stopping(stop):
            return [future.result() for future in [pool.submit(work, one) for one in given]]
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def stopping(stop: threading.Event) -> Iterator[None]:
    """Let clients ask nothing new once something inside has ended the run.

    A video that cannot be read does not: the next one is asked about.
    """
    try:
        yield
    except BaseException as error:  # Ctrl-C too
        if isinstance(error, InputProblems) or not isinstance(error, Exception):
            stop.set()
        raise


def _heard(reply: Reply) -> Heard:
    usage = reply.usage
    if usage is None:
        return Heard(reply.text, cost=reply.cost)
    return Heard(reply.text, usage.input, usage.cached, usage.output, reply.cost)
