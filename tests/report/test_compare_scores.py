"""Two detectors compared by AUROC and Ranking, with and without thresholds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.report.builders import signature, vidhalloc_run, write_run
from vidomni_plugin.bootstrap import draw_clusters
from vidomni_plugin.cli import app
from vidomni_plugin.paired import bootstrap_p
from vidomni_plugin.report.compare import compare
from vidomni_plugin.report.compare_tables import metrics_table, verdict
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.separation import separation

SETTINGS = Settings(draws=200)
VIDEOS, EACH = 12, 2
PAIRS = [f"v{k:02d}__{n}" for k in range(VIDEOS) for n in range(EACH)]


def scores_of(seed, shift):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(len(PAIRS), 2)).round(1)
    scores[:, 0] += shift
    return scores


def detector(name, scores, threshold=None):
    """Return a run with these scores, shape (pairs, 2), decided where there is a threshold."""
    flat = dict(zip(PAIRS, scores.tolist(), strict=True))
    labels = {
        pair: tuple(
            None if threshold is None else "ACCEPT" if s >= threshold else "REJECT" for s in two
        )
        for pair, two in flat.items()
    }
    run = vidhalloc_run(name, labels, signature=signature(name, model="vidomni_emscore"))
    items = [
        item
        | {"detector_score": flat[item["pair_id"]][item["side"] != "factual"]}
        | ({} if item["label"] else {"reason": "no_threshold"})
        for item in run.items
    ]
    return replace(run, items=items)


def rows_of(a, b, settings=SETTINGS):
    return {row.metric: row for row in compare(a, b, settings).rows}


def test_scores_without_thresholds_are_compared_by_the_paired_bootstrap():
    """Each draw computed from its rows, as slowly as the definition says."""
    one, two = scores_of(1, 1.5), scores_of(2, 0.2)
    rows = rows_of(detector("a", one), detector("b", two))
    assert list(rows) == ["auroc", "ranking"]
    gains = {"auroc": [], "ranking": []}
    for counts in np.vstack(list(draw_clusters(VIDEOS, seed=SETTINGS.seed, draws=200))):
        chosen = np.repeat(np.arange(len(PAIRS)), np.repeat(counts.astype(int), EACH))
        of = [separation(*scores[chosen].T) for scores in (one, two)]
        for name in gains:
            gains[name].append(getattr(of[0], name) - getattr(of[1], name))
    for name, row in rows.items():
        whole = [getattr(separation(*scores.T), name) for scores in (one, two)]
        assert (row.a, row.b) == pytest.approx(whole)
        assert (row.n, row.videos) == (len(PAIRS), VIDEOS)
        ends = np.percentile(gains[name], [2.5, 97.5])
        assert (row.low, row.high) == pytest.approx(ends.tolist())
        assert row.p_value == pytest.approx(bootstrap_p(gains[name]))


def test_swapping_swaps_and_a_run_does_not_beat_itself():
    a, b = detector("a", scores_of(1, 1.0)), detector("b", scores_of(2, 0.0))
    for name, row in rows_of(a, b).items():
        other = rows_of(b, a)[name]
        assert row.difference == pytest.approx(-other.difference)
        assert (row.low, row.p_value) == pytest.approx((-other.high, other.p_value))
    assert {row.p_value for row in rows_of(a, replace(a, run="b")).values()} == {1.0}


def test_the_verdict_is_about_scores_and_says_which_is_better():
    a, b = detector("a", scores_of(1, 9.0)), detector("b", scores_of(2, -9.0))
    found = compare(a, b, SETTINGS)
    text = verdict(found, SETTINGS)
    assert text.startswith("auroc over 24 common pairs of 12 videos: A 100.00, B 0.00")
    assert text.endswith("A is better.")
    notes = " ".join(metrics_table(found, SETTINGS).notes)
    assert "A and B: scores only" in notes
    assert "vidomni calibrate" in notes
    assert "auroc and ranking, the paired bootstrap" in notes


def test_with_thresholds_scores_stand_behind_the_accuracies():
    found = compare(
        detector("a", scores_of(1, 1.0), 0.5), detector("b", scores_of(2, 0.0), 0.5), SETTINGS
    )
    names = [row.metric for row in found.rows]
    assert (names[0], names[-2:]) == ("overall", ["auroc", "ranking"])
    assert found.outcome is not None


def test_only_pairs_with_all_four_scores_count():
    a, b = detector("a", scores_of(1, 1.0)), detector("b", scores_of(2, 0.0))
    items = [
        {**i, "detector_score": None, "reason": "no_score"} if k in (0, 5) else i
        for k, i in enumerate(b.items)
    ]
    rows = rows_of(a, replace(b, items=items))
    assert {row.n for row in rows.values()} == {len(PAIRS) - 2}
    assert list(rows_of(a, vidhalloc_run("c", dict.fromkeys(PAIRS, ("ACCEPT", "REJECT"))))) == [
        "overall"
    ]


@pytest.mark.parametrize(("second", "code"), [("detector", 0), ("judge", 1)])
def test_the_command_says_it_once(second, code, tmp_path):
    judge = vidhalloc_run("b", dict.fromkeys(PAIRS, ("ACCEPT", "REJECT")), signature=signature("b"))
    other = detector("b", scores_of(2, 0.0)) if second == "detector" else judge
    for run in (detector("a", scores_of(1, 3.0)), other):
        write_run(tmp_path / run.run, run)
    command = ["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--draws", "200"]
    done = CliRunner().invoke(app, [*command, "--allow-different"], env={"COLUMNS": "200"})
    assert done.exit_code == code, done.output
    said = " ".join(done.output.split())
    assert said.count("nothing to compare") == (second == "judge")
    # Beside the warning of each run itself.
    assert "`vidomni calibrate` chooses a threshold for a detector's scores" in said
    assert ("ranking" in said) == (second == "detector")


@pytest.mark.parametrize("width", [80, 100])
def test_eighty_columns_hold_the_table(width, tmp_path):
    scores = scores_of(1, 99.0)
    for name, of in (("a", scores), ("b", -scores)):
        write_run(tmp_path / name, detector(name, of, 0.0))
    command = ["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--draws", "200"]
    done = CliRunner().invoke(app, command, env={"COLUMNS": str(width)})
    assert done.exit_code == 0, done.output
    rows = [line.split() for line in done.output.splitlines()]
    assert ["auroc", "24", "12", "100.00", "0.00"] in [row[:5] for row in rows]
