"""Where everything lies in a VidHalLoc release, spelled as there; names are below its root."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = [
    "FILES",
    "FULL_SET",
    "INVENTORY",
    "SPLITS",
    "TASK_SETS",
    "VIDEO_FOLDER",
    "Selection",
    "TaskSet",
]

Selection = Literal["all", "eval", "qa", "caption"]
"""Which part of VidHalLoc; "eval" is the paper's 800 items (Eval_set and Test_set)."""

FULL_SET = "Datasets/2000_Orign/2000_Orign.jsonl"
"""All items."""
INVENTORY = "Datasets/source_video_inventory.jsonl"
"""The release's list of its videos."""
SPLITS = ("Main_set", "Eval_set", "Test_set")
VIDEO_FOLDER = {"video_qa": "videoqa", "video_captioning": "video caption"}
"""Folder of a task's videos."""


class TaskSet(NamedTuple):
    """The files of one task."""

    full: str
    splits: dict[str, str]
    """File of each split, by the split's name."""


def _task_set(folder: str) -> TaskSet:
    files = {split: f"Datasets/{folder}/{split}.jsonl" for split in SPLITS}
    return TaskSet(f"Datasets/{folder}/{folder}.jsonl", files)


TASK_SETS = {
    "video_qa": _task_set("Videoqa_set"),
    "video_captioning": _task_set("Video_caption_set"),
}
FILES: dict[Selection, tuple[str, ...]] = {
    "all": (FULL_SET,),
    "eval": tuple(
        task.splits[split] for task in TASK_SETS.values() for split in ("Eval_set", "Test_set")
    ),
    "qa": (TASK_SETS["video_qa"].full,),
    "caption": (TASK_SETS["video_captioning"].full,),
}
"""The files that a task of the host reads, by selection."""
