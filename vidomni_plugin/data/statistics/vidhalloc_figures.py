"""VidHalLoc's Table 4 as a figure."""

from __future__ import annotations

from pathlib import Path

from vidomni_plugin.data.statistics.vidhalloc import VidHalLocStatistics
from vidomni_plugin.data.statistics.vidhalloc_tables import TASK_NAMES, published_categories
from vidomni_plugin.figures import COLOURS, PUBLISHED_MARK, drawing, save_figure
from vidomni_plugin.records import DYNAMIC, ONTOLOGY

__all__ = ["draw_vidhalloc"]

_CATEGORIES = (*ONTOLOGY, *DYNAMIC)


def draw_vidhalloc(found: VidHalLocStatistics, folder: Path) -> list[Path]:
    """Write the figure into a folder; returns the files."""
    paper = published_categories()
    places = list(range(len(_CATEGORIES)))
    rows = [found.categories[category] for category in _CATEGORIES]
    with drawing(7.0, 2.6, panels=3) as (figure, (items, words, seconds)):
        below = [0] * len(rows)
        for index, task in enumerate(TASK_NAMES):
            counts = [getattr(row, task) for row in rows]
            items.bar(places, counts, 0.7, below, color=COLOURS[index], label=TASK_NAMES[task])
            below = [sum(pair) for pair in zip(below, counts, strict=True)]
        there = [paper[category]["items"] for category in _CATEGORIES]
        (marks,) = items.plot(places, there, **PUBLISHED_MARK, label="published")
        items.set_ylabel("items")
        panels = (
            (words, "question_words", "mean words a question"),
            (seconds, "video_seconds", "mean length of a video, s"),
        )
        for axes, field, title in panels:
            values = [getattr(row, field).value for row in rows]
            known = [(place, v) for place, v in zip(places, values, strict=True) if v is not None]
            if known:
                axes.bar([p for p, _ in known], [v for _, v in known], 0.7, color=COLOURS[2])
            there = [paper[category][field] for category in _CATEGORIES]
            axes.plot(places, there, **PUBLISHED_MARK)
            axes.set_ylabel(title)
        for axes in (items, words, seconds):
            axes.set_xticks(places, [c.upper() for c in _CATEGORIES], rotation=90)
            axes.axvline(len(ONTOLOGY) - 0.5, color="0.6", linewidth=0.8, linestyle=":")
            axes.set_xlabel("ontology | dynamic")
            axes.set_ylim(bottom=0)
        handles = [*items.containers, marks]
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
        return save_figure(figure, folder, "table4")
