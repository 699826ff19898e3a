"""Put a file that exists into another place: a hard link, else a copy; the source stays as is."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path

__all__ = [
    "PART_PREFIX",
    "SPARE_BYTES",
    "copy_file",
    "copy_tree",
    "free_bytes",
    "link_or_copy",
    "readable_size",
    "same_device",
]

SPARE_BYTES = 50_000_000
"""Room that a download or a copy must leave free: journal, caches, other programs."""
BLOCK = 1 << 20
"""Bytes that are copied at a time."""
PART_PREFIX = ".copy."
"""Start of the name of a copy that is not finished."""
NO_LINK = {errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.EACCES, errno.ENOSYS}
"""Why a file system may refuse a hard link; a copy is made instead."""


def link_or_copy(source: Path, target: Path) -> None:
    """Make ``target`` a hard link to ``source``, or a copy where a link cannot be.

    The target appears whole or not at all.

    Raises:
        FileExistsError: If the target exists; it stays as it is.
        OSError: If the file cannot be read or written, or there is no space.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    real = source.resolve(strict=True)  # a link to a link would break with the first one
    try:
        os.link(real, target)
        return
    except OSError as error:
        if error.errno not in NO_LINK:
            raise
    copy_file(real, target)


def copy_file(source: Path, target: Path) -> None:
    """Make ``target`` a copy of ``source``, with its times; it appears whole or not at all.

    Raises:
        FileExistsError: If the target exists; it stays as it is.
        OSError: If the file cannot be read or written, or there is no space.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=PART_PREFIX)
    try:
        with os.fdopen(handle, "wb") as part, source.open("rb") as file:
            shutil.copyfileobj(file, part, BLOCK)
            part.flush()
            os.fsync(part.fileno())
        shutil.copystat(source, name)
        if target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def copy_tree(source: Path, target: Path) -> int:
    """Make every file under ``source`` appear under ``target``, as ``link_or_copy`` does.

    Hidden files and folders (``.git``, ``.cache``) are left out.

    Returns:
        The number of files.

    Raises:
        OSError: If a file cannot be read or written, or copies need more than the free space.
    """
    files: list[Path] = []
    entered: set[tuple[int, int]] = set()
    for folder, below, names in os.walk(source, followlinks=True):
        stat = os.stat(folder)
        if (stat.st_dev, stat.st_ino) in entered:  # links may lead in a circle
            below.clear()
            continue
        entered.add((stat.st_dev, stat.st_ino))
        below[:] = sorted(name for name in below if not name.startswith("."))
        paths = [Path(folder, name) for name in sorted(names) if not name.startswith(".")]
        files += [path for path in paths if path.is_file()]
    apart = [path for path in files if not same_device(path, target)]
    needed, free = sum(path.stat().st_size for path in apart), free_bytes(target)
    if needed > free:
        text = f"no space: {readable_size(needed)} needed, {readable_size(free)} free"
        raise OSError(errno.ENOSPC, text, str(target))
    for path in files:
        link_or_copy(path, target / path.relative_to(source))
    return len(files)


def free_bytes(folder: Path) -> int:
    """Return the free space where a folder is, or will be."""
    return shutil.disk_usage(_there(folder)).free


def _there(folder: Path) -> Path:
    while not folder.exists():
        folder = folder.parent
    return folder


def same_device(source: Path, folder: Path) -> bool:
    """Return whether a hard link from ``source`` into ``folder`` (or its parents) may work."""
    return source.stat().st_dev == _there(folder).stat().st_dev


def readable_size(count: float) -> str:
    """Return a number of bytes as people write it.

    Example:
        >>> [readable_size(n) for n in (999, 12_300_000, 3_500_000_000)]
        ['999 B', '12.3 MB', '3.5 GB']
    """
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"
