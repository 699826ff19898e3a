"""Ask a model of the host, about a video or without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms
from lmms_eval.models import MODEL_REGISTRY_V2, get_model
from loguru import logger

from vidomni_plugin.data.sound import readable
from vidomni_plugin.interrupts import stop_if_interrupted
from vidomni_plugin.models.detectors.base import Shown
from vidomni_plugin.models.detectors.fifa.heard import Heard, NotHeard, Outcome
from vidomni_plugin.models.detectors.fifa.prompts import Message, Role
from vidomni_plugin.models.runner.outcomes import Outcome as Answered
from vidomni_plugin.models.runner.outcomes import outcomes_of, reason_of
from vidomni_plugin.models.runner.quiet import quiet
from vidomni_plugin.problems import InputProblems, printable
from vidomni_plugin.video.install import install

__all__ = ["HostModel", "HostText", "HostVideoQA", "is_known"]

TASK, SPLIT = "vidomni_fifa", "asked"
"""The host's models look a request's document up under such names."""
OURS = ("vidomni_fifa", "vidomni_runner")


def is_known(name: str) -> bool:
    """Whether the host has a model of this name that can answer in a detector."""
    try:
        MODEL_REGISTRY_V2.resolve(name)
    except ValueError:
        return False
    return name not in OURS


class HostModel:
    """A model of the host, made once.

    Args:
        name: In the host's registry.
        given: Its arguments.
    """

    def __init__(self, name: str, given: Mapping[str, object]) -> None:
        self.name = name
        self._chat = MODEL_REGISTRY_V2.resolve(name).model_type == "chat"
        self._model: lmms = get_model(name)(**given)

    def ask(self, asked: Sequence[Sequence[Message]], max_tokens: int) -> list[Outcome]:
        """Return a reply to each conversation, asked together.

        A model that fails at them together is asked each alone.
        """
        try:
            outcomes = self._ask(asked, max_tokens)
        except InputProblems:
            raise
        # Whatever a model or a decoder raises costs these questions and not the run.
        except (Exception, SystemExit) as error:
            stop_if_interrupted()
            if len(asked) > 1:
                return [one for each in asked for one in self.ask([each], max_tokens)]
            logger.opt(exception=error).debug(f"{self.name}: a question failed")
            return [NotHeard("failed", printable(reason_of(error)), again=True)]
        return [_heard(one) for one in outcomes]

    def _ask(self, asked: Sequence[Sequence[Message]], max_tokens: int) -> list[Answered]:
        documents = {place: {"messages": each} for place, each in enumerate(asked)}
        self._model.task_dict = {TASK: {SPLIT: documents}}
        settings = {"max_new_tokens": max_tokens, "temperature": 0, "do_sample": False}
        requests = [
            Instance(
                "generate_until",
                self._arguments(place, each, dict(settings)),
                place,
                {"task": TASK, "doc_id": place, "repeats": 1},
            )
            for place, each in enumerate(asked)
        ]
        install()  # by now the model has imported what it reads videos with
        with quiet():
            return outcomes_of(self._model.generate_until(requests), len(requests))

    def _arguments(
        self, place: int, asked: Sequence[Message], settings: dict[str, object]
    ) -> tuple[Any, ...]:
        text = "\n\n".join(part["text"] for part in _parts(asked) if part["type"] == "text")
        rest = (place, TASK, SPLIT)
        if self._chat:
            return (text, _messages, settings, *rest)
        return (text, settings, _videos, *rest)


class HostText:
    """The language model as a model of the host; it is asked one question at a time.

    Args:
        model: The model.
        max_tokens: Of a reply.
    """

    def __init__(self, model: HostModel, max_tokens: int) -> None:
        self._model, self._max_tokens = model, max_tokens

    def ask(self, role: Role, asked: Sequence[Message], item: str) -> Outcome:
        """Return what the model says."""
        (outcome,) = self._model.ask([asked], self._max_tokens)
        return outcome


class HostVideoQA:
    """The model that sees the video as a model of the host.

    Args:
        model: The model.
        max_tokens: Of a reply.
    """

    def __init__(self, model: HostModel, max_tokens: int) -> None:
        self._model, self._max_tokens = model, max_tokens

    def answers(
        self, video: Shown, questions: Sequence[str], items: Sequence[str]
    ) -> list[Outcome]:
        """Return what the model says to each question; all are asked together.

        So a model that shares the work on a video among its questions can.
        """
        path = str(readable(Path(video.path), video.digest))
        asked = [_about(path, question) for question in questions]
        return self._model.ask(asked, self._max_tokens) if asked else []


def _about(path: str, question: str) -> list[Message]:
    parts = [{"type": "video", "url": path}, {"type": "text", "text": question}]
    return [{"role": "user", "content": parts}]


def _heard(one: Answered) -> Outcome:
    if one.failure is not None:
        return NotHeard("failed", one.failure, again=True)
    if one.tokens is None:
        return Heard(one.text)
    return Heard(one.text, input=one.tokens.input_tokens, output=one.tokens.output_tokens)


def _messages(doc: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the conversation as the host's chat models take it."""
    return [{"role": message["role"], "content": _parts([message])} for message in doc["messages"]]


def _videos(doc: Mapping[str, Any]) -> list[str]:
    """Return what the host's simple models are shown."""
    return [part["url"] for part in _parts(doc["messages"]) if part["type"] == "video"]


def _parts(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    for message in messages:
        content = message["content"]
        parts += [{"type": "text", "text": content}] if isinstance(content, str) else content
    return parts
