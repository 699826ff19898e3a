"""Count a release by task, split and category, as JSON and as two flat tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from vidomni_plugin.build.release.placing import Placed, Video
from vidomni_plugin.build.release.split import SHARES
from vidomni_plugin.data.layout import SPLITS, TASK_SETS
from vidomni_plugin.records import Leaf
from vidomni_plugin.tables import Column, Table

__all__ = ["leaf_table", "statistics", "video_table"]

SCHEMA = "vidomni_release_statistics_1.0"
ALL = "all"
"""Stands for all splits of a task together."""
GIB = 2**30
OF_VIDEOS = (
    "sample_count",
    "sample_share",
    "source_video_count",
    "source_video_share",
    "source_bytes",
    "source_gib",
    "total_duration_seconds",
    "mean_duration_seconds",
    "samples_per_video",
)
"""What is told of the videos of a task's split."""


def statistics(placed: Placed, seed: int, bytes_of: dict[str, int]) -> dict[str, Any]:
    """Return the numbers of a release.

    Args:
        placed: Its videos.
        seed: Of its split.
        bytes_of: Size of each video, by id.
    """
    tasks: dict[str, Any] = {}
    for task in TASK_SETS:
        whole = [video for video in placed.videos if video.task == task]
        tasks[task] = {ALL: _numbers(whole, whole, bytes_of)}
        for split in SPLITS:
            part = [video for video in whole if video.split == split]
            tasks[task][split] = _numbers(part, whole, bytes_of)
    return {
        "schema_version": SCHEMA,
        "split_policy": {
            "ratios": dict(zip(SPLITS, SHARES, strict=True)),
            "grouping_unit": "recording",
            "stratification": ["task_type", "leaf_label"],
            "seed": seed,
            "missed_totals": _missed(placed),
        },
        "recording_count": len({video.recording for video in placed.videos}),
        "tasks": tasks,
    }


def _missed(placed: Placed) -> list[dict[str, Any]]:
    """Return the totals that whole recordings did not allow."""
    return [
        {"task_type": task, "split": split, "samples_too_many": number}
        for (task, split), number in sorted(placed.split.missed.items())
    ]


def _numbers(
    part: Sequence[Video], whole: Sequence[Video], bytes_of: dict[str, int]
) -> dict[str, Any]:
    samples = sum(len(video.records) for video in part)
    of_all = sum(len(video.records) for video in whole)
    size = sum(bytes_of[video.video_id] for video in part)
    seconds = sum(video.seen.facts.duration_s for video in part if video.seen.facts)
    leaves = Counter(record.leaf for video in part for record in video.records)
    return {
        "sample_count": samples,
        "sample_share": _share(samples, of_all),
        "source_video_count": len(part),
        "source_video_share": _share(len(part), len(whole)),
        "leaf_distribution": {leaf.value: leaves[leaf] for leaf in Leaf},
        "source_bytes": size,
        "source_gib": round(size / GIB, 6),
        "total_duration_seconds": round(seconds, 3),
        "mean_duration_seconds": _share(seconds, len(part), 3),
        "samples_per_video": _share(samples, len(part)),
    }


def _share(part: float, of: float, digits: int = 6) -> float | None:
    """Return a share, or None of nothing."""
    return round(part / of, digits) if of else None


def leaf_table(numbers: dict[str, Any]) -> Table:
    """Return how many samples each task, split and leaf has."""
    rows = [
        (task, split, leaf, count)
        for task, splits in numbers["tasks"].items()
        for split, of in splits.items()
        if split != ALL
        for leaf, count in of["leaf_distribution"].items()
    ]
    titles = ("task_type", "split", "leaf_label", "sample_count")
    return Table("leaves", "", tuple(map(Column, titles)), rows)


def video_table(numbers: dict[str, Any]) -> Table:
    """Return counts, sizes and durations of each task and split."""
    rows = [
        (task, split, *(of[name] for name in OF_VIDEOS))
        for task, splits in numbers["tasks"].items()
        for split, of in splits.items()
        if split != ALL
    ]
    titles = ("task_type", "split", *OF_VIDEOS)
    return Table("videos", "", tuple(map(Column, titles)), rows)
