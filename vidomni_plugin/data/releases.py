"""Read the annotation files of both benchmarks, with the place of everything that is wrong."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from vidomni_plugin.data.layout import FILES, Selection
from vidomni_plugin.data.lines import why_no_lines
from vidomni_plugin.problems import Problem, field_errors
from vidomni_plugin.records import Caption, VidHalLocPair, VidOmniPair, VidOmniVideo

__all__ = [
    "Entry",
    "Release",
    "read_captions",
    "read_records",
    "read_videos",
    "read_vidhalloc",
    "read_vidomni",
]

Record = TypeVar("Record", bound=BaseModel)

NOT_WHOLE = "the data set is not whole: fetch this file again"


@dataclass(frozen=True, slots=True)
class Entry(Generic[Record]):
    """One record and where it stands, as ``file:line``."""

    place: str
    record: Record


@dataclass(slots=True)
class Release(Generic[Record]):
    """The records of some annotation files and what is wrong with them."""

    entries: list[Entry[Record]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    digest: str = ""
    """SHA-256 of the files' bytes, in reading order."""


def read_vidomni(root: Path) -> Release[VidOmniPair]:
    """Read ``pairs.jsonl`` of a VidOmni data set."""
    return read_records([root / "pairs.jsonl"], VidOmniPair, "pair_id")


def read_vidhalloc(root: Path, selection: Selection = "all") -> Release[VidHalLocPair]:
    """Read the chosen part of a VidHalLoc release."""
    return read_records([root / name for name in FILES[selection]], VidHalLocPair, "pair_id")


def read_videos(path: Path) -> Release[VidOmniVideo]:
    """Read ``videos.jsonl``: one VidOmni video a line, with where it comes from."""
    return read_records([path], VidOmniVideo, "video_id", hint="docs/data.md says what is in it")


def read_captions(path: Path) -> Release[Caption]:
    """Read a file of captions split into sentences, as ``vidomni build captions`` writes it."""
    hint = "check its name; `vidomni build captions` writes files of captions"
    return read_records([path], Caption, "pair_id", hint=hint)


def read_records(
    paths: Sequence[Path], model: type[Record], id_field: str, *, hint: str = NOT_WHOLE
) -> Release[Record]:
    """Read JSON lines as records.

    Args:
        paths: Files, read in this order; a byte-order mark and empty lines are passed over.
        model: What each line is.
        id_field: The field that names a record; no value may occur twice.
        hint: What to do where a file is not there.

    Returns:
        The good records with their places, and every problem; never raises for bad data.
    """
    release: Release[Record] = Release()
    digest = hashlib.sha256()
    for path in paths:
        try:
            if path.exists() and not path.is_file():
                raise OSError(errno.EINVAL, "not a regular file")
            content = path.read_bytes()
        except OSError as error:
            release.problems.append(
                Problem("no-file", str(path), error.strerror or str(error), hint)
            )
            continue
        digest.update(content)
        content = content.removeprefix(b"\xef\xbb\xbf")
        if reason := why_no_lines(content):
            release.problems.append(Problem("record", str(path), reason, "give JSON lines"))
            continue
        # Lines end with \n only: U+2028 and form feeds may stand inside a JSON string.
        for number, line in enumerate(content.split(b"\n"), 1):
            if line.strip():
                _read_line(line, f"{path}:{number}", model, release)
    if not release.entries and not release.problems:
        # A split may be empty; all of them together may not.
        place = ", ".join(map(str, paths))
        release.problems.append(Problem("no-pairs", place, "there is no record in it"))
    release.digest = digest.hexdigest()
    _note_repeated_ids(release, id_field)
    return release


def _read_line(line: bytes, place: str, model: type[Record], release: Release[Record]) -> None:
    try:
        release.entries.append(Entry(place, model.model_validate_json(line)))
    except ValidationError as error:
        for text in field_errors(error):
            release.problems.append(Problem("record", place, text, "correct the record"))


def _note_repeated_ids(release: Release[Record], field: str) -> None:
    """An id occurs once: runs are compared on it."""
    first: dict[str, str] = {}
    for entry in release.entries:
        value = str(getattr(entry.record, field))
        if value in first:
            message = f"{field} {value!r} is already used at {first[value]}"
            release.problems.append(
                Problem("repeated-id", entry.place, message, "give each record its own id")
            )
        first.setdefault(value, entry.place)
