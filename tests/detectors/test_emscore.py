"""EMScore against the public code's own numbers, and what holds for any item."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.detectors.case_files import arrays, number, table
from vidomni_plugin.detectors.emscore import emscore, idf_table

FIELDS = {
    "figr_P": "precision",
    "figr_R": "recall",
    "figr_F": "f",
    "full_P": "full_precision",
    "full_R": "full_recall",
    "full_F": "full_f",
}
ITEMS, ITEM_ARRAYS = table("emscore_items")["cases"], arrays("emscore_items")
PIPELINE, PIPELINE_ARRAYS = table("emscore_pipeline"), arrays("emscore_pipeline")
END = 49407
"""CLIP's end of text."""


def approx(value, field):
    loose = field in {"f", "full_f"} and abs(number(value)) > 1  # P + R near 0
    return pytest.approx(number(value), abs=1e-4 if loose else 1e-5, nan_ok=True)


@pytest.mark.parametrize("name", ITEMS)
def test_items_of_the_public_code(name):
    frames, words, idf = (ITEM_ARRAYS[f"{name}/{part}"] for part in ("frames", "words", "idf"))
    found = emscore(frames, words, idf)
    for expected in (ITEMS[name]["authors_float32"], ITEMS[name]["reexec_float64"]):
        assert found.coarse == approx(expected["coarse"], "coarse")
        for theirs, ours in FIELDS.items():
            assert getattr(found, ours) == approx(expected[theirs], ours), theirs


def pipeline(item, weights=None):
    frames, words = (PIPELINE_ARRAYS[f"item{item}/{part}"] for part in ("frames", "words_raw"))
    return emscore(frames, words, weights)


@pytest.mark.parametrize("item", range(6))
@pytest.mark.parametrize("kind", ["idf_false_single", "idf_dict_single"])
def test_one_item_a_call_of_the_public_code(item, kind):
    weights = PIPELINE_ARRAYS[f"item{item}/idf_dict_weights"] if "dict" in kind else None
    found = pipeline(item, weights)
    expected = PIPELINE["results"][kind][item]
    assert found.coarse == approx(expected["cogr"][0], "coarse")
    for theirs, ours in FIELDS.items():
        assert getattr(found, ours) == approx(expected[theirs][0], ours), theirs


def test_where_the_public_code_depends_on_the_batch_ours_does_not():
    alone = PIPELINE["results"]["idf_false_single"]
    together = PIPELINE["results"]["idf_false_batch"]
    differ = [
        item
        for item in range(6)
        if alone[item]["full_F"][0] != pytest.approx(together["full_F"][item], abs=1e-5)
    ]
    assert differ == PIPELINE["items_where_batch_differs_from_single"]
    for item in differ:
        assert pipeline(item).full_f == approx(alone[item]["full_F"][0], "full_f")


def test_weights_of_a_corpus_are_those_of_the_public_code():
    documents = [PIPELINE_ARRAYS[f"item{item}/token_ids"].tolist() for item in range(6)]
    found = idf_table(documents, end=END)
    expected = PIPELINE["results"]["idf_true_batch_corpus_is_candidates"]["figr_P"]
    for item in (0, 2, 3):  # whose scores padding leaves alone
        score = pipeline(item, found.of(documents[item]))
        assert score.precision == approx(expected[item], "precision")
    assert found.of([0, 49406, 12345]) == [0.0, 0.0, math.log(7)]


def test_end_of_text_weighs_the_mean_of_the_table():
    before = {int(k): v for k, v in PIPELINE["idf_table_before_eos_patch"].items()}
    # Documents that give these weights: ln(6 / (df + 1)) for the five texts of the corpus.
    often = {token: round(6 / math.exp(weight)) - 1 for token, weight in before.items()}
    documents = [[token for token, df in often.items() if k < df] for k in range(5)]
    found = idf_table(documents, end=END)
    expected = {int(k): v for k, v in PIPELINE["idf_table"].items()}
    assert found.of(expected) == pytest.approx(list(expected.values()), abs=1e-12)
    assert found.unseen == pytest.approx(PIPELINE["idf_default_for_unseen"], abs=1e-12)


def test_a_corpus_of_one_text_gives_no_score_as_in_the_public_code():
    documents = [PIPELINE_ARRAYS["item0/token_ids"].tolist()]
    found = pipeline(0, idf_table(documents, end=END).of(documents[0]))
    expected = PIPELINE["results"]["idf_true_single_item"]
    assert math.isnan(found.full_f)
    assert expected["full_F"] == [None]
    assert found.recall == approx(expected["figr_R"][0], "recall")
    with pytest.raises(ValueError, match="without a document"):
        idf_table([], end=END)


features = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@settings(max_examples=60, deadline=None)
@given(rng=features, frames=st.integers(1, 9), words=st.integers(1, 9))
def test_any_item(rng, frames, words):
    f, w = rng.normal(size=(frames, 5)), rng.normal(size=(words, 5))
    a = rng.random(words) + 0.01
    kept = f.copy(), w.copy()
    found = emscore(f, w, a)
    assert (f == kept[0]).all()
    assert (w == kept[1]).all()
    for field in ("coarse", "precision", "recall", "full_precision", "full_recall"):
        assert -1 - 1e-12 <= getattr(found, field) <= 1 + 1e-12
    assert found.recall == pytest.approx(np.mean(found.frame_scores))
    # Neither lengths of vectors, nor the order of frames, nor the scale of weights plays a part.
    order = rng.permutation(frames)
    same = emscore(7 * f[order], w * rng.uniform(0.5, 2, size=(words, 1)), 3 * a)
    assert same[:4] == pytest.approx(found[:4], rel=1e-9, abs=1e-9)
    assert same.full_f == pytest.approx((found.coarse + found.f) / 2, rel=1e-6)


@pytest.mark.parametrize(
    ("frames", "words", "weights", "message"),
    [
        (np.ones((0, 4)), np.ones((1, 4)), None, "one row a frame"),
        (np.ones((1, 4)), np.ones((0, 4)), None, "one row a frame"),
        (np.ones(4), np.ones((1, 4)), None, "shape"),
        (np.ones((1, 4)), np.ones((1, 3)), None, "frames of 4 numbers and words of 3"),
        (np.ones((1, 4)), np.ones((2, 4)), [1.0], "1 weights for 2 words"),
    ],
)
def test_shapes_that_do_not_fit(frames, words, weights, message):
    with pytest.raises(ValueError, match=message):
        emscore(frames, words, weights)
