"""What the host asks a model, in one shape for chat and simple models."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from lmms_eval.api.instance import Instance

__all__ = ["Asked", "asked", "by_video", "sentences_of"]

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
    form: tuple[Any, ...] = ()
    """Of a chat request: each message's role and, in their order, the parts of its content without
    the media themselves. The same text and video in another order are another prompt."""

    @property
    def video(self) -> tuple[str, ...]:
        """Paths among the media: requests with the same ones share their video.

        Of our documents it is the video itself, whichever copy of it is shown.
        """
        paths = tuple(part for part in self.media if isinstance(part, str))
        ours = self.doc.get("media_digest") and "video" in self.doc
        return (self.doc["video"],) if paths and ours else paths

    @property
    def sentences(self) -> int | None:
        """How many sentences are to be labelled; None where it is no question of VidOmni."""
        return sentences_of(self.doc)

    @property
    def verdict(self) -> bool:
        """Whether it is a question of VidHalLoc."""
        return "answer_id" in self.doc and "side" in self.doc


def sentences_of(doc: Mapping[str, Any]) -> int | None:
    """Return how many sentences an answer labels; None where the document is not VidOmni's.

    Example:
        >>> sentences_of({"answer_id": "p", "gold": [0, 1]}), sentences_of({"gold": "A"})
        (2, None)
    """
    return len(doc["gold"]) if "answer_id" in doc and "gold" in doc else None


def asked(request: Instance, task_dict: TaskDict) -> Asked:
    """Return what a request of type ``generate_until`` asks.

    Args:
        request: Of a chat model, ``(text, doc_to_messages, generation, doc_id, task, split)``; of
            a simple one, ``(text, generation, doc_to_visual, doc_id, task, split)``.
        task_dict: The documents that the host gave the model.
    """
    text, second, third, doc_id, task, split = request.args
    doc = task_dict[task][split][doc_id]
    form: tuple[Any, ...] = ()
    if callable(second):
        messages = second(doc)
        parts = [part for message in messages for part in _parts(message["content"])]
        form = tuple((message.get("role"), _form(message["content"])) for message in messages)
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
    return Asked(task, split, doc_id, item, text, generation, tuple(media), doc, form)


def _parts(content: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _form(content: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """Return the parts of a message without their media, which count by their content."""
    return [
        {name: _plain(value) for name, value in part.items() if not _is_medium(name, part)}
        for part in _parts(content)
    ]


def _is_medium(name: str, part: Mapping[str, Any]) -> bool:
    return part["type"] != "text" and name == ("url" if "url" in part else part["type"])


def _plain(value: object) -> object:
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError):  # as text it may name an address, new in every process
        return type(value).__qualname__


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
