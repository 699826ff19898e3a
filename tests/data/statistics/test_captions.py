"""Table 1 and Figures 5 to 7: worked by hand, against pandas, and with nothing in them."""

from __future__ import annotations

import random

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.statistics.samples import pair, parsed
from vidomni_plugin.data.statistics.captions import (
    CATEGORIES,
    TEMPORAL,
    by_source,
    caption_row,
    caption_words,
    error_row,
    incorrect_per_caption,
    temporal_error_rate,
    video_incorrect_rate,
)
from vidomni_plugin.data.statistics.measures import Measure, count_words, mean


def test_table_1_by_hand():
    """Shares 1/2, 0 and 1 of 1; the Unknown sentence and the all-Unknown caption are left out."""
    pairs = parsed(
        pair("a", [1, 0]), pair("b", [0, 0, 0, None]), pair("c", [1, None]), pair("d", [None])
    )
    row = caption_row(pairs)
    assert (row.pairs, row.sentences, row.unknown) == (4, 6, 3)
    assert row.video_incorrect_rate == Measure(pytest.approx(200 / 3), 3, "captions")
    assert row.incorrect_per_caption == Measure(pytest.approx(50.0), 3, "captions")
    assert row.sentences_per_caption == 1.5


def test_a_long_caption_weighs_as_much_as_a_short_one():
    pairs = parsed(pair("a", [1]), pair("b", [0] * 99))
    assert incorrect_per_caption(pairs).value == pytest.approx(50.0)  # not 1 of 100


def test_figure_5_by_hand():
    """Of four Incorrect sentences three are marked; one of them has two categories, one twice."""
    pairs = parsed(
        pair("a", [1, 1, 0], [("Object", "Order"), ("Object", "Object")]),
        pair("b", [1, 1, None], [("Action",), ()]),
    )
    row = error_row(pairs)
    assert (row.incorrect, row.marked) == (4, 3)
    assert {c: n for c, n in row.sentences.items() if n} == {"Object": 2, "Action": 1, "Order": 1}
    assert {c: n for c, n in row.spans.items() if n} == {"Object": 3, "Action": 1, "Order": 1}
    assert row.share("Object").value == pytest.approx(200 / 3)
    assert list(row.sentences) == list(CATEGORIES)


def test_the_temporal_error_rate_by_hand():
    """1 of 2 and 1 of 4 sentences; the caption with an unmarked error is left out."""
    pairs = parsed(
        pair("a", [1, 1], [("Order", "Object"), ("Object",)]),
        pair("b", [1, 0, 0, 0, None], [("State Change",)]),
        pair("c", [1, 0], [()]),
        pair("d", [None]),
    )
    assert temporal_error_rate(pairs) == Measure(pytest.approx(37.5), 2, "captions")


def test_the_length_of_a_caption_includes_its_unknown_sentences():
    assert caption_words(parsed(pair("a", [1, None]), pair("b", [0]))).value == 7.5


def test_nothing_is_not_zero():
    row = caption_row([])
    assert row.video_incorrect_rate == Measure(None, 0, "captions")
    assert row.incorrect_per_caption.value is None
    assert row.sentences_per_caption is None
    assert error_row([]).share("Object").value is None
    assert temporal_error_rate([]).value is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("  \n ", 0),
        ("One two\u2003three", 3),
        ("- dashes -- and ... dots .", 3),
        ("it's 3.5 m/s", 3),
        ("日本語 です", 2),
    ],
)
def test_words_are_runs_with_a_letter_or_digit(text, words):
    assert count_words(text) == words


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=30), st.randoms())
def test_a_mean_does_not_depend_on_the_order(values, rng):
    mixed = list(values)
    rng.shuffle(mixed)
    assert mean(values, "x") == mean(mixed, "x")


def test_300_random_captions_agree_with_pandas():
    rng = random.Random(7)
    records = []
    for number in range(300):
        labels = rng.choices([0, 1, None], [6, 3, 1], k=rng.randint(1, 40))
        errors = [rng.sample(CATEGORIES, rng.randint(1, 3)) for _ in labels]
        records.append(
            pair(f"p{number}", labels, errors, caption_source=rng.choice(["x", "y", "z"]))
        )
    pairs = parsed(*records)
    frame = pd.DataFrame(records).explode("sentences").reset_index(drop=True)
    frame["label"] = frame["sentences"].map(lambda s: s["label"]).astype("Float64")
    frame["found"] = frame["sentences"].map(lambda s: {e["category"] for e in s["errors"]})
    known = frame[frame["label"].notna()]
    temporal = known["found"].map(lambda found: bool(found & set(TEMPORAL)))
    for source, mine in by_source(pairs).items():
        rows = known[known["caption_source"] == source]
        shares = rows.groupby("pair_id")["label"].mean()
        assert caption_row(mine).sentences == len(rows)
        assert incorrect_per_caption(mine).value == pytest.approx(100 * shares.mean())
        assert video_incorrect_rate(mine).value == pytest.approx(100 * (shares > 0).mean())
        rate = temporal[rows.index].groupby(rows["pair_id"]).mean()
        assert temporal_error_rate(mine).value == pytest.approx(100 * rate.mean())
        wrong = rows[rows["label"] == 1].explode("found")
        per_category = wrong["found"].value_counts()
        counted = error_row(mine).sentences
        assert counted == {c: int(per_category.get(c, 0)) for c in CATEGORIES}
