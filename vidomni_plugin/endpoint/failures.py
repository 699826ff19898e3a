"""What an error of a server means: whose fault it is, and whether asking again can help."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from vidomni_plugin.endpoint.reply import Breaks, FailureKind

__all__ = ["Verdict", "of_status"]

_NO_MONEY = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
"""Codes of a 429 that no waiting helps; the texts of some servers say "quota" for any limit."""
_REFUSED = re.compile(
    r"content[ _-]?(?:filter|policy|management|moderation)|moderat|flagged|safety|"
    r"prohibited|inappropriate",
    re.IGNORECASE,
)
_ACCOUNT = re.compile(
    r"billing|quota|credit|payment|balance|subscri|\bkey\b|permission|access|account|"
    r"organi[sz]ation|project|country|region",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a status means."""

    kind: FailureKind
    retried: bool = False
    breaks: Breaks = ""


def of_status(status: int, code: str = "", message: str = "") -> Verdict:
    """Return what a status of HTTP means.

    Args:
        status: Such as 429.
        code: The server's own name of the error, where it gives one.
        message: The server's words.

    Example:
        >>> of_status(503).retried, of_status(400).retried, of_status(401).breaks
        (True, False, 'all')
    """
    said = f"{code} {message}"
    fixed: Mapping[int, Verdict] = {
        401: Verdict(FailureKind.AUTH_FAILED, breaks="all"),
        402: Verdict(FailureKind.AUTH_FAILED, breaks="all"),
        404: Verdict(FailureKind.NOT_FOUND, breaks="model"),
        408: Verdict(FailureKind.TIMEOUT, retried=True),
        409: Verdict(FailureKind.SERVER_ERROR, retried=True),
    }
    if status in fixed:
        return fixed[status]
    if status == 429:
        if code in _NO_MONEY:
            return Verdict(FailureKind.AUTH_FAILED, breaks="all")
        return Verdict(FailureKind.RATE_LIMITED, retried=True)
    if status >= 500:
        return Verdict(FailureKind.SERVER_ERROR, retried=True)
    if 400 <= status < 500 and _REFUSED.search(said):
        return Verdict(FailureKind.REFUSED)
    if status == 403:
        # Some servers forbid one text and not the caller: only words on the account end it all.
        breaks: Breaks = "all" if _ACCOUNT.search(said) else ""
        return Verdict(FailureKind.AUTH_FAILED, breaks=breaks)
    if 400 <= status < 500:
        return Verdict(FailureKind.BAD_REQUEST)
    return Verdict(FailureKind.MALFORMED, retried=True)
