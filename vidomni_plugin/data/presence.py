"""Whether a file is there, on disks where not every folder may be entered."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["is_absent"]


def is_absent(path: Path) -> bool:
    """Return whether a file is certainly not there.

    A broken link, or a folder that may not be entered, is no absence: reading says what it is.
    """
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
