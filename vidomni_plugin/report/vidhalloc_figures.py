"""VidHalLoc's figures of a report."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from vidomni_plugin.figures import COLOURS, PUBLISHED_MARK, Draw, dealt, drawing
from vidomni_plugin.published import published, rows
from vidomni_plugin.report.runs import TaskRun
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidhalloc_analysis import Analysis, Scored, analyse
from vidomni_plugin.report.vidhalloc_category_figures import category_figures
from vidomni_plugin.report.vidhalloc_measures import constant
from vidomni_plugin.report.vidhalloc_pairs import MEASURES
from vidomni_plugin.report.vidhalloc_panels import ABSENT, Row, Value, draw_rows, height_of, named
from vidomni_plugin.report.vidhalloc_rows import bounds, known, paper_pairs
from vidomni_plugin.report.vidhalloc_tables import STATES
from vidomni_plugin.tables import rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["analysis_figures", "figures"]

WIDTH = 7.0
"""Inches: the width of a page's text."""
CURVES = 3
"""So many methods share a figure of thresholds."""


def figures(task_runs: Sequence[TaskRun], settings: Settings) -> list[tuple[str, Draw]]:
    """Return the names of VidHalLoc's figures with what draws them; none without such runs."""
    return analysis_figures(analyse(task_runs, settings))


def analysis_figures(found: Analysis) -> list[tuple[str, Draw]]:
    """Return the figures in the order in which they are read; none without a run."""
    if not found.methods:
        return []
    makers: list[tuple[str, Draw]] = [
        ("vidhalloc_accuracy", partial(_accuracy, found)),
        ("vidhalloc_outcomes", partial(_outcomes, found)),
        *category_figures(found),
        ("vidhalloc_gap", partial(_gap, found)),
    ]
    for number, part in enumerate(dealt(len(found.scored), CURVES), 1):
        name = "vidhalloc_thresholds" + (f"_{number}" if number > 1 else "")
        makers.append((name, partial(_thresholds, found, [found.scored[k] for k in part])))
    return makers


def _accuracy(found: Analysis) -> Figure:
    lines = [
        Row(
            named(method, found.labels),
            [
                Value(method.score(measure), *bounds(found.accuracies[method.name][measure]))
                for measure in MEASURES
            ],
        )
        for method in found.methods
    ]
    ends = {row["method"]: row["overall_ci"] for row in rows("vidhalloc", "table9_detectors")}
    paper = sorted(rows("vidhalloc", "table5"), key=lambda row: -row["overall"])
    lines += [
        Row(
            row["method"],
            [
                *(Value(row[measure], None, None) for measure in MEASURES[:2]),
                Value(row["overall"], *ends.get(row["method"], (None, None))),
            ],
            published=True,
        )
        for row in paper
    ]
    with drawing(WIDTH, height_of(lines), panels=3, same_height=True) as (figure, panels):
        draw_rows(panels, lines, [measure.capitalize() for measure in MEASURES])
        blind = constant(0.5)
        for axes, measure in zip(panels, MEASURES, strict=True):
            axes.axvline(blind[measure], color="0.4", linewidth=0.9, linestyle=":")
            axes.set_xlim(-3, 103)
            axes.set_xlabel("share of pairs, %")
        _legend(figure, panels[0], found.settings, blind="dotted: verdicts at random")
        return figure


def _legend(figure: Figure, axes: Axes, settings: Settings, *, blind: str = "") -> None:
    level = f"{100 * settings.level:g} %"
    run = axes.errorbar(
        [],
        [],
        xerr=[],
        marker="o",
        markersize=4.5,
        color=COLOURS[0],
        label=f"run, {level} interval",
    )
    (paper,) = axes.plot(
        [], [], **PUBLISHED_MARK, label=f"published (n={paper_pairs()}), line: its interval"
    )
    handles: list[Any] = [run, paper]
    if blind:
        handles += axes.plot([], [], color="0.4", linewidth=0.9, linestyle=":", label=blind)
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))


