"""VidHalLoc's Figure 3: Overall by category and task, as radar and as bars with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import ceil, cos, pi, sin
from typing import TYPE_CHECKING

from vidomni_plugin.figures import COLOURS, Draw, dealt, drawing, say_nothing
from vidomni_plugin.records import ONTOLOGY
from vidomni_plugin.report.vidhalloc_analysis import TASK_PARTS, Analysis, category_part
from vidomni_plugin.report.vidhalloc_measures import Share
from vidomni_plugin.report.vidhalloc_pairs import CATEGORIES, Method
from vidomni_plugin.report.vidhalloc_panels import ABSENT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["category_figures"]

TOGETHER = 5
"""So many methods share a figure; more would hide each other."""
MARKS = ("o", "s", "^", "D", "v", "<", ">", "P")
"""Marks tell methods apart where colours do not: in print without colour."""
LEGEND_COLUMNS = 3
BARS = 0.8
"""Width that the bars of one category share, in categories."""
RINGS = (25, 50, 75, 100)
"""Percents at which a radar has a ring."""
TASK_TITLES = {"all": "QA and captioning", "QA": "QA", "captioning": "captioning"}
Cells = Mapping[tuple[str, str, str], Share]


def category_figures(found: Analysis) -> list[tuple[str, Draw]]:
    """Return the names of the figures with what draws them; runs without a pair are left out."""
    there = [method for method in found.methods if method.ids]
    makers: list[tuple[str, Draw]] = []
    for draw, kind in ((_radar, "radar"), (_bars, "bars")):
        for number, part in enumerate(dealt(len(there), TOGETHER), 1):
            name = f"vidhalloc_{kind}" + (f"_{number}" if number > 1 else "")
            makers.append((name, partial(draw, found, {k: there[k] for k in part})))
    return makers


def _colour(k: int) -> str:
    return COLOURS[k % len(COLOURS)]


def _mark(k: int) -> str:
    return MARKS[k % len(MARKS)]


def _of(cells: Cells, method: Method, task: str) -> list[Share]:
    return [cells[method.name, category_part(c, task).title, "overall"] for c in CATEGORIES]


def _names(cells: Cells, found: Sequence[Method], task: str) -> list[str]:
    """Return each category with its number of pairs, or their range where methods differ."""
    texts = []
    for column in zip(*(_of(cells, method, task) for method in found), strict=True):
        least, most = min(s.pairs for s in column), max(s.pairs for s in column)
        texts.append(f"n={least}" if least == most else f"n={least}-{most}")
    return [
        f"{category.upper()}\n{ABSENT if text == 'n=0' else text}"
        for category, text in zip(CATEGORIES, texts, strict=True)
    ]


def _is_empty(axes: Axes, names: Sequence[str]) -> bool:
    """Return whether no category has a pair; the panel then says so."""
    if all(name.endswith(ABSENT) for name in names):
        say_nothing(axes, "no pairs of this task")
        return True
    return False


def _radar(analysis: Analysis, some: Mapping[int, Method]) -> Figure:
    """Draw methods, each by its place among all: one has the same colour in every part."""
    cells, found = analysis.shares, list(some.values())
    height = 2.7 + 0.12 * ceil(len(found) / LEGEND_COLUMNS)
    with drawing(7.0, height, panels=len(TASK_PARTS)) as (figure, panels):
        for axes, task in zip(panels, TASK_PARTS, strict=True):
            names = _names(cells, found, task)
            axes.set_title(TASK_TITLES[task], pad=8)
            if _is_empty(axes, names):
                continue
            _web(axes, names)
            for k, method in some.items():
                _polygon(axes, [s.value for s in _of(cells, method, task)], k)
        handles = [
            panels[0].plot([], [], color=_colour(k), marker=_mark(k), markersize=3.5)[0]
            for k in some
        ]
        figure.legend(
            handles,
            [analysis.labels[method.name] for method in found],
            title="Overall, %",
            title_fontsize=7,
            loc="outside lower center",
            ncols=min(LEGEND_COLUMNS, len(found)),
        )
        return figure


def _at(index: float, value: float) -> tuple[float, float]:
    angle = pi / 2 - 2 * pi * index / len(CATEGORIES)
    return value * cos(angle), value * sin(angle)


def _web(axes: Axes, names: Sequence[str]) -> None:
    from matplotlib.patheffects import withStroke

    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_xlim(-156, 156)
    axes.set_ylim(-132, 132)
    corners = range(len(CATEGORIES) + 1)
    for ring in RINGS:
        axes.plot(*zip(*(_at(k, ring) for k in corners), strict=True), color="0.8", linewidth=0.6)
    for index, text in enumerate(names):
        axes.plot(*zip((0, 0), _at(index, RINGS[-1]), strict=True), color="0.8", linewidth=0.6)
        x, y = _at(index, 113 if index % 4 else 122)
        side = "center" if index % 4 == 0 else "left" if x > 0 else "right"
        axes.text(x, y, text, ha=side, va="center", fontsize=6.5)
    for ring in RINGS:  # half-way between two spokes, where no line of a method has a corner
        x, y = _at(0.5, ring * cos(pi / len(CATEGORIES)))
        number = axes.text(x, y, f"{ring}", fontsize=5.5, color="0.3", ha="center", va="center")
        number.set_path_effects([withStroke(linewidth=1.5, foreground="white")])


def _polygon(axes: Axes, values: Sequence[float | None], k: int) -> None:
    """Draw a method's line; it is broken where a category has no pairs."""
    around = [(index, values[index % len(values)]) for index in range(len(values) + 1)]
    points = [(float("nan"),) * 2 if v is None else _at(index, v) for index, v in around]
    axes.plot(
        *zip(*points, strict=True),
        color=_colour(k),
        marker=_mark(k),
        markersize=3,
        linewidth=1.2,
        clip_on=False,
    )


