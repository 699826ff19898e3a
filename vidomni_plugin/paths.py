"""Paths as users write them."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["path_of"]


def path_of(given: object) -> Path:
    """Return a path with ``~`` replaced; the home of an unknown user stays as it is.

    Example:
        >>> str(path_of("~no-such-user/videos"))
        '~no-such-user/videos'
    """
    return Path(os.path.expanduser(str(given)))  # pathlib's own raises for such a user
