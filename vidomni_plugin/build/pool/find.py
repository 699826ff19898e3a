"""Find the videos below some folders, each once, in an order that does not depend on the disk."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from vidomni_plugin.build.pool.lines import spelled
from vidomni_plugin.build.pool.reasons import Reason
from vidomni_plugin.data.videos import SUFFIXES

__all__ = ["Found", "FoundVideo", "Unusable", "find_in_folders"]


class Identity(NamedTuple):
    """What is the same of a file under all its names."""

    device: int
    number: int


class Unusable(NamedTuple):
    """What has the name of a video and cannot be read as one."""

    path: Path
    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class FoundVideo:
    """A file with the name of a video."""

    path: Path
    """Absolute; links are not resolved."""
    inside: str
    """Path below the folder that was given, with forward slashes."""
    folder: str
    """Name of the folder that was given."""


@dataclass(slots=True)
class Found:
    """The videos below some folders, and what has the name of one and cannot be used."""

    videos: list[FoundVideo] = field(default_factory=list)
    rejected: list[Unusable] = field(default_factory=list)


def find_in_folders(folders: Sequence[Path]) -> Found:
    """Return the videos below some folders.

    Links are followed. A folder that is reached twice (through a link, or given twice) is
    listed once, so links in a circle end. Hidden files and folders are passed over.

    Args:
        folders: Each is there and is a folder.

    Returns:
        Videos in the order of the folders, then of their paths. A folder's name is its last
        part; where two have the same, it is the path as it was given.
    """
    found = Found()
    seen: set[Identity] = set()
    for folder, name in zip(folders, _names(folders), strict=True):
        root = Path(os.path.abspath(folder))
        for path in _files(root, seen, found):
            if unusable := _unusable(path):
                found.rejected.append(unusable)
            else:
                inside = path.relative_to(root).as_posix()
                found.videos.append(FoundVideo(path, inside, name))
    return found


def _names(folders: Sequence[Path]) -> list[str]:
    last = [spelled(Path(folder.resolve().name or folder.as_posix())) for folder in folders]
    count = Counter(last)
    return [
        name if count[name] == 1 else spelled(folder)
        for name, folder in zip(last, folders, strict=True)
    ]


def _files(folder: Path, seen: set[Identity], found: Found) -> Iterator[Path]:
    try:
        status = folder.stat()
        if (identity := Identity(status.st_dev, status.st_ino)) in seen:
            return
        seen.add(identity)
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except (OSError, RuntimeError) as error:
        found.rejected.append(Unusable(folder, Reason.UNREADABLE, _why(error)))
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        path = folder / entry.name
        is_video = path.suffix.lower() in SUFFIXES
        try:
            is_folder = entry.is_dir()
        except OSError:
            is_folder = False  # a link to itself; as a video it gets its reason
        if is_folder and not is_video:
            yield from _files(path, seen, found)
        elif is_video:
            yield path


def _unusable(path: Path) -> Unusable | None:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return Unusable(path, Reason.BAD_NAME, "bytes that are no UTF-8")
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, RuntimeError) as error:
        return Unusable(path, Reason.BROKEN_LINK, _why(error))
    except OSError as error:
        reason = Reason.BROKEN_LINK if path.is_symlink() else Reason.UNREADABLE
        return Unusable(path, reason, _why(error))
    if not stat.S_ISREG(mode):
        return Unusable(path, Reason.NOT_A_FILE, "not a regular file")
    try:
        with path.open("rb"):
            return None
    except OSError as error:
        return Unusable(path, Reason.UNREADABLE, _why(error))


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
