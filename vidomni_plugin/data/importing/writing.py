"""Write an import into a data set: everything or nothing, and never over what is there."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from vidomni_plugin.data.importing.plan import Placed, Plan, merged
from vidomni_plugin.data.importing.reading import Unmapped
from vidomni_plugin.data.importing.videos import Link, make_links
from vidomni_plugin.data.layout import FULL_SET, INVENTORY, SPLITS, TASK_SETS, VIDEO_FOLDER
from vidomni_plugin.data.lines import write_jsonl
from vidomni_plugin.data.releases import Release, read_records, read_videos
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.records import VidHalLocPair, VidOmniPair, VidOmniVideo

__all__ = ["UNMAPPED", "Written", "existing", "write_import", "write_unmapped"]

UNMAPPED = "unmapped.jsonl"
"""The list of what could not be mapped, in the folder of the data set."""


@dataclass(frozen=True, slots=True)
class Written:
    """What an import left in the data set."""

    files: dict[str, int]
    """Lines by file."""
    already: int
    """Records that were there before, word for word."""
    links: int
    linked_before: int


def _targets(plan: Plan) -> list[str]:
    if plan.benchmark == "vidomni":
        pairs = any(placed.pair is not None for placed in plan.records)
        return ["videos.jsonl", "pairs.jsonl"] if pairs else ["videos.jsonl"]
    return _release_files(splits=True)


def _release_files(*, splits: bool) -> list[str]:
    names = [task.full for task in TASK_SETS.values()]
    if splits:
        names += [name for task in TASK_SETS.values() for name in task.splits.values()]
    return [*names, FULL_SET]


def existing(out: Path, plan: Plan) -> list[Path]:
    """Return the files of the data set that the import would write and that are there."""
    return [out / name for name in _targets(plan) if (out / name).exists()]


def write_import(plan: Plan, out: Path, *, append: bool = False, force: bool = False) -> Written:
    """Write the records of a plan and link its videos.

    All files are written beside their places first and then put there, the list of pairs last.

    Args:
        plan: What to write.
        out: Root of the data set.
        append: Add to the records that are there. A record that is there word for word is not
            added again; one with the same id and other content is a problem.
        force: Replace the records that are there.

    Raises:
        InputProblems: If there are data and neither ``append`` nor ``force``, or they do not go
            together with the new ones.
        OSError: If something cannot be written; the data set is as it was.
    """
    there = existing(out, plan)
    if there and not (append or force):
        hint = "use another --out, add to it with --append, or replace it with --force"
        problems = [
            Problem("exists", str(path), "there are records already", hint) for path in there
        ]
        raise InputProblems("nothing is written", problems)
    if plan.benchmark == "vidomni":
        contents, already = _vidomni(plan, out, append and bool(there))
    else:
        contents, already = _vidhalloc(plan, out, append and bool(there))
    gone = [] if append else [n for n in (*_targets(plan), INVENTORY) if n not in contents]
    was_there = out.exists()
    out.mkdir(parents=True, exist_ok=True)
    stage = Path(tempfile.mkdtemp(prefix=".import.", dir=out))
    try:
        for name, rows in contents.items():
            write_jsonl(stage / name, rows)
            (out / name).parent.mkdir(parents=True, exist_ok=True)
        made, before = make_links(_links(plan, out))
        for name in contents:
            os.replace(stage / name, out / name)
        if plan.benchmark == "vidhalloc":
            for name in gone:
                (out / name).unlink(missing_ok=True)
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        if not was_there:
            shutil.rmtree(out, ignore_errors=True)
        raise
    shutil.rmtree(stage)
    return Written({n: len(rows) for n, rows in contents.items()}, already, len(made), before)


def write_unmapped(out: Path, unmapped: Sequence[Unmapped]) -> Path | None:
    """Write the list of what was not mapped; takes an old list away where there is nothing."""
    path = out / UNMAPPED
    if not unmapped:
        path.unlink(missing_ok=True)
        return None
    write_jsonl(
        path,
        [{"place": note.place, "field": note.field, "reason": note.reason} for note in unmapped],
    )
    return path


def _links(plan: Plan, out: Path) -> list[Link]:
    links: dict[tuple[Path, str], Link] = {}
    for placed in plan.records:
        if isinstance(placed.pair, VidHalLocPair):
            video_id = placed.pair.media.video_id
            folder = out / VIDEO_FOLDER[placed.pair.task_type]
        else:
            video_id = (placed.pair or _video(placed)).video_id
            folder = out / "videos"
        if video_id in plan.files:
            links[folder, video_id] = Link(plan.files[video_id], folder, video_id)
    return list(links.values())


def _video(placed: Placed) -> VidOmniVideo:
    assert placed.video is not None  # every VidOmni record has one
    return placed.video


def _read(release: Release[Any]) -> dict[str, Any]:
    """Return the records of the data set by place; a bad one must be mended first."""
    if release.problems:
        raise InputProblems("the data set that is there cannot be added to", release.problems)
    return {entry.place: entry.record for entry in release.entries}


def _added(before: dict[str, Any], new: Iterable[tuple[str, Any]]) -> tuple[list[BaseModel], int]:
    """Return old and new pairs together, and how many of the new ones were there."""
    by_id = {record.pair_id: (place, record) for place, record in before.items()}
    rows: list[BaseModel] = list(before.values())
    problems = []
    already = 0
    for place, record in new:
        old_place, old = by_id.get(record.pair_id, ("", None))
        if old is None:
            rows.append(record)
        elif old == record:
            already += 1
        else:
            message = f"pair_id {record.pair_id!r} is at {old_place} with other content"
            problems.append(Problem("repeated-id", place, message, "give it another id"))
    if problems:
        raise InputProblems("nothing is written", problems)
    return rows, already


def _vidomni(plan: Plan, out: Path, append: bool) -> tuple[dict[str, list[BaseModel]], int]:
    videos: dict[str, tuple[str, VidOmniVideo]] = {}
    if append and (out / "videos.jsonl").exists():
        for place, record in _read(read_videos(out / "videos.jsonl")).items():
            videos[record.video_id] = (place, record)
    problems = []
    for placed in plan.records:
        video = _video(placed)
        place, before = videos.get(video.video_id, (placed.place, video))
        both = merged(before, video)
        if isinstance(both, str):
            message = f"video {video.video_id!r} has another {both} at {place}"
            problems.append(Problem("record", placed.place, message, "correct one of the two"))
        else:
            videos[video.video_id] = (place, both)
    if problems:
        raise InputProblems("nothing is written", problems)
    contents: dict[str, list[BaseModel]] = {"videos.jsonl": [v for _, v in videos.values()]}
    pairs = [(placed.place, placed.pair) for placed in plan.records if placed.pair is not None]
    if not pairs:
        return contents, 0
    old: dict[str, Any] = {}
    if append and (out / "pairs.jsonl").exists():
        old = _read(read_records([out / "pairs.jsonl"], VidOmniPair, "pair_id"))
    contents["pairs.jsonl"], already = _added(old, pairs)
    return contents, already


def _vidhalloc(plan: Plan, out: Path, append: bool) -> tuple[dict[str, list[BaseModel]], int]:
    contents: dict[str, list[BaseModel]] = {}
    already = 0
    task_of = {
        name: task
        for task, files in TASK_SETS.items()
        for name in (files.full, *files.splits.values())
    }
    for name in _release_files(splits=plan.splits):
        stem = Path(name).stem
        new = [
            (placed.place, placed.pair)
            for placed in plan.records
            if isinstance(placed.pair, VidHalLocPair)
            and task_of.get(name, placed.pair.task_type) == placed.pair.task_type
            and (stem not in SPLITS or stem == placed.split)
        ]
        before = {}
        if append and (out / name).exists() and (out / name).read_bytes().strip():
            before = _read(read_records([out / name], VidHalLocPair, "pair_id"))
        contents[name], known = _added(before, new)
        already = known if name == FULL_SET else already
    if append:
        _same_splits(plan, out)
    return contents, already


def _same_splits(plan: Plan, out: Path) -> None:
    names = set(_release_files(splits=True)) - set(_release_files(splits=False))
    there = any((out / name).exists() for name in names)
    if there != plan.splits:
        has, new = ("has", "have none") if there else ("has no", "have some")
        message = f"the data set {has} splits, the new records {new}"
        hint = "give the mapping a split, or import into another folder"
        raise InputProblems("nothing is written", [Problem("exists", str(out), message, hint)])
