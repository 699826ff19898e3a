"""VidOmni's figures are drawn whatever the runs lack, and say what they show."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from tests.report.builders import signature, vidomni_run
from vidomni_plugin.figures import save_figure
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidomni_analysis import analyse
from vidomni_plugin.report.vidomni_figures import analysis_figures, figures
from vidomni_plugin.report.vidomni_marks import counted, ends, style
from vidomni_plugin.report.vidomni_measures import Measured

FEW = Settings(draws=50)
GOLD = {"v1__a": [1, 0, 1], "v2__a": [1, 0], "v3__a": [0, 0]}
LABELS = {"v1__a": [1, 0, 0], "v2__a": [1, 1], "v3__a": [0, None]}


def run(name, checkpoint=None, task="vidomni", **settings):
    sign = signature(checkpoint or name, **settings)
    fields = {key: {"audio_category": "Speech", "caption_source": "M-2B"} for key in GOLD}
    return vidomni_run(name, LABELS, GOLD, fields, signature=sign, task=task)


def test_runs_that_allow_everything_have_every_figure(tmp_path):
    runs = [
        run("M-2B", fps="2"),
        run("M-2B", fps="2", task="vidomni_av"),
        run("fast", "M-2B", fps="4"),
        run("M-8B <b>$x$</b> " + "long " * 20, "M-8B", fps="2"),
    ]
    drawn = figures(runs, FEW)
    assert [name for name, _ in drawn] == [
        "vidomni_table3",
        "vidomni_precision_recall",
        "vidomni_strata",
        "vidomni_figure10",
        "vidomni_figure8",
        "vidomni_figure12",
        "vidomni_figure11",
        "vidomni_table9",
        "vidomni_table13",
    ]
    for name, draw in drawn:
        svg, png = save_figure(draw(), tmp_path, name)
        assert (svg.name, png.name) == (f"{name}.svg", f"{name}.png")
        with Image.open(png) as image:
            assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)


def test_more_runs_than_one_figure_holds_go_on_in_the_next():
    found = analyse([run(f"m{k}") for k in range(8)], FEW)
    names = [name for name, _ in analysis_figures(found)]
    assert [name for name in names if name.startswith("vidomni_figure8")] == [
        "vidomni_figure8",
        "vidomni_figure8_2",
    ]


def test_no_pair_no_figure():
    assert figures([vidomni_run("empty", {}, {})], FEW) == []


def test_runs_of_one_figure_never_look_alike():
    looks = {(style(k)["color"], style(k)["marker"]) for k in range(24)}
    assert len(looks) == 24


def test_places_tell_how_many_they_are_taken_over():
    a, b = Measured(1.0, 0.5, 2.0, 12, 3), Measured(None, None, None, 0, 0)
    assert counted(["x", "y"], [[a, a], [a, b]]) == ["x\n12", "y\n0 to 12"]


def test_an_error_bar_goes_from_end_to_end():
    assert ends(Measured(5.0, 3.0, 9.0, 4, 2)) == [[2.0], [4.0]]
    assert ends(Measured(5.0, None, None, 4, 1)) is None


@pytest.mark.parametrize("name", ["vidomni_table3", "vidomni_precision_recall", "vidomni_figure12"])
def test_nothing_is_cut_off_at_the_edges(tmp_path, name):
    runs = [run("a run with a very long name that is cut in its middle"), run("W" * 60)]
    figure = dict(figures(runs, FEW))[name]()
    with Image.open(save_figure(figure, tmp_path, name)[1]) as image:
        pixels = np.asarray(image.convert("L"))
    edges = (pixels[:2], pixels[-2:], pixels[:, :2], pixels[:, -2:])
    assert [int(edge.min()) for edge in edges] == [255] * 4


def test_a_score_of_0_is_drawn_in_full(tmp_path):
    zero = vidomni_run("m", {key: [0] * len(gold) for key, gold in GOLD.items()}, GOLD)
    drawn = dict(figures([zero], FEW))
    with Image.open(save_figure(drawn["vidomni_strata"](), tmp_path, "f")[1]) as image:
        pixels = np.asarray(image.convert("RGB"))
    marker = (pixels[len(pixels) // 2 :] == (0x00, 0x72, 0xB2)).all(axis=2).any(axis=1)
    assert np.ptp(np.flatnonzero(marker)) >= 9  # the whole circle of 3.5 points, not its upper half


def test_an_empty_last_category_does_not_cut_the_axis():
    drawn = dict(figures([run("M-2B"), run("M-8B")], FEW))
    (axes,) = drawn["vidomni_figure11"]().axes
    assert axes.get_xlim() == pytest.approx((-0.6, 9.6))
    texts = [text.get_position()[0] for text in axes.texts if text.get_text() == "-"]
    assert texts == list(range(1, 10))  # all but Object


def texts_of(figure):
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes)]
    found = [text.get_text() for legend in legends if legend for text in legend.get_texts()]
    return [*found, figure._supxlabel.get_text() if figure._supxlabel else ""]


@pytest.mark.parametrize(
    ("limit", "task", "shown"),
    [(None, "vidomni", True), ("3 of 2500", "vidomni", False), (None, "vidomni_mine", False)],
)
def test_published_marks_stand_beside_whole_runs_of_the_paper_s_data_only(limit, task, shown):
    model = "Qwen/Qwen3-VL-{}B-Instruct"
    runs = [
        run("small", model.format(2), fps="2", limit=limit, task=task),
        run("large", model.format(32), fps="2", limit=limit, task=task),
        run("fast", model.format(32), fps="4", limit=limit, task=task),
        run("g", "gemini-3-flash", fps="2", limit=limit, task=task),
        run("g", "gemini-3-flash", fps="2", limit=limit, task=f"{task}_av"),
    ]
    drawn = dict(figures(runs, FEW))
    for name in ("vidomni_table3", "vidomni_figure11", "vidomni_table9", "vidomni_table13"):
        texts = texts_of(drawn[name]())
        assert any("published" in text for text in texts) is shown, name


def test_other_settings_of_two_compared_runs_stand_under_the_figure():
    runs = [
        run("small", "M-2B", frames="8"),
        run("large", "M-8B", frames="32"),
        run("h", "H", frames="8"),
        run("h", "H", frames="32", task="vidomni_av"),
    ]
    drawn = dict(figures(runs, FEW))
    for name, told in (("vidomni_figure11", "8 against 32"), ("vidomni_table13", "32 against 8")):
        assert f"settings differ too: frames {told}" in texts_of(drawn[name]())[-1]
    drawn = dict(figures([run("small", "M-2B"), run("large", "M-8B")], FEW))
    assert "differ" not in texts_of(drawn["vidomni_figure11"]())[-1]


def test_a_place_that_no_run_has_gets_one_dash():
    drawn = dict(figures([run("a"), run("b"), run("c")], FEW))
    axes = drawn["vidomni_figure10"]().axes
    places = [text.get_position()[0] for panel in axes for text in panel.texts]
    assert places
    assert all(place == round(place) for place in places)  # in the middle, not one a run


def test_runs_of_several_figures_keep_their_colours():
    drawn = dict(figures([run(f"m{k}") for k in range(8)], FEW))
    seen = []
    for name in ("vidomni_figure8", "vidomni_figure8_2"):
        handles = drawn[name]().legends[0].legend_handles
        assert len(handles) == 4
        seen += [handle.get_color() for handle in handles]
    assert len(set(seen)) == 8


def test_the_legend_of_frame_rates_names_the_model_without_its_owner():
    runs = [run("one", "Org/M-2B", fps="2"), run("two", "Org/M-2B", fps="4")]
    legend = dict(figures(runs, FEW))["vidomni_table9"]().legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["M-2B"]


@pytest.mark.parametrize("label", [0, None])
def test_axes_of_scores_go_from_0_to_100_whatever_the_scores(label):
    labels = {key: [label] * len(gold) for key, gold in GOLD.items()}
    fields = {key: {"caption_source": "M-2B"} for key in GOLD}
    runs = [
        vidomni_run(f"m{k}", labels, GOLD, fields, signature=signature("M-2B", fps=f"{k}"))
        for k in (1, 2)
    ]
    drawn = dict(figures(runs, FEW))
    names = ("precision_recall", "strata", "figure10", "figure8", "table9")
    for name in names:
        assert drawn[f"vidomni_{name}"]().axes[0].get_ylim() == (0, 100), name
