"""A detector without a threshold: scores, and nothing that looks like wrong answers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from tests.report.builders import vidhalloc_run, write_run
from vidomni_plugin.report.compare import compare
from vidomni_plugin.report.compare_tables import metrics_table, verdict
from vidomni_plugin.report.leaderboard import leaderboard
from vidomni_plugin.report.pairwise import pairwise_tables
from vidomni_plugin.report.read import read_runs
from vidomni_plugin.report.runs import SCORES_ONLY, Run
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidhalloc_analysis import analyse
from vidomni_plugin.report.vidhalloc_figures import analysis_figures
from vidomni_plugin.report.vidhalloc_tables import STATES, tables

SETTINGS = Settings(draws=200)
PAIRS = [f"v{k}__x" for k in range(24)]


def detector(name="detector"):
    run = vidhalloc_run(name, dict.fromkeys(PAIRS, (None, None)))
    items = [
        {**item, "reason": "no_threshold", "detector_score": float(k % 5 + (k % 2 == 0))}
        for k, item in enumerate(run.items)
    ]
    return replace(run, items=items)


def judge(name="judge"):
    return vidhalloc_run(name, dict.fromkeys(PAIRS, ("ACCEPT", "ACCEPT")))


@cache
def both_tables():
    return tables([detector(), judge()], SETTINGS)


def by_name(found, name):
    return next(table for table in found if table.name == name)


def cells(table, run):
    titles = [column.title for column in table.columns]
    return next(dict(zip(titles, row, strict=True)) for row in table.rows if row[0] == run)


def test_the_leaderboard_has_no_score_of_it_and_says_why():
    runs = [Run(run.run, None, {run.task: run}, ()) for run in (detector(), judge())]
    table = leaderboard(runs, SETTINGS)
    rows = [row for row in table.rows if row[0] == "detector"]
    assert {(row[2], *row[3:6]) for row in rows} >= {("overall", None, None, None)}
    assert {row[3] for row in rows} == {None}
    assert any(SCORES_ONLY in note and "detector" in note for note in table.notes)
    assert [row[3] for row in table.rows if row[:3] == ["judge", "vidhalloc", "overall"]] == [0.0]


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("vidhalloc_accuracy", ("Factual", "Counterfactual", "Overall", "Overall low")),
        ("vidhalloc_scores", ("Overall", "Overall low", "Overall high")),
        ("vidhalloc_outcomes", tuple(STATES.values())),
        ("vidhalloc_by_group", ("Overall", "Factual")),
        ("vidhalloc_overall_by_category", ("EEH", "all")),
        ("vidhalloc_answers", ("accept rate, %", "Overall of a blind method, %")),
        ("vidhalloc_gap", ("Overall OH", "Overall gap", "Overall gap low")),
    ],
)
def test_no_accuracy_in_the_tables(name, titles):
    table = by_name(both_tables(), name)
    row = cells(table, "detector")
    lower = {title.lower(): value for title, value in row.items()}
    assert {lower[title.lower()] for title in titles} == {None}


def test_what_needs_no_threshold_stays_and_averages_are_without_it():
    found = analyse([detector(), judge()], SETTINGS)
    both = both_tables()
    scores = by_name(both, "vidhalloc_scores")
    assert cells(scores, "detector")["AUROC x 100"] > 50
    assert any(SCORES_ONLY in note for note in scores.notes)
    assert any(row[0] == "detector" for row in by_name(both, "vidhalloc_thresholds").rows)
    assert found.left_out == {"vidhalloc": ["detector"]}
    assert [method.name for method in found.means["vidhalloc"].common] == ["judge"]
    for _, draw in analysis_figures(found):
        draw()


@pytest.mark.parametrize("order", [(detector, judge), (judge, detector), (detector, detector)])
def test_it_neither_wins_nor_loses_by_accuracy(order):
    a, b = (make(f"{make.__name__} {k}") for k, make in enumerate(order))
    (table,) = pairwise_tables([a, b], SETTINGS)
    titles = [column.title for column in table.columns]
    (row,) = (dict(zip(titles, row, strict=True)) for row in table.rows)
    empty = ("A - B", "low", "high", "p", "Holm p", "better")
    assert {row[title] for title in empty} == {None}
    assert any(SCORES_ONLY in note for note in table.notes)
    found = compare(a, b, SETTINGS)
    assert found.common == len(PAIRS)
    assert (found.outcome, list(found.only_one)) == (None, [])
    assert any(SCORES_ONLY in note for note in metrics_table(found, SETTINGS).notes)
    assert "vidomni calibrate" in "".join(metrics_table(found, SETTINGS).notes)
    if order == (detector, detector):
        assert [row.metric for row in found.rows] == ["auroc", "ranking"]
        assert SCORES_ONLY not in verdict(found, SETTINGS)
        return
    assert [(row.metric, row.reason) for row in found.rows] == [("overall", SCORES_ONLY)]
    assert str(found.rows[0].difference) == "nan"
    assert SCORES_ONLY in verdict(found, SETTINGS)
    assert "vidomni calibrate" in verdict(found, SETTINGS)


def test_a_warning_of_its_own(tmp_path):
    write_run(tmp_path, detector())
    (run,) = read_runs([tmp_path])
    (task,) = run.tasks.values()
    codes = [problem.code for problem in task.problems]
    assert "scores-only" in codes
    assert "unparsed" not in codes


def test_one_verdict_makes_it_a_run_like_others():
    run = detector()
    items = [{**run.items[0], "label": "ACCEPT", "reason": ""}, *run.items[1:]]
    assert run.scores_only
    assert not replace(run, items=items).scores_only
    assert not vidhalloc_run("silent", {"v__x": (None, None)}).scores_only
