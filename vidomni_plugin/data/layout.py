"""What a VidHalLoc release fixes: its schema, and where its files lie (names below its root)."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from vidomni_plugin.records import Leaf

__all__ = [
    "FILES",
    "FULL_SET",
    "INVENTORY",
    "OWN_POLICIES",
    "PAIR_SCHEMA",
    "RELEASED_POLICY",
    "RELEASED_SCHEMA",
    "SLOT_OF_LEAF",
    "SPLITS",
    "TASK_SETS",
    "VIDEO_FOLDER",
    "EvidencePolicy",
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
SLOT_OF_LEAF: dict[str, str] = {
    Leaf.ENTITY_EXISTENCE.value: "existence",
    Leaf.ENTITY_CATEGORY.value: "category",
    Leaf.ENTITY_QUANTITY.value: "count",
    Leaf.ATTRIBUTE_VALUE.value: "attribute_value",
    Leaf.STATIC_RELATION.value: "relation_predicate",
    Leaf.ACTION_PREDICATE.value: "predicate",
    Leaf.TEMPORAL_RELATION.value: "order",
    Leaf.CAMERA_PREDICATE.value: "camera_predicate",
}
"""The ``conflict_slot`` of each leaf: what its counterfactual answer changes."""
RELEASED_SCHEMA = "videohalo_probe_pair_sample_fixed8_3.6.1"
"""``schema_version`` of the public release's records."""
RELEASED_POLICY = "gemini_native_original_video_v1"
"""``evidence_policy_id`` of these records."""
PAIR_SCHEMA = "vidomni_pair_1.0"
"""``schema_version`` of pairs that `vidomni build pairs` makes."""
EvidencePolicy = Literal["frames_timestamped_v1", "native_video_url_v1"]
"""How the models saw the video of such a pair: frames with their times, or the file itself."""
OWN_POLICIES: tuple[str, ...] = get_args(EvidencePolicy)
