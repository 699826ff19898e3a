"""Decoded videos kept for the next question about them: least recently used, bounded in bytes."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

__all__ = ["CACHE", "FrameCache", "Stats", "file_identity", "local_path"]

Value = TypeVar("Value")


def _same(value: Any) -> Any:  # noqa: ANN401
    return value


@dataclass(slots=True)
class Stats:
    """What the cache did since it was cleared."""

    decodes: int = 0
    """Videos that were read, whether they were kept or not."""
    hits: int = 0
    evictions: int = 0
    too_big: int = 0
    """Videos that were read and could not be kept: they alone exceed the bound."""


@dataclass(frozen=True, slots=True)
class _Kept(Generic[Value]):
    value: Value
    size: int


class FrameCache:
    """Values by key, in at most ``max_bytes`` together; one thread makes what several ask for.

    A value is handed out as it is, unless ``get`` is told how to copy it: who keeps it must not
    change it in place. The wrappers around the host's readers see to that (docs/readers.md).
    """

    def __init__(self, max_bytes: int | None = None) -> None:
        self.max_bytes = max_bytes
        """None until ``resize`` was called: then nothing is kept."""
        self.bytes = 0
        self.stats = Stats()
        self._kept: OrderedDict[Hashable, _Kept[Any]] = OrderedDict()
        self._lock = threading.Lock()
        self._making: dict[Hashable, threading.Event] = {}
        self._thread = threading.local()
        self._bypasses = 0

    def resize(self, max_bytes: int) -> None:
        """Set the bound; what is over it is dropped, oldest use first."""
        with self._lock:
            self.max_bytes = max_bytes
            self._make_room(0)

    def clear(self) -> None:
        """Forget all values and statistics; the bound stays."""
        with self._lock:
            self._kept.clear()
            self.bytes = 0
            self.stats = Stats()

    def release(self) -> None:
        """Give back the memory of all values; bound and statistics stay."""
        with self._lock:
            self._kept.clear()
            self.bytes = 0

    @contextmanager
    def bypassed(self) -> Iterator[None]:
        """Keep nothing of what is read inside: it is asked for once.

        By any thread: a reader may have threads of its own.
        """
        with self._lock:
            self._bypasses += 1
        try:
            yield
        finally:
            with self._lock:
                self._bypasses -= 1

    def get(
        self,
        key: Hashable | None,
        make: Callable[[], Value],
        size: Callable[[Value], int],
        pack: Callable[[Value], Any] = _same,
        unpack: Callable[[Any], Value] = _same,
    ) -> Value:
        """Return the value of ``key``, made if it is not kept.

        Of several threads that ask for a key, one makes it and the others wait; if it fails
        there, each of them tries itself. A reader that calls another wrapped reader keeps its
        own result only.

        Args:
            key: None for what has no identity; it is made and not kept.
            make: Makes the value.
            size: Its size in bytes.
            pack: Makes what is kept of a value that its caller may change; not called where
                nothing is kept.
            unpack: Makes a value of what is kept.
        """
        if key is None or getattr(self._thread, "makes", False):
            return make()
        while True:
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    self.stats.hits += 1
                    found = self._kept[key].value
                    break
                others = self._making.get(key)
                if others is None:
                    mine = self._making[key] = threading.Event()
            if others is None:
                return self._made(key, mine, make, size, pack)
            others.wait()
        return unpack(found)

    def _made(
        self,
        key: Hashable,
        mine: threading.Event,
        make: Callable[[], Value],
        size: Callable[[Value], int],
        pack: Callable[[Value], Any],
    ) -> Value:
        """Return a new value, and keep it where there is room."""
        self._thread.makes = True
        try:
            value = make()
            if self._may_keep(size(value)):
                self._keep(key, pack(value), size(value))
            return value
        finally:
            self._thread.makes = False
            with self._lock:
                del self._making[key]
            mine.set()

    def _may_keep(self, size: int) -> bool:
        with self._lock:
            self.stats.decodes += 1
            if self._bypasses:
                return False
            fits = size <= (self.max_bytes or 0)
            self.stats.too_big += not fits
            return fits

    def _keep(self, key: Hashable, value: object, size: int) -> None:
        with self._lock:
            self._make_room(size)
            if self.bytes + size <= (self.max_bytes or 0):  # another thread may have set the bound
                self._kept[key] = _Kept(value, size)
                self.bytes += size

    def _make_room(self, size: int) -> None:
        while self._kept and self.bytes + size > (self.max_bytes or 0):
            _, oldest = self._kept.popitem(last=False)
            self.bytes -= oldest.size
            self.stats.evictions += 1


CACHE = FrameCache()
"""The cache of this process; ``install`` sets its bound."""


def local_path(source: object) -> str | None:
    """Return the path that a reader is given, without ``file://``; None if it is no local file."""
    if not isinstance(source, str | os.PathLike):
        return None
    path = os.fspath(source)
    if not isinstance(path, str):
        return None
    path = path.removeprefix("file://")
    return None if "://" in path else path


def file_identity(source: object) -> tuple[str, int, int] | None:
    """Return what tells a file from another and from its own later versions.

    Returns:
        Real path, time of the last change in nanoseconds and size; None for what is no local
        file, or is not there (its reader says so).
    """
    path = local_path(source)
    if path is None:
        return None
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return os.path.realpath(path), stat.st_mtime_ns, stat.st_size
