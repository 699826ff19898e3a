"""Every score of every run in one table: from the metrics, with intervals, n and warnings."""

from __future__ import annotations

import csv
import io
import json
import random
from dataclasses import replace

import pytest

from tests.report.builders import signature, vidhalloc_run, vidomni_run, write_run
from vidomni_plugin.bootstrap import cluster_bootstrap, cluster_totals
from vidomni_plugin.problems import Problem
from vidomni_plugin.report.host_scores import lower_is_better
from vidomni_plugin.report.leaderboard import leaderboard
from vidomni_plugin.report.read import read_runs
from vidomni_plugin.report.runs import Run, TaskRun
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.terms import pair_terms, ratios
from vidomni_plugin.report.vidomni_analysis import analyse
from vidomni_plugin.tables import as_csv
from vidomni_plugin.vidhalloc import metrics as vidhalloc_metrics
from vidomni_plugin.vidomni import metrics as vidomni_metrics

SETTINGS = Settings(draws=500)


def rows(*runs: TaskRun, settings: Settings = SETTINGS) -> list[dict[str, str]]:
    table = leaderboard([Run(run.run, None, {run.task: run}, ()) for run in runs], settings)
    return list(csv.DictReader(io.StringIO(as_csv(table))))


def random_omni(name: str, seed: int, videos: int = 12) -> TaskRun:
    rng = random.Random(seed)
    gold = {
        f"v{v}__{k}": [random.Random(f"{v}{k}{i}").choice([0, 1, None]) for i in range(6)]
        for v in range(videos)
        for k in range(1 + v % 3)
    }
    labels = {pair: [rng.choice([0, 1, None]) for _ in truth] for pair, truth in gold.items()}
    fields = {
        pair: {"complexity_type": 1 + k % 5, "duration_s": [10.0, 400.0, 4000.0][k % 3]}
        for k, pair in enumerate(gold)
    }
    return vidomni_run(name, labels, gold, fields)


def random_halloc(name: str, seed: int) -> TaskRun:
    rng = random.Random(seed)
    verdicts = ["ACCEPT", "REJECT", None]
    pairs = {f"v{k % 17}__{k}": (rng.choice(verdicts), rng.choice(verdicts)) for k in range(60)}
    return vidhalloc_run(name, pairs)


@pytest.mark.parametrize("seed", range(4))
def test_terms_add_up_to_the_metrics(seed):
    for run, metrics in (
        (random_omni("a", seed), vidomni_metrics),
        (random_halloc("a", seed), vidhalloc_metrics),
    ):
        terms = pair_terms(run, answered=True)
        found = ratios(terms.tops.sum(axis=0), terms.bottoms.sum(axis=0))
        summary = metrics.summary(run.items)
        for name, value in zip(terms.metrics, found, strict=True):
            assert value == pytest.approx(summary[name].value), name


def test_runs_are_not_compared_by_what_each_of_them_answered():
    for run in (random_omni("a", 1), random_halloc("a", 1)):
        names = pair_terms(run, answered=True).metrics
        lost = {name for name in names if name not in pair_terms(run).metrics}
        assert lost in ({"f1_answered"}, {"overall_answered"})


def test_an_answer_without_its_other_half_is_in_no_pair():
    whole = random_halloc("a", 1)
    short = vidhalloc_run("a", {"x": ("ACCEPT", "REJECT")}, items=whole.items[:-1])
    assert len(pair_terms(short).ids) == 59


def test_scores_best_first_with_their_denominators():
    gold = {"v1__x": [1, 0], "v2__x": [1, None]}
    good = vidomni_run("good", {"v1__x": [1, 0], "v2__x": [1, 0]}, gold)
    poor = vidomni_run("poor", {"v1__x": [1, 1], "v2__x": [None, 0]}, gold)
    found = rows(poor, good)
    f1 = [row for row in found if row["metric"] == "f1"]
    assert [row["run"] for row in f1] == ["good", "poor"]
    assert [float(row["score"]) for row in f1] == pytest.approx([100, 100 / 3])
    assert f1[1]["n"] == f1[1]["videos"] == "2"
    # Three of the four sentences have a gold label; one of them got none.
    assert float(f1[1]["unparsed %"]) == pytest.approx(100 / 3)
    assert f1[0]["data"] == "0123456789abcdef"
    assert f1[0]["signature"] == signature("good").short()
    assert {row["metric"] for row in found} == {"f1", "precision", "recall", "f1_flawed"} | {
        "micro_f1"
    }


