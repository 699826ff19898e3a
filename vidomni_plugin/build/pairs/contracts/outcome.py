"""What a gate says of a candidate that it does not let through."""

from __future__ import annotations

from typing import NamedTuple

from vidomni_plugin.build.pairs.contracts.reasons import Reason

__all__ = ["Reject"]


class Reject(NamedTuple):
    """A candidate ends here."""

    reason: Reason
    detail: str = ""
    """What exactly, on one line; it may quote a model, so it is escaped where it is shown."""
