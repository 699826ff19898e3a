"""What came of a call: a reply, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

__all__ = ["Breaks", "Failed", "FailureKind", "Reply", "Usage"]

Breaks = Literal["", "model", "all"]
"""Which later calls would fail in the same way: none, those to the same model, all."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one attempt, as the server counts them."""

    input: int
    """Tokens of the question, the cached ones too."""
    cached: int
    """Those of the question that the server had seen before; they often cost less."""
    output: int
    """Tokens of the reply; those of its thinking are part of it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of a model."""

    text: str
    finish_reason: str
    """Why the model stopped, as the server says."""
    usage: Usage | None
    """None where the server does not count."""
    seconds: float
    """How long the attempt took that gave it."""
    attempts: int
    """How often it was asked for until it came."""
    cost: float | None
    """Of the attempt that gave it, in the currency of the prices; None without prices. Where the
    server does not count, it is the most that it can have cost."""
    kept: bool
    """Whether it was on disk already, so that nothing was asked."""


class FailureKind(str, Enum):
    """Why a call has no usable reply."""

    TIMEOUT = "timeout"
    NO_CONNECTION = "no_connection"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    AUTH_FAILED = "auth_failed"
    NOT_FOUND = "not_found"
    BAD_REQUEST = "bad_request"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    MALFORMED = "malformed"
    BUDGET_EXHAUSTED = "budget_exhausted"
    STOPPED = "stopped"

    def __str__(self) -> str:
        return self.value

    @property
    def is_infra(self) -> bool:
        """Whether it says nothing about the question: the next run asks again."""
        return self not in _OF_CONTENT


_OF_CONTENT = {
    FailureKind.BAD_REQUEST,
    FailureKind.REFUSED,
    FailureKind.TRUNCATED,
    FailureKind.MALFORMED,
}


class Failed(Exception):
    """A call without a usable reply."""

    def __init__(
        self, kind: FailureKind, message: str, reply: Reply | None = None, breaks: Breaks = ""
    ) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
        """One printable line without the key."""
        self.reply = reply
        """What the model did say, where it was cut off or refused."""
        self.breaks = breaks
        """Which later calls of the client end with the same words, without being sent."""

    @property
    def is_infra(self) -> bool:
        """Whether it says nothing about the question: the next run asks again."""
        return self.kind.is_infra

    def again(self) -> Failed:
        """Return the same failure for another thread to raise."""
        return Failed(self.kind, self.message, self.reply, self.breaks)