def test_intervals_are_those_of_a_bootstrap_over_videos():
    run = random_omni("a", 5)
    terms = pair_terms(run)
    column = terms.metrics.index("f1")
    pairs = [[score, 1.0] for score in terms.tops[:, column]]
    (expected,) = cluster_bootstrap(
        cluster_totals(pairs, terms.clusters),
        [lambda sums: sums[:, 0] / sums[:, 1]],
        seed=SETTINGS.seed,
        draws=SETTINGS.draws,
    )
    (row,) = (row for row in rows(run) if row["metric"] == "f1")
    assert (float(row["low"]), float(row["high"])) == pytest.approx(expected[:2])


def test_the_report_has_one_interval_of_a_score():
    """Table 3 draws the same videos, also where pair ids sort in another order than videos."""
    of_videos = random_omni("a", 5)
    items = [item | {"pair_id": f"p{(7 * k) % 24:02}"} for k, item in enumerate(of_videos.items)]
    run = replace(of_videos, items=items)
    assert len({item["pair_id"] for item in items}) == len(items) == 24
    (table_3,) = analyse([run], SETTINGS).rows
    for row in rows(run):
        measured = table_3.score(row["metric"])
        found = [float(row[name]) for name in ("score", "low", "high")]
        assert found == pytest.approx(measured[:3]), row["metric"]


def test_a_run_gets_the_same_interval_alone_and_among_others():
    alone = rows(random_halloc("a", 1))
    among = rows(random_halloc("b", 2), random_halloc("a", 1), random_halloc("c", 3))
    assert alone == [row for row in among if row["run"] == "a"]


def test_a_stratum_without_pairs_is_empty_and_never_zero():
    run = vidhalloc_run(
        "a",
        {"v1__x": ("ACCEPT", "REJECT"), "v2__x": ("ACCEPT", "REJECT")},
        {pair: {"category": "eeh"} for pair in ("v1__x", "v2__x")},
    )
    by_metric = {row["metric"]: row for row in rows(run)}
    assert by_metric["overall_ontology"]["score"] == "100.0"
    assert by_metric["overall_dynamic"]["score"] == by_metric["overall_dynamic"]["low"] == ""
    assert by_metric["overall_dynamic"]["n"] == "0"


def test_one_video_has_no_interval():
    run = vidomni_run("a", {"v1__x": [1], "v1__y": [0]}, {"v1__x": [1], "v1__y": [1]})
    row = rows(run)[0]
    assert (row["score"], row["low"], row["high"]) == ("50.0", "", "")


def test_other_tasks_show_the_host_s_scores():
    other = TaskRun("a", "videomme", "other", signature("a"), (), {"accuracy": 61.5}, 2700, (), {})
    (row,) = rows(other)
    assert (row["metric"], row["score"], row["n"]) == ("accuracy", "61.5", "2700")
    assert row["low"] == row["missing"] == row["unparsed %"] == ""


def test_errors_of_other_tasks_are_best_where_they_are_lowest(tmp_path):
    for name, wer, accuracy in (("a", 12.0, 40.0), ("b", 5.0, 30.0), ("c", 9.0, 50.0)):
        scores = {"wer": wer, "acc": accuracy}
        run = TaskRun(name, "asr", "other", signature(name), (), scores, 9, (), {})
        path = write_run(tmp_path / name, run)
        results = json.loads(path.read_text())
        results["higher_is_better"] = {"asr": {"wer": False, "acc": True}}
        path.write_text(json.dumps(results))
    read = read_runs([tmp_path])
    table = list(csv.DictReader(io.StringIO(as_csv(leaderboard(read, SETTINGS)))))
    models = {name: [r["run"] for r in table if r["metric"] == name] for name in ("wer", "acc")}
    assert models == {"wer": ["b", "c", "a"], "acc": ["c", "a", "b"]}


