"""Values are those of the metrics; intervals and gaps agree with plain loops over draws."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from tests.report.builders import CATEGORIES, vidhalloc_run
from vidomni_plugin.bootstrap import draw_clusters
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidhalloc_measures import (
    accuracies,
    constant,
    gaps,
    macro_gaps,
    resampled_in_categories,
    shares,
    threshold_curve,
)
from vidomni_plugin.report.vidhalloc_pairs import ALL, DH, MEASURES, OH, Part, methods
from vidomni_plugin.vidhalloc import metrics

QUICK = Settings(draws=200)
LABELS = ("ACCEPT", "REJECT", None)


def random_run(name, seed=0, videos=12, each=3):
    rng = random.Random(f"{name} {seed}")
    ids = [f"v{v:02d}__{k}" for v in range(videos) for k in range(each)]
    return vidhalloc_run(name, {i: (rng.choice(LABELS), rng.choice(LABELS)) for i in ids})


def test_values_are_those_of_the_metrics():
    run = random_run("a")
    (method,) = methods([run])
    expected = metrics.summary(run.items)
    estimates = accuracies([method], QUICK)["a"]
    for measure in MEASURES:
        assert estimates[measure].value == pytest.approx(expected[measure].value)
        assert method.score(measure) == expected[measure].value
    gap = gaps([method], QUICK)["a"]["overall"]
    assert (gap.oh, gap.dh) == (
        expected["overall_ontology"].value,
        expected["overall_dynamic"].value,
    )
    assert gap.gap.value == pytest.approx(gap.oh - gap.dh)


def test_intervals_are_those_of_a_plain_loop_over_draws():
    first, second = methods([random_run("a"), random_run("b")])
    videos = sorted(set(first.videos))
    drawn = np.vstack(list(draw_clusters(len(videos), seed=7, draws=200))).astype(int)
    settings = Settings(seed=7, gap_seed=7, draws=200)
    estimates = accuracies([first, second], settings)
    found = gaps([first, second], settings)
    macro = macro_gaps([first, second], settings)
    mean_gaps = []
    for method in (first, second):
        dynamic = method.mask(DH)
        overall, gap = [], []
        for counts in drawn:
            rows = [
                row
                for video, count in zip(videos, counts, strict=True)
                for _ in range(count)
                for row, of in enumerate(method.videos)
                if of == video
            ]
            right, is_dh = method.correct[rows, 2], dynamic[rows]
            overall.append(100 * right.mean())
            gap.append(100 * (right[~is_dh].mean() - right[is_dh].mean()))
        mean_gaps.append(gap)
        ends = np.quantile(overall, [0.025, 0.975])
        assert estimates[method.name]["overall"][1:3] == pytest.approx(ends)
        assert found[method.name]["overall"].gap[1:3] == pytest.approx(
            np.quantile(gap, [0.025, 0.975])
        )
    ends = np.quantile(np.mean(mean_gaps, axis=0), [0.025, 0.975])
    assert macro["overall"].gap[1:3] == pytest.approx(ends)


def test_a_run_has_the_same_interval_alone_and_among_others():
    runs = methods([random_run("a"), random_run("b"), random_run("c", videos=5)])
    together = accuracies(runs, QUICK)
    for method in runs:
        assert accuracies([method], QUICK)[method.name] == together[method.name]


def test_the_order_of_runs_and_answers_does_not_matter():
    runs = [random_run("a"), random_run("b")]
    straight = macro_gaps(methods(runs), QUICK)
    backwards = macro_gaps(methods(runs[::-1]), QUICK)
    for measure in MEASURES:
        assert straight[measure].gap[:3] == pytest.approx(backwards[measure].gap[:3])


def test_pairs_drawn_within_categories_keep_their_number():
    # Every pair of a category is alike: whatever is drawn, the gap is the same.
    verdicts = {f"v{k:02d}__x": ("ACCEPT", "REJECT" if k % 8 < 5 else "ACCEPT") for k in range(24)}
    (method,) = methods([vidhalloc_run("a", verdicts)])
    found = resampled_in_categories([method], QUICK)
    assert found["overall"][:3] == (100.0, 100.0, 100.0)
    assert found["factual"][:3] == (0.0, 0.0, 0.0)
    assert found["overall"].seed == QUICK.category_seed


def test_categories_are_drawn_apart():
    # The same draw for all categories would make both groups move together, and the gap never.
    verdicts = {
        f"v{k:02d}__x": ("ACCEPT", "REJECT" if (k // 8) % 2 else "ACCEPT") for k in range(80)
    }
    (method,) = methods([vidhalloc_run("a", verdicts)])
    found = resampled_in_categories([method], QUICK)["overall"]
    assert found.low < 0 < found.high


def test_independent_pairs_have_wilsons_interval_and_others_are_drawn():
    verdicts = {f"v{k:02d}__x": ("ACCEPT", "REJECT" if k else "ACCEPT") for k in range(10)}
    fields = {pair: {"category": "eeh"} for pair in verdicts}
    (method,) = methods([vidhalloc_run("a", verdicts, fields)])
    share = shares([method], [ALL], ["overall"], QUICK)["a", "all", "overall"]
    expected = binomtest(9, 10).proportion_ci(0.95, method="wilson")
    assert (share.low, share.high) == pytest.approx((100 * expected.low, 100 * expected.high))
    assert (share.value, share.pairs, share.videos, share.interval) == (90.0, 10, 10, "Wilson")
    paired = {i: {"category": "eeh", "video_id": f"w{int(i[1:3]) // 2}"} for i in verdicts}
    (method,) = methods([vidhalloc_run("a", verdicts, paired)])
    share = shares([method], [ALL], ["overall"], QUICK)["a", "all", "overall"]
    assert (share.pairs, share.videos, share.interval) == (10, 5, "bootstrap")


def test_an_empty_part_is_nothing_and_not_zero():
    (method,) = methods([vidhalloc_run("a", {"v1__x": ("ACCEPT", "REJECT")})])
    part = Part("cph", ("cph",))
    share = shares([method], [part], ["overall"], QUICK)["a", "cph", "overall"]
    assert share == (None, None, None, 0, 0, "")
    gap = gaps([method], QUICK)["a"]["overall"]
    assert (gap.oh, gap.dh) == (100.0, None)
    assert np.isnan(gap.gap.value)
    assert resampled_in_categories([method], QUICK)["overall"].reason == "a group has no pair"


def test_a_run_without_pairs_has_no_accuracy():
    (method,) = methods([vidhalloc_run("a", {})])
    assert np.isnan(accuracies([method], QUICK)["a"]["overall"].value)
    assert gaps([method], QUICK)["a"]["overall"].oh is None


SCORES = st.lists(
    st.tuples(*[st.integers(-3, 3).map(lambda k: k / 2)] * 2), min_size=1, max_size=20
)


@given(SCORES)
def test_the_curve_is_that_of_deciding_with_each_threshold(pairs):
    curve = threshold_curve(np.array(pairs))
    assert curve.thresholds.tolist() == sorted({s for pair in pairs for s in pair})
    for k, t in enumerate(curve.thresholds):
        factual = [f >= t for f, _ in pairs]
        counterfactual = [c < t for _, c in pairs]
        hits = [
            sum(factual),
            sum(counterfactual),
            sum(f and c for f, c in zip(factual, counterfactual, strict=True)),
        ]
        assert [column[k] for column in curve[1:]] == pytest.approx(
            [100 * n / len(pairs) for n in hits]
        )


@given(st.floats(0, 1))
def test_looking_away_never_gives_more_than_a_quarter(rate):
    found = constant(rate)
    assert found["factual"] + found["counterfactual"] == pytest.approx(100)
    assert 0 <= found["overall"] <= 25


def test_both_groups_hold_all_categories():
    assert set(OH.categories) | set(DH.categories) == set(CATEGORIES) == set(ALL.categories)
