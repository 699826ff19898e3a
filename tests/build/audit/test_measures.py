"""Accuracy, agreement and kappa against scikit-learn and statsmodels, by hand, and by a loop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, cohen_kappa_score, confusion_matrix
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from vidomni_plugin.bootstrap import draw_strata
from vidomni_plugin.build.audit.measures import Labelled, cohen_kappa, figures

DOCS = Path(__file__).parents[3] / "docs" / "audit.md"
CATEGORIES, LABELS = 8, 9


def random_labels(seed: int, sizes: list[int], noise: float = 0.2, labels: int = 9) -> Labelled:
    """Return three people who label at random in a share of the items."""
    random = np.random.default_rng(seed)
    original = np.repeat(np.arange(len(sizes)), sizes)

    def somebody() -> np.ndarray:
        other = random.integers(0, labels, len(original))
        return np.where(random.random(len(original)) < noise, other, original)

    return Labelled(original, somebody(), somebody(), somebody(), len(sizes), labels)


@pytest.mark.parametrize("seed", range(20))
def test_equals_scikit_learn_and_statsmodels(seed):
    sizes = [100] * 8 if seed % 2 else np.random.default_rng(seed).integers(5, 60, 8).tolist()
    data = random_labels(seed, sizes)
    found = figures(data, draws=100)
    whole = found[CATEGORIES]
    assert whole.accuracy.value == pytest.approx(accuracy_score(data.reference, data.original))
    assert whole.agreement.value == pytest.approx(accuracy_score(data.first, data.second))
    assert whole.kappa.value == pytest.approx(cohen_kappa_score(data.first, data.second))
    table = confusion_matrix(data.first, data.second, labels=range(LABELS))
    assert whole.kappa.value == pytest.approx(cohens_kappa(table, return_results=False))
    for label in range(LABELS):
        one = found[label if label < CATEGORIES else label + 1]
        rest = cohen_kappa_score(data.first == label, data.second == label)
        assert one.kappa.value == pytest.approx(rest)
        if label < CATEGORIES:
            own = data.original == label
            assert one.items == own.sum()
            assert one.accuracy.value == pytest.approx((data.reference[own] == label).mean())
            assert one.agreement.value == pytest.approx((data.first == data.second)[own].mean())


@pytest.mark.parametrize("seed", range(5))
def test_with_equal_margins_it_is_fleiss_kappa(seed):
    """Two raters with the same frequencies: chance agreement is that of Fleiss."""
    half = np.random.default_rng(seed).integers(0, 20, (LABELS, LABELS))
    table = (half + half.T).astype(float)
    pairs = np.argwhere(table > 0)
    counts = np.zeros((int(table.sum()), LABELS))
    at = 0
    for row, column in pairs:
        for _ in range(int(table[row, column])):
            counts[at, row] += 1
            counts[at, column] += 1
            at += 1
    assert cohen_kappa(table).item() == pytest.approx(fleiss_kappa(counts))


def documented() -> list[list[int]]:
    """Return the labels of the page's case as numbers: original, reference, both workers."""
    text = DOCS.read_text(encoding="utf-8").split("read by tests/build/audit/test_measures")[1]
    rows = [line.strip("| ").split(" | ")[1:] for line in text.splitlines() if "|" in line]
    return [["abx".index(label) for label in row] for row in rows[2:]]


def test_a_case_worked_by_hand():
    """The case of docs/audit.md: two categories and one further label, six items."""
    columns = np.array(documented()).T
    assert columns.shape == (4, 6)
    data = Labelled(*columns, categories=2, labels=3)
    a, b, whole, invalid = figures(data, draws=100)
    assert (a.items, a.correct, a.identical) == (3, 2, 2)
    assert (b.items, b.correct, b.identical) == (3, 3, 2)
    assert (whole.items, whole.correct, whole.identical) == (6, 5, 4)
    assert whole.accuracy.value == pytest.approx(5 / 6)
    assert whole.agreement.value == pytest.approx(4 / 6)
    # First: 3, 2, 1 of each label; second: 1, 4, 1. Chance (3 + 8 + 1) / 36 = 1/3.
    assert whole.kappa.value == pytest.approx((4 / 6 - 1 / 3) / (1 - 1 / 3))
    # Label 0: both 1, first only 2, neither 3. Observed 4/6, chance (3 x 1 + 3 x 5) / 36 = 1/2.
    assert a.kappa.value == pytest.approx(1 / 3)
    # Label 1: both 2, second only 2, neither 2. Observed 4/6, chance (2 x 4 + 4 x 2) / 36 = 4/9.
    assert b.kappa.value == pytest.approx(2 / 5)
    assert invalid.kappa.value == pytest.approx(1.0)
    assert np.isnan([invalid.accuracy.value, invalid.agreement.value]).all()


