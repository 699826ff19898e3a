"""What an encoder says of a pool: how diverse it is, and how much happens in its videos."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.build.pool.diversity import (
    Compared,
    Map,
    Windows,
    compare,
    diversity,
    map_of,
    pooled,
    windows,
)
from vidomni_plugin.build.pool.features import VideoFeatures
from vidomni_plugin.build.pool.lines import PoolVideo, Third
from vidomni_plugin.data.lines import write_text
from vidomni_plugin.tables import Cell, Column, Table, as_csv, write_table

__all__ = ["Representation", "Seen", "represent", "tables", "write_report"]

ALL = "all videos"
DIGITS = 4
"""Decimals of distances: those of neighbours are small."""


@dataclass(frozen=True, slots=True)
class Representation:
    """The videos of a pool as an encoder sees them, in one order throughout."""

    videos: Sequence[PoolVideo]
    features: NDArray[np.float64]
    """Of length 1, shape ``(videos, d)``."""
    compared: Compared | None
    """None for less than two videos."""
    map: Map
    within: Sequence[Windows | None]
    """None for a video of a single window."""


class Seen(NamedTuple):
    """What is needed of a video's features; all features of a large pool would fill the memory."""

    whole: NDArray[np.float64]
    """Of length 1, shape ``(d,)``."""
    within: Windows | None

    @classmethod
    def of(cls, features: VideoFeatures) -> Seen:
        """Return it for the features of one video."""
        return cls(pooled(features.whole), windows(pooled(features.windows)))


def represent(videos: Sequence[PoolVideo], seen: Sequence[Seen]) -> Representation:
    """Return all that the report shows.

    Args:
        videos: At least one.
        seen: Of each of them.
    """
    whole = np.stack([one.whole for one in seen])
    compared = compare(whole) if len(videos) > 1 else None
    return Representation(videos, whole, compared, map_of(whole), [one.within for one in seen])


def tables(found: Representation, encoder: str) -> list[Table]:
    """Return the tables of the report: between videos by source, within videos by motion."""
    return [_between(found, encoder), _within(found, encoder)]


def _between(found: Representation, encoder: str) -> Table:
    sources = np.array([video.source for video in found.videos])
    rows: list[Sequence[Cell]] = []
    groups = {name: np.flatnonzero(sources == name) for name in sorted(set(sources.tolist()))}
    for name, chosen in ((ALL, np.arange(len(sources))), *groups.items()):
        inside = found.features[chosen]
        near: list[Cell] = [None, None, None]
        if found.compared is not None:
            distance = found.compared.distance[chosen]
            near = [float(distance.mean()), float(np.median(distance)), float(distance.min())]
        rows.append([name, len(chosen), diversity(inside), *near])
    heads = (
        *(Column("source"), Column("videos"), Column("diversity", DIGITS)),
        *(Column(f"nearest, {what}", DIGITS) for what in ("mean", "median", "least")),
    )
    notes = (
        f"Encoder: {encoder}. 8 uniform frames a video, mean-pooled; cosine distances in [0, 2].",
        "Diversity: mean distance of all pairs of videos of the source.",
        "Nearest: distance to the nearest other video of the whole pool.",
    )
    return Table("between_videos", "How unlike the videos are", heads, rows, notes)


def _within(found: Representation, encoder: str) -> Table:
    rows: list[Sequence[Cell]] = []
    for name in (ALL, *get_args(Third)):
        own = [
            one
            for one, video in zip(found.within, found.videos, strict=True)
            if one is not None and name in {ALL, video.motion_third}
        ]
        count = sum(name in {ALL, video.motion_third} for video in found.videos)
        means: list[Cell] = [None] * 4
        if own:
            means = [float(value) for value in np.array(own, dtype=np.float64).mean(axis=0)]
        label = name if name == ALL else f"{name} motion"
        rows.append([label, count, len(own), *means])
    heads = (
        *(Column("third"), Column("videos"), Column("with windows"), Column("windows a video")),
        *(Column(what, DIGITS) for what in ("adjacent", "pairwise", "spread")),
    )
    notes = (
        f"Encoder: {encoder}. Up to 12 windows of 4 frames, mean-pooled; cosine distances.",
        "Means over the videos with two windows or more; shorter ones have nothing to compare.",
        "Adjacent: a window to the next. Pairwise: any two. Spread: a window to their mean.",
    )
    return Table("within_videos", "How much happens in a video", heads, rows, notes)


def _videos(found: Representation) -> Table:
    rows: list[Sequence[Cell]] = []
    for place, (video, own) in enumerate(zip(found.videos, found.within, strict=True)):
        near: list[Cell] = [None, None]
        if found.compared is not None:
            nearest = found.videos[int(found.compared.nearest[place])]
            near = [nearest.video_id, float(found.compared.distance[place])]
        x, y = (float(value) for value in found.map.places[place])
        within: Sequence[Cell] = own if own is not None else [None] * 4
        facts = (video.video_id, video.source, video.task, video.motion_third, video.motion)
        rows.append([*facts, x, y, *near, *within])
    titles = (
        *("video_id", "source", "task", "motion_third", "motion", "map_x", "map_y"),
        *("nearest", "nearest_distance", "windows", "adjacent", "pairwise", "spread"),
    )
    heads = [Column(title, DIGITS) for title in titles]
    return Table("videos", "Every video", heads, rows)


def write_report(
    found: Representation, encoder: str, settings: Mapping[str, object], folder: Path
) -> list[Path]:
    """Write tables, a line a video, pictures and settings into a folder.

    Args:
        found: What is shown.
        encoder: Its name.
        settings: What made the report, as JSON can hold it.
        folder: Made if it is not there.

    Returns:
        The files.

    Raises:
        OSError: If the folder cannot be written.
    """
    from vidomni_plugin.build.pool.figures import draw_report

    paths = [path for table in tables(found, encoder) for path in write_table(table, folder)]
    lines = folder / "videos.csv"
    write_text(lines, as_csv(_videos(found)))
    about = folder / "report.json"
    write_text(about, json.dumps(settings, ensure_ascii=False, indent=2) + "\n")
    return [*paths, lines, about, *draw_report(found, folder)]
