"""What was seen of files, kept between starts in one JSON file of the cache folder."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from loguru import logger

from vidomni_plugin.data.lines import write_text
from vidomni_plugin.data.locate import home

__all__ = ["Memory", "file_key", "memory"]

QUIET_SECONDS = 3.0
"""Waiting for another process is worth a word after this time."""
SAVE_EVERY = 50
"""What is seen is written after so many new entries, so that a killed process loses few ..."""
SAVE_SECONDS = 5.0
"""... or after this time, for files that take long; whichever comes first."""


def file_key(path: Path, *parts: object) -> str:
    """Return a key that changes when the file does: path, size and time, after ``parts``.

    Raises:
        OSError: If the file is not there or a link leads nowhere.
        RuntimeError: If a link leads to itself (Python before 3.13).
    """
    stat = path.stat()
    return json.dumps([*parts, str(path.resolve()), stat.st_size, stat.st_mtime_ns])


class Memory:
    """Entries by key; ``keep`` adds one and writes the file from time to time."""

    def __init__(self, file: Path | None, entries: dict[str, Any]) -> None:
        self._file = file
        self._entries = entries
        self._unsaved = 0
        self._saved_at = time.monotonic()

    def get(self, key: str) -> Any:  # noqa: ANN401 - each user of the memory checks what it holds
        """Return what was kept under ``key``, or None."""
        return self._entries.get(key)

    def keep(self, key: str, value: object) -> None:
        """Keep a value that JSON can hold."""
        self._entries[key] = value
        self._unsaved += 1
        if self._unsaved >= SAVE_EVERY or time.monotonic() - self._saved_at > SAVE_SECONDS:
            self.save()

    def save(self) -> None:
        """Write what is not yet written; a full disk costs the memory, not the work."""
        if self._file is None or not self._unsaved:
            return
        try:
            write_text(self._file, json.dumps(self._entries, sort_keys=True, indent=0))
        except OSError as error:
            logger.warning(f"{self._file} cannot be written ({error}); it is made again next time")
        self._unsaved = 0
        self._saved_at = time.monotonic()


@contextmanager
def memory(name: str, valid: Callable[[object], bool]) -> Iterator[Memory]:
    """Yield the memory ``<home>/<name>.json``, locked; what is kept is saved whatever happens.

    Several processes may ask for it: one works, the others wait and say so. A folder that
    cannot be written gives a memory that forgets.

    Args:
        name: Name of the file without its ending.
        valid: Whether an entry of the file can be used; the others are dropped.
    """
    folder = home()
    file = folder / f"{name}.json"
    lock = FileLock(folder / f"{name}.lock")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _acquire(lock, file)
    except OSError as error:
        logger.warning(f"{folder} cannot be written ({error}); {name} are checked at every start")
        yield Memory(None, {})
        return
    try:
        kept = Memory(file, {k: v for k, v in _load(file).items() if valid(v)})
        try:
            yield kept
        finally:
            kept.save()
    finally:
        lock.release()


def _acquire(lock: FileLock, file: Path) -> None:
    try:
        lock.acquire(timeout=QUIET_SECONDS)
    except Timeout:
        logger.info(f"another process works on {file}; waiting until it is done")
        lock.acquire()


def _load(file: Path) -> dict[str, Any]:
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}  # a cache: what is lost is looked at again
    return stored if isinstance(stored, dict) else {}
