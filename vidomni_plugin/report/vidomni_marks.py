"""What VidOmni's figures are made of: scores as points with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vidomni_plugin.figures import COLOURS
from vidomni_plugin.report.vidomni_measures import Measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MARKERS", "PER_FIGURE", "SPREAD", "counted", "ends", "points", "style"]

MARKERS = "os^Dv<>P"
"""Runs differ in shape as well as in colour, for print without colour."""
PER_FIGURE = 6
"""Runs side by side in one figure; more are drawn in a further one."""
SPREAD = 0.7
"""Width that the runs of one place share, in places."""


def style(index: int) -> dict[str, Any]:
    """Return colour and shape of the run at this place among those of a figure."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "marker": MARKERS[index % len(MARKERS)],
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


def points(axes: Axes, series: Sequence[Sequence[Measured]]) -> list[Any]:
    """Draw each run's scores side by side at places 0, 1, ...; an empty one is a dash at 0.

    Returns:
        One handle a run for the legend.
    """
    handles = []
    step = SPREAD / max(len(series), 1)
    for index, scores in enumerate(series):
        handle: Any = axes.plot([], [], linestyle="none", **style(index))[0]
        for place, measured in enumerate(scores):
            x = place + (index - (len(series) - 1) / 2) * step
            if measured.value is None:
                axes.text(x, 0, "-", ha="center", va="bottom", color=COLOURS[index % 8])
            else:
                axes.errorbar(
                    x, measured.value, yerr=ends(measured), elinewidth=0.9, **style(index)
                )
        handles.append(handle)
    return handles


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
