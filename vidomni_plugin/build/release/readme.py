"""The README of a release: what lies where, how it was made, and how a model is evaluated on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vidomni_plugin import __version__
from vidomni_plugin.build.release.placing import Placed
from vidomni_plugin.data.layout import FULL_SET, INVENTORY, PAIR_SCHEMA, SPLITS, VIDEO_FOLDER
from vidomni_plugin.wording import counted

__all__ = ["readme"]

POLICIES = {
    "frames_timestamped_v1": "frames of the video with their times were sent to the models",
    "native_video_url_v1": "the video file itself was sent to the models",
}
TASKS = {"video_qa": "question answering", "video_captioning": "captioning"}


def readme(placed: Placed, numbers: dict[str, Any], extended: str) -> str:
    """Return the text, with the counts of this release.

    Args:
        placed: Its videos.
        numbers: Of ``statistics``.
        extended: Where the extended records lie.
    """
    pairs = [record for video in placed.videos for record in video.records]
    policies = sorted({record.public.media.evidence_policy_id for record in pairs})
    lines = [
        f"{counted(len(pairs), 'pair')} about {counted(len(placed.videos), 'video')}. Each is a "
        "question, a factual answer,",
        "and a counterfactual answer that states one false detail.",
        "",
        "WHAT LIES WHERE",
        f"  {FULL_SET}",
        "      all pairs (the name is that of the public VidHalLoc release, whatever the number)",
        "  Datasets/Videoqa_set/, Datasets/Video_caption_set/",
        "      the pairs of each task, and its splits Main_set, Eval_set, Test_set",
        *(f"  {folder}/  videos of {TASKS[task]}" for task, folder in VIDEO_FOLDER.items()),
        f"  {INVENTORY} (and .csv)",
        "      each video with its hash, split, recording, size, duration, and its id in the run",
        "  Datasets/split_manifest.json, Datasets/split_integrity_audit.json",
        "      the split, and the proof that nothing is in two of them",
        "  Datasets/dataset_statistics.json, Datasets/*.csv",
        "      counts by task, split and leaf; sizes and durations",
        f"  {extended}",
        "      not for evaluation: facts, intervals, what reviewers saw, models and settings",
        "",
        "A PAIR (one JSON object a line)",
        f"  schema_version         {PAIR_SCHEMA}",
        "  pair_id                unique",
        "  media                  video_id, what was sent of it, and how:",
        *(f"      {name}: {POLICIES[name]}" for name in policies),
        "  task_type              video_qa or video_captioning",
        "  question               what was asked",
        "  answer                 supported by the video",
        "  counterfactual_answer  one detail of it is false",
        "  leaf_label             the kind of that detail",
        "  conflict_slot          what was changed",
        "",
        "SPLITS",
        *_splits(numbers),
        "  All videos of one recording are in one split; near-identical videos count as one",
        "  recording. What is tuned on Main_set may be judged on Eval_set and Test_set.",
        "",
        "EVALUATE A MODEL",
        "  VIDHALLOC_DATA=<this folder> lmms-eval --model MODEL --tasks vidhalloc --log_samples",
        "  with the plugin that wrote this (tasks vidhalloc, vidhalloc_eval, vidhalloc_qa,",
        "  vidhalloc_caption). `vidomni data check vidhalloc --root <this folder>` checks it.",
        "",
        f"Written by vidomni {__version__}. The pairs were written and judged by models; the",
        "licences of the videos are those of their sources.",
    ]
    return "\n".join(lines) + "\n"


def _splits(numbers: dict[str, Any]) -> Sequence[str]:
    lines = []
    for task, splits in numbers["tasks"].items():
        parts = [f"{split} {splits[split]['sample_count']:,}" for split in SPLITS]
        lines.append(f"  {TASKS[task]}: {', '.join(parts)}")
    return lines
