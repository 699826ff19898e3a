"""How long VidHalLoc's videos are: from the release's inventory, else from the files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from vidomni_plugin.data.load import VIDEO_FOLDER
from vidomni_plugin.data.releases import read_records
from vidomni_plugin.data.videos import check_videos, find_videos
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.records import Id

__all__ = ["INVENTORY", "Durations", "VideoKey", "video_durations"]

INVENTORY = "Datasets/source_video_inventory.jsonl"
"""The release's list of videos."""
VideoKey = tuple[str, str]
"""A VidHalLoc video: its task type and its id."""


class _InventoryLine(BaseModel):
    """The fields of an inventory line that are used here; it has more."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    video_id: Id
    task_type: str = ""
    duration_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    @property
    def key(self) -> VideoKey:
        return (self.task_type, self.video_id)


class Durations(NamedTuple):
    """What is known of the videos' lengths."""

    seconds: dict[VideoKey, float]
    """Videos without a known duration are not in it."""
    from_inventory: int
    from_files: int
    digest: str
    """SHA-256 of the inventory; empty where there is none."""


def video_durations(root: Path, videos: Iterable[VideoKey]) -> Durations:
    """Return the duration of each video that the inventory or its file tells.

    Files are only looked into for videos that the inventory does not tell; what was seen of a
    file is remembered (``check_videos``).

    Raises:
        InputProblems: If the inventory has a line that cannot be read.
    """
    wanted = sorted(set(videos))
    seconds: dict[VideoKey, float] = {}
    digest = ""
    if (root / INVENTORY).exists():
        release = read_records([root / INVENTORY], _InventoryLine, "key")
        if release.problems:
            raise InputProblems(f"inventory of {root}", release.problems)
        digest = release.digest
        known = {
            entry.record.key: entry.record.duration_seconds
            for entry in release.entries
            if entry.record.duration_seconds is not None
        }
        seconds = {video: known[video] for video in wanted if video in known}
    told = len(seconds)
    paths = {
        (task, video_id): path
        for task, folder in VIDEO_FOLDER.items()
        for video_id, path in find_videos(
            root / folder, (v for t, v in wanted if t == task and (t, v) not in seconds)
        ).items()
    }
    facts = check_videos(paths.values())
    seconds |= {v: facts[path].duration_s for v, path in paths.items() if not facts[path].error}
    return Durations(seconds, told, len(seconds) - told, digest)
