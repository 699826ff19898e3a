"""VidOmni's figures of runs against each other: caption sources, sizes, frame rates, sound."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from vidomni_plugin.data.statistics.captions import CATEGORIES
from vidomni_plugin.data.statistics.videos import TYPE_NAMES
from vidomni_plugin.figures import COLOURS, PUBLISHED_MARK, Draw, drawing, label
from vidomni_plugin.published import published, same_model
from vidomni_plugin.published import rows as published_rows
from vidomni_plugin.report.vidomni_analysis import AUDIO, Analysis, SizeGain, SoundRow
from vidomni_plugin.report.vidomni_between import other_settings
from vidomni_plugin.report.vidomni_marks import (
    SPREAD,
    counted,
    ends,
    intervals,
    points,
    style,
    whole,
)
from vidomni_plugin.report.vidomni_measures import Measured
from vidomni_plugin.report.vidomni_paper import on_paper_data, paper_gains
from vidomni_plugin.tables import NOTHING, rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle

__all__ = ["between_figures"]

NONE = Measured(None, None, None, 0, 0)


def between_figures(found: Analysis) -> list[tuple[str, Draw]]:
    """Return the figures that the runs at hand allow."""
    drawn: list[tuple[str, Draw]] = [("vidomni_figure12", partial(_figure12, found))]
    for number, gain in enumerate(found.sizes, 1):
        name = "vidomni_figure11" if number == 1 else f"vidomni_figure11_{number}"
        drawn.append((name, partial(_figure11, found, gain)))
    for number in range(1, len(found.sweeps) + 1):
        name = "vidomni_table9" if number == 1 else f"vidomni_table9_{number}"
        drawn.append((name, partial(_table9, found, number - 1)))
    if found.sound:
        drawn.append(("vidomni_table13", partial(_table13, found)))
    return drawn


def _figure12(found: Analysis) -> Figure:
    keys = {key for row in found.rows for key in row.found if key[0] == "source"}
    sources = sorted(str(key[1]) for key in keys)
    grid = [[row.found.get(("source", name), NONE) for name in sources] for row in found.rows]
    values = [[float("nan") if m.value is None else m.value for m in line] for line in grid]
    top = max((m.value for line in grid for m in line if m.value is not None), default=0) or 100
    with drawing(min(7.5, 4.0 + 0.9 * len(sources)), 1.5 + 0.36 * len(grid)) as (figure, (axes,)):
        image = axes.imshow(values, cmap="cividis", vmin=0, vmax=top, aspect="auto")
        for place, (row, line) in enumerate(zip(found.rows, grid, strict=True)):
            for index, measured in enumerate(line):
                _cell(axes, index, place, measured, top)
                if same_model(row.scored.run.signature.checkpoint, sources[index]):
                    axes.add_patch(_frame(index, place))
        columns = [[line[index] for line in grid] for index in range(len(sources))]
        names = counted([label(name) for name in sources], columns)
        axes.set_xticks(range(len(sources)), names, rotation=20, ha="right", fontsize=6.5)
        axes.set_yticks(range(len(grid)), [found.labels[row.name] for row in found.rows])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        figure.colorbar(image, ax=axes, pad=0.01).set_label("F1, %")
        figure.supxlabel(
            "rows: verifier; columns: captions of, n pairs below\nframed: the verifier's own; "
            f"small: {intervals(found.settings)}; {NOTHING}: no pair",
            fontsize=7,
        )
        return figure


def _cell(axes: Axes, index: int, place: int, measured: Measured, top: float) -> None:
    dark = measured.value is not None and measured.value < 0.55 * top
    colour = "white" if dark else "black"
    text = NOTHING if measured.value is None else rounded(measured.value, 1)
    axes.text(index, place - 0.12, text, ha="center", va="center", fontsize=6.5, color=colour)
    if measured.low is not None and measured.high is not None:
        text = f"{rounded(measured.low, 1)} to {rounded(measured.high, 1)}"
        axes.text(index, place + 0.25, text, ha="center", va="center", fontsize=5.5, color=colour)


def _frame(index: int, place: int) -> Rectangle:
    from matplotlib.patches import Rectangle

    return Rectangle(
        (index - 0.47, place - 0.47), 0.94, 0.94, fill=False, edgecolor=COLOURS[5], linewidth=1.6
    )


def _figure11(found: Analysis, gain: SizeGain) -> Figure:
    paper = paper_gains(gain.small_run.run, gain.large_run.run)
    differ = other_settings(gain.small_run, gain.large_run)
    gains = [gain.gains[category] for category in CATEGORIES]
    with drawing(7.0, 3.0) as (figure, (axes,)):
        axes.axhline(0, color="black", linewidth=0.8)
        for place, measured in enumerate(gains):
            if measured.value is None:
                axes.text(place, 0, NOTHING, ha="center", va="bottom")
                continue
            axes.bar(place, measured.value, width=0.6, color=COLOURS[4], zorder=1)
            axes.errorbar(
                place, measured.value, yerr=ends(measured), color="black", elinewidth=0.9, zorder=2
            )
        if paper:
            places = [place for place, category in enumerate(CATEGORIES) if category in paper]
            values = [paper[CATEGORIES[place]] for place in places]
            axes.plot(places, values, **PUBLISHED_MARK, label="published")
            figure.legend(loc="outside upper right")
        names = [category.replace(" ", "\n") for category in CATEGORIES]
        axes.set_xticks(range(len(gains)), counted(names, [[m] for m in gains]), fontsize=6.5)
        axes.set_xlim(-0.6, len(gains) - 0.4)  # also where the last ones are empty
        axes.set_ylabel("gain in recall, points")
        axes.set_title(f"{found.labels[gain.large]} minus {found.labels[gain.small]}")
        figure.supxlabel(
            "error category, n Incorrect sentences that carry it below; "
            f"{intervals(found.settings)}; {NOTHING}: none"
            + (f"\nsettings differ too: {differ}" if differ else ""),
            fontsize=7,
        )
        return figure


def _table9(found: Analysis, number: int) -> Figure:
    sweep, measured = found.sweeps[number]
    model = published()["vidomni"]["table9_fps"]["model"]
    known = same_model(sweep.checkpoint, model) and on_paper_data(*(r.run for _, r in sweep.runs))
    paper = published_rows("vidomni", "table9_fps") if known else []
    rates = sorted({rate for rate, _ in sweep.runs} | {float(row["fps"]) for row in paper})
    with drawing(7.5, 2.8, panels=len(TYPE_NAMES), same_height=True) as (figure, panels):
        for axes, (kind, title) in zip(panels, TYPE_NAMES.items(), strict=True):
            if paper:
                places = [rates.index(float(row["fps"])) for row in paper]
                axes.plot(places, [row[f"type{kind}"] for row in paper], **PUBLISHED_MARK)
            scores = [each.get(("type", kind), NONE) for each in measured]
            places = [rates.index(rate) for rate, _ in sweep.runs]
            there = [
                (x, score.value, ends(score))
                for x, score in zip(places, scores, strict=True)
                if score.value is not None
            ]
            axes.plot([x for x, _, _ in there], [y for _, y, _ in there], color=COLOURS[0], lw=0.9)
            for x, y, error in there:
                whole(axes.errorbar(x, y, yerr=error, elinewidth=0.9, **style(0)))
            if not there:
                axes.text(0.5, 0.5, "no pair", ha="center", transform=axes.transAxes)
            axes.set_xticks(range(len(rates)), [f"{rate:g}" for rate in rates])
            axes.set_xlim(-0.5, len(rates) - 0.5)
            axes.set_title(f"{kind} {title}\nn = {scores[0].over:,}", fontsize=7)
        panels[0].set_ylabel("F1, %")
        panels[0].set_ylim(0, 100)
        handles = panels[0].plot(
            [], [], linestyle="none", label=label(_without_owner(sweep.checkpoint)), **style(0)
        )
        if paper:
            handles += panels[0].plot([], [], **PUBLISHED_MARK, label="published")
        figure.legend(handles=handles, loc="outside upper center", ncols=2)
        figure.supxlabel(
            f"frames a second (not to scale); mean over n pairs; {intervals(found.settings)}",
            fontsize=7,
        )
        return figure


def _without_owner(checkpoint: str) -> str:
    """Return the model of ``owner/model``; a path stays whole."""
    owner, _, model = checkpoint.partition("/")
    return model if owner and model and "/" not in model else checkpoint


def _table13(found: Analysis) -> Figure:
    runs: dict[tuple[str, str], dict[str, SoundRow]] = {}
    for row in found.sound:
        both = (found.name(row.of.heard), found.name(row.of.silent))
        runs.setdefault(both, {})[row.of.category] = row
    series: list[Sequence[Measured]] = [
        [rows[category].gain for category in AUDIO] for rows in runs.values()
    ]
    with drawing(6.0, 2.8) as (figure, (axes,)):
        axes.axhline(0, color="black", linewidth=0.8)
        handles = points(axes, series)
        marks: list[Line2D] = []
        for index, rows in enumerate(runs.values()):
            marks = _published_sound(axes, rows, index, len(series)) or marks
        columns = [[line[place] for line in series] for place in range(len(AUDIO))]
        axes.set_xticks(range(len(AUDIO)), counted(AUDIO, columns))
        axes.set_ylabel("gain in F1 by sound, points")
        names = [f"{found.labels[heard]} against {found.labels[silent]}" for heard, silent in runs]
        handles, names = handles + marks[:1], names + ["published"] * bool(marks)
        figure.legend(handles=handles, labels=names, loc="outside upper center")
        differ = [other_settings(row.of.heard, row.of.silent) for row in found.sound]
        told = "".join(f"\nsettings differ too: {text}" for text in dict.fromkeys(differ) if text)
        figure.supxlabel(f"mean over pairs, n below; {intervals(found.settings)}{told}", fontsize=7)
        return figure


def _published_sound(axes: Axes, rows: dict[str, SoundRow], index: int, count: int) -> list[Line2D]:
    x = (index - (count - 1) / 2) * SPREAD / count
    marks: list[Line2D] = []
    for line in published_rows("vidomni", "table13_audio"):
        row = rows.get(line["audio_category"])
        if not row or not on_paper_data(row.of.heard.run, row.of.silent.run):
            continue
        if same_model(row.of.heard.run.signature.checkpoint, line["model"]):
            place = AUDIO.index(line["audio_category"]) + x
            marks += axes.plot(place + 0.04, line["f1_gain_pp"], **PUBLISHED_MARK)
    return marks
