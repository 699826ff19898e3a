"""The videos that pairs are made about: found, checked, named, each with its one task."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from vidomni_plugin.build.pairs.contracts.pair import Task
from vidomni_plugin.build.pool.find import find_in_folders
from vidomni_plugin.data.hashes import sha256_of
from vidomni_plugin.data.videos import VideoFacts, check_videos
from vidomni_plugin.problems import InputProblems, Problem, field_errors
from vidomni_plugin.records import Id

__all__ = ["TaskChoice", "VideoFile", "id_of_stem", "pool_videos", "videos_in"]

TaskChoice = Literal["video_qa", "video_captioning", "both"]
"""both gives every second video of a seeded order to each task."""
_UNSAFE = re.compile(r"[^0-9A-Za-z_.-]+")
_ID: TypeAdapter[str] = TypeAdapter(Id)
TITLE = "no pairs can be made"
WAY_OUT = "`vidomni build pool` makes a pool without them"


@dataclass(frozen=True, slots=True)
class VideoFile:
    """A checked video file and the one task that it is used for."""

    video_id: str
    """Safe as a file name, unique in the run."""
    path: Path
    sha256: str
    duration_s: float
    fps: float
    has_audio: bool
    parent: str
    """The recording that it was cut from; its own id where none is known."""
    task: Task


class _PoolLine(BaseModel):
    """What is read of a line of a pool; its other fields are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    video_id: Id
    path: str
    parent: str | None = None
    task: Task | None = None


def videos_in(folders: Sequence[Path], task: TaskChoice, seed: int) -> list[VideoFile]:
    """Return the videos below some folders, in the order in which they are worked on.

    The id of a video is its file name without the ending, made safe. A file whose content was
    there already is left out.

    Raises:
        InputProblems: If there is no video, two share an id, or one cannot be used; all are named.
    """
    missing = [folder for folder in folders if not folder.is_dir()]
    if missing:
        hint = "name folders with videos"
        raise InputProblems(
            TITLE, [Problem("no-file", str(folder), "no such folder", hint) for folder in missing]
        )
    found = find_in_folders(folders)
    problems = [
        Problem("unreadable", str(path), f"{reason.value}: {detail}", WAY_OUT)
        for path, reason, detail in found.rejected
    ]
    named = {video.path: id_of_stem(video.path.stem) for video in found.videos}
    none = "videos end with .mp4, .mkv, .webm and the like"
    return _checked(named, {}, {}, problems, ", ".join(map(str, folders)), task, seed, none)


def pool_videos(pool: Path, task: TaskChoice, seed: int) -> list[VideoFile]:
    """Return the videos of a pool's sample, or of the whole pool where none was drawn.

    A task that a line names is kept; the others get theirs as ``videos_in``.

    Raises:
        InputProblems: As ``videos_in``, and if a line is none of a pool.
    """
    names = [pool / "sample.jsonl", pool / "pool.jsonl"]
    path = next((one for one in names if one.is_file()), None)
    if path is None:
        hint = "`vidomni build pool` makes one"
        raise InputProblems(TITLE, [Problem("no-file", str(names[1]), "no such file", hint)])
    lines: list[_PoolLine] = []
    problems: list[Problem] = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            lines.append(_PoolLine.model_validate_json(line))
        except ValidationError as error:
            message = "; ".join(field_errors(error))
            problems.append(Problem("record", f"{path}:{number}", message))
    named = {_absolute(pool, line.path): line.video_id for line in lines}
    parents = {line.video_id: line.parent for line in lines if line.parent}
    tasks = {line.video_id: line.task for line in lines if line.task}
    none = "the pool is empty: see why its videos were left out (rejected.jsonl), or make it anew"
    return _checked(named, parents, tasks, problems, str(path), task, seed, none)


def _absolute(pool: Path, path: str) -> Path:
    return Path(path) if Path(path).is_absolute() else pool / path


def id_of_stem(stem: str) -> str:
    """Return the id of a video that is called so; files of several folders may share one.

    Example:
        >>> id_of_stem("street (2)")
        'street_2'
    """
    return _UNSAFE.sub("_", stem).strip("_.")[:150] or "video"


def _checked(
    named: Mapping[Path, str],
    parents: Mapping[str, str],
    tasks: Mapping[str, Task],
    problems: list[Problem],
    place: str,
    task: TaskChoice,
    seed: int,
    none: str,
) -> list[VideoFile]:
    hint = "make its name unlike the others'"
    first: dict[str, Path] = {}
    for path, video_id in named.items():
        try:
            _ID.validate_python(video_id)
        except ValidationError as error:
            problems.append(Problem("record", str(path), "; ".join(field_errors(error))))
        other = first.setdefault(video_id.casefold(), path)
        if other != path:
            message = f"the id {video_id!r} of {other} too"
            problems.append(Problem("repeated-id", str(path), message, hint))
    present = [path for path in named if path.is_file()]
    for path in sorted(set(named) - set(present)):
        problems.append(Problem("missing-video", str(path), "no such file"))
    facts = check_videos(present)
    for path in present:
        if facts[path].error:
            problems.append(Problem("unusable-video", str(path), facts[path].error, WAY_OUT))
    if not named and not problems:
        problems.append(Problem("no-data", place, "there is no video", none))
    if problems:
        raise InputProblems(TITLE, problems)
    return _in_order(named, parents, tasks, facts, task, seed)


def _in_order(
    named: Mapping[Path, str],
    parents: Mapping[str, str],
    tasks: Mapping[str, Task],
    facts: Mapping[Path, VideoFacts],
    task: TaskChoice,
    seed: int,
) -> list[VideoFile]:
    hashes = sha256_of(named)
    once: dict[str, Path] = {}
    for path in sorted(named, key=lambda one: named[one]):
        once.setdefault(hashes[path], path)
    ranked = sorted(once, key=lambda sha: hashlib.sha256(f"{sha}|{seed}".encode()).digest())
    videos = []
    for number, sha in enumerate(ranked):
        path = once[sha]
        video_id = named[path]
        dealt: Task = "video_qa" if number % 2 == 0 else "video_captioning"
        own = tasks.get(video_id) or (dealt if task == "both" else task)
        videos.append(
            VideoFile(
                video_id=video_id,
                path=path,
                sha256=sha,
                duration_s=facts[path].duration_s,
                fps=facts[path].fps,
                has_audio=facts[path].has_audio,
                parent=parents.get(video_id, video_id),
                task=own,
            )
        )
    return videos
