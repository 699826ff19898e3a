"""VidOmni's figures of some runs, each as a function that draws it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

from vidomni_plugin.data.statistics.captions import CATEGORIES, STATIC
from vidomni_plugin.data.statistics.videos import DURATIONS, TYPE_NAMES
from vidomni_plugin.figures import PUBLISHED_MARK, Draw, dealt, drawing
from vidomni_plugin.published import rows as published_rows
from vidomni_plugin.report.runs import TaskRun
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidomni_analysis import Analysis, Row, analyse
from vidomni_plugin.report.vidomni_between_figures import between_figures
from vidomni_plugin.report.vidomni_marks import (
    PER_FIGURE,
    counted,
    ends,
    intervals,
    points,
    style,
    whole,
)
from vidomni_plugin.report.vidomni_measures import Key
from vidomni_plugin.report.vidomni_paper import paper_scores
from vidomni_plugin.tables import NOTHING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["analysis_figures", "figures"]


def figures(task_runs: Sequence[TaskRun], settings: Settings) -> list[tuple[str, Draw]]:
    """Return VidOmni's figures of some runs by name; none where no run is of VidOmni."""
    return analysis_figures(analyse(task_runs, settings))


def analysis_figures(found: Analysis) -> list[tuple[str, Draw]]:
    """Return the figures in the order in which they are read.

    A figure shows six runs side by side at most; ``_2``, ``_3`` ... show the others.
    """
    if not found.rows:
        return []
    drawn: list[tuple[str, Draw]] = [
        ("vidomni_table3", partial(_scores, found)),
        ("vidomni_precision_recall", partial(_precision_recall, found)),
    ]
    for name, draw in (
        ("vidomni_strata", _strata),
        ("vidomni_figure10", _figure10),
        ("vidomni_figure8", _figure8),
    ):
        drawn += [(part, partial(draw, found, rows)) for part, rows in _parts(found, name)]
    return [*drawn, *between_figures(found)]


def _parts(found: Analysis, name: str) -> Iterator[tuple[str, Mapping[int, Row]]]:
    """Yield a figure's names with the rows in each, by their place among all."""
    for number, part in enumerate(dealt(len(found.rows), PER_FIGURE), 1):
        yield name if number == 1 else f"{name}_{number}", {k: found.rows[k] for k in part}


def _scores(found: Analysis) -> Figure:
    """Draw F1 of every run with its interval, its ceiling and the published value."""
    with drawing(6.5, 1.1 + 0.3 * len(found.rows)) as (figure, (axes,)):
        names: list[str] = []
        handles: dict[str, Any] = {}
        for place, row in enumerate(found.rows):
            score, ceiling = row.score("f1"), row.score("ceiling")
            if score.value is not None:
                handles["mean F1"] = whole(
                    axes.errorbar(score.value, place, xerr=ends(score), elinewidth=0.9, **style(0))
                )
            if ceiling.value is not None:
                handles["ceiling: a perfect verifier"] = axes.plot(
                    [ceiling.value] * 2,
                    [place - 0.35, place + 0.35],
                    color="black",
                    linewidth=1.2,
                    clip_on=False,
                )[0]
            run = row.scored.run
            if paper := paper_scores(run):
                handles["published F1"] = axes.plot(paper["f1"], place, **PUBLISHED_MARK)[0]
            names.append(f"{found.labels[row.name]}\nn = {score.over:,}")
        axes.set_yticks(range(len(names)), names, fontsize=6.5)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.set_xlim(0, 100)
        axes.set_xlabel(f"F1, %, mean over pairs ({intervals(found.settings)}; n: pairs)")
        figure.legend(
            handles=list(handles.values()),
            labels=list(handles),
            loc="outside upper center",
            ncols=len(handles),
        )
        return figure


