"""How many videos of each source, task and third of motion a pool has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from vidomni_plugin.build.pool.lines import PoolVideo, Task, Third
from vidomni_plugin.tables import Column, Table

__all__ = ["strata"]


def strata(videos: Sequence[PoolVideo]) -> Table:
    """Return the videos of a pool by source and task, a column for each third of motion."""
    counts = Counter((video.source, video.task, video.motion_third) for video in videos)
    thirds = get_args(Third)
    rows = []
    for source in sorted({video.source for video in videos}):
        for task in get_args(Task):
            own = [counts[source, task, third] for third in thirds]
            if any(own):
                rows.append((source, task, *own, sum(own)))
    totals = [sum(row[2 + k] for row in rows) for k in range(len(thirds) + 1)]
    titles = ("source", "task", *(f"{third} motion" for third in thirds), "videos")
    return Table(
        "strata", "Videos of the pool", [Column(t) for t in titles], [*rows, ("all", "", *totals)]
    )
