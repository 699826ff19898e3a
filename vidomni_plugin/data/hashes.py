"""The full SHA-256 of files, in parallel, and remembered until a file changes."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Event

from loguru import logger

from vidomni_plugin.data.memory import file_key, memory
from vidomni_plugin.problems import printable

__all__ = ["file_sha256", "sha256_of"]

BLOCK = 1 << 20
"""Bytes that are read at a time; hashing leaves other threads room while it works."""
WORKERS = min(4, os.cpu_count() or 1)
"""Files that are read at the same time; more only fight for the disk."""
SHOW_PROGRESS_FROM = 256 << 20
"""Less is hashed before a reader could read a progress bar, in bytes."""


def file_sha256(path: Path, stop: Event | None = None) -> str:
    """Return the SHA-256 of a whole file, as 64 hexadecimal digits.

    Args:
        path: A file of any size; it is never in memory as a whole.
        stop: Once it is set, reading ends with an error.

    Raises:
        OSError: If the file cannot be read, or was not read to its end.
    """
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            if stop and stop.is_set():
                raise InterruptedError(f"{path} was not read to its end")
            digest.update(block)
    return digest.hexdigest()


def sha256_of(paths: Iterable[Path], description: str = "hashing videos") -> dict[Path, str]:
    """Return the hash of each file that can be read; the others are not in the result.

    What was hashed is remembered in ``<home>/hashes.json`` by path, size and time.

    Args:
        paths: Of the files.
        description: What the progress bar says.
    """
    from rich.console import Console
    from rich.progress import track

    hashes: dict[Path, str] = {}
    wanted = sorted(set(paths))
    if not wanted:
        return hashes
    with memory("hashes", _is_hash) as remembered:
        keys: dict[Path, str] = {}
        size = 0
        for path in wanted:
            try:
                key = file_key(path)
                size += path.stat().st_size
            except (OSError, RuntimeError) as error:
                logger.warning(printable(f"{path} is not hashed: {error}"))
                continue
            if known := remembered.get(key):
                hashes[path] = known
            else:
                keys[path] = key
        pool = ThreadPoolExecutor(WORKERS)
        stop = Event()
        try:
            futures = {pool.submit(file_sha256, path, stop): path for path in keys}
            for future in track(
                as_completed(futures),
                total=len(futures),
                description=description,
                console=Console(stderr=True),
                disable=size < SHOW_PROGRESS_FROM,
            ):
                path = futures[future]
                try:
                    hashes[path] = future.result()
                except OSError as error:
                    logger.warning(printable(f"{path} is not hashed: {error}"))
                    continue
                remembered.keep(keys[path], hashes[path])
        finally:
            stop.set()  # Ctrl-C does not wait for the end of a long video
            pool.shutdown(wait=False, cancel_futures=True)
    return hashes


def _is_hash(entry: object) -> bool:
    return isinstance(entry, str) and re.fullmatch("[0-9a-f]{64}", entry) is not None
