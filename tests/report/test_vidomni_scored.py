"""Counts of pairs: against the metric itself, and joins by pair id."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.builders import vidomni_run
from vidomni_plugin.report.vidomni_scored import common_pairs, either, score_run, select
from vidomni_plugin.vidomni.metrics import count_labels, metric_items

LABEL = st.sampled_from([0, 1, None])
PAIR = st.integers(1, 6).flatmap(
    lambda size: st.tuples(*(st.lists(LABEL, min_size=size, max_size=size) for _ in range(3)))
)


def run(name, labels, gold, fields=None, **changes):
    return vidomni_run(name, labels, gold, fields, **changes)


@given(st.lists(PAIR, min_size=1, max_size=8))
def test_counts_and_scores_are_those_of_the_metric(pairs):
    labels = {f"v{k}__a": pair[0] for k, pair in enumerate(pairs)}
    gold = {f"v{k}__a": pair[1] for k, pair in enumerate(pairs)}
    found = score_run(run("m", labels, gold))
    for k, pair_id in enumerate(found.pair_ids):
        counts = count_labels(labels[pair_id], gold[pair_id])
        got = (found.tp[k], found.fp[k], found.fn[k], found.unlabelled[k], found.known[k])
        known = counts.tp + counts.fp + counts.fn + counts.tn
        assert got == (counts.tp, counts.fp, counts.fn, counts.unlabelled, known)
        items = metric_items({**found.items[k]})
        assert found.f1[k] == items["f1"]["score"]
        assert found.precision[k] == items["precision"]["score"]
        assert found.recall[k] == items["recall"]["score"]


@given(st.lists(PAIR, min_size=1, max_size=6))
def test_either_is_incorrect_if_one_says_so(pairs):
    gold = {f"v{k}__a": pair[1] for k, pair in enumerate(pairs)}
    a = score_run(run("a", {f"v{k}__a": p[0] for k, p in enumerate(pairs)}, gold))
    b = score_run(run("b", {f"v{k}__a": p[2] for k, p in enumerate(pairs)}, gold))
    joint = either(a, b)
    for k, pair_id in enumerate(joint.pair_ids):
        first, second = a.items[k]["labels"], b.items[k]["labels"]
        by_hand = [
            1 if 1 in both else 0 if 0 in both else None for both in zip(first, second, strict=True)
        ]
        counts = count_labels(by_hand, gold[pair_id])
        assert (joint.tp[k], joint.fp[k], joint.fn[k]) == (counts.tp, counts.fp, counts.fn)
        assert joint.unlabelled[k] == counts.unlabelled
    assert (joint.recall >= np.maximum(a.recall, b.recall) - 1e-9).all()


def test_an_ensemble_of_different_pairs_is_an_error():
    a = score_run(run("a", {"v1__a": [1]}, {"v1__a": [1]}))
    b = score_run(run("b", {"v2__a": [1]}, {"v2__a": [1]}))
    with pytest.raises(ValueError, match="different pairs"):
        either(a, b)


def test_pairs_are_joined_by_id_and_only_where_both_saw_the_same():
    gold = {"v1__a": [1, 0], "v2__a": [1], "v3__a": [0, 1], "v4__a": [1]}
    a = score_run(run("a", {key: [1] * len(gold[key]) for key in gold}, gold))
    changed = {**gold, "v3__a": [1, 1], "v9__a": [0]}
    order = ["v9__a", "v3__a", "v2__a", "v1__a"]
    b = score_run(run("b", {key: [0] * len(changed[key]) for key in order}, changed))
    left, right = common_pairs(a, b)
    assert left.pair_ids == right.pair_ids == ("v1__a", "v2__a")
    assert (left.tp.tolist(), right.fn.tolist()) == ([1, 1], [1, 1])


def test_runs_without_a_common_pair_have_none():
    a = score_run(run("a", {"v1__a": [1]}, {"v1__a": [1]}))
    b = score_run(run("b", {"v2__a": [1]}, {"v2__a": [1]}))
    assert common_pairs(a, b) is None


@given(st.lists(PAIR, min_size=3, max_size=8), st.data())
def test_a_selection_is_what_a_run_of_these_pairs_alone_would_be(pairs, data):
    labels = {f"v{k}__a": pair[0] for k, pair in enumerate(pairs)}
    gold = {f"v{k}__a": pair[1] for k, pair in enumerate(pairs)}
    whole = score_run(run("m", labels, gold))
    chosen = data.draw(st.lists(st.sampled_from(range(len(pairs))), unique=True, min_size=1))
    chosen.sort()
    part = select(whole, chosen)
    ids = [whole.pair_ids[k] for k in chosen]
    alone = score_run(run("m", {key: labels[key] for key in ids}, gold))
    for name in ("flagged", "labelled", "gold", "carries", "starts", "tp", "fn", "f1"):
        assert np.array_equal(getattr(part, name), getattr(alone, name)), name
    assert part.pair_ids == alone.pair_ids
    assert select(whole, []) is None


def test_a_mark_of_no_category_of_the_paper_is_in_none():
    fields = {"v1__a": {"errors": [["Object", "Vibe"], []]}}
    found = score_run(run("m", {"v1__a": [1, 0]}, {"v1__a": [1, 0]}, fields))
    assert found.carries.sum(axis=1).tolist() == [1, 0]


def test_a_pair_with_too_few_labels_is_an_error():
    item = dict(run("m", {"v1__a": [1, 0]}, {"v1__a": [1, 0]}).items[0])
    broken = run("m", {"v1__a": [1, 0]}, {"v1__a": [1, 0]}, items=[item | {"labels": [1]}])
    with pytest.raises(ValueError, match="v1__a"):
        score_run(broken)
