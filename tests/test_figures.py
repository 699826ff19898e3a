"""Figures are the same bytes each time, fit for print, and safe with names from data."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import warnings
from itertools import pairwise
from xml.etree import ElementTree

import matplotlib
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from vidomni_plugin.figures import (
    COLOURS,
    LABEL_LENGTH,
    at_the_foot,
    bars,
    drawing,
    label,
    labels,
    save_figure,
    say_nothing,
)

DRAW = """
import sys
from pathlib import Path
from vidomni_plugin.figures import bars, drawing, save_figure
with drawing(3.4, 2.0) as (figure, (axes,)):
    bars(axes, ["a", "b"], [1.0, None], ["1.0", "-"])
    save_figure(figure, Path(sys.argv[1]), "f")
"""


def draw(folder, name="source"):
    with drawing(3.4, 2.0, panels=2) as (figure, (left, right)):
        bars(left, [label(name), "b"], [1.0, None], ["1.0", "-"])
        at_the_foot(left, 0, "1")
        say_nothing(right, "nothing there")
        return save_figure(figure, folder, "f")


def test_two_processes_write_the_same_bytes(tmp_path):
    digests = set()
    for place in ("one", "two"):
        subprocess.run([sys.executable, "-c", DRAW, str(tmp_path / place)], check=True)
        files = [tmp_path / place / name for name in ("f.svg", "f.png")]
        digests.add(tuple(hashlib.sha256(file.read_bytes()).hexdigest() for file in files))
    assert len(digests) == 1


def test_the_picture_has_the_size_that_was_asked_for(tmp_path):
    svg, png = draw(tmp_path)
    with Image.open(png) as image:
        assert image.size == (1020, 600)  # 3.4 x 2.0 inches
        assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)
    root = ElementTree.parse(svg).getroot()
    assert (root.get("width"), root.get("height")) == ("244.8pt", "144pt")
    assert "<dc:date>" not in svg.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["$", "$\\frac$", "a$b$c", "日本語", "\x1b[31m\u202e", "x" * 500])
def test_a_name_from_data_cannot_break_a_figure(name, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svg, png = draw(tmp_path, name)
    assert png.stat().st_size > 1000
    assert svg.stat().st_size > 1000


def test_a_long_name_is_cut_visibly():
    cut = label("a" * LABEL_LENGTH + "b")
    assert len(cut) == LABEL_LENGTH
    assert cut.startswith("a")
    assert cut.endswith("b")
    assert "…" in cut
    assert label("x" * LABEL_LENGTH) == "x" * LABEL_LENGTH


def test_labels_keep_what_differs():
    runs = [f"/runs/my-very-long-video-model-name-{k}/checkpoint-500" for k in ("sft-2", "dpo-3")]
    assert list(labels(runs).values()) == ["…sft-2/checkpoint-500", "…dpo-3/checkpoint-500"]
    limited, whole = (f"vidomni_replay ({k}responses good.jsonl)" for k in ("limit 7 of 24, ", ""))
    assert labels([limited, whole])[limited].startswith("…limit 7 of 2")
    assert labels(["a", "b" * 40]) == {"a": "a", "b" * 40: label("b" * 40)}


LONG = st.text("ab /", min_size=1, max_size=5).map(lambda text: "x" * 30 + text + "y" * 40)


@given(st.lists(LONG | st.text() | st.text("ab…#2 ", max_size=40), unique=True, max_size=20))
@example(["x" * 60, "x" * 61, "x" * 62])
@example(["a\x1bb", "a b"])
def test_two_names_never_have_one_label(names):
    found = labels(names)
    assert list(found) == names
    assert len(set(found.values())) == len(names)
    assert all(len(text.replace(r"\$", "$")) <= LABEL_LENGTH for text in found.values())
    assert all(found[name] == label(name) for name in names[:1] if len(names) == 1)


def test_drawing_changes_no_setting_of_the_program(tmp_path):
    before = dict(matplotlib.rcParams)
    draw(tmp_path)
    assert dict(matplotlib.rcParams) == before


def test_a_bar_without_a_value_is_not_drawn_as_zero():
    with drawing(3.4, 2.0) as (_, (axes,)):
        bars(axes, ["a", "b", "c"], [2.0, None, 0.0], ["2", "-", "0"])
        assert [patch.get_height() for patch in axes.patches] == [2.0, 0.0]
        assert [text.get_text() for text in axes.texts] == ["2", "-", "0"]


def _seen_without_red_or_green(colour):
    """How a person with deuteranopia sees a colour (Vienot, Brettel and Mollon 1999)."""
    red, green, blue = (
        ((int(colour[i : i + 2], 16) / 255 + 0.055) / 1.055) ** 2.4 for i in (1, 3, 5)
    )
    long = 17.8824 * red + 43.5161 * green + 4.11935 * blue
    short = 0.0299566 * red + 0.184309 * green + 1.46709 * blue
    middle = 0.494207 * long + 1.24827 * short
    return (long, middle, short)


def test_neighbouring_colours_differ_for_the_colour_blind():
    seen = [_seen_without_red_or_green(colour) for colour in COLOURS]
    for one, other in pairwise(seen):
        assert sum(abs(a - b) for a, b in zip(one, other, strict=True)) > 5


def test_a_name_that_begins_with_a_line_is_in_the_legend():
    """Matplotlib leaves labels out that begin with ``_``."""
    with drawing(4, 3) as (figure, (axes,)):
        for label_ in labels(["_train", "a_b"]).values():
            axes.scatter([1], [1], label=label_)
        shown = [text.get_text().strip() for text in figure.legend().get_texts()]
    assert shown == ["_train", "a_b"]
