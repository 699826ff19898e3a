"""Scores by stratum: those of the host's metrics, with intervals like a plain loop's."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.report.builders import vidomni_run
from vidomni_plugin.bootstrap import draw_clusters
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidomni_measures import (
    category_recall,
    mean_of,
    measure,
    minus,
    strata,
)
from vidomni_plugin.report.vidomni_scored import score_run
from vidomni_plugin.vidomni.metrics import summary

FEW = Settings(draws=200)
CATEGORIES = ("Object", "Order", "Illusion")


def random_run(seed, pairs=40, videos=12, checkpoint="m"):
    rng = random.Random(seed)
    labels, gold, fields = {}, {}, {}
    for k in range(pairs):
        pair_id = f"v{k % videos}__c{k}"
        size = rng.randint(1, 7)
        gold[pair_id] = [rng.choice([0, 0, 1, None]) for _ in range(size)]
        labels[pair_id] = [rng.choice([0, 1, None]) for _ in range(size)]
        kind = k % videos % 4 + 1  # no video is of type 5
        fields[pair_id] = {
            "complexity_type": kind,
            "duration_s": {1: 20.0, 2: 600.0, 3: 600.0, 4: 2000.0}[kind],
            "caption_source": f"captioner-{'ab'[k % 2]}",
            "source_dataset": "YouTube" if k % videos < 3 else "Ego4D",
            "errors": [
                rng.sample(CATEGORIES, rng.randint(0, 2)) if truth else []
                for truth in gold[pair_id]
            ],
        }
    return vidomni_run(checkpoint, labels, gold, fields)


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_the_hosts_metrics(seed):
    run = random_run(seed)
    found = strata(score_run(run))
    host = summary(run.items)
    for name in ("precision", "recall", "f1", "f1_flawed", "micro_f1", "unlabelled"):
        assert found["score", name].value == pytest.approx(host[name].value)
    for kind in (1, 2, 3, 4):
        assert found["type", kind].value == pytest.approx(host[f"f1_type{kind}"].value)
    for name in ("short", "medium", "long"):
        assert found["duration", name].value == pytest.approx(host[f"f1_{name}"].value)
    assert found["type", 5].value is None


@pytest.mark.parametrize("seed", range(3))
def test_each_score_is_the_ratio_of_what_its_pairs_add(seed):
    for key, ratio in strata(score_run(random_run(seed))).items():
        if ratio.less is None and ratio.value is not None:
            assert ratio.value == pytest.approx(ratio.top.sum() / ratio.bottom.sum()), key


def test_the_ceiling_is_what_a_perfect_verifier_scores():
    run = random_run(5)
    perfect = [{**item, "labels": item["gold"]} for item in run.items]
    ceiling = strata(score_run(run))["score", "ceiling"].value
    assert ceiling == pytest.approx(summary(perfect)["f1"].value)
    flawed = sum(1 in item["gold"] for item in run.items)
    assert ceiling == pytest.approx(100 * flawed / len(run.items))


def test_recall_of_a_category_is_over_the_incorrect_sentences_that_carry_it():
    # Order: sentences 1 and 3 of the first pair, 1 of the second; two of these are flagged.
    labels = {"v1__a": [1, 1, 0], "v2__a": [1, None]}
    gold = {"v1__a": [1, 0, 1], "v2__a": [1, 1]}
    errors = {
        "v1__a": {"errors": [["Order", "Object"], [], ["Order"]]},
        "v2__a": {"errors": [["Order", "Order"], ["Object"]]},
    }
    scored = score_run(vidomni_run("m", labels, gold, errors))
    order, objects, action = measure(
        [category_recall(scored, name) for name in ("Order", "Object", "Action")], FEW
    )
    assert (order.value, order.over, order.videos) == (pytest.approx(200 / 3), 3, 2)
    assert (objects.value, objects.over) == (50.0, 2)
    assert action == (None, None, None, 0, 0)


def test_an_interval_is_that_of_a_plain_loop_over_the_same_draws():
    run = random_run(1)
    scored = score_run(run)
    (found,) = measure([mean_of(scored, scored.f1)], FEW)
    names = sorted(set(scored.videos))
    blocks = draw_clusters(len(names), seed=FEW.seed, draws=FEW.draws)
    means = []
    for counts in np.vstack(list(blocks)).astype(int).tolist():
        weight = dict(zip(names, counts, strict=True))
        values = [
            value
            for value, video in zip(scored.f1.tolist(), scored.videos, strict=True)
            for _ in range(weight[video])
        ]
        means.append(sum(values) / len(values))
    assert (found.low, found.high) == pytest.approx(np.quantile(means, [0.025, 0.975]))
    assert (found.over, found.videos) == (40, 12)


def test_intervals_do_not_depend_on_the_other_runs_or_on_the_order_of_pairs():
    run, other = random_run(1), random_run(2, pairs=17, videos=5)
    turned = vidomni_run("m", {}, {}, items=list(reversed(run.items)))
    a, b, c = (score_run(each) for each in (run, turned, other))
    alone = measure([mean_of(a, a.f1)], FEW)
    together = measure([mean_of(c, c.f1), mean_of(b, b.f1)], FEW)
    assert together[1] == alone[0]


def test_a_difference_is_drawn_in_pairs():
    a, b = score_run(random_run(1)), score_run(random_run(1))
    (same,) = measure([minus(mean_of(a, a.f1), mean_of(b, b.f1))], FEW)
    assert same[:3] == (0.0, 0.0, 0.0)


def test_one_video_has_a_score_and_no_interval():
    scored = score_run(random_run(1, pairs=4, videos=1))
    (found,) = measure([mean_of(scored, scored.f1)], FEW)
    assert found.value is not None
    assert (found.low, found.high, found.over, found.videos) == (None, None, 4, 1)


def test_a_stratum_of_one_video_among_many_has_no_interval():
    scored = score_run(random_run(1))
    only = np.array([video == "v0" for video in scored.videos])
    (found,) = measure([mean_of(scored, scored.f1, only)], FEW)
    assert (found.low, found.high, found.videos) == (None, None, 1)


def test_without_youtube_leaves_out_these_videos_only():
    scored = score_run(random_run(3))
    found = strata(scored)["score", "without_youtube"]
    kept = [
        v
        for v, item in zip(scored.f1, scored.items, strict=True)
        if "Tube" not in item["source_dataset"]
    ]
    assert found.value == pytest.approx(float(np.mean(kept)))
    assert found.bottom.sum() == len(kept) < len(scored.items)


def test_self_and_cross_are_told_apart_by_the_models_names():
    run = random_run(4, checkpoint="lab/captioner-a")
    scored = score_run(run)
    found = strata(scored)
    own, others = found["source", "captioner-a"].value, found["source", "captioner-b"].value
    assert found["score", "self"].value == pytest.approx(own)
    assert found["score", "cross"].value == pytest.approx(others)
    assert found["score", "self_minus_cross"].value == pytest.approx(own - others)
    assert strata(score_run(random_run(4)))["score", "self"].value is None