def _bars(analysis: Analysis, some: Mapping[int, Method]) -> Figure:
    from matplotlib.patches import Patch

    cells, found = analysis.shares, list(some.values())
    height = 0.5 + 1.75 * len(TASK_PARTS)
    with drawing(7.0, height, panels=len(TASK_PARTS), stacked=True) as (figure, panels):
        for axes, task in zip(panels, TASK_PARTS, strict=True):
            axes.set_title(TASK_TITLES[task])
            names = _names(cells, found, task)
            if _is_empty(axes, names):
                continue
            for place, (k, method) in enumerate(some.items()):
                shift = (place - (len(some) - 1) / 2) * BARS / len(some)
                _group(axes, _of(cells, method, task), shift, BARS / len(some), names, _colour(k))
            axes.set_xticks(range(len(CATEGORIES)), names)
            axes.tick_params(axis="x", length=0)
            axes.set_xlim(-0.5, len(CATEGORIES) - 0.5)
            axes.set_ylim(0, 102)
            axes.set_ylabel("Overall, %")
            axes.grid(axis="y", color="0.88", linewidth=0.6)
            axes.axvline(len(ONTOLOGY) - 0.5, color="0.6", linewidth=0.8, linestyle=":")
        handles = [Patch(color=_colour(k)) for k in some]
        level = f"{100 * analysis.settings.level:g} %"
        figure.legend(
            handles,
            [analysis.labels[method.name] for method in found],
            title=f"lines: {level} intervals; left of the dotted line OH, right of it DH",
            title_fontsize=7,
            loc="outside lower center",
            ncols=min(LEGEND_COLUMNS, len(found)),
        )
        return figure


def _group(
    axes: Axes,
    of_method: Sequence[Share],
    shift: float,
    width: float,
    names: Sequence[str],
    colour: str,
) -> None:
    from matplotlib.patheffects import withStroke

    for index, share in enumerate(of_method):
        place = index + shift
        if share.value is None:
            if not names[index].endswith(ABSENT):  # else the category says it for all methods
                axes.text(place, 2, ABSENT, rotation=90, ha="center", va="bottom", fontsize=6)
            continue
        axes.bar(place, share.value, width * 0.9, color=colour)
        # A bar of height 0 is seen by its foot.
        foot = [place - width * 0.45, place + width * 0.45]
        axes.plot(foot, [0, 0], color=colour, linewidth=2.5, solid_capstyle="butt", clip_on=False)
        if share.low is not None and share.high is not None:
            axes.plot(
                [place, place],
                [share.low, share.high],
                color="0.15",
                linewidth=0.8,
                path_effects=[withStroke(linewidth=1.8, foreground="white")],
            )
