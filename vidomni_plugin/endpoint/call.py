"""One question to a model: its key, and the most that it can cost."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from vidomni_plugin.endpoint.reply import Usage

__all__ = ["MOST_OUTPUT", "Call"]

LIMITS = ("max_completion_tokens", "max_tokens")
"""Settings that bound a reply."""
TAKEN = ("messages", "model", "n", "stream", "stream_options")
"""Settings that a call has no use for: one question has one reply, which comes whole."""
MOST_OUTPUT = 10**9
"""Tokens of a reply: more are a slip, and sums of them may not fit into a file of replies."""
TEMPLATE_TOKENS = 256
"""Room for what a server puts before the messages, such as a system prompt of its own."""
MEDIA = ("image_url", "video_url", "audio_url", "input_audio", "input_video")
"""Types of the parts of a message that are no text."""


@dataclass(frozen=True)
class Call:
    """What is sent to a model.

    Raises:
        ValueError: If the settings do not bound the reply, or hold what a call has no use for.

    Example:
        >>> message = {"role": "user", "content": "Is there a dog?"}
        >>> call = Call("question", (message,), "m", {"max_tokens": 8})
        >>> call.has_media, call.most_tokens(image_tokens=0)
        (False, 328)
    """

    role: str
    """What the call is for; totals are kept by it. It is not sent."""
    messages: tuple[Mapping[str, Any], ...]
    """As the API takes them; pictures are parts with a ``data:`` or ``https:`` address."""
    model: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Temperature, seed, ``max_tokens``, ``extra_body`` and the like."""

    def __post_init__(self) -> None:
        body = self.body()
        for name in TAKEN:
            if name in body:
                raise ValueError(f"{name} is no setting of a call")
        named = [body[name] for name in LIMITS if name in body]
        if not named or not all(type(most) is int and 0 < most <= MOST_OUTPUT for most in named):
            raise ValueError("the settings of a call name max_tokens: it bounds what a reply costs")

    def body(self) -> dict[str, Any]:
        """Return all settings in one mapping, as they stand in the request."""
        extra: Mapping[str, Any] = self.settings.get("extra_body") or {}
        return {name: of for name, of in self.settings.items() if name != "extra_body"} | dict(
            extra
        )

    @cached_property
    def key(self) -> str:
        """SHA-256 of all that the reply depends on; the role and the address are not in it."""
        content = [self.model, list(self.messages), dict(self.settings)]
        return hashlib.sha256(_canonical(content)).hexdigest()

    @property
    def has_media(self) -> bool:
        """Whether a message holds more than text."""
        return any(self._media())

    def most_usage(self, image_tokens: int) -> Usage:
        """Return the most tokens that one attempt can take.

        A token of text is at least one byte; the JSON around the texts stands for the tokens
        that a chat template adds to each message.

        Args:
            image_tokens: Most tokens of one picture (of one video or sound, where it is sent
                as such).
        """
        text = [[_without_media(message) for message in self.messages], dict(self.settings)]
        pictures = sum(1 for _ in self._media())
        body = self.body()
        most = max(body[name] for name in LIMITS if name in body)
        asked = len(_canonical(text)) + TEMPLATE_TOKENS + pictures * image_tokens
        return Usage(asked, 0, most)

    def most_tokens(self, image_tokens: int) -> int:
        """Return the most tokens that one attempt can take, question and reply together."""
        most = self.most_usage(image_tokens)
        return most.input + most.output

    def with_settings(self, **changes: object) -> Call:
        """Return the call with other settings; None takes one out."""
        settings = dict(self.settings) | changes
        return replace(self, settings={n: v for n, v in settings.items() if v is not None})

    def _media(self) -> Iterator[Mapping[str, Any]]:
        for message in self.messages:
            content = message.get("content")
            for part in content if isinstance(content, (list, tuple)) else ():
                if part.get("type") in MEDIA:
                    yield part


def _without_media(message: Mapping[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    if not isinstance(content, (list, tuple)):
        return dict(message)
    parts = [{"type": part["type"]} if part.get("type") in MEDIA else part for part in content]
    return dict(message) | {"content": parts}


def _canonical(content: object) -> bytes:
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")