def _precision_recall(found: Analysis) -> Figure:
    paper = published_rows("vidomni", "table3")
    rows = ceil((len(found.rows) + 1) / 2)
    with drawing(6.4, 3.5 + 0.15 * rows) as (figure, (axes,)):
        marks = axes.plot(
            [row["recall"] for row in paper],
            [row["precision"] for row in paper],
            **(PUBLISHED_MARK | {"markersize": 3.5, "zorder": 1, "clip_on": False}),
            label="published (Table 3)",
        )
        marks[0].set_in_layout(False)
        handles = []
        for index, row in enumerate(found.rows):
            p, r = row.score("precision"), row.score("recall")
            if p.value is None or r.value is None:
                continue
            bars: dict[str, Any] = {"xerr": ends(r), "yerr": ends(p), "elinewidth": 0.9}
            whole(axes.errorbar(r.value, p.value, **bars, **style(index)))
            text = f"{found.labels[row.name]} (n = {p.over:,})"
            handles += axes.plot([], [], linestyle="none", label=text, **style(index))
        axes.set_xlabel("recall, %")
        axes.set_ylabel("precision, %")
        axes.set_xlim(0, 100)
        axes.set_ylim(0, 100)
        figure.legend(handles=[*handles, *marks], loc="outside lower center", ncols=2)
        axes.set_title(f"means over pairs; {intervals(found.settings)}; n: pairs", fontsize=7)
        return figure


def _strata(found: Analysis, rows: Mapping[int, Row]) -> Figure:
    kinds: list[Key] = [("type", kind) for kind in TYPE_NAMES]
    lengths: list[Key] = [("duration", duration) for duration in DURATIONS]
    with drawing(7.0, 3.0, panels=2, same_height=True) as (figure, (left, right)):
        for axes, keys, names, title in (
            (left, kinds, [f"type {kind}" for kind in TYPE_NAMES], "complexity type"),
            (right, lengths, list(DURATIONS), "duration"),
        ):
            handles = _panel(axes, rows, keys, names)
            axes.set_title(title)
        left.set_ylabel("F1, %")
        left.set_ylim(0, 100)
        _legend(figure, handles, [found.labels[row.name] for row in rows.values()])
        figure.supxlabel(
            f"{_key()}\nmean over pairs, n below; {intervals(found.settings)}; {NOTHING}: no pair",
            fontsize=7,
        )
        return figure


def _panel(
    axes: Axes, rows: Mapping[int, Row], keys: Sequence[Key], names: Sequence[str]
) -> list[Any]:
    """Draw the scores of all runs at each key, its name and n below; returns handles of runs."""
    series = [[row.found[key] for key in keys] for row in rows.values()]
    handles = points(axes, series, min(rows))
    columns = [[row.found[key] for row in rows.values()] for key in keys]
    axes.set_xticks(range(len(keys)), counted(names, columns))
    return handles


def _legend(figure: Figure, handles: Sequence[Any], names: Sequence[str]) -> None:
    figure.legend(
        handles=handles,
        labels=list(names),
        loc="outside upper center",
        ncols=min(3, len(names)),
    )


def _key() -> str:
    return ", ".join(f"{kind} {name}" for kind, name in TYPE_NAMES.items())


def _figure10(found: Analysis, rows: Mapping[int, Row]) -> Figure:
    with drawing(7.5, 3.0, panels=len(TYPE_NAMES), same_height=True) as (figure, panels):
        for axes, (kind, title) in zip(panels, TYPE_NAMES.items(), strict=True):
            keys: list[Key] = [("cell", kind, duration) for duration in DURATIONS]
            handles = _panel(axes, rows, keys, DURATIONS)
            axes.tick_params(axis="x", labelsize=6)
            axes.set_title(f"{kind} {title}", fontsize=7)
        panels[0].set_ylabel("F1, %")
        panels[0].set_ylim(0, 100)
        _legend(figure, handles, [found.labels[row.name] for row in rows.values()])
        figure.supxlabel(
            f"duration; mean over pairs, n below; {intervals(found.settings)}; {NOTHING}: no pair",
            fontsize=7,
        )
        return figure


def _figure8(found: Analysis, rows: Mapping[int, Row]) -> Figure:
    keys: list[Key] = [("category", category) for category in CATEGORIES]
    with drawing(7.5, 3.2) as (figure, (axes,)):
        names = [category.replace(" ", "\n") for category in CATEGORIES]
        handles = _panel(axes, rows, keys, names)
        axes.tick_params(axis="x", labelsize=6.5)
        axes.axvline(len(STATIC) - 0.5, color="0.7", linewidth=0.8)
        axes.set_ylim(0, 100)
        axes.set_ylabel("recall, %")
        _legend(figure, handles, [found.labels[row.name] for row in rows.values()])
        figure.supxlabel(
            "error category, static ones left of the line, temporal ones right of it; "
            "Incorrect sentences that carry it below; "
            f"{intervals(found.settings)}; {NOTHING}: none",
            fontsize=7,
        )
        return figure
