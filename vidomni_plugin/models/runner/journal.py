"""A journal that is open for writing: each answer is in the file before the next question."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from vidomni_plugin.models.runner.arguments import TITLE
from vidomni_plugin.models.runner.entries import (
    NO_ROOM,
    Answer,
    JournalContents,
    line_of,
    read_journal,
)
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["Answer", "Journal", "JournalContents", "read_journal"]

SYNC_SECONDS = 1.0
"""How often at most the disk is told to keep what was written: a power cut costs this much."""


class _OwnLock(FileLock):
    """A lock that this process cannot take twice: the host makes plain ones reentrant."""


class Journal:
    """The file of one rank, and what all ranks wrote before.

    A killed process loses nothing that was added: each line is handed to the system at once.
    Against a power cut a thread has the disk keep it, within a second.

    Args:
        folder: Made if need be.
        rank: Of this process; each rank has a file and a lock of its own.
        settings: Of this run, written before its first answer.
        ranks: How many the run has; None is what the launcher says. A lock of a rank that this
            run does not have is another run's.

    Raises:
        InputProblems: If another run writes to it, or it cannot be written or read.
    """

    def __init__(
        self, folder: Path, rank: int, settings: Mapping[str, Any], ranks: int | None = None
    ) -> None:
        self.folder = folder
        self.path = folder / f"answers.rank{rank}.jsonl"
        self._settings = json.loads(json.dumps(settings, default=str))
        self._announced = False
        self._rank = rank
        told = int(os.environ.get("WORLD_SIZE") or 1) if ranks is None else ranks
        self._ranks = max(rank + 1, told)
        self._file = -1
        self._size = 0
        self._sync: _Sync | None = None
        self._contents: JournalContents | None = None
        self._lock: FileLock | None = None
        self.open()

    @property
    def contents(self) -> JournalContents:
        """What the journal holds, with what was added since."""
        assert self._contents is not None
        return self._contents

    def open(self) -> None:
        """Open it again after ``close``; without effect while it is open."""
        if self._file >= 0:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._take_lock()
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
            self._file = os.open(self.path, flags, 0o666)
            self._drop_a_torn_line()
            if self._contents is None:
                self._contents = read_journal(self.folder)
        except OSError as error:
            self.close()
            raise self._trouble(error) from None
        self._sync = _Sync(self._file)

    def _take_lock(self) -> None:
        self._lock = _OwnLock(self.folder / f".rank{self._rank}.lock")
        try:
            self._lock.acquire(timeout=0)
            self._try_the_others()
        except Timeout:
            self._lock.release()
            self._lock = None
            message = "another run writes to this journal"
            hint = "wait for its end, stop it, or give this run a journal of its own"
            problem = Problem("locked", str(self.folder), message, hint)
            raise InputProblems(TITLE, [problem]) from None
        except NotImplementedError:
            self._lock = None
            message = "this file system has no locks"
            hint = "put the journal on another one, such as a local disk"
            problem = Problem("no-folder", str(self.folder), message, hint)
            raise InputProblems(TITLE, [problem]) from None

    def _try_the_others(self) -> None:
        """Raise if a run of more ranks writes: its last ranks may work on when this one's ended."""
        for path in self.folder.glob(".rank*.lock"):
            rank = path.name.removeprefix(".rank").removesuffix(".lock")
            if rank.isdecimal() and int(rank) >= self._ranks:
                with _OwnLock(path).acquire(timeout=0):
                    pass

    def _drop_a_torn_line(self) -> None:
        """Cut off what a killed run left half: only the holder of the lock may."""
        self._size = end = os.fstat(self._file).st_size
        while end > 0:
            start = max(0, end - 65536)
            found = os.pread(self._file, end - start, start).rfind(b"\n")
            if found >= 0:
                end = start + found + 1
                break
            end = start
        if end != self._size:
            os.ftruncate(self._file, end)
            self._size = end

    def add(self, answer: Answer) -> None:
        """Write one answer; a killed process does not lose it once this returns.

        Raises:
            InputProblems: If the disk is full or broken. What was written before stays whole.
        """
        self._write(line_of(answer))
        self.contents.keep(answer)

    def withdraw(self, answers: Sequence[Answer], why: str) -> None:
        """Take answers back: they stay in the file for people, and are asked again."""
        keys = [answer.key for answer in answers]
        self._write(line_of({"withdrawn": keys, "why": why}))
        self.contents.withdraw(keys)

    def _write(self, line: bytes) -> None:
        if not self._announced:
            self._announced = True
            self._write(line_of({"run": self._settings}))
        assert self._sync is not None
        rest = memoryview(line)
        try:
            self._sync.raise_failure()
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            with suppress(OSError):  # what stays is a torn last line, which readers leave out
                os.ftruncate(self._file, self._size)
            raise self._trouble(error) from None
        self._size += len(line)
        self._sync.wanted.set()

    def close(self) -> None:
        """Have the disk keep everything and let the next run in; without effect when closed.

        Raises:
            InputProblems: If the disk did not keep it.
        """
        file, self._file = self._file, -1
        sync, self._sync = self._sync, None
        try:
            if sync is not None:
                sync.stop()
            if file >= 0:
                os.close(file)
        except OSError as error:
            raise self._trouble(error) from None
        finally:
            if self._lock is not None:
                self._lock.release()
                self._lock = None

    def _trouble(self, error: OSError) -> InputProblems:
        reason = error.strerror or str(error)
        message = f"the journal cannot be used: {reason}"
        hint = "every answer up to here is kept"
        if error.errno in NO_ROOM:
            hint = f"make room and start the run again: {hint}"
        return InputProblems(TITLE, [Problem("no-folder", str(self.path), message, hint)])


class _Sync:
    """A thread that has the disk keep what was written, so that no answer waits for it."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._failure: OSError | None = None
        self._stopping = threading.Event()
        self.wanted = threading.Event()
        self._thread = threading.Thread(target=self._run, name="vidomni-journal", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while True:
            self.wanted.wait()
            self.wanted.clear()
            try:
                os.fsync(self._file)
            except OSError as error:
                self._failure = error
            if self._stopping.wait(SYNC_SECONDS):
                return

    def raise_failure(self) -> None:
        """Raise what the disk said last, once."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def stop(self) -> None:
        """End the thread behind a last sync."""
        self._stopping.set()
        self.wanted.set()
        self._thread.join()
        os.fsync(self._file)
        self.raise_failure()
