"""Panels that VidHalLoc's figures share: values with intervals, one row a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from vidomni_plugin.figures import COLOURS, PUBLISHED_MARK
from vidomni_plugin.report.vidhalloc_pairs import Method

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ABSENT", "Row", "Value", "draw_rows", "height_of", "named"]

ABSENT = "no pairs"
"""What stands where a value would be over nothing: never a mark at 0."""
_ROW = 0.17
"""Inches of height that a row takes."""


class Value(NamedTuple):
    """A value with its interval; None where there is nothing."""

    value: float | None
    low: float | None
    high: float | None


class Row(NamedTuple):
    """A method in all panels."""

    name: str
    values: Sequence[Value]
    """One a panel."""
    published: bool = False


def named(method: Method, names: Mapping[str, str]) -> str:
    """Return what a figure calls a method, with its number of pairs."""
    return f"{names[method.name]} (n={len(method.ids):,})"


def height_of(rows: Sequence[Row]) -> float:
    """Return the height in inches of a figure with these rows."""
    return 0.85 + _ROW * len(rows)


def draw_rows(
    panels: Sequence[Axes], rows: Sequence[Row], titles: Sequence[str], *, absent: str = ABSENT
) -> None:
    """Draw rows from top to bottom: runs as dots, published values as hollow diamonds."""
    for index, (axes, title) in enumerate(zip(panels, titles, strict=True)):
        for place, row in enumerate(rows):
            value = row.values[index]
            if value.value is None:
                _say(axes, place, absent)
            else:
                _mark(axes, place, value, value.value, published=row.published)
        runs = sum(not row.published for row in rows)
        if 0 < runs < len(rows):
            axes.axhline(runs - 0.5, color="0.6", linewidth=0.8)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)), [row.name for row in rows])
        axes.tick_params(axis="y", length=0, labelleft=index == 0)
        axes.grid(axis="x", color="0.88", linewidth=0.6)
        axes.set_title(title)


def _say(axes: Axes, place: int, text: str) -> None:
    axes.text(
        0.5,
        place,
        text,
        transform=axes.get_yaxis_transform(),
        ha="center",
        va="center",
        fontsize=6.5,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        zorder=6,
    )


def _mark(axes: Axes, place: int, value: Value, at: float, *, published: bool) -> None:
    colour = "black" if published else COLOURS[0]
    if value.low is not None and value.high is not None:
        axes.plot([value.low, value.high], [place, place], color=colour, linewidth=1.2)
    if published:
        axes.plot([at], [place], **PUBLISHED_MARK)
    else:
        axes.plot([at], [place], marker="o", markersize=4.5, color=colour)
