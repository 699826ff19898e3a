"""``fetched.jsonl``: what became of each video, written after each one, so that nothing is lost."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import TracebackType
from typing import IO, Annotated, Literal

from filelock import FileLock, Timeout
from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from vidomni_plugin.data.fetch.reasons import REASONS, Reason
from vidomni_plugin.data.lines import write_jsonl
from vidomni_plugin.data.videos import SUFFIXES
from vidomni_plugin.problems import InputProblems, Problem, field_errors
from vidomni_plugin.records import Id

__all__ = ["FILE", "Fetched", "How", "Journal", "read_fetched", "said"]

FILE = "fetched.jsonl"
"""Name of the journal in the root of a VidOmni data set."""

How = Literal["found", "local", "youtube", "url"]
"""Where a video came from; "found" lay in ``videos/`` before anything was fetched."""


class Fetched(BaseModel):
    """What became of one video (a line of ``fetched.jsonl``; the last line of a video counts)."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    video_id: Id
    status: Literal["present", "failed"]
    reason: Annotated[Reason | None, Field(strict=False)] = None
    """Why it is not there; set exactly when the status is "failed"."""
    detail: str = ""
    """What was tried and what each place said, for people."""
    file: str | None = None
    """Its name in ``videos/``: the id with an ending."""
    bytes: int | None = None
    mtime_ns: int | None = None
    """Time of the file when it was hashed: while it and the size stay, ``sha256`` does."""
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] | None = None
    duration_s: float | None = None
    has_audio: bool | None = None
    how: How | None = None
    source: str | None = None
    """The local path or the address that gave the file, or was the last to refuse it."""
    at: AwareDatetime
    tool: str
    """Versions of what fetched it."""

    @model_validator(mode="after")
    def _whole(self) -> Fetched:
        if (self.status == "failed") != (self.reason is not None):
            raise ValueError("a reason belongs to a failed video, and only there")
        if self.status == "present" and None in (self.file, self.bytes, self.sha256):
            raise ValueError("a present video has a file, its bytes and its sha256")
        if self.file is not None and self.file not in {self.video_id + s for s in SUFFIXES}:
            raise ValueError("the file is not called as its video")
        return self


def said(record: Fetched) -> str:
    """Return in one sentence what the last fetch said of a video that is not there."""
    day = record.at.date().isoformat()
    if record.reason is None:
        return f"fetch said: it was there on {day}, as videos/{record.file}"
    return f"fetch said: {REASONS[record.reason].meaning}, on {day} [{record.reason.value}]"


def read_fetched(root: Path) -> dict[str, Fetched]:
    """Return the last record of each video of a VidOmni data set; a reader never fails.

    No file, or a line that cannot be read, is nothing: the journal explains, it does not decide.
    """
    try:
        return _read(root / FILE)[0]
    except OSError:
        return {}


def _read(path: Path) -> tuple[dict[str, Fetched], list[Problem], int]:
    """Return the records, what is wrong with the whole lines, and the number of lines.

    Raises:
        OSError: If the file is there and cannot be read: it must not be taken for an empty one.
    """
    if not path.exists():
        return {}, [], 0
    if not path.is_file():
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    content = path.read_bytes()
    records: dict[str, Fetched] = {}
    problems: list[Problem] = []
    *lines, cut = content.split(b"\n")  # behind the last \n: nothing, or a line that was cut off
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = Fetched.model_validate_json(line)
        except ValidationError as error:
            hint = "correct or delete the line; the video is then looked at again"
            first = next(field_errors(error))
            problems.append(Problem("record", f"{path}:{number}", first, hint))
        else:
            records[record.video_id] = record
    return records, problems, len(lines) + bool(cut.strip())


class Journal:
    """The journal of one data set, open for one fetch at a time.

    Each record is on the disk before ``add`` returns; at the start and at the end the file is
    written anew with one line a video. A line that a killed process left half is dropped.

    Args:
        root: Folder of the data set.

    Raises:
        InputProblems: On entering, if another fetch works in this folder, or if a line was
            edited into something that is no record.
    """

    def __init__(self, root: Path) -> None:
        self.path = root / FILE
        self.records: dict[str, Fetched] = {}
        self._lock = FileLock(root / ".fetch.lock")
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Journal:
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            message = "another `vidomni data fetch` works in this folder"
            hint = "wait until it is done; two at once would fetch the same videos"
            problem = Problem("locked", str(self.path.parent), message, hint)
            raise InputProblems("nothing was fetched", [problem]) from None
        try:
            self.records, problems, lines = _read(self.path)
        except OSError:
            self._lock.release()
            raise
        if problems:
            self._lock.release()
            raise InputProblems(f"{FILE} cannot be read", problems)
        if lines != len(self.records):
            write_jsonl(self.path, self.records.values())
        self._file = self.path.open("ab")
        return self

    def add(self, record: Fetched) -> None:
        """Write one record; it is on the disk when this returns."""
        assert self._file is not None
        self.records[record.video_id] = record
        self._file.write(record.model_dump_json().encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()
        try:
            if self.records:
                write_jsonl(self.path, self.records.values())
        finally:
            self._lock.release()
