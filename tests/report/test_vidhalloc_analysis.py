"""Tables and figures show the numbers of one analysis, and compute none of their own."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.report.builders import vidhalloc_run
from vidomni_plugin import bootstrap, joint, separation
from vidomni_plugin.problems import Problem
from vidomni_plugin.report import vidhalloc_measures
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidhalloc_analysis import TASK_PARTS, analyse, category_part, task_part
from vidomni_plugin.report.vidhalloc_figures import analysis_figures
from vidomni_plugin.report.vidhalloc_pairs import CATEGORIES, MEASURES
from vidomni_plugin.report.vidhalloc_tables import analysis_tables

QUICK = Settings(draws=50)


def random_run(name, pairs, *, scored=False):
    rng = random.Random(name)
    labels = ("ACCEPT", "REJECT", None)
    ids = [f"v{k // 2:02d}__{k % 2}" for k in range(pairs)]
    run = vidhalloc_run(name, {i: (rng.choice(labels), rng.choice(labels)) for i in ids})
    return replace(run, items=[{**i, "score": rng.random()} for i in run.items]) if scored else run


def refuse(*_args, **_options):
    raise AssertionError("an interval is computed again")


def test_nothing_is_drawn_after_the_analysis(monkeypatch):
    found = analyse([random_run("a", 16, scored=True), random_run("b", 12)], QUICK)
    for module in (bootstrap, joint, separation):
        monkeypatch.setattr(module, "draw_clusters", refuse)
    with pytest.raises(AssertionError, match="again"):
        joint.joint_means([[1.0], [0.0]], ["v", "w"], seed=1)
    monkeypatch.setattr(vidhalloc_measures, "wilson", refuse)
    tables = {table.name: table for table in analysis_tables(found)}
    assert {"vidhalloc_accuracy_common", "vidhalloc_scores"} <= tables.keys()
    names = []
    for name, draw in analysis_figures(found):
        draw()
        names.append(name)
    assert "vidhalloc_thresholds" in names


def test_there_is_a_share_for_every_category_task_and_measure():
    found = analyse([random_run("a", 16)], QUICK)
    titles = {category_part(c, task).title for c in CATEGORIES for task in TASK_PARTS}
    titles |= {task_part(task).title for task in TASK_PARTS}
    assert set(found.shares) == {("a", t, m) for t in titles for m in MEASURES}


def test_common_pairs_are_measured_only_where_a_run_has_others():
    same = analyse([random_run("a", 8), random_run("b", 8)], QUICK)
    assert same.common == {}
    assert list(same.means) == ["vidhalloc"]
    other = analyse([random_run("a", 8), random_run("b", 6), random_run("none", 0)], QUICK)
    assert set(other.common["vidhalloc"]) == {"a", "b"}
    empty = analyse([random_run("none", 0)], QUICK)
    assert (empty.common, empty.means) == ({}, {})


def test_a_run_that_was_cut_short_is_in_no_average():
    short = replace(random_run("short", 4), problems=[Problem("cut-short", "p", "m")])
    found = analyse([random_run("a", 8), random_run("b", 8), short], QUICK)
    assert found.left_out == {"vidhalloc": ["short"]}
    assert len(found.means["vidhalloc"].common[0].ids) == 8
    alone = analyse([short], QUICK)
    assert alone.left_out == {}
