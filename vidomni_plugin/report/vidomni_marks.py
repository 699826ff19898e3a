"""What VidOmni's figures are made of: scores as points with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from vidomni_plugin.figures import COLOURS
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidomni_measures import Measured
from vidomni_plugin.tables import NOTHING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import Container

__all__ = [
    "MARKERS",
    "PER_FIGURE",
    "SPREAD",
    "counted",
    "ends",
    "intervals",
    "points",
    "style",
    "whole",
]

MARKERS = "os^Dv<>P"
"""Runs differ in shape as well as in colour, for print without colour."""
PER_FIGURE = 6
"""Runs side by side in one figure; more are drawn in a further one."""
SPREAD = 0.7
"""Width that the runs of one place share, in places."""
NO_ENDS = [[0.0], [0.0]]
"""An error bar that is not seen: there is no interval."""


def intervals(settings: Settings) -> str:
    """Return what the lines of a figure are, such as "95 % intervals"."""
    return f"{100 * settings.level:g} % intervals"


def style(index: int) -> dict[str, Any]:
    """Return colour and shape of the run at this place among those of a figure."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        # Beyond eight runs a colour comes again, with another shape.
        "marker": MARKERS[(index + index // len(COLOURS)) % len(MARKERS)],
        "markersize": 3.5,
        "markeredgecolor": "black",
        "markeredgewidth": 0.4,
    }


def ends(measured: Measured) -> list[list[float]] | None:
    """Return the lengths of an error bar; None where there is no interval."""
    if measured.value is None or measured.low is None or measured.high is None:
        return None
    # A percentile interval need not hold the value itself.
    return [
        [max(0.0, measured.value - measured.low)],
        [max(0.0, measured.high - measured.value)],
    ]


def points(axes: Axes, series: Sequence[Sequence[Measured]], first: int = 0) -> list[Any]:
    """Draw each run's scores side by side at places 0, 1, ...; an empty one is a dash at 0.

    Args:
        axes: Where to draw.
        series: The scores of each run at each place.
        first: Place of the first run among all: a run has the same colour in every figure.

    Returns:
        One handle a run for the legend.
    """
    handles = []
    step = SPREAD / max(len(series), 1)
    for index, scores in enumerate(series):
        shift = (index - (len(series) - 1) / 2) * step
        there = [(x + shift, m, m.value) for x, m in enumerate(scores) if m.value is not None]
        marks = axes.errorbar(
            [x for x, _, _ in there],
            [value for _, _, value in there],
            yerr=np.array([ends(m) or NO_ENDS for _, m, _ in there]).reshape(-1, 2).T,
            linestyle="none",
            elinewidth=0.9,
            **style(first + index),
        )
        whole(marks)
        for place, measured in enumerate(scores):
            if measured.value is None and not _none_at(series, place):
                axes.text(place + shift, 0, NOTHING, ha="center", va="bottom")
        handles += axes.plot([], [], linestyle="none", **style(first + index))
    for place in range(max(map(len, series), default=0)):
        if _none_at(series, place):  # once: dashes side by side look like a line
            axes.text(place, 0, NOTHING, ha="center", va="bottom")
    places = max((len(scores) for scores in series), default=0)
    axes.set_xlim(-0.6, places - 0.4)
    return handles


def _none_at(series: Sequence[Sequence[Measured]], place: int) -> bool:
    return all(scores[place].value is None for scores in series)


def whole(marks: Container) -> Container:
    """Return marks that are drawn in full where they lie on an axis, such as a score of 0."""
    for artist in marks.get_children():
        artist.set_clip_on(False)
        artist.set_in_layout(False)  # else the layout makes room for them before axes end at 0
    return marks


def counted(names: Sequence[str], columns: Sequence[Sequence[Measured]]) -> list[str]:
    """Return the names of places with the number of pairs or sentences below them.

    Args:
        names: One a place.
        columns: The scores at each place, one a run; runs may have different numbers.
    """
    found = []
    for name, scores in zip(names, columns, strict=True):
        counts = sorted({measured.over for measured in scores})
        text = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
        found.append(f"{name}\n{text}")
    return found
