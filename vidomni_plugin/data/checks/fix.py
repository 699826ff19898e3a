"""Mend what can be mended without judging: how lines are written, and what the files say.

Labels, texts and ids are never touched. Each file that changes keeps its old content beside it
with the ending ``.bak``, and is written in one step.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vidomni_plugin.data.checks.line_faults import BOM
from vidomni_plugin.data.durations import duration_differs
from vidomni_plugin.data.layout import FULL_SET, INVENTORY, TASK_SETS, VIDEO_FOLDER
from vidomni_plugin.data.lines import write_bytes
from vidomni_plugin.data.locate import Benchmark
from vidomni_plugin.data.videos import VideoFacts, check_videos, find_videos

__all__ = ["Mended", "fix"]

DECIMALS = 3
"""Digits behind the point of a duration that is taken from a file, in seconds."""


@dataclass(frozen=True, slots=True)
class Mended:
    """What was changed in one file."""

    path: Path
    kept: Path
    """Where the old content is."""
    changes: Mapping[str, int]
    """How many lines, by what was done to them."""
    details: tuple[str, ...]
    """One line for each change of a record."""
    error: str = ""
    """Why the file could not be written; nothing was changed then."""

    def summary(self) -> str:
        """Return the changes in one line, or why there are none."""
        if self.error:
            return f"{self.path}: not changed, {self.error}"
        done = ", ".join(f"{what} {count}x" for what, count in self.changes.items())
        return f"{self.path}: fixed, {done}; the old file is {self.kept.name}"


@dataclass(slots=True)
class _Draft:
    lines: list[bytes] = field(default_factory=list)
    changes: Counter[str] = field(default_factory=Counter)
    details: list[str] = field(default_factory=list)


def fix(benchmark: Benchmark, root: Path, codes: Set[str]) -> Iterator[Mended]:
    """Mend the annotation files of a data set where it is safe; yield what was done to each.

    Args:
        benchmark: Which layout the root has.
        root: The data set's folder.
        codes: The checks that found something and are to be mended.

    A file that cannot be read or written keeps its old content, and says why in ``error``.
    """
    for name in _files(benchmark):
        path = root / name
        if not os.path.isfile(path):
            continue
        kept = path.with_name(f"{path.name}.bak")
        try:
            content = path.read_bytes()
            draft = _drafted(benchmark, root, content, codes)
            if not draft.changes:
                continue
            kept = _kept(path, content)
            write_bytes(path, b"".join(line + b"\n" for line in draft.lines))
        except OSError as error:
            yield Mended(path, kept, {}, (), error.strerror or str(error))
            continue
        yield Mended(path, kept, dict(draft.changes), tuple(draft.details))


def _files(benchmark: Benchmark) -> tuple[str, ...]:
    if benchmark == "vidomni":
        return "pairs.jsonl", "videos.jsonl"
    sets = [name for task in TASK_SETS.values() for name in (task.full, *task.splits.values())]
    return FULL_SET, *sets, INVENTORY


def _kept(path: Path, content: bytes) -> Path:
    """Write the old content under a name that is not taken, whole or not at all.

    An older copy is worth more than a newer one, and another process may mend the same file:
    the name is taken before anything is written.
    """
    number = 1
    while True:
        name = path.with_name(f"{path.name}.bak{number if number > 1 else ''}")
        try:
            name.open("xb").close()
            break
        except FileExistsError:
            number += 1
    try:
        write_bytes(name, content)
    except BaseException:
        name.unlink(missing_ok=True)
        raise
    return name


def _drafted(benchmark: Benchmark, root: Path, content: bytes, codes: Set[str]) -> _Draft:
    draft = _Draft()
    lines = content.removeprefix(BOM).split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    if content.startswith(BOM) and "file-format" in codes:
        draft.changes["byte-order mark removed"] += 1
    elif content.startswith(BOM):
        lines[0] = BOM + lines[0]
    facts = _facts(benchmark, root, lines) if codes & _OF_VIDEOS else {}
    first: dict[bytes, int] = {}
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if bare and "repeated-id" in codes and bare in first:
            draft.changes["equal lines dropped"] += 1
            draft.details.append(f"line {number} was line {first[bare]} again")
            continue
        first.setdefault(bare, number)
        if "file-format" in codes:
            if not bare:
                draft.changes["empty lines dropped"] += 1
                continue
            if line.rstrip() != line:
                draft.changes["blanks or \\r at the end removed"] += 1
        kept = line.rstrip() if "file-format" in codes else line
        draft.lines.append(_with_facts(kept, number, facts, codes, draft))
    return draft


_OF_VIDEOS = {"duration", "no-sound", "sound-not-stated"}


def _record(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}  # a line that is no record is for people to mend
    return record if isinstance(record, dict) else {}


def _video(record: Mapping[str, Any]) -> tuple[str, str]:
    """Return the folder and id of the video that a line is about, as the line says them."""
    folder = VIDEO_FOLDER.get(str(record.get("task_type")), "videos")
    return folder, str(record.get("video_id", ""))


def _facts(
    benchmark: Benchmark, root: Path, lines: list[bytes]
) -> dict[tuple[str, str], VideoFacts]:
    """Return what was seen of the videos that the lines name; they were looked at before."""
    wanted = {_video(record) for line in lines if (record := _record(line))}
    known = {"videos"} if benchmark == "vidomni" else set(VIDEO_FOLDER.values())
    files = {
        (folder, video_id): path
        for folder in known
        for video_id, path in find_videos(
            root / folder, (name for at, name in wanted if at == folder)
        ).items()
    }
    facts = check_videos(files.values())
    return {key: facts[path] for key, path in files.items() if not facts[path].error}


def _with_facts(
    line: bytes,
    at: int,
    facts: Mapping[tuple[str, str], VideoFacts],
    codes: Set[str],
    draft: _Draft,
) -> bytes:
    """Return a line with the duration and the sound of its video's file, or as it was."""
    record = _record(line) if facts else {}
    seen = facts.get(_video(record)) if record else None
    if seen is None:
        return line
    new: dict[str, Any] = {}
    for name in ("duration_s", "duration_seconds"):
        stated = _seconds(record.get(name))
        if stated is None or "duration" not in codes:
            continue
        if duration_differs(stated, seen.duration_s):
            new[name] = round(seen.duration_s, DECIMALS)
    stated = record.get("has_audio")
    code = "no-sound" if stated else "sound-not-stated"
    if isinstance(stated, bool) and stated != seen.has_audio and code in codes:
        new["has_audio"] = seen.has_audio
    for name, value in new.items():
        draft.changes[f"{name} taken from the video"] += 1
        video = record.get("video_id")
        draft.details.append(f"line {at}, {video!r}: {name} {record[name]!r} -> {value!r}")
    return _dumped(record | new, line) if new else line


def _seconds(value: object) -> float | None:
    """Return a number of a line, or None for what is none, or too large for any video."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _dumped(record: Mapping[str, Any], like: bytes) -> bytes:
    """Return a record as JSON in the manner of the line that it replaces."""
    separators = (", ", ": ") if b'": ' in like else (",", ":")
    try:
        return json.dumps(record, ensure_ascii=like.isascii(), separators=separators).encode()
    except UnicodeEncodeError:  # half a character, which UTF-8 cannot hold and an escape can
        return json.dumps(record, separators=separators).encode()
