"""The videos behind VidOmni's pairs, and how many there are of each kind (Figure 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from vidomni_plugin.data.durations import same_when_rounded
from vidomni_plugin.data.releases import Entry
from vidomni_plugin.problems import Problem
from vidomni_plugin.records import ComplexityType, VidOmniPair
from vidomni_plugin.vidomni.metrics import duration_group

__all__ = ["DURATIONS", "TYPE_NAMES", "Video", "group_videos", "kinds"]

TYPE_NAMES: dict[ComplexityType, str] = {
    1: "Static World",
    2: "Body Motion",
    3: "Hand-Object Interaction",
    4: "Crowd Action",
    5: "Multi-Scene Dynamics",
}
DURATIONS = ("short", "medium", "long")
"""Duration groups: short <= 180 s < medium < 1800 s <= long."""


@dataclass(frozen=True, slots=True)
class Video:
    """What the records say of one video."""

    video_id: str
    complexity_type: ComplexityType
    duration_s: float
    has_audio: bool

    @property
    def duration(self) -> str:
        """The duration group."""
        return duration_group(self.duration_s)


def group_videos(entries: Sequence[Entry[VidOmniPair]]) -> tuple[list[Video], list[Problem]]:
    """Return the videos in order of their ids, and each pair that contradicts an earlier one.

    Durations may differ by rounding, as ``vidomni data check`` allows it too.
    """
    first: dict[str, tuple[str, Video]] = {}
    problems = []
    for entry in entries:
        pair = entry.record
        video = Video(pair.video_id, pair.complexity_type, pair.duration_s, pair.has_audio)
        place, known = first.setdefault(pair.video_id, (entry.place, video))
        same = same_when_rounded(known.duration_s, video.duration_s)
        if not same or replace(video, duration_s=known.duration_s) != known:
            message = f"type, duration or sound of {pair.video_id!r} is another at {place}"
            hint = "correct the lines: a video has one type and one duration"
            problems.append(Problem("video-metadata", entry.place, message, hint))
    return [first[video_id][1] for video_id in sorted(first)], problems


def kinds(videos: Iterable[Video]) -> dict[ComplexityType, dict[str, int]]:
    """Return the number of videos of each type and duration group (Figure 4)."""
    counts = Counter((video.complexity_type, video.duration) for video in videos)
    return {kind: {name: counts[kind, name] for name in DURATIONS} for kind in TYPE_NAMES}
