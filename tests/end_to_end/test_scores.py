"""Scores that the real host reports, against published and independent numbers."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from answers import gold
from sklearn.metrics import precision_recall_fscore_support

from tests.conftest import vidhalloc_data, vidhalloc_record, vidomni_data, vidomni_record
from vidomni_plugin.records import Leaf

pytestmark = pytest.mark.host

# arXiv 2609.09895: outcomes of 800 pairs (both right, factual only, counterfactual only,
# neither) and Factual, Counterfactual, Overall as its Table 5 prints them.
PUBLISHED = {
    "PAC-S": ((58, 324, 397, 21), ("47.75", "56.88", "7.25")),
    "EMScore": ((52, 481, 245, 22), ("66.63", "37.13", "6.50")),
    "Owl-Con": ((265, 275, 209, 51), ("67.50", "59.25", "33.13")),
    "FIFA": ((277, 77, 434, 12), ("44.25", "88.88", "34.63")),
}
VERDICTS = [("ACCEPT", "REJECT"), ("ACCEPT", "ACCEPT"), ("REJECT", "REJECT"), ("REJECT", "ACCEPT")]
LEAVES = [leaf.value for leaf in Leaf]


def half_up(percent: float) -> str:
    """Round as the paper does: 34.625 becomes 34.63. Shares of 800 are exact in binary."""
    return f"{int(percent * 100 + 0.5) / 100:.2f}"


@pytest.fixture(scope="module")
def eight_hundred(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """800 pairs, 100 a category."""
    records = [
        vidhalloc_record(f"pair_{k:03d}", f"v{k % 20}", leaf_label=LEAVES[k % 8])
        for k in range(800)
    ]
    return vidhalloc_data(tmp_path_factory.mktemp("eight-hundred"), records)


@pytest.mark.parametrize("detector", PUBLISHED)
def test_table_5(detector, eight_hundred, evaluate, monkeypatch):
    monkeypatch.setenv("VIDHALLOC_DATA", str(eight_hundred))
    counts, printed = PUBLISHED[detector]
    states = [state for state, count in enumerate(counts) for _ in range(count)]
    random.Random(3).shuffle(states)
    responses = {}
    for k, state in enumerate(states):
        for side, verdict in zip(("factual", "counterfactual"), VERDICTS[state], strict=True):
            responses[f"pair_{k:03d}/{side}"] = verdict
    got = evaluate(["vidhalloc"], responses).scores("vidhalloc")
    assert tuple(half_up(got[name]) for name in ("factual", "counterfactual", "overall")) == printed
    assert got["undecided"] == got["incomplete"] == got["missing"] == 0


def test_random_pairs_against_scikit_learn(evaluate, tmp_path, monkeypatch):
    rng = random.Random(11)
    records, responses, expected = [], {}, []
    for k in range(60):
        truth = [rng.choice([0, 1, None]) for _ in range(rng.randint(1, 30))]
        guess = [rng.choice([0, 1]) for _ in truth]
        sentences = [{"text": f"Sentence {i}.", "label": y} for i, y in enumerate(truth)]
        records.append(vidomni_record(pair_id=f"p{k}", video_id=f"v{k % 4}", sentences=sentences))
        responses[f"p{k}"] = json.dumps({f"sentence_{i}": g for i, g in enumerate(guess, 1)})
        known = [(t, g) for t, g in zip(truth, guess, strict=True) if t is not None]
        if known:
            t, g = zip(*known, strict=True)
            scores = precision_recall_fscore_support(t, g, average="binary", zero_division=0)[:3]
        else:
            scores = (0.0, 0.0, 0.0)
        expected.append(scores)
    monkeypatch.setenv("VIDOMNI_DATA", str(vidomni_data(tmp_path / "data", records)))
    got = evaluate(["vidomni"], responses).scores("vidomni")
    for name, column in zip(
        ("precision", "recall", "f1"), zip(*expected, strict=True), strict=True
    ):
        assert got[name] == pytest.approx(100 * sum(column) / len(column))
    assert got["unlabelled"] == 0


def test_right_answers_reach_the_top_of_both_built_in_samples(evaluate):
    run = evaluate(["vidomni_mini", "vidhalloc_mini"], gold())
    vidomni, vidhalloc = run.scores("vidomni_mini"), run.scores("vidhalloc_mini")
    assert vidomni["f1_flawed"] == vidomni["micro_f1"] == 100
    # One of the 24 captions has no Incorrect sentence: its F1 is 0 by convention.
    assert vidomni["f1"] == pytest.approx(100 * 23 / 24)
    assert all(vidhalloc[name] == 100 for name in vidhalloc if name.startswith("overall"))
    assert not run.warnings


def test_items_of_the_host_give_the_standard_error_of_the_mean(evaluate):
    rows = evaluate(["vidomni_mini"], gold()).results["results"]["vidomni_mini"]
    scores = [100.0] * 23 + [0.0]
    mean = sum(scores) / 24
    variance = sum((score - mean) ** 2 for score in scores) / 23
    assert rows["f1_stderr_clt,none"] == pytest.approx((variance / 24) ** 0.5)
    assert isinstance(rows["f1_stderr_clustered,none"], float)


def test_a_runner_that_answers_nothing_is_seen(evaluate):
    """A runner that swallows its errors returns empty text for every request."""
    run = evaluate(["vidomni_mini", "vidhalloc_mini"], dict.fromkeys(gold(), ""))
    assert run.scores("vidomni_mini")["unlabelled"] == 100
    assert run.scores("vidhalloc_mini")["undecided"] == 100
    assert run.scores("vidhalloc_mini")["overall"] == 0
    vidhalloc, vidomni = sorted(line for line in run.warnings if "vidomni_plugin" in line)
    assert "24 of 24 answers do not label every sentence: empty 24" in vidomni
    assert "80 of 80 answers give no verdict: empty 80" in vidhalloc


def test_a_limit_scores_whole_pairs(evaluate):
    got = evaluate(["vidhalloc_mini"], gold(), limit=7).results["results"]["vidhalloc_mini"]
    assert got["incomplete,none"] == 1
    assert got["overall,none"] == got["factual,none"] == got["counterfactual,none"] == 100


def test_missing_videos_are_counted_when_allowed(evaluate, tmp_path, monkeypatch):
    """Three videos, one gone: one error that names it; with the flag two pairs, one missing."""
    from vidomni_plugin.problems import InputProblems

    records = [vidhalloc_record(f"p{k}", f"v{k}") for k in range(3)]
    root = vidhalloc_data(tmp_path / "data", records)
    (root / "videoqa" / "v1.mp4").unlink()
    monkeypatch.setenv("VIDHALLOC_DATA", str(root))
    responses = {f"p{k}/{s}": "ACCEPT" for k in range(3) for s in ("factual", "counterfactual")}
    with pytest.raises(InputProblems, match="no video 'v1'") as caught:
        evaluate(["vidhalloc"], responses)
    assert len(caught.value.problems) == 1
    monkeypatch.setenv("VIDOMNI_ALLOW_MISSING", "1")
    run = evaluate(["vidhalloc"], responses)
    assert run.scores("vidhalloc")["missing"] == 1
    assert run.results["n-samples"]["vidhalloc"]["effective"] == 4
    assert any("1 pairs are left out" in line for line in run.warnings)


def test_missing_answers_are_one_error(evaluate):
    from vidomni_plugin.problems import InputProblems

    answers = dict(sorted(gold().items())[10:])
    with pytest.raises(
        InputProblems, match=r"no response for 10 of 104 requests: (\S+, ){5}\.\.\."
    ):
        evaluate(["vidomni_mini", "vidhalloc_mini"], answers)


def test_thinking_of_the_host_and_ours_agree(evaluate):
    answers = {
        name: f"<think>ACCEPT or REJECT?</think>{text}" if "/" in name else text
        for name, text in gold().items()
    }
    assert evaluate(["vidhalloc_mini"], answers).scores("vidhalloc_mini")["overall"] == 100
