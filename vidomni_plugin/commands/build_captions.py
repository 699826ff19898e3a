"""``vidomni build captions``."""

from __future__ import annotations

__all__ = ["captions"]


def captions() -> None:
    """Split captions into sentences."""
    raise NotImplementedError
