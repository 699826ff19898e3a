"""Files and folders that arguments name."""

from __future__ import annotations

from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["pretrained_of"]

LOCAL = ("/", ".", "~")
"""How a path begins; anything else may be a name on the hub."""


def pretrained_of(detector: str, given: str, hint: str) -> str:
    """Return a hub id as it is, and a folder with ``~`` replaced.

    Args:
        detector: Its name, for messages.
        given: What the user named.
        hint: What else to name.

    Raises:
        InputProblems: If it is a path, and no folder is there.
    """
    if not given.startswith(LOCAL):
        return given
    folder = path_of(given)
    if not folder.is_dir():
        message = "a file, and no folder" if folder.exists() else "there is no such folder"
        raise InputProblems(detector, [Problem("weights", given, message, hint)])
    return str(folder)
