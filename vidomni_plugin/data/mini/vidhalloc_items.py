"""Read the sample's answer pairs from ``answers.txt`` into VidHalLoc records.

The file holds one video a block. ``= clip task`` opens it. Each pair is two lines: the leaf label,
with a question for video QA, and the answer. What the counterfactual answer changes stands in
braces, the factual side first: ``The circle is {red|green}.``
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from vidomni_plugin.data.layout import RELEASED_SCHEMA, SLOT_OF_LEAF, VIDEO_FOLDER

__all__ = ["Task", "Video", "vidhalloc_videos"]

Task = Literal["video_qa", "video_captioning"]

ID_PREFIXES: dict[Task, str] = {"video_qa": "videoqa", "video_captioning": "captioning"}

CAPTION_REQUEST = "State one directly observable fact from the video in one complete sentence."
"""The question of every captioning item."""

_CHANGE = re.compile(r"\{(?P<factual>[^|}]*)\|(?P<counterfactual>[^}]*)\}")


@dataclass(frozen=True, slots=True)
class Video:
    """One video of the sample release and the records about it."""

    video_id: str
    clip: str
    task: Task
    records: tuple[dict[str, Any], ...]

    @property
    def packaged_path(self) -> str:
        """Where the video lies below the release folder."""
        return f"{VIDEO_FOLDER[self.task]}/{self.video_id}.mp4"


def _record(video_id: str, number: int, task: Task, head: str, answer: str) -> dict[str, Any]:
    leaf, _, question = head.partition(": ")
    return {
        "schema_version": RELEASED_SCHEMA,
        "pair_id": f"pair_{video_id}_fact_{number:02d}",
        "media": {
            "video_id": video_id,
            "canonical_media_uri": f"media://{video_id}/original",
            "registered_modalities": ["visual"],
            "evidence_policy_id": "gemini_native_original_video_v1",
        },
        "task_type": task,
        "question": question or CAPTION_REQUEST,
        "answer": _CHANGE.sub(r"\g<factual>", answer),
        "counterfactual_answer": _CHANGE.sub(r"\g<counterfactual>", answer),
        "leaf_label": leaf,
        "conflict_slot": SLOT_OF_LEAF[leaf],
    }


def vidhalloc_videos(text: str) -> Iterator[Video]:
    r"""Yield the videos with their records, numbered within each task in the order of the file.

    Args:
        text: The content of ``answers.txt``.

    Returns:
        Videos whose records have the nine fields of the public release.

    Example:
        >>> block = "= roll video_captioning\nAttributeValue\nThe circle is {red|green}."
        >>> video = next(vidhalloc_videos(block))
        >>> video.video_id, video.records[0]["counterfactual_answer"]
        ('captioning_0001', 'The circle is green.')
    """
    seen: Counter[Task] = Counter()
    for block in text.strip().split("\n\n"):
        head, *lines = block.splitlines()
        clip, name = head.removeprefix("= ").split()
        task: Task = "video_qa" if name == "video_qa" else "video_captioning"
        seen[task] += 1
        video_id = f"{ID_PREFIXES[task]}_{seen[task]:04d}"
        pairs = zip(lines[::2], lines[1::2], strict=True)
        records = (
            _record(video_id, number, task, top, answer)
            for number, (top, answer) in enumerate(pairs, start=1)
        )
        yield Video(video_id, clip, task, tuple(records))