@pytest.mark.parametrize("odd", [None, 3, {"asr": None}, {"asr": {"wer": None}}])
def test_a_log_may_not_say_which_scores_are_errors(odd):
    assert lower_is_better({"higher_is_better": odd}, "asr") == frozenset()


def test_a_run_without_samples_shows_the_host_s_scores_and_a_warning():
    run = vidomni_run(
        "a",
        {},
        {},
        scores={"f1": 40.0, "unlabelled": 2.5, "missing": 3.0, "f1_flawed": -1.0},
        expected=24,
        problems=(Problem("no-samples", "x", "no samples"),),
    )
    first, second = rows(run)
    assert (first["score"], first["n"], first["low"]) == ("40.0", "24", "")
    assert (first["unparsed %"], first["missing"], first["warnings"]) == ("2.5", "3", "1")
    assert (second["metric"], second["score"]) == ("f1_flawed", "")


def test_failed_requests_are_counted_and_left_out_of_one_score():
    """Worked by hand: one of three pairs was never answered."""
    gold = {"v1__a": [1, 0], "v2__b": [1, 1], "v3__c": [1]}
    labels = {"v1__a": [1, 0], "v2__b": [0, 0], "v3__c": [None]}
    lost = {"v3__c": {"status": "none", "reason": "request_failed"}}
    some = rows(vidomni_run("some", labels, gold, lost))
    by_name = {row["metric"]: row for row in some}
    assert float(by_name["f1"]["score"]) == pytest.approx(100 / 3, abs=0.01)
    assert (by_name["f1"]["n"], by_name["f1"]["failed"]) == ("3", "1")
    assert float(by_name["f1_answered"]["score"]) == 50
    assert by_name["f1_answered"]["n"] == "2"
    assert float(by_name["f1_answered"]["low"]) == 0
    answered = {row["metric"]: row for row in rows(vidomni_run("none", labels, gold))}
    assert "f1_answered" not in answered
    assert answered["f1"]["failed"] == "0"


def test_a_pair_of_vidhalloc_with_a_failed_answer_is_left_out_of_one_score():
    pairs = {"v1__a": ("ACCEPT", "REJECT"), "v2__b": ("ACCEPT", None)}
    run = vidhalloc_run("a", pairs)
    lost = [
        item | ({"reason": "request_failed"} if item["label"] is None else {}) for item in run.items
    ]
    by_name = {row["metric"]: row for row in rows(replace(run, items=lost))}
    assert float(by_name["overall"]["score"]) == 50
    assert (float(by_name["overall_answered"]["score"]), by_name["overall_answered"]["n"]) == (
        100,
        "1",
    )
    assert by_name["overall"]["failed"] == "1"


def test_no_runs_no_rows():
    assert rows() == []


def test_videos_are_those_behind_each_score():
    seen = {"v1__a": ("ACCEPT", "REJECT"), "v2__b": ("ACCEPT", "REJECT"), "v3__c": (None, "REJECT")}
    kinds = {"v1__a": "eeh", "v2__b": "ech", "v3__c": "aph"}
    fields = {pair: {"category": kind} for pair, kind in kinds.items()}
    found = {row["metric"]: row for row in rows(vidhalloc_run("a", seen, fields))}
    videos = [found[name]["videos"] for name in ("overall", "overall_ontology", "overall_dynamic")]
    assert videos == ["3", "2", "1"]


def test_a_run_over_some_documents_is_never_the_best():
    gold = {"v1__x": [1, 0], "v2__x": [1, 0]}
    whole = vidomni_run("whole", {"v1__x": [0, 1], "v2__x": [1, 1]}, gold)
    limited = Problem("limited", "x", "over 1 of 2")
    part = vidomni_run("part", {"v1__x": [1, 0]}, gold, problems=(limited,))
    found = [row["run"] for row in rows(part, whole) if row["metric"] == "f1"]
    assert found == ["whole", "part"]
