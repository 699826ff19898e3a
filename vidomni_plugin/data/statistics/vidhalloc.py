"""VidHalLoc's statistics: Table 4, splits and totals (arXiv 2609.09895)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vidomni_plugin.data.layout import FILES, TASK_SETS
from vidomni_plugin.data.load import video_key
from vidomni_plugin.data.presence import is_absent
from vidomni_plugin.data.releases import read_records, read_vidhalloc
from vidomni_plugin.data.statistics.durations import Durations, video_durations
from vidomni_plugin.data.statistics.measures import Measure, count_words, mean
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.records import CATEGORY_OF_LEAF, DYNAMIC, ONTOLOGY, VidHalLocPair

__all__ = [
    "GROUPS",
    "CategoryRow",
    "SplitRow",
    "VidHalLocStatistics",
    "category_row",
    "split_row",
    "vidhalloc_statistics",
]

GROUPS = (*ONTOLOGY, *DYNAMIC, "ontology", "dynamic", "all")
"""Rows of Table 4: the categories in the paper's order, then what they add up to."""


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """A row of Table 4."""

    items: int
    video_qa: int
    video_captioning: int
    question_words: Measure
    video_seconds: Measure
    """Mean over items: a video with two items of the category counts twice."""


@dataclass(frozen=True, slots=True)
class SplitRow:
    """Items and distinct videos of a part of the data."""

    items: int
    videos: int


@dataclass(frozen=True, slots=True)
class VidHalLocStatistics:
    """Everything that the tables and the figure show."""

    categories: dict[str, CategoryRow]
    """By ``GROUPS``."""
    tasks: dict[str, SplitRow]
    """Items and videos of each task in the full set, and of "all"."""
    items_of_a_video: dict[int, int]
    """How many videos have that many items."""
    splits: dict[str, dict[str, SplitRow | None]]
    """By task, then split; None where the split's file is not there."""
    evaluation: SplitRow | None
    """Eval_set and Test_set of both tasks; None where a file is not there."""
    durations_from_inventory: int
    durations_from_files: int
    annotations_sha256: str
    """Over every file that was read."""


def vidhalloc_statistics(root: Path) -> VidHalLocStatistics:
    """Compute the statistics of a VidHalLoc release.

    Raises:
        InputProblems: If a record of the full set, of a split that is there or of the inventory
            cannot be used.
    """
    release = read_vidhalloc(root)
    if release.problems:
        raise InputProblems(f"data in {root}", release.problems, listed_by="vidomni data check")
    pairs = [entry.record for entry in release.entries]
    splits, digests = _read_splits(root)
    durations = video_durations(root, map(video_key, pairs))
    digests = [release.digest, *digests, durations.digest]
    evaluation = [splits[name] for name in FILES["eval"]]
    known = [part for part in evaluation if part is not None]
    return VidHalLocStatistics(
        categories={group: category_row(_of(pairs, group), durations) for group in GROUPS},
        tasks={
            **{task: split_row([p for p in pairs if p.task_type == task]) for task in TASK_SETS},
            "all": split_row(pairs),
        },
        items_of_a_video=dict(sorted(Counter(Counter(map(video_key, pairs)).values()).items())),
        splits={
            task: {
                split: None if (part := splits[name]) is None else split_row(part)
                for split, name in files.splits.items()
            }
            for task, files in TASK_SETS.items()
        },
        evaluation=(
            split_row([pair for part in known for pair in part])
            if len(known) == len(evaluation)
            else None
        ),
        durations_from_inventory=durations.from_inventory,
        durations_from_files=durations.from_files,
        annotations_sha256=hashlib.sha256("\n".join(digests).encode()).hexdigest(),
    )


def category_row(pairs: Sequence[VidHalLocPair], durations: Durations) -> CategoryRow:
    """Return a row of Table 4 over some items."""
    tasks = Counter(pair.task_type for pair in pairs)
    seconds = durations.seconds
    return CategoryRow(
        items=len(pairs),
        video_qa=tasks["video_qa"],
        video_captioning=tasks["video_captioning"],
        question_words=mean((count_words(pair.question) for pair in pairs), "items"),
        video_seconds=mean(
            (seconds[key] for key in map(video_key, pairs) if key in seconds), "items"
        ),
    )


def split_row(pairs: Sequence[VidHalLocPair]) -> SplitRow:
    """Count items and videos."""
    return SplitRow(len(pairs), len(set(map(video_key, pairs))))


def _of(pairs: Sequence[VidHalLocPair], group: str) -> list[VidHalLocPair]:
    wanted: Mapping[str, tuple[str, ...]] = {
        "ontology": ONTOLOGY,
        "dynamic": DYNAMIC,
        "all": (*ONTOLOGY, *DYNAMIC),
    }
    categories = wanted.get(group, (group,))
    return [pair for pair in pairs if CATEGORY_OF_LEAF[pair.leaf_label.value] in categories]


def _read_splits(root: Path) -> tuple[dict[str, list[VidHalLocPair] | None], list[str]]:
    """Read the six files of splits, by name; one that is not there gives None."""
    splits: dict[str, list[VidHalLocPair] | None] = {}
    problems, digests = [], []
    for name in (name for files in TASK_SETS.values() for name in files.splits.values()):
        splits[name] = None
        if not is_absent(root / name):
            release = read_records([root / name], VidHalLocPair, "pair_id")
            # A split may be empty; read_records names that a problem of the whole.
            problems += [p for p in release.problems if p.code != "no-pairs"]
            splits[name] = [entry.record for entry in release.entries]
            digests.append(release.digest)
    if problems:
        raise InputProblems(f"splits in {root}", problems, listed_by="vidomni data check")
    return splits, digests
