"""VidOmni's Figures 4 to 7."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vidomni_plugin.data.statistics.captions import CATEGORIES, STATIC, CaptionRow
from vidomni_plugin.data.statistics.measures import Measure
from vidomni_plugin.data.statistics.videos import DURATIONS, TYPE_NAMES
from vidomni_plugin.data.statistics.vidomni import VidOmniStatistics
from vidomni_plugin.figures import (
    COLOURS,
    PUBLISHED_MARK,
    at_the_foot,
    bars,
    drawing,
    label,
    save_figure,
    say_nothing,
)
from vidomni_plugin.published import rows
from vidomni_plugin.tables import rounded

__all__ = ["draw_vidomni"]

_TYPES = [f"{kind}\n{name.replace(' ', chr(10), 1)}" for kind, name in TYPE_NAMES.items()]
"""Types as axis labels, in three lines."""
_RANGES = ("short\n≤ 3 min", "medium\nbetween", "long\n≥ 30 min")


def draw_vidomni(found: VidOmniStatistics, folder: Path) -> list[Path]:
    """Write every figure into a folder; returns the files."""
    drawn = (_figure4, _figure5, _figure6, _figure7)
    return [path for draw in drawn for path in draw(found, folder)]


def _figure4(found: VidOmniStatistics, folder: Path) -> list[Path]:
    paper = {row["complexity_type"]: row for row in rows("vidomni", "figure4_videos")}
    width = 0.26
    with drawing(6.5, 2.8) as (figure, (axes,)):
        for index, name in enumerate(DURATIONS):
            places = [place + (index - 1) * width for place in range(len(TYPE_NAMES))]
            counts = [found.figure4[kind][name] for kind in TYPE_NAMES]
            axes.bar(places, counts, width * 0.92, color=COLOURS[index], label=name)
            for place, count in zip(places, counts, strict=True):
                at_the_foot(axes, place, str(count))
            values = [paper[kind][name] for kind in TYPE_NAMES]
            marks = axes.plot(places, values, **PUBLISHED_MARK, label="published")
        axes.set_xticks(range(len(TYPE_NAMES)), _TYPES)
        axes.set_ylabel("videos")
        axes.set_xlabel("complexity type")
        handles = [*axes.containers, *marks]
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
        return save_figure(figure, folder, "figure4")


def _figure5(found: VidOmniStatistics, folder: Path) -> list[Path]:
    lines = found.figure5.named()
    shares = [[row.share(category).value for category in CATEGORIES] for _, row in lines]
    grid = [[float("nan") if value is None else value for value in line] for line in shares]
    top = max((value for line in shares for value in line if value is not None), default=0) or 100
    with drawing(7.0, 1.6 + 0.3 * len(lines)) as (figure, (axes,)):
        image = axes.imshow(grid, cmap="cividis", vmin=0, vmax=top, aspect="auto")
        for place, line in enumerate(shares):
            for index, value in enumerate(line):
                text = "-" if value is None else rounded(value, 1)
                colour = "white" if value is not None and value < 0.55 * top else "black"
                axes.text(index, place, text, ha="center", va="center", fontsize=6.5, color=colour)
        axes.axvline(len(STATIC) - 0.5, color="white", linewidth=3)
        axes.set_xticks(range(len(CATEGORIES)), CATEGORIES, rotation=30, ha="right")
        axes.set_yticks(range(len(lines)), [f"{label(n)}\nn = {r.marked:,}" for n, r in lines])
        axes.tick_params(length=0)
        for middle, kind in ((2, "static"), (7, "temporal")):
            axes.annotate(
                kind,
                (middle, 1),
                xycoords=("data", "axes fraction"),
                xytext=(0, 4),
                textcoords="offset points",
                ha="center",
                va="bottom",
                fontsize=8,
            )
        axes.spines[:].set_visible(False)
        bar = figure.colorbar(image, ax=axes, pad=0.01)
        bar.set_label("% of marked\nIncorrect sentences")
        return save_figure(figure, folder, "figure5")


def _rates(rows_: Sequence[CaptionRow]) -> tuple[list[float | None], list[str]]:
    return _values([row.incorrect_per_caption for row in rows_])


def _values(measures: Sequence[Measure]) -> tuple[list[float | None], list[str]]:
    """Return the heights of bars and the texts above them, denominators in brackets."""
    shown = ["-" if m.value is None else rounded(m.value, 1) for m in measures]
    texts = [f"{value}\n({m.over:,})" for value, m in zip(shown, measures, strict=True)]
    return [measure.value for measure in measures], texts


def _figure6(found: VidOmniStatistics, folder: Path) -> list[Path]:
    with drawing(6.5, 2.6, panels=2, same_height=True) as (figure, (left, right)):
        bars(left, _RANGES, *_rates(list(found.figure6_durations.values())))
        left.set_title("type 5, Multi-Scene Dynamics")
        left.set_xlabel("duration")
        left.set_ylabel("Incorrect rate, %")
        types = list(found.figure6_types.values())
        bars(right, _TYPES, *_rates(types), colour=COLOURS[2])
        right.set_title("long videos")
        right.set_xlabel("complexity type")
        figure.supxlabel(
            "mean over captions of their share of Incorrect sentences; in brackets: captions",
            fontsize=7,
        )
        return save_figure(figure, folder, "figure6")


def _figure7(found: VidOmniStatistics, folder: Path) -> list[Path]:
    mine = [found.figure7.groups[str(kind)] for kind in TYPE_NAMES]
    cover = [row.certificate_coverage for row in mine if row.certificate_coverage is not None]
    names = [str(kind) for kind in TYPE_NAMES]
    with drawing(7.0, 2.6, panels=3) as (figure, (words, errors, seen)):
        bars(words, names, *_values([row.caption_words for row in mine]))
        words.set_title("caption length\n(captions)")
        words.set_ylabel("words a caption")
        bars(errors, names, *_values([row.temporal_error_rate for row in mine]), colour=COLOURS[5])
        errors.set_title("temporal error rate\n(captions)")
        errors.set_ylabel("% of sentences")
        if cover:
            bars(seen, names, *_values(cover), colour=COLOURS[2])
            seen.set_title("Certificate Coverage\n(videos)")
            seen.set_ylabel("% of the duration")
        else:
            say_nothing(seen, "no certificates given")
        key = ", ".join(f"{kind} {name}" for kind, name in TYPE_NAMES.items())
        figure.supxlabel(f"complexity type: {key}", fontsize=7)
        return save_figure(figure, folder, "figure7")
