"""Agreement from votes: against statsmodels, by hand as in the docs, and who did what."""

from __future__ import annotations

import json
import math
import re
import statistics
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

from vidomni_plugin.build.annotate.agreement import (
    agreement_groups,
    agreement_record,
    agreement_table,
)
from vidomni_plugin.build.annotate.people import annotator_rows, annotator_table
from vidomni_plugin.build.annotate.votes import (
    LABELS,
    Judgement,
    Vote,
    VotedPair,
    VotedSentence,
    counts,
    majority,
    review,
)
from vidomni_plugin.stats import agreement

DOCS = Path(__file__).parents[3] / "docs" / "annotate.md"
NAMES = "abcdefgh"


def votes(labels, names=NAMES):
    return [Vote(annotator=n, label=x) for n, x in zip(names, labels, strict=False) if x]


def pair(rows, pair_id="v__m", batch="batch-001", source="m", times=None, duration=None):
    """Return a pair; each row has the labels of one sentence, by annotator a, b, c ..."""
    return VotedPair(
        pair_id=pair_id,
        video_id=pair_id.split("__")[0],
        caption_source=source,
        batch=batch,
        duration_s=duration,
        judgements=[
            Judgement(
                annotator=NAMES[k],
                trusted=k == 0,
                lead_time_s=(times or {}).get(NAMES[k]),
                place="export",
            )
            for k in range(max(map(len, rows)))
        ],
        sentences=[VotedSentence(text=f"s{k}", votes=votes(row)) for k, row in enumerate(rows)],
    )


def test_a_thousand_random_cases():
    """Votes of one to four pairs: majority by counting, agreement as statsmodels has it."""
    generator = np.random.default_rng(3)
    undefined = 0
    for _ in range(1000):
        raters = int(generator.integers(2, 6))
        shares = generator.dirichlet([1.5, 1.0, 0.3])
        drawn = [
            generator.choice(3, size=(int(generator.integers(1, 15)), raters), p=shares)
            for _ in range(int(generator.integers(1, 5)))
        ]
        pairs = [
            pair([[LABELS[x] for x in row] for row in rows], pair_id=f"v{k}__m")
            for k, rows in enumerate(drawn)
        ]
        table, _ = inter_rater.aggregate_raters(np.vstack(drawn), n_cat=3)
        with np.errstate(invalid="ignore", divide="ignore"):
            expected = inter_rater.fleiss_kappa(table)
        whole = agreement_groups(pairs, seed=0, draws=100)[0]
        if math.isnan(whole.agreement.kappa):
            undefined += 1
            assert not math.isfinite(expected)
        else:
            assert whole.agreement.kappa == pytest.approx(expected, abs=1e-9)
        # statsmodels has no observed agreement of its own; it is the numerator of its kappa.
        share = (table**2).sum(axis=1) - raters
        assert whole.agreement.observed == pytest.approx((share / raters / (raters - 1)).mean())
        for one in pairs:
            for sentence in one.sentences:
                labels = [vote.label for vote in sentence.votes]
                most = statistics.multimode(labels)
                wins = len(most) == 1 and labels.count(most[0]) > len(labels) / 2
                assert majority(sentence.votes) == (most[0] if wins else None)
    assert undefined < 50


def worked_by_hand():
    text = DOCS.read_text(encoding="utf-8").split("worked by hand, read by")[1]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if re.match(r"\| (\d|mean)", line)
    ]
    return rows[:-1], rows[-1], text


def test_the_case_in_the_docs():
    rows, mean, text = worked_by_hand()
    assert len(rows) == 5
    for _, listed, expected, agreeing, *shares in rows:
        said = votes(listed.split(", "))
        found = counts(said)
        assert (majority(said) or "dispute") == expected
        total = sum(found)
        pairs = Fraction(sum(n * (n - 1) for n in found), total * (total - 1))
        assert pairs == Fraction(agreeing)
        assert [Fraction(n, total) for n in found] == [Fraction(share) for share in shares]
    for column, value in enumerate(mean[3:], 3):
        assert sum(Fraction(row[column]) for row in rows) / 5 == Fraction(value)
    one = pair([row[1].split(", ") for row in rows])
    found = agreement_groups([one], seed=0, draws=100)[0].agreement
    said = re.search(
        r"observed agreement = 2/3 = ([\d.]+), chance = .* = ([\d.]+),\s+kappa = .* = ([\d.]+)\.",
        text,
    )
    assert said is not None
    assert [f"{x:.3f}" for x in (found.observed, found.chance, found.kappa)] == list(said.groups())


@pytest.mark.parametrize(
    ("labels", "label", "reasons"),
    [
        (["Correct", "Correct"], "Correct", []),
        (["Unknown", "Unknown"], "Unknown", ["Unknown"]),
        (["Correct", "Incorrect"], None, ["dispute"]),
        (["Correct", "Incorrect", "Unknown"], None, ["dispute"]),
        (["Correct", "Correct", "Incorrect", "Incorrect"], None, ["dispute"]),
        (["Correct", "Correct", "Incorrect", "Unknown"], None, ["dispute"]),
        (["Incorrect", "Incorrect", "Correct"], "Incorrect", ["low share"]),
        (["Unknown", "Unknown", "Correct"], "Unknown", ["low share", "Unknown"]),
        (["Incorrect", "Incorrect", "Incorrect", "Correct"], "Incorrect", []),
        (["Correct"], None, ["few votes"]),
        ([], None, ["few votes"]),
    ],
)
def test_majority_and_review(labels, label, reasons):
    assert majority(votes(labels)) == label
    assert review(votes(labels)) == reasons


