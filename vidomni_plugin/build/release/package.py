"""Write the files of a release below a folder: videos, records, inventory, manifests, tables."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from vidomni_plugin import __version__
from vidomni_plugin.build.release.placing import Placed, Video
from vidomni_plugin.build.release.reading import TITLE
from vidomni_plugin.build.release.readme import readme
from vidomni_plugin.build.release.split import SHARES
from vidomni_plugin.build.release.statistics import leaf_table, statistics, video_table
from vidomni_plugin.data.fetch.place import (
    copy_file,
    free_bytes,
    link_or_copy,
    readable_size,
    same_device,
)
from vidomni_plugin.data.hashes import sha256_of
from vidomni_plugin.data.layout import FULL_SET, INVENTORY, SPLITS, TASK_SETS
from vidomni_plugin.data.lines import write_jsonl, write_text
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.tables import Column, Table, as_csv

__all__ = ["AUDIT", "EXTENDED_FILE", "MANIFEST", "PLAN", "STATISTICS", "Packaged", "package"]

EXTENDED_FILE = "Datasets/pairs_extended.jsonl"
"""No task of the host reads it."""
MANIFEST = "Datasets/split_manifest.json"
AUDIT = "Datasets/split_integrity_audit.json"
STATISTICS = "Datasets/dataset_statistics.json"
LEAVES = "Datasets/distribution_by_task_split_leaf.csv"
DISTRIBUTION = "Datasets/source_video_distribution.csv"
PLAN = "release_plan.json"
README = "README.txt"
MANIFEST_SCHEMA = "vidomni_release_split_manifest_1.0"
PLAN_SCHEMA = "vidomni_release_plan_1.0"

LinkMode = Literal["hardlink", "copy"]


class Packaged(NamedTuple):
    """What was written."""

    numbers: dict[str, Any]
    """Of ``statistics``."""
    copied: int
    """Videos that are copies; the others are hard links."""


def package(
    placed: Placed,
    root: Path,
    *,
    seed: int,
    bits: float,
    copy: bool,
    done: Callable[[str, int, int], None],
) -> Packaged:
    """Write everything but the audit; the same input gives the same bytes.

    Args:
        placed: The videos.
        root: An empty folder.
        seed: Of the split, for the record.
        bits: Of near-identical videos, for the record.
        copy: Make copies where hard links could be.
        done: Told about the progress.

    Raises:
        InputProblems: If there is no space, or a video is not what it was when it was found.
        OSError: If a file cannot be written.
    """
    modes = _videos(placed, root, copy, done)
    bytes_of = {
        video.video_id: (root / video.packaged_path).stat().st_size for video in placed.videos
    }
    lines = [
        _inventory(video, bytes_of[video.video_id], modes[video.video_id])
        for video in placed.videos
    ]
    write_jsonl(root / INVENTORY, lines)
    write_text(root / Path(INVENTORY).with_suffix(".csv"), as_csv(_inventory_table(lines)))
    _records(placed, root)
    numbers = statistics(placed, seed, bytes_of)
    _json(root / STATISTICS, numbers)
    write_text(root / LEAVES, as_csv(leaf_table(numbers)))
    write_text(root / DISTRIBUTION, as_csv(video_table(numbers)))
    _json(root / MANIFEST, _manifest(placed, seed))
    _json(root / PLAN, _plan(placed, seed, bits))
    write_text(root / README, readme(placed, numbers, EXTENDED_FILE))
    return Packaged(numbers, sum(mode == "copy" for mode in modes.values()))


def _videos(
    placed: Placed, root: Path, copy: bool, done: Callable[[str, int, int], None]
) -> Mapping[str, LinkMode]:
    _refuse_lack_of_space(placed.videos, root, copy)
    modes: dict[str, LinkMode] = {}
    for number, video in enumerate(placed.videos, 1):
        target = root / video.packaged_path
        if copy:
            copy_file(video.source, target)
        else:
            link_or_copy(video.source, target)
        modes[video.video_id] = "hardlink" if os.path.samefile(video.source, target) else "copy"
        done("packaging videos", number, len(placed.videos))
    hashes = sha256_of((root / video.packaged_path for video in placed.videos), "checking hashes")
    problems = []
    for video in placed.videos:
        found = hashes.get(root / video.packaged_path)
        if found is None:
            message = "it cannot be read any more"
            problems.append(Problem("unreadable", str(video.source), message))
        elif found != video.content.sha256:
            message = "it changed while it was packaged"
            problems.append(Problem("changed-video", str(video.source), message))
    if problems:
        raise InputProblems(TITLE, problems)
    return modes


def _refuse_lack_of_space(videos: Sequence[Video], root: Path, copy: bool) -> None:
    apart = [one.source for one in videos if copy or not same_device(one.source, root)]
    needed, free = sum(path.stat().st_size for path in apart), free_bytes(root)
    if needed > free:
        text = f"no space: {readable_size(needed)} needed, {readable_size(free)} free"
        raise OSError(errno.ENOSPC, text, str(root.parent))


def _inventory(video: Video, size: int, mode: LinkMode) -> dict[str, Any]:
    facts = video.seen.facts
    assert facts is not None
    return {
        "video_id": video.video_id,
        "task_type": video.task,
        "split": video.split,
        "source_id": video.content.source_id,
        "recording": video.recording,
        "packaged_path": video.packaged_path,
        "sha256": video.content.sha256,
        "sample_count": len(video.records),
        "leaf_labels": ";".join(sorted(record.leaf.value for record in video.records)),
        "link_mode": mode,
        "bytes": size,
        "duration_seconds": facts.duration_s,
        "width": facts.width,
        "height": facts.height,
        "fps": facts.fps,
        "frame_count": facts.frames,
    }


def _inventory_table(lines: Sequence[Mapping[str, Any]]) -> Table:
    titles = tuple(lines[0])
    return Table(
        "inventory", "", tuple(map(Column, titles)), [tuple(one.values()) for one in lines]
    )


def _records(placed: Placed, root: Path) -> None:
    videos = sorted(placed.videos, key=lambda video: video.video_id)
    write_jsonl(root / FULL_SET, [record.public for video in videos for record in video.records])
    write_jsonl(root / EXTENDED_FILE, [record for video in videos for record in video.records])
    for task, files in TASK_SETS.items():
        own = [video for video in videos if video.task == task]
        write_jsonl(root / files.full, [record.public for video in own for record in video.records])
        for split, name in files.splits.items():
            rows = [r.public for video in own if video.split == split for r in video.records]
            write_jsonl(root / name, rows)


def _manifest(placed: Placed, seed: int) -> dict[str, Any]:
    def by(value: Callable[[Video], str], task: str) -> dict[str, str]:
        return {one.video_id: value(one) for one in placed.videos if one.task == task}

    return {
        "schema_version": MANIFEST_SCHEMA,
        "seed": seed,
        "policy": {
            "sample_ratio": dict(zip(SPLITS, SHARES, strict=True)),
            "group_by_source_video": True,
            "group_by_recording": True,
            "content_hash_leakage_check": True,
            "pair_id_leakage_check": True,
            "near_identical_leakage_check": True,
            "leaf_stratification": True,
        },
        "tasks": {
            task: {
                "video_to_split": by(lambda video: video.split, task),
                "video_to_recording": by(lambda video: video.recording, task),
            }
            for task in TASK_SETS
        },
    }


def _plan(placed: Placed, seed: int, bits: float) -> dict[str, Any]:
    records = [record for video in placed.videos for record in video.records]
    return {
        "schema_version": PLAN_SCHEMA,
        "vidomni": __version__,
        "seed": seed,
        "near_bits": bits,
        "videos": len(placed.videos),
        "pairs": len(records),
        "runs": sorted({record.signature for record in records}),
        "evidence_policies": sorted({r.public.media.evidence_policy_id for r in records}),
    }


def _json(path: Path, content: Mapping[str, Any]) -> None:
    write_text(path, json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
