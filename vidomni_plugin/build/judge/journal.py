"""The replies of a judge, each on disk before the next question: a run that dies loses none."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import IO

from filelock import FileLock, Timeout

from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["Journal", "Reply", "open_journal"]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of the judge."""

    key: str
    """Hash of all that the answer depends on."""
    video_id: str
    order: str
    """Which caption came first: "ab" or "ba"."""
    model: str
    prompt: str
    """Hash of the prompt's text."""
    text: str
    finish_reason: str
    """Why the model stopped, as the server says; "length" is an answer that was cut off."""


class Journal:
    """Replies by key, in memory and on disk."""

    def __init__(self, file: IO[bytes], replies: dict[str, Reply]) -> None:
        self._file = file
        self._lock = Lock()
        self.replies = replies

    def add(self, reply: Reply) -> None:
        """Keep a reply; it is on disk when this returns. Threads may call it at once."""
        line = json.dumps(asdict(reply), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        with self._lock:
            self._file.write(line)
            self._file.flush()
            os.fsync(self._file.fileno())
            self.replies[reply.key] = reply


@contextmanager
def open_journal(path: Path) -> Iterator[Journal]:
    """Open the journal of a folder; a last line that was cut off is dropped, its reply asked anew.

    Raises:
        InputProblems: If another run writes to it, or a line inside it is broken.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path.with_suffix(".lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        problem = Problem("usage", str(path), "another run writes to it", "wait for its end")
        raise InputProblems("the judge cannot start", [problem]) from None
    try:
        content = path.read_bytes() if path.exists() else b""
        whole = content.rfind(b"\n") + 1
        replies = _read(path, content[:whole])
        with path.open("r+b" if path.exists() else "w+b") as file:
            file.truncate(whole)
            file.seek(whole)
            yield Journal(file, replies)
    finally:
        lock.release()


def _read(path: Path, content: bytes) -> dict[str, Reply]:
    replies: dict[str, Reply] = {}
    problems: list[Problem] = []
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
            if not all(isinstance(value, str) for value in fields.values()):
                raise TypeError("a field is no text")
            reply = Reply(**fields)
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            hint = "take this line out; its question is then asked again"
            problems.append(Problem("json", f"{path}:{number}", f"no reply: {error}", hint))
            continue
        replies.setdefault(reply.key, reply)
    if problems:
        raise InputProblems("the replies so far cannot be read", problems)
    return replies
