"""``vidomni data fetch``."""

from __future__ import annotations

__all__ = ["fetch"]


def fetch() -> None:
    """Get the videos."""
    raise NotImplementedError
