"""Figures for print: one look, colours that the colour-blind can tell apart, same bytes each time.

Figures are drawn with matplotlib's Agg backend and without pyplot, so that nothing global
changes and no display is needed.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vidomni_plugin.data.lines import write_bytes, write_text
from vidomni_plugin.tables import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "COLOURS",
    "PUBLISHED_MARK",
    "Draw",
    "at_the_foot",
    "bars",
    "dealt",
    "drawing",
    "label",
    "labels",
    "save_figure",
    "say_nothing",
]

Draw = Callable[[], "Figure"]
"""Draws one figure; ``save_figure`` writes it."""
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
"""Okabe and Ito (2008), "Color Universal Design", in an order in which neighbours differ most."""
DPI = 300
"""Resolution of the PNG; what journals ask for."""
LABEL_LENGTH = 28
"""Longest name from data that is drawn in full."""
PUBLISHED_MARK: dict[str, Any] = {
    "linestyle": "none",
    "marker": "D",
    "markersize": 4.5,
    "markerfacecolor": "white",
    "markeredgecolor": "black",
    "markeredgewidth": 1.0,
    "zorder": 5,
}
"""How a published value is drawn: a hollow diamond on top of our bar."""
_LOOK: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same on every machine
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "svg.fonttype": "path",
    "svg.hashsalt": "vidomni",  # ids in the SVG do not change from run to run
}


@contextmanager
def drawing(
    width: float,
    height: float,
    panels: int = 1,
    *,
    same_height: bool = False,
    stacked: bool = False,
) -> Iterator[tuple[Figure, list[Axes]]]:
    """Yield a figure with panels side by side, to draw in with this project's look.

    Args:
        width: In inches; 7 fills a page's text width, 3.4 a column.
        height: In inches.
        panels: How many panels.
        same_height: Whether the panels share their vertical axis.
        stacked: Whether the panels stand one above the other.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **_LOOK}):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        shape = (panels, 1) if stacked else (1, panels)
        axes = figure.subplots(*shape, squeeze=False, sharey=same_height)
        yield figure, list(axes.flat)


def dealt(count: int, most: int) -> list[range]:
    """Return which of ``count`` series stand in each figure: as few figures as can be, all alike.

    Example:
        >>> dealt(6, 5)
        [range(0, 3), range(3, 6)]
        >>> dealt(0, 5)
        []
    """
    parts = -(-count // most)
    ends = [round(count * part / parts) for part in range(parts + 1)] if parts else []
    return [range(start, end) for start, end in pairwise(ends)]


def label(text: str) -> str:
    r"""Return text from data as it may stand in a figure: one line, short, no mathematics.

    Example:
        >>> label("cost $x$")
        'cost \\$x\\$'
    """
    return _without_mathematics(_short(_line(text)))


def labels(texts: Iterable[str]) -> dict[str, str]:
    """Return the label of each text; two texts never have the same.

    Where the usual labels of some would be alike, they begin with what differs.

    Example:
        >>> runs = [f"/runs/a-video-model-with-a-long-name-{k}/checkpoint-500" for k in ("a", "b")]
        >>> list(labels(runs).values())
        ['…a/checkpoint-500', '…b/checkpoint-500']
    """
    lines = {text: _line(text) for text in dict.fromkeys(texts)}
    groups: dict[str, list[str]] = {}
    for text, line in lines.items():
        groups.setdefault(_short(line), []).append(text)
    found: dict[str, str] = {}
    taken = {short for short, alike in groups.items() if len(alike) == 1}
    for short, alike in groups.items():
        start = _shared([lines[text] for text in alike]) if len(alike) > 1 else 0
        for text in alike:
            wanted = short if not start else f"…{_short(lines[text][start:], LABEL_LENGTH - 1)}"
            found[text] = _untaken(wanted, taken) if len(alike) > 1 else short
            taken.add(found[text])
    return {text: _without_mathematics(found[text]) for text in lines}


def _short(line: str, length: int = LABEL_LENGTH) -> str:
    half = length // 2  # names of models differ at their ends as often as at their starts
    return line if len(line) <= length else f"{line[: length - half - 1]}…{line[-half:]}"


def _shared(lines: Sequence[str]) -> int:
    """Return how many characters all lines begin with alike."""
    columns = zip(*lines, strict=False)  # up to the end of the shortest
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))


def _untaken(wanted: str, taken: Collection[str]) -> str:
    found, number = wanted, 2
    while found in taken:
        end = f" #{number}"
        found, number = _short(wanted, LABEL_LENGTH - len(end)) + end, number + 1
    return found


def _line(text: str) -> str:
    """Return text on one line; a label that begins with ``_`` would be left out of legends."""
    line = plain(text)
    return f" {line}" if line.startswith("_") else line


def _without_mathematics(line: str) -> str:
    return line.replace("$", r"\$")


def bars(
    axes: Axes,
    names: Sequence[str],
    values: Sequence[float | None],
    texts: Sequence[str],
    *,
    colour: str = COLOURS[0],
) -> None:
    """Draw one bar a name with a text above it; a name without a value gets its text only.

    Panels that share their height keep room for the tallest.
    """
    top = max([value for value in values if value is not None], default=0.0) or 1.0
    for place, (value, text) in enumerate(zip(values, texts, strict=True)):
        if value is not None:
            axes.bar(place, value, width=0.65, color=colour)
        axes.annotate(
            text,
            (place, value or 0.0),
            xytext=(0, 2),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=6.5,
        )
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-0.6, len(names) - 0.4)
    kept = 0.0 if axes.get_autoscaley_on() else axes.get_ylim()[1]
    axes.set_ylim(0, max(top * 1.2, kept))


def at_the_foot(axes: Axes, place: float, text: str) -> None:
    """Write a number on the foot of a bar, readable on the bar and beyond it."""
    from matplotlib.patheffects import withStroke

    axes.annotate(
        text,
        (place, 0),
        xytext=(0, 2),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=6.5,
        path_effects=[withStroke(linewidth=2, foreground="white")],
    )


def say_nothing(axes: Axes, why: str) -> None:
    """Turn a panel into one sentence that says why there is nothing in it."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, why, ha="center", va="center", transform=axes.transAxes, wrap=True)


def save_figure(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write ``<name>.svg`` and ``<name>.png`` (300 dpi); the same figure gives the same bytes.

    A figure that went to another process by ``pickle`` gives them too.

    Returns:
        The two files.

    Raises:
        OSError: If the folder cannot be written.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    svg, png = io.BytesIO(), io.BytesIO()
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **_LOOK}), warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes; the table has it in full.
        warnings.filterwarnings("ignore", message=r"Glyph .* missing")
        # Each ``savefig`` lays out and draws twice, which would be most of a report's time.
        FigureCanvasAgg(figure)  # a pickled figure comes without
        figure.set_dpi(DPI)  # text is narrower at few dots an inch, and would not fit at 300
        if layout := figure.get_layout_engine():
            layout.execute(figure)
        figure.set_layout_engine("none")
        FigureCanvasSVG(figure).print_svg(svg, metadata={"Date": None, "Creator": None})
        figure.set_dpi(DPI)
        FigureCanvasAgg(figure).print_png(png, metadata={"Software": None})
    svg_path, png_path = folder / f"{name}.svg", folder / f"{name}.png"
    write_text(svg_path, svg.getvalue().decode("utf-8"))
    write_bytes(png_path, png.getvalue())
    return [svg_path, png_path]
