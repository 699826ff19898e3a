"""Figures are drawn for any runs; nothing is drawn where there is nothing."""

from __future__ import annotations

import random
import warnings
from dataclasses import replace

import matplotlib
import pytest
from matplotlib.figure import Figure
from PIL import Image

from tests.report.builders import vidhalloc_run, vidomni_run
from vidomni_plugin import figures as drawing_module
from vidomni_plugin.figures import save_figure
from vidomni_plugin.report import vidhalloc_category_figures
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidhalloc_figures import figures

QUICK = Settings(draws=50)
HOSTILE = r"</script><img src=x onerror=alert(1)> $\frac{1}{ &amp; %"


def random_run(name, pairs=16, **changes):
    rng = random.Random(name)
    labels = ("ACCEPT", "REJECT", None)
    verdicts = {f"v{k:02d}__x": (rng.choice(labels), rng.choice(labels)) for k in range(pairs)}
    return vidhalloc_run(name, verdicts, **changes)


@pytest.fixture
def drawn():
    """Return a function that draws all figures of some runs and gives the texts in each."""
    texts: dict[str, list[str]] = {}

    def keep(name: str, figure: Figure):
        figure.canvas.draw()
        found = figure.findobj(matplotlib.text.Text)
        texts[name] = [text.get_text() for text in found if text.get_visible()]

    def draw(*runs, only=""):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for name, maker in figures(runs, QUICK):
                if only in name:
                    keep(name, maker())
        return texts

    return draw


def test_without_runs_of_the_benchmark_there_is_no_figure():
    assert figures([vidomni_run("a", {"v1__x": [1]}, {"v1__x": [1]})], QUICK) == []


def test_files_have_the_names_that_are_told_and_text_from_data_stays_text(tmp_path):
    names = []
    for name, maker in figures([random_run(HOSTILE)], QUICK):
        svg, png = save_figure(maker(), tmp_path, name)
        assert (svg.name, png.name) == (f"{name}.svg", f"{name}.png")
        with Image.open(png) as image:
            assert image.size[0] <= 2100  # 7 inches: the width of a page's text
        assert "<img" not in svg.read_text(encoding="utf-8")
        names.append(name)
    assert names == [
        "vidhalloc_accuracy",
        "vidhalloc_outcomes",
        "vidhalloc_radar",
        "vidhalloc_bars",
        "vidhalloc_gap",
    ]


def test_n_and_published_values_are_on_the_figures(drawn):
    texts = drawn(random_run("model-a"))
    assert "model-a (n=16)" in texts["vidhalloc_accuracy"]
    assert "published (n=800), line: its interval" in texts["vidhalloc_accuracy"]
    assert "FIFA, published (n=800)" in texts["vidhalloc_outcomes"]
    assert "EEH\nn=2" in texts["vidhalloc_bars"]
    assert "EEH\nn=2" in texts["vidhalloc_radar"]


def test_what_is_empty_is_said_to_be(drawn):
    fields = {"v1__x": {"category": "eeh"}, "v1__y": {"category": "eeh"}}
    run = vidhalloc_run("a", dict.fromkeys(fields, ("ACCEPT", "REJECT")), fields)
    texts = drawn(run, vidhalloc_run("empty", {}))
    assert "CPH\nno pairs" in texts["vidhalloc_bars"]
    assert "CPH\nno pairs" in texts["vidhalloc_radar"]
    assert "no pairs of this task" in texts["vidhalloc_bars"]  # captioning
    assert "no OH or no DH pairs" in texts["vidhalloc_gap"]
    assert "no pairs" in texts["vidhalloc_outcomes"]
    assert texts["vidhalloc_accuracy"].count("no pairs") == 3


def test_methods_with_different_pairs_show_the_range(drawn):
    texts = drawn(random_run("a", pairs=16), random_run("b", pairs=9), only="bars")
    assert "EEH\nn=2" in texts["vidhalloc_bars"]
    assert "CPH\nn=1-2" in texts["vidhalloc_bars"]


def test_many_methods_are_dealt_to_several_figures():
    names = [name for name, _ in figures([random_run(f"m{k}") for k in range(11)], QUICK)]
    assert [name for name in names if "radar" in name] == [
        "vidhalloc_radar",
        "vidhalloc_radar_2",
        "vidhalloc_radar_3",
    ]


def test_methods_with_scores_have_curves(drawn):
    run = random_run("a")
    scored = replace(run, items=[{**item, "score": k / 7} for k, item in enumerate(run.items)])
    texts = drawn(*(replace(scored, run=f"m{k}") for k in range(4)), only="thresholds")
    assert any(
        text.startswith("m3\nn=16, AUROC x 100:") for text in texts["vidhalloc_thresholds_2"]
    )


def test_the_same_runs_give_the_same_bytes(tmp_path):
    files = []
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        maker = dict(figures([random_run("a")], QUICK))["vidhalloc_radar"]
        files.append([path.read_bytes() for path in save_figure(maker(), tmp_path / place, "f")])
    assert files[0] == files[1]


def test_colours_suffice_for_the_methods_of_one_figure():
    together = vidhalloc_category_figures.TOGETHER
    assert together <= min(len(drawing_module.COLOURS), len(vidhalloc_category_figures.MARKS))


@pytest.mark.parametrize("kind", ["radar", "bars"])
def test_parts_are_alike_in_size_and_share_no_colour(kind):
    made = dict(figures([random_run(f"m{k}") for k in range(6)], QUICK))
    legends = [made[name]().legends[0] for name in (f"vidhalloc_{kind}", f"vidhalloc_{kind}_2")]
    assert [len(legend.get_texts()) for legend in legends] == [3, 3]
    seen = [
        getattr(handle, "get_color", getattr(handle, "get_facecolor", None))()
        for legend in legends
        for handle in legend.legend_handles
    ]
    assert len({matplotlib.colors.to_hex(colour) for colour in seen}) == 6


def test_a_bar_of_height_0_is_seen_by_its_foot():
    run = vidhalloc_run("a", {f"v{k}__x": ("REJECT", "REJECT") for k in range(8)})
    axes = dict(figures([run], QUICK))["vidhalloc_bars"]().axes[0]
    feet = [line for line in axes.lines if list(line.get_ydata()) == [0, 0]]
    assert len(feet) == 8
    assert all(line.get_linewidth() > 1 and not line.get_clip_on() for line in feet)


def test_shares_of_outcomes_add_up_as_they_are_written():
    verdicts = {"v1__x": ("ACCEPT", "REJECT"), "v2__x": ("ACCEPT", "ACCEPT")}
    verdicts |= {"v3__x": ("REJECT", "REJECT")}
    axes = dict(figures([vidhalloc_run("a", verdicts)], QUICK))["vidhalloc_outcomes"]().axes[0]
    written = [text.get_text() for text in axes.texts if text.get_position()[1] == 0]
    assert written == ["33.3", "33.3", "33.3"]
