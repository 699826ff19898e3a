"""Pictures of the representation report."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from vidomni_plugin.build.pool.diversity import BINS
from vidomni_plugin.figures import COLOURS, drawing, labels, save_figure, say_nothing

if TYPE_CHECKING:
    from vidomni_plugin.build.pool.report import Representation

__all__ = ["draw_report"]

SOURCES = 7
"""Sources with a colour of their own, the largest; the others share one."""
OTHERS = "#999999"


def draw_report(found: Representation, folder: Path) -> list[Path]:
    """Write the map, the distances between videos and those within videos."""
    drawn = (_map, _between, _within)
    return [path for draw in drawn for path in draw(found, folder)]


def _map(found: Representation, folder: Path) -> list[Path]:
    counts = Counter(video.source for video in found.videos)
    order = sorted(counts, key=lambda name: (-counts[name], name))
    shown = labels(order[:SOURCES])
    sources = np.array([video.source for video in found.videos])
    with drawing(4.6, 3.6) as (figure, (axes,)):
        for name, colour in zip(order[:SOURCES], COLOURS, strict=False):
            x, y = found.map.places[sources == name].T
            axes.scatter(x, y, s=6, color=colour, linewidths=0, label=shown[name])
        rest = ~np.isin(sources, order[:SOURCES])
        if rest.any():
            text = f"{len(order) - SOURCES} other sources"
            x, y = found.map.places[rest].T
            axes.scatter(x, y, s=6, color=OTHERS, linewidths=0, label=text)
        first, second = (f"{100 * share:.1f}% of the variance" for share in found.map.explained)
        axes.set_xlabel(f"first principal component ({first})")
        axes.set_ylabel(f"second principal component ({second})")
        figure.legend(loc="outside right upper", markerscale=2)
        return save_figure(figure, folder, "map")


def _between(found: Representation, folder: Path) -> list[Path]:
    with drawing(6.5, 2.4, panels=2) as (figure, (left, right)):
        if found.compared is None:
            say_nothing(left, "one video has no other to compare with")
            say_nothing(right, "")
            return save_figure(figure, folder, "between_videos")
        edges = np.linspace(0, 2, BINS + 1)
        left.stairs(found.compared.histogram, edges, fill=True, color=COLOURS[0])
        filled = np.flatnonzero(found.compared.histogram)
        left.set_xlim(0, edges[filled[-1] + 1] * 1.05)
        left.set_xlabel("cosine distance of two videos")
        left.set_ylabel("pairs of videos")
        right.hist(found.compared.distance, bins=40, color=COLOURS[2])
        right.set_xlim(left=0)
        right.set_xlabel("cosine distance to the nearest video")
        right.set_ylabel("videos")
        return save_figure(figure, folder, "between_videos")


def _within(found: Representation, folder: Path) -> list[Path]:
    both = [
        (one, video.motion)
        for one, video in zip(found.within, found.videos, strict=True)
        if one is not None
    ]
    with drawing(6.5, 2.4, panels=2) as (figure, (left, right)):
        if not both:
            say_nothing(left, "no video has two windows")
            say_nothing(right, "")
            return save_figure(figure, folder, "within_videos")
        series = {
            "adjacent windows": [one.adjacent for one, _ in both],
            "any two windows": [one.pairwise for one, _ in both],
        }
        top = max(max(values) for values in series.values()) or 1.0
        for (name, values), colour in zip(series.items(), COLOURS, strict=False):
            left.hist(values, bins=40, range=(0, top), histtype="step", color=colour, label=name)
        left.set_xlabel("mean cosine distance within a video")
        left.set_ylabel("videos")
        left.legend()
        right.scatter(
            [motion for _, motion in both],
            series["adjacent windows"],
            s=6,
            color=COLOURS[2],
            linewidths=0,
        )
        right.set_xlabel("motion score")
        right.set_ylabel("distance of adjacent windows")
        return save_figure(figure, folder, "within_videos")
