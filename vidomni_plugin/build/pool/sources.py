"""Read what the user knows about the videos: source, parent recording and task, by file name."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from vidomni_plugin.build.pool.find import FoundVideo
from vidomni_plugin.build.pool.lines import Task
from vidomni_plugin.data.releases import Entry, read_records
from vidomni_plugin.problems import InputProblems, Problem, field_errors
from vidomni_plugin.wording import counted

__all__ = ["Known", "SourceLine", "read_sources"]

COLUMNS = ("video", "source", "parent", "task")
TASKS: tuple[str, ...] = get_args(Task)
TITLE = "the file of sources"
HINT = "columns: video, source, parent, task; docs/pool.md has an example"


class SourceLine(BaseModel):
    """A line of the file: a video, and what is known about it; empty cells are unknown."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    video: str
    """Path below the folder that was given, absolute path, or file name where only one has it."""
    source: str | None = None
    parent: str | None = None
    task: Task | None = None

    @model_validator(mode="before")
    @classmethod
    def _empty_is_unknown(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            raise ValueError("it is no JSON object with video, source, parent, task")
        cells = {k: v.strip() if isinstance(v, str) else v for k, v in given.items()}
        known = {k: None if v == "" else v for k, v in cells.items()}
        faults = [f"no column is called {name!r}" for name in known if name not in COLUMNS]
        faults += [
            f"{name} is {value!r}, which is no text"
            for name in COLUMNS
            if not isinstance(value := known.get(name), str | None)
        ]
        if known.get("video") is None:
            faults.append("it names no video")
        task = known.get("task")
        if isinstance(task, str) and task not in TASKS:
            faults.append(f"task is {task!r}, neither {' nor '.join(TASKS)}")
        if faults:
            raise ValueError("; ".join(faults))
        return known


@dataclass(frozen=True, slots=True)
class Known:
    """What the file says of the videos that were found."""

    lines: Mapping[Path, SourceLine]
    without_video: tuple[str, ...]
    """Place and video of the lines whose video was not found."""


def read_sources(file: Path, videos: Sequence[FoundVideo]) -> Known:
    """Return the line of each found video that has one.

    Args:
        file: CSV with a head, or JSON lines, by its ending.
        videos: What was found.

    Raises:
        InputProblems: If the file cannot be read, a line is wrong, names no single video, or
            names one that another line named.
    """
    entries, problems = _csv(file) if file.suffix.lower() == ".csv" else _jsonl(file)
    places = _places(videos)
    lines: dict[Path, SourceLine] = {}
    first: dict[Path, str] = {}
    without = []
    for entry in entries:
        paths = places.get(Path(entry.record.video).as_posix(), [])
        if len(paths) > 1:
            message = f"{len(paths)} videos are called {entry.record.video!r}"
            hint = "give the path below the folder of --videos"
            problems.append(Problem("record", entry.place, message, hint))
        elif not paths:
            without.append(f"{entry.place}: {entry.record.video}")
        elif paths[0] in first:
            message = f"{entry.record.video!r} is named at {first[paths[0]]} already"
            problems.append(Problem("repeated-id", entry.place, message, "one line a video"))
        else:
            first[paths[0]] = entry.place
            lines[paths[0]] = entry.record
    if not problems and not lines:
        message = f"none of its {counted(len(without), 'line')} names a video that was found"
        problems.append(Problem("unknown-video", str(file), message, HINT))
    if problems:
        raise InputProblems(TITLE, problems)
    return Known(lines, tuple(without))


def _places(videos: Sequence[FoundVideo]) -> dict[str, list[Path]]:
    """Return which videos each way to name one leads to; the more exact ways win."""
    found: dict[str, list[Path]] = {}
    for way in range(3):
        own: dict[str, list[Path]] = {}
        for video in videos:
            name = (video.path.as_posix(), video.inside, video.path.name)[way]
            own.setdefault(name, []).append(video.path)
        found = own | found
    return found


class _Read(NamedTuple):
    entries: list[Entry[SourceLine]]
    problems: list[Problem]


class _Row(NamedTuple):
    place: str
    head: list[str]
    cells: list[str]


def _jsonl(file: Path) -> _Read:
    release = read_records([file], SourceLine, "video", hint=HINT)
    return _Read(release.entries, release.problems)


def _csv(file: Path) -> _Read:
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        return _Read([], [Problem("no-file", str(file), error.strerror or str(error), HINT)])
    except UnicodeDecodeError:
        return _Read([], [Problem("unreadable", str(file), "not text in UTF-8", HINT)])
    entries: list[Entry[SourceLine]] = []
    problems: list[Problem] = []
    try:
        for place, head, cells in _rows(file, text):
            if len(cells) != len(head):
                why = f"{counted(len(cells), 'cell')} for {counted(len(head), 'column')}"
                problems.append(Problem("record", place, why, HINT))
                continue
            row = dict(zip(head, cells, strict=True))
            try:
                entries.append(Entry(place, SourceLine.model_validate(row)))
            except ValidationError as error:
                problems += [Problem("record", place, why, HINT) for why in field_errors(error)]
    except (csv.Error, ValueError) as error:
        problems.append(Problem("unreadable", str(file), str(error), HINT))
    return _Read(entries, problems)


def _rows(file: Path, text: str) -> Iterator[_Row]:
    csv.field_size_limit(sys.maxsize)
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    head = next(rows, [])
    if "video" not in head or len(set(head)) < len(head):
        raise ValueError("the first line needs a column called video, and no column twice")
    if unknown := [name for name in head if name not in COLUMNS]:
        raise ValueError(f"no column is called {', '.join(map(repr, unknown))}")
    line = rows.line_num + 1
    for cells in rows:
        place, line = f"{file}:{line}", rows.line_num + 1
        if cells:
            yield _Row(place, head, cells)
