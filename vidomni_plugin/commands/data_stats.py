"""``vidomni data stats``."""

from __future__ import annotations

__all__ = ["stats"]


def stats() -> None:
    """The papers' tables for the data at hand."""
    raise NotImplementedError
