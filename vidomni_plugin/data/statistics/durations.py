"""How long VidHalLoc's videos are: from the release's inventory, else from the files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from vidomni_plugin.data.inventory import read_inventory
from vidomni_plugin.data.layout import INVENTORY, VIDEO_FOLDER
from vidomni_plugin.data.load import VideoKey
from vidomni_plugin.data.presence import is_absent
from vidomni_plugin.data.videos import check_videos, find_videos
from vidomni_plugin.problems import InputProblems

__all__ = ["Durations", "video_durations"]


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
    if not is_absent(root / INVENTORY):
        release = read_inventory(root)
        if release.problems:
            raise InputProblems(f"inventory of {root}", release.problems)
        digest = release.digest
        known = {entry.record.key: entry.record.duration_seconds for entry in release.entries}
        seconds = {video: length for video in wanted if (length := known.get(video)) is not None}
    told = len(seconds)
    paths = {
        VideoKey(folder, video_id): path
        for folder in VIDEO_FOLDER.values()
        for video_id, path in find_videos(
            root / folder, (v.video_id for v in wanted if v.folder == folder and v not in seconds)
        ).items()
    }
    facts = check_videos(paths.values())
    seconds |= {v: facts[path].duration_s for v, path in paths.items() if not facts[path].error}
    return Durations(seconds, told, len(seconds) - told, digest)