def test_low_share_is_what_the_user_says():
    said = votes(["Incorrect", "Incorrect", "Correct"])
    assert review(said, confident=0.6) == []
    assert review(votes(["Correct"] * 4 + ["Incorrect"]), confident=0.9) == ["low share"]


C, I, U = LABELS  # noqa: E741 - as the paper's labels are called
PAIRS = [
    pair([[C, C], [I, I], [C, I]], "v1__m", "pilot", "m", {"a": 30.0, "b": 9.0}, duration=10.0),
    pair([[C, C, C], [I, I, C]], "v2__m", "batch-002", "m", {"a": 10.0}, duration=10.0),
    pair([[U, U], [C]], "v1__n", "batch-001", "n"),
]


def test_groups_are_all_labels_batches_and_sources():
    groups = agreement_groups(PAIRS, seed=1, draws=200)
    assert [(g.kind, g.name) for g in groups] == [
        ("all", "all"),
        *(("label", label) for label in LABELS),
        ("batch", "pilot"),
        ("batch", "batch-001"),
        ("batch", "batch-002"),
        ("caption source", "m"),
        ("caption source", "n"),
    ]
    whole = groups[0]
    assert (whole.videos, whole.agreement.items, whole.agreement.left_out) == (2, 6, 1)
    assert whole.kappa.low <= whole.agreement.kappa <= whole.kappa.high
    assert groups[5].agreement.reason == "one label only"
    assert groups[5].kappa.reason == "fewer than two clusters"
    for label, group in zip(LABELS, groups[1:4], strict=True):
        two = [
            [sum(v.label == label for v in x.votes), sum(v.label != label for v in x.votes)]
            for one in PAIRS
            for x in one.sentences
        ]
        assert group.agreement == agreement(two)
    again = agreement_groups(PAIRS, seed=1, draws=200)
    # NaN differs from itself, so texts are compared.
    assert str(again) == str(groups)


def test_the_table_and_the_record_say_the_same():
    groups, rows = agreement_groups(PAIRS, seed=1, draws=200), annotator_rows(PAIRS)
    table = agreement_table(groups, seed=1)
    assert "observed agreement 0.764, Fleiss' kappa 0.5" in table.notes[2]
    assert table.rows[0][8] == groups[0].agreement.kappa
    assert table.rows[5][8] is None  # one label only: no kappa
    assert "seed 1" in table.notes[0]
    record = json.loads(json.dumps(agreement_record(groups, rows, seed=1, draws=200)))
    assert record["bootstrap"] == {"clusters": "videos", "seed": 1, "draws": 200, "level": 0.95}
    assert record["groups"][0]["kappa"] == pytest.approx(groups[0].agreement.kappa)
    assert record["groups"][5]["kappa"] is None
    assert record["annotators"][0]["shares"] == {
        "Correct": 4 / 7,
        "Incorrect": 2 / 7,
        "Unknown": 1 / 7,
    }


def test_annotators_by_hand():
    a, b, c = annotator_rows(PAIRS)
    # a: with the majority in 5 of the 5 sentences that have one, and alone in the last.
    assert (a.annotator, a.trusted, a.pairs, a.sentences, a.with_majority) == ("a", True, 3, 7, 1.0)
    assert (a.seconds_a_pair, a.seconds_a_sentence) == (20.0, 7.5)
    assert (a.faster_than_video, b.faster_than_video, c.faster_than_video) == (0, 1, None)
    assert (c.pairs, c.sentences, c.with_majority) == (1, 2, 0.5)
    assert c.kappa_with_rest == 0.0  # says Correct only: no more than chance
    assert [row[0] for row in annotator_table([a, b, c]).rows] == ["a", "b", "c"]


def test_kappa_with_one_other_is_cohens():
    generator = np.random.default_rng(1)
    drawn = generator.choice(3, size=(80, 2), p=[0.6, 0.3, 0.1])
    a, b = annotator_rows([pair([[LABELS[x] for x in row] for row in drawn])])
    expected = cohen_kappa_score(drawn[:, 0], drawn[:, 1])
    assert a.kappa_with_rest == pytest.approx(expected)
    assert b.kappa_with_rest == pytest.approx(expected)


def test_somebody_who_judged_alone():
    (row,) = annotator_rows([pair([[C], [I]])])
    assert (row.with_majority, row.kappa_with_rest, row.seconds_a_pair) == (None, None, None)


@pytest.mark.parametrize("pairs", [[], [pair([[C]])]])
def test_nothing_to_compare(pairs):
    whole = agreement_groups(pairs, seed=0, draws=100)[0]
    assert math.isnan(whole.agreement.kappa)
    assert whole.agreement.reason == "no item with two raters"
