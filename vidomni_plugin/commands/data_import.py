"""``vidomni data import``."""

from __future__ import annotations

__all__ = ["import_"]


def import_() -> None:
    """Import data in another shape."""
    raise NotImplementedError
