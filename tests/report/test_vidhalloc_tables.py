"""Tables say what they are over; nothing is guessed, and published rows are marked."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest

from tests.report.builders import signature, vidhalloc_run, vidomni_run
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidhalloc_tables import tables
from vidomni_plugin.tables import Table, shown, write_table

QUICK = Settings(draws=100)
RIGHT = ("ACCEPT", "REJECT")


def made(*runs) -> dict[str, Table]:
    return {table.name: table for table in tables(runs, QUICK)}


def row(table: Table, *start: str) -> dict[str, object]:
    titles = [column.title for column in table.columns]
    (found,) = (r for r in table.rows if tuple(r[: len(start)]) == start)
    return dict(zip(titles, found, strict=True))


def with_scores(run, seed=3):
    rng = random.Random(seed)
    return replace(run, items=[{**item, "score": round(rng.random(), 1)} for item in run.items])


def test_without_runs_of_the_benchmark_there_is_no_table():
    assert tables([vidomni_run("a", {"v1__x": [1]}, {"v1__x": [1]})], QUICK) == []


def test_undecided_answers_are_counted_by_reason_and_never_guessed():
    run = vidhalloc_run("a", {"v1__x": (None, "REJECT"), "v2__x": ("ACCEPT", None), "v3__x": RIGHT})
    items = [
        {**item, "reason": "empty"}
        if item["label"] is None and item["pair_id"] == "v1__x"
        else item
        for item in run.items
    ]
    found = made(replace(run, items=items))
    answers = row(found["vidhalloc_answers"], "a")
    assert (answers["answers"], answers["undecided"]) == (6, 2)
    assert (answers["undecided: empty"], answers["undecided: no_verdict"]) == (1, 1)
    assert answers["accept rate, %"] == pytest.approx(100 * 2 / 6)
    assert answers["Overall of a blind method, %"] == pytest.approx(100 * (2 / 6) * (2 / 6))
    accuracy = row(found["vidhalloc_accuracy"], "a", "run")
    assert accuracy["undecided answers"] == 2
    assert accuracy["Overall"] == pytest.approx(100 / 3)
    outcomes = row(found["vidhalloc_outcomes"], "a", "run")
    assert outcomes["pairs with an undecided answer"] == 2
    assert outcomes["neither"] == 0


def test_all_four_outcome_states_are_told_apart():
    verdicts = dict(zip("abcd", product(("ACCEPT", "REJECT"), repeat=2), strict=True))
    found = row(made(vidhalloc_run("m", verdicts))["vidhalloc_outcomes"], "m", "run")
    states = ("both correct", "factual only", "counterfactual only", "neither")
    assert [found[state] for state in states] == [25.0] * 4


def test_pairs_that_are_not_whole_or_not_there_are_counted():
    run = vidhalloc_run("a", {"v1__x": RIGHT, "v2__x": RIGHT})
    items = [{**item, "missing": 7} for item in run.items[:-1]]
    found = row(made(replace(run, items=items))["vidhalloc_answers"], "a")
    assert (found["pairs with one answer"], found["pairs without video"]) == (1, 7)


def test_runs_with_different_pairs_are_also_compared_on_the_common_ones():
    same = {"v2__x": {"category": "eeh"}}
    first = vidhalloc_run("a", {"v1__x": RIGHT, "v2__x": ("REJECT", "REJECT")}, same)
    second = vidhalloc_run("b", {"v2__x": RIGHT, "v3__x": RIGHT}, same)
    table = made(first, second)["vidhalloc_accuracy_common"]
    assert [(r[0], r[3]) for r in table.rows] == [("a", 1), ("b", 1)]
    assert row(table, "a")["Overall"] == 0.0
    assert "1 pair is in all 2 runs" in table.notes[0]
    assert "2 of these runs have other pairs too, which are left out" in table.notes[0]
    assert "vidhalloc_accuracy_common" not in made(first, replace(first, run="b"))
    assert "vidhalloc_accuracy_common" not in made(first, vidhalloc_run("empty", {}))


def test_a_task_that_no_run_has_is_named_instead_of_empty_rows():
    table = made(vidhalloc_run("a", {"v1__x": RIGHT}))["vidhalloc_by_category_and_task"]
    assert {r[2] for r in table.rows} == {"all", "QA"}
    assert "No run has a pair of captioning." in table.notes
    empty = row(table, "a", "vidhalloc", "QA", "CPH")
    assert empty["Overall"] is None
    assert empty["pairs"] == 0


def test_methods_without_scores_have_none_and_their_tables_are_not_there():
    found = made(vidhalloc_run("a", {"v1__x": RIGHT}))
    of_scores = {"vidhalloc_scores", "vidhalloc_scores_by_part", "vidhalloc_thresholds"}
    assert not of_scores & found.keys()
    group = row(found["vidhalloc_by_group"], "a", "run", "vidhalloc", "OH")
    assert (group["Overall"], group["AUROC x 100"], group["pairs with scores"]) == (100.0, None, 0)


def test_scores_give_auroc_ranking_and_ties_as_counted_by_hand():
    run = vidhalloc_run("a", {"v1__x": RIGHT, "v2__x": RIGHT}, {"v2__x": {"category": "eeh"}})
    given = iter([0.9, 0.5, 0.5, 0.5])
    found = made(replace(run, items=[{**item, "score": next(given)} for item in run.items]))
    scores = row(found["vidhalloc_scores"], "a", "run")
    # 0.9 beats both counterfactual scores, 0.5 ties with both: (1 + 1 + 0.5 + 0.5) / 4.
    assert (scores["AUROC x 100"], scores["Ranking"], scores["Ties"]) == (75.0, 75.0, 50.0)
    group = row(found["vidhalloc_by_group"], "a", "run", "vidhalloc", "OH")
    assert (group["AUROC x 100"], group["Ranking"], group["Ties"]) == (75.0, 75.0, 50.0)
    curve = [r[2:] for r in found["vidhalloc_thresholds"].rows]
    assert curve == [[2, 0.5, 100.0, 0.0, 0.0], [2, 0.9, 50.0, 100.0, 50.0]]


def test_scores_by_part_are_those_of_the_pairs_of_the_part_alone():
    """Three pairs: two of one video, and one without a score of one answer."""
    fields = {
        "v1__x": {"category": "eeh"},
        "v1__y": {"category": "aph"},
        "v2__x": {"category": "aph", "task_type": "video_captioning"},
        "v3__x": {"category": "aph"},
    }
    run = vidhalloc_run("a", dict.fromkeys(fields, RIGHT), fields)
    given = iter([0.4, 0.1, 0.9, 0.5, 0.3, 0.3, 0.9, None])
    items = [{**item, "detector_score": next(given)} for item in run.items]
    found = made(replace(run, items=items))
    table = found["vidhalloc_scores_by_part"]
    parts = {r[2]: row(table, "a", "vidhalloc", r[2]) for r in table.rows}
    assert list(parts) == ["QA", "captioning", "OH", "DH", "EEH", "APH"]
    assert [(r["pairs"], r["videos"]) for r in parts.values()] == [
        *((2, 1), (1, 1), (1, 1), (2, 2), (1, 1), (2, 2)),
    ]
    # QA: 0.9 beats 0.1 and 0.5, 0.4 beats 0.1. DH: 0.9 beats both, 0.3 ties with 0.3.
    assert [r["AUROC x 100"] for r in parts.values()] == [75.0, 50.0, 100.0, 62.5, 100.0, 62.5]
    assert [r["Ranking"] for r in parts.values()] == [100.0, 50.0, 100.0, 75.0, 100.0, 75.0]
    assert [r["Ties"] for r in parts.values()] == [0.0, 100.0, 0.0, 50.0, 0.0, 50.0]
    # Both pairs of QA are of one video, whose draws are all the same: no interval.
    assert (parts["QA"]["AUROC x 100 low"], parts["DH"]["Ties low"]) == (None, 0.0)
    whole = row(found["vidhalloc_by_group"], "a", "run", "vidhalloc", "DH")
    assert [whole[t] for t in ("AUROC x 100", "Ranking", "Ties")] == [62.5, 75.0, 50.0]


def test_pairs_without_scores_are_left_out_of_the_table_of_scores_only():
    run = with_scores(vidhalloc_run("a", {"v1__x": RIGHT, "v2__x": RIGHT, "v3__x": RIGHT}))
    items = [{k: v for k, v in i.items() if k != "score"} for i in run.items[:1]]
    found = made(replace(run, items=[*items, *run.items[1:]]))
    assert row(found["vidhalloc_scores"], "a", "run")["pairs"] == 2
    assert row(found["vidhalloc_accuracy"], "a", "run")["pairs"] == 3


def test_a_long_curve_is_thinned_and_keeps_its_ends():
    run = vidhalloc_run("a", {f"v{k:03d}__x": RIGHT for k in range(300)})
    items = [{**item, "score": k / 600} for k, item in enumerate(run.items)]
    table = made(replace(run, items=items))["vidhalloc_thresholds"]
    assert len(table.rows) == 101
    assert (table.rows[0][3], table.rows[-1][3]) == (0.0, 599 / 600)


@pytest.mark.parametrize("scale", [1.0, 1e-4, 1e-12, 1e6])
def test_no_two_thresholds_of_a_run_look_the_same(scale):
    run = vidhalloc_run("a", {f"v{k}__x": RIGHT for k in range(8)})
    items = [{**item, "score": scale * (1 + k / 2000)} for k, item in enumerate(run.items)]
    table = made(replace(run, items=items))["vidhalloc_thresholds"]
    column = table.columns[3]
    assert len({shown(r[3], column) for r in table.rows}) == 16


def test_a_run_without_any_answer_is_a_row_without_values():
    found = made(vidhalloc_run("empty", {}), vidhalloc_run("a", {"v1__x": RIGHT}))
    accuracy = row(found["vidhalloc_accuracy"], "empty", "run")
    assert accuracy["pairs"] == 0
    assert accuracy["Overall"] is None
    assert row(found["vidhalloc_outcomes"], "empty", "run")["neither"] is None
    assert found["vidhalloc_gap_mean"].rows[0][0] == "the one run"


def test_every_table_marks_where_its_rows_come_from_and_can_be_written(tmp_path):
    found = made(with_scores(vidhalloc_run("a", {"v1__x": RIGHT, "v2__x": RIGHT})))
    for name, table in found.items():
        if "source" in [column.title for column in table.columns]:
            assert {r[1] for r in table.rows} <= {"run", "published", "reference"}, name
        assert all(path.stat().st_size for path in write_table(table, tmp_path))
    assert len(list(tmp_path.iterdir())) == 3 * len(found)


@pytest.mark.parametrize(
    ("pair", "state"),
    [
        (("ACCEPT", None), "factual only"),
        ((None, "REJECT"), "counterfactual only"),
        ((None, "ACCEPT"), "neither"),
        (("REJECT", None), "neither"),
        ((None, None), "neither"),
    ],
)
def test_undecided_answers_are_in_the_state_that_the_note_tells(pair, state):
    table = made(vidhalloc_run("a", {"v1__x": pair}))["vidhalloc_outcomes"]
    assert row(table, "a", "run")[state] == 100.0
    notes = " ".join(table.notes)
    assert "takes the one for the other" not in notes
    assert "neither: it is right on neither answer" in notes


def test_seeds_and_draws_stand_under_the_tables():
    found = made(vidhalloc_run("a", {"v1__x": RIGHT}))
    assert "100 draws, seed 20260906" in " ".join(found["vidhalloc_accuracy"].notes)
    assert "100 draws, seed 20260825" in " ".join(found["vidhalloc_gap"].notes)
    assert "seed 20260826" in " ".join(found["vidhalloc_gap_mean"].notes)


def test_averages_leave_out_limited_runs_and_the_same_run_twice():
    verdicts = {f"v{k}__x": RIGHT if k % 3 else ("REJECT", "REJECT") for k in range(16)}
    others = {pair: RIGHT for pair in verdicts}
    few = dict(list(verdicts.items())[:3])
    runs = [
        vidhalloc_run("a", verdicts),
        vidhalloc_run("b", others),
        vidhalloc_run("a again", verdicts),
        vidhalloc_run("few", few, signature=signature("few", limit="3 of 16")),
    ]
    with_all, without = made(*runs), made(*runs[:2])
    for name in ("vidhalloc_gap_mean", "vidhalloc_gap_within_video"):
        averages = [r for r in with_all[name].rows if str(r[0]).startswith("mean of 2 runs")]
        wanted = [r for r in without[name].rows if str(r[0]).startswith("mean of 2 runs")]
        assert averages == wanted != []
        assert any("without a again, few in averages" in note for note in with_all[name].notes)
    assert "vidhalloc_accuracy_common" not in with_all
    alone = made(runs[3])["vidhalloc_gap_mean"]
    assert alone.rows[0][0] == "the one run"
