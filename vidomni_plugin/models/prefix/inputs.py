"""What the host's runner would give its model for each question, with the video read once."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lmms_eval.protocol import ChatMessages
from torch import Tensor

__all__ = ["OF_THE_TEXT", "Prompt", "Question", "groups", "once"]

OF_THE_TEXT = ("input_ids", "attention_mask", "mm_token_type_ids")
"""What the processor returns for the text; all else belongs to the video."""


@dataclass(frozen=True, slots=True)
class Question:
    """One request about one video, before its video is read."""

    place: int
    """In the list that the runner was given."""
    messages: ChatMessages
    generation: Mapping[str, Any]
    """As the task gives it."""
    sentences: int
    """That the answer labels, 0 where it does not."""

    @property
    def video(self) -> tuple[object, ...]:
        """Return the file and the part of it; equal for questions that share their video."""
        return next(
            (part.url, part.start_time, part.end_time)
            for message in self.messages.messages
            for part in message.content
            if part.type == "video"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Prompt:
    """One request as the language model sees it. Tensors have shape ``(1, tokens)``."""

    question: Question
    text: str
    """After the chat template; the host passes it to its cache."""
    input_ids: Tensor
    attention_mask: Tensor
    mm_token_type_ids: Tensor
    """0 for text, another number for the places of the video."""
    settings: Mapping[str, Any]
    """What the host gives ``generate`` beside the inputs."""

    def __len__(self) -> int:
        """Return the number of tokens."""
        return int(self.input_ids.shape[1])

    @property
    def ids(self) -> list[int]:
        """Return the token ids."""
        ids: list[int] = self.input_ids[0].tolist()
        return ids


def groups(prompts: Sequence[Prompt]) -> list[list[Prompt]]:
    """Return the prompts, those together that can go on from one prefix.

    They agree in what ``generate`` is told, and in all tokens up to the end of the video.
    """
    found: dict[object, list[Prompt]] = {}
    for prompt in prompts:
        video_end = int(prompt.mm_token_type_ids[0].nonzero().max()) + 1
        settings = repr(sorted(prompt.settings.items()))
        found.setdefault((settings, *prompt.ids[:video_end]), []).append(prompt)
    return list(found.values())


def once(processor: Any) -> Any:  # noqa: ANN401
    """Return the processor with a memory for one video: the same video is processed once.

    The texts still pass through the whole processor, which knows how many places the video
    takes in each of them, so they are the host's to the token.
    """
    remembering = copy.copy(processor)
    remembering.video_processor = _Once(processor.video_processor)
    return remembering


class _Once:
    """Returns the first result again, whatever it is asked."""

    def __init__(self, process: Callable[..., Any]) -> None:
        self._process = process
        self._result: Any = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        if self._result is None:
            self._result = self._process(*args, **kwargs)
        return copy.copy(self._result)  # the processor takes entries out of what it gets

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._process, name)
