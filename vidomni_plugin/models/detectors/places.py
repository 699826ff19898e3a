"""Files and folders that arguments name."""

from __future__ import annotations

from pathlib import Path

from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["path_of", "pretrained_of"]

LOCAL = ("/", ".", "~")
"""How a path begins; anything else may be a name on the hub."""


def path_of(given: object) -> Path:
    """Return a path with ``~`` replaced.

    Raises:
        ValueError: If it names a user that does not exist.
    """
    try:
        return Path(str(given)).expanduser()
    except RuntimeError:  # what pathlib makes of it
        raise ValueError(f"{given}: there is no such user") from None


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
    message = "there is no such folder"
    try:
        folder = path_of(given)
        if folder.is_dir():
            return str(folder)
        if folder.exists():
            message = "a file, and no folder"
    except ValueError:
        message = "there is no such user"
    raise InputProblems(detector, [Problem("weights", given, message, hint)])
