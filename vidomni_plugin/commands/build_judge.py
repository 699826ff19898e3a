"""``vidomni build judge``."""

from __future__ import annotations

__all__ = ["judge"]


def judge() -> None:
    """Compare captions by a judge."""
    raise NotImplementedError