def loop(data: Labelled, seed: int, draws: int) -> list[list[tuple[float, float, float]]]:
    """The bootstrap as the paper tells it: draw by draw, category by category, item by item."""
    generator = np.random.Generator(np.random.PCG64(seed))
    of_category = [np.flatnonzero(data.original == c) for c in range(data.categories)]
    rows = []
    for _ in range(draws):
        drawn = [own[generator.integers(0, len(own), len(own))] for own in of_category]
        at = np.concatenate(drawn)
        first, second = data.first[at], data.second[at]
        row = [
            (
                (data.reference[own] == data.original[own]).mean(),
                (data.first[own] == data.second[own]).mean(),
                _kappa(first == label, second == label),
            )
            for label, own in enumerate(drawn)
        ]
        whole = (data.reference[at] == data.original[at]).mean()
        row.append((whole, (first == second).mean(), _kappa(first, second)))
        rows.append(row)
    return rows


def _kappa(first: np.ndarray, second: np.ndarray) -> float:
    if len(set(first.tolist()) | set(second.tolist())) == 1:
        return float("nan")  # scikit-learn warns there
    return float(cohen_kappa_score(first, second))


@pytest.mark.parametrize("sizes", [[6, 6, 6], [1, 9, 4], [2, 2, 2]])
def test_the_bootstrap_equals_a_plain_loop(sizes):
    data = random_labels(3, sizes, noise=0.4, labels=4)
    found = figures(data, seed=5, draws=200)
    rows = np.array(loop(data, 5, 200))
    for k in range(len(sizes) + 1):
        for j, measure in enumerate((found[k].accuracy, found[k].agreement, found[k].kappa)):
            values = rows[:, k, j]
            defined = values[~np.isnan(values)]
            if j < 2 and found[k].items == 1:  # nothing to draw from
                assert np.isnan([measure.interval.low, measure.interval.high]).all()
                continue
            assert measure.interval.undefined == len(values) - len(defined)
            low, high = np.percentile(defined, [2.5, 97.5])
            assert (measure.interval.low, measure.interval.high) == pytest.approx((low, high))


@given(st.lists(st.integers(1, 12), min_size=1, max_size=6), st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_strata_are_drawn_as_a_loop_draws_them(sizes, seed):
    generator = np.random.Generator(np.random.PCG64(seed))
    expected = [
        np.concatenate(
            [np.bincount(generator.integers(0, n, n), minlength=n) for n in sizes]
        ).tolist()
        for _ in range(20)
    ]
    drawn = np.vstack(list(draw_strata(sizes, seed=seed, draws=20)))
    assert drawn.tolist() == expected


def test_draws_do_not_depend_on_the_size_of_blocks(monkeypatch):
    whole = np.vstack(list(draw_strata([4, 7], seed=1, draws=50)))
    monkeypatch.setattr("vidomni_plugin.bootstrap.CELLS", 33)
    assert np.vstack(list(draw_strata([4, 7], seed=1, draws=50))).tolist() == whole.tolist()


def test_whoever_is_right_has_kappa_1_and_no_width():
    data = random_labels(1, [10] * 8, noise=0)
    found = figures(data, draws=200)
    for one in found[: CATEGORIES + 1]:
        assert (one.accuracy.value, one.agreement.value, one.kappa.value) == (1, 1, 1)
        assert (one.kappa.interval.low, one.kappa.interval.high) == (1, 1)
    assert np.isnan(found[-1].kappa.value)  # nobody said it: nothing to agree on


def test_items_must_stand_by_category():
    data = random_labels(1, [3, 3], labels=3)
    with pytest.raises(ValueError, match="sorted by category"):
        figures(data._replace(original=data.original[::-1]))


def test_a_category_without_items_has_no_figures_and_changes_no_other():
    data = random_labels(1, [30, 30], labels=3)
    apart = data._replace(
        original=2 * data.original,
        reference=2 * data.reference,
        first=2 * data.first,
        second=2 * data.second,
        categories=3,
        labels=5,
    )
    a, b, whole, other = figures(data, draws=100)
    first, empty, last, all_of_them, *_, rest = figures(apart, draws=100)
    assert repr((first, last, all_of_them, rest)) == repr((a, b, whole, other))  # NaN is not NaN
    assert (empty.items, empty.correct, empty.identical) == (0, 0, 0)
    for measure in (empty.accuracy, empty.agreement, empty.kappa):
        assert np.isnan([measure.value, measure.interval.low, measure.interval.high]).all()
    with pytest.raises(ValueError, match="there must be items"):
        figures(Labelled(*np.zeros((4, 0), dtype=np.int64), categories=2, labels=3), draws=100)


def test_the_label_of_an_invalid_item_counts_as_disagreement():
    """One original label is not the reference's: InvalidSample is never left out."""
    data = random_labels(1, [10] * 8, noise=0)
    reference = data.reference.copy()
    reference[0] = LABELS - 1
    found = figures(data._replace(reference=reference), draws=100)
    assert found[0].accuracy.value == pytest.approx(0.9)
    assert found[CATEGORIES].items == 80
