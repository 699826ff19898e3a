"""What the host asks a model, in one shape for chat and simple models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from lmms_eval.api.instance import Instance

__all__ = ["Asked", "asked", "by_video"]

TaskDict = Mapping[str, Mapping[str, Any]]
"""The host's documents by task and split."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    task: str
    split: str
    doc_id: int
    item: str
    """The item's own id where it has one, otherwise its number in the task."""
    text: str
    """All text that the model is given, in its order."""
    generation: Mapping[str, Any]
    """The generation settings of the request."""
    media: tuple[Any, ...]
    """Paths, images and sounds in their order, as the task gives them."""
    doc: Mapping[str, Any] = field(repr=False)

    @property
    def video(self) -> tuple[str, ...]:
        """Paths among the media: requests with the same ones share their video."""
        return tuple(part for part in self.media if isinstance(part, str))


def asked(request: Instance, task_dict: TaskDict) -> Asked:
    """Return what a request of type ``generate_until`` asks.

    Args:
        request: Of a chat model, ``(text, doc_to_messages, generation, doc_id, task, split)``; of
            a simple one, ``(text, generation, doc_to_visual, doc_id, task, split)``.
        task_dict: The documents that the host gave the model.
    """
    text, second, third, doc_id, task, split = request.args
    doc = task_dict[task][split][doc_id]
    if callable(second):
        parts = [part for message in second(doc) for part in _parts(message["content"])]
        text = "\n".join(part["text"] for part in parts if part["type"] == "text")
        media = [
            part.get("url", part.get(part["type"])) for part in parts if part["type"] != "text"
        ]
        generation = third
    else:
        visuals = third(doc)
        media = [] if visuals is None else list(visuals)
        generation = second
    item = str(doc.get("answer_id") or f"{task}:{doc_id}")
    return Asked(task, split, doc_id, item, text, generation, tuple(media), doc)


def _parts(content: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


class WithVideo(Protocol):
    """Anything that shows a video, or several, or none."""

    @property
    def video(self) -> tuple[str, ...]:
        """Paths of the videos."""


def by_video(requests: Sequence[WithVideo]) -> list[list[int]]:
    """Return the places of the requests, those of one video together.

    Videos come in the order of their first request, and so do the requests of a video. A request
    without a video is a group of its own.

    Example:
        >>> def one(path):
        ...     return Asked("t", "test", 0, "i", "Q", {}, (path,) if path else (), {})
        >>> by_video([one("a"), one("b"), one("a"), one(""), one("b")])
        [[0, 2], [1, 4], [3]]
    """
    groups: dict[object, list[int]] = {}
    for place, request in enumerate(requests):
        groups.setdefault(request.video or place, []).append(place)
    return list(groups.values())