def _gap(found: Analysis) -> Figure:
    lines = [
        Row(
            named(method, found.labels),
            [Value(known(g.gap.value), *bounds(g.gap)) for g in found.gaps[method.name].values()],
        )
        for method in found.methods
    ]
    paper = sorted(rows("vidhalloc", "table14_delta_oh_dh"), key=lambda row: -row["overall"])
    lines += [
        Row(row["method"], [Value(row[m], *row[f"{m}_ci"]) for m in MEASURES], published=True)
        for row in paper
    ]
    with drawing(WIDTH, height_of(lines), panels=3, same_height=True) as (figure, panels):
        titles = [measure.capitalize() for measure in MEASURES]
        draw_rows(panels, lines, titles, absent="no OH or no DH pairs")
        ends = [axes.get_xlim() for axes in panels]
        for axes in panels:
            axes.set_xlim(min(left for left, _ in ends), max(right for _, right in ends))
            axes.axvline(0, color="0.4", linewidth=0.9, linestyle=":")
            axes.set_xlabel("OH minus DH, points")
        _legend(figure, panels[0], found.settings)
        return figure


def _outcomes(found: Analysis) -> Figure:
    from matplotlib.patches import Patch

    bars: list[tuple[str, Sequence[float | None]]] = [
        (named(method, found.labels), found.outcomes[method.name].percents)
        for method in found.methods
    ]
    paper = published()["vidhalloc"]["table15_outcomes"]["rows"]
    bars += [(f"{name}, published (n={paper_pairs()})", shares) for name, *shares in paper]
    colours = (COLOURS[0], COLOURS[1], COLOURS[4], COLOURS[7])
    with drawing(WIDTH, 0.9 + 0.22 * len(bars)) as (figure, (axes,)):
        for place, (_, shares) in enumerate(bars):
            left = 0.0
            for share, colour in zip(shares, colours, strict=True):
                if share is None:
                    axes.text(1, place, ABSENT, va="center")
                    break
                axes.barh(place, share, 0.7, left, color=colour)
                if share >= 4:
                    ink = "white" if colour in {COLOURS[0], COLOURS[7]} else "black"
                    centre = left + share / 2
                    text = rounded(share, 1)  # whole numbers would not add up to 100
                    axes.text(centre, place, text, color=ink, ha="center", va="center", fontsize=7)
                left += share
        axes.axhline(len(found.methods) - 0.5, color="0.6", linewidth=0.8)
        axes.set_yticks(range(len(bars)), [name for name, _ in bars])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(bars) - 0.4, -0.6)
        axes.set_xlim(0, 100)
        axes.set_xlabel("share of pairs, %")
        handles = [
            Patch(color=colour, label=state)
            for state, colour in zip(STATES.values(), colours, strict=True)
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
        return figure


def _thresholds(found: Analysis, part: Sequence[Scored]) -> Figure:
    width = max(3.4, WIDTH * (0.2 + len(part)) / (0.2 + CURVES))
    with drawing(width, 2.6, panels=len(part), same_height=True) as (figure, panels):
        for axes, scored in zip(panels, part, strict=True):
            method, curve = scored.method, scored.curve
            lines = []
            for k, (measure, style) in enumerate(zip(MEASURES, ("--", "-.", "-"), strict=True)):
                values = np.asarray(getattr(curve, measure))
                lines += axes.step(
                    curve.thresholds,
                    values,
                    where="pre",
                    linestyle=style,
                    color=COLOURS[k],
                    label=measure.capitalize(),
                )
            auroc = scored.separation.auroc.value
            name = found.labels[method.name]
            axes.set_title(f"{name}\nn={len(method.ids):,}, AUROC x 100: {auroc:.1f}")
            axes.set_xlabel("threshold (accept from here)")
            axes.set_ylim(-3, 103)
        panels[0].set_ylabel("share of pairs, %")
        figure.legend(handles=lines, loc="outside lower center", ncols=3)
        return figure
