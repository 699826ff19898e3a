"""Algorithm 2 against exact answers, the published thresholds, and what a setting may say."""

from __future__ import annotations

import json
import math
import os

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.detectors.case_files import number, table
from vidomni_plugin.detectors.answer import answer, read_answer
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.published import rows
from vidomni_plugin.samples import read_samples
from vidomni_plugin.separation import separation
from vidomni_plugin.vidhalloc.thresholds import PRESETS, Calibration, choose, read_threshold

CASES = table("threshold_cases")["cases"]
FINITE = [pytest.param(case, id=case["name"]) for case in CASES if "finite" in case["expected"]]
WITH_NAN = [pytest.param(case, id=case["name"]) for case in CASES if "raise" in case["expected"]]


def test_no_case_is_left_out():
    assert (len(FINITE), len(WITH_NAN)) == (16, 2)


@pytest.mark.parametrize("case", FINITE)
def test_thresholds_are_exact(case):
    expected = case["expected"]["finite"]["scores"]
    found = choose(case["factual"], case["counterfactual"])
    assert found.threshold == expected["threshold"]
    assert found.factual == expected["factual"]
    assert found.counterfactual == expected["counterfactual"]
    assert found.overall == expected["overall"]
    assert found.midpoint == pytest.approx(expected["midpoint_m"], abs=1e-15)
    assert found.candidates == expected["n_candidates"]
    assert found.decided_by == expected["decided_by"]


@pytest.mark.parametrize("case", FINITE)
def test_summaries_of_the_scores(case):
    found = separation(case["factual"], case["counterfactual"])
    expected = case["summaries"]
    assert found.auroc == pytest.approx(100 * expected["auroc"], abs=1e-9)
    assert found.ranking == pytest.approx(100 * expected["ranking"], abs=1e-9)
    assert found.ties == pytest.approx(100 * expected["ties"], abs=1e-9)


@pytest.mark.parametrize("case", WITH_NAN)
def test_a_score_that_is_no_number_is_an_error(case):
    factual, other = (list(map(number, case[side])) for side in ("factual", "counterfactual"))
    with pytest.raises(ValueError, match="1 of 4 pairs have a score that is no finite number"):
        choose(factual, other)


@pytest.mark.parametrize(
    ("factual", "other", "message"),
    [
        ([], [], "0 factual and 0 counterfactual"),
        ([1.0], [], "1 factual and 0 counterfactual"),
        ([math.inf], [0.0], "no finite number"),
    ],
)
def test_no_pair_or_half_a_pair_is_an_error(factual, other, message):
    with pytest.raises(ValueError, match=message):
        choose(factual, other)


few = st.integers(0, 6).map(lambda k: k / 4)
"""Few distinct scores, so that ties are common."""


@settings(max_examples=150, deadline=None)
@given(pairs=st.lists(st.tuples(few, few), min_size=1, max_size=8), seed=st.integers(0, 9))
def test_no_other_score_is_better(pairs, seed):
    found = choose(*zip(*pairs, strict=True))
    values = sorted({score for pair in pairs for score in pair})
    m = np.mean([np.median([p[k] for p in pairs]) for k in (0, 1)])  # exact: all are quarters

    def keys(t):
        accepted = sum(f >= t for f, _ in pairs)
        rejected = sum(c < t for _, c in pairs)
        both = sum(f >= t > c for f, c in pairs)
        return both, min(accepted, rejected), accepted + rejected, -abs(t - m), -t

    assert found.threshold == max(values, key=keys)
    shuffled = list(pairs)
    np.random.default_rng(seed).shuffle(shuffled)
    assert choose(*zip(*shuffled, strict=True)) == found


def test_presets_are_the_published_ones_at_the_precision_of_their_scores():
    printed = {row["method"]: row["threshold"] for row in rows("vidhalloc", "table8_thresholds")}
    names = {"EMScore": "emscore", "PAC-S": "pacs", "Owl-Con": "owlcon", "FIFA": "fifa"}
    assert {f"paper-{names[method]}" for method in printed} == PRESETS.keys()
    for method, value in printed.items():
        preset = PRESETS[f"paper-{names[method]}"]
        assert preset <= value
        assert round(preset, 10) == value
    # The answer whose score the threshold is must be accepted; as printed, it would not be.
    for method in ("EMScore", "PAC-S"):
        score = float(np.float32(printed[method]))
        assert PRESETS[f"paper-{names[method]}"] <= score < printed[method]
    assert PRESETS["paper-fifa"] == 4 / 5


@pytest.mark.parametrize("setting", ["0.25", 0.25, " 2.5e-1 "])
def test_numbers(setting):
    assert read_threshold(setting) == (0.25, "number")


@given(score=st.floats(-1e100, 1e100), other=st.floats(-1e100, 1e100))
@example(score=5e-324, other=-0.0)
@example(score=float(np.float32(0.2649626136)), other=0.1 + 0.2)
def test_a_score_comes_back_from_every_file_to_the_last_bit(tmp_path_factory, score, other):
    """From a samples file through Algorithm 2 into a calibration, and into the next answer."""
    folder = tmp_path_factory.mktemp("bits")
    rows = []
    for side, value in (("factual", score), ("counterfactual", other)):
        detail = {"benchmark": "vidhalloc", "pair_id": "p", "side": side}
        rows.append({"filtered_resps": [answer(value, None)], "overall": detail})
    (folder / "samples.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    read = [read_answer(s.response).score for s in read_samples(folder / "samples.jsonl")]
    assert read == [score, other]
    chosen = choose(read[:1], read[1:])
    assert chosen.threshold in (score, other)
    file = folder / "threshold.json"
    file.write_text(calibration(**chosen._asdict()).model_dump_json())
    threshold = read_threshold(str(file)).value
    assert math.copysign(1, threshold) == math.copysign(1, chosen.threshold)
    assert threshold == chosen.threshold
    assert read_threshold(repr(threshold)).value == threshold
    for value in (score, other, threshold):
        label = read_answer(answer(value, threshold)).label
        assert label == ("ACCEPT" if value >= threshold else "REJECT")
    assert read_answer(answer(threshold, threshold)).label == "ACCEPT"


@pytest.mark.parametrize("setting", ["", None, "  "])
def test_nothing_is_no_threshold(setting):
    assert read_threshold(setting) == (None, "none")


@pytest.mark.parametrize("setting", ["nan", "inf", "-inf", "1e999", "1e101", float("nan")])
def test_numbers_that_are_no_threshold(setting):
    with pytest.raises(InputProblems, match="is no threshold"):
        read_threshold(setting)


def calibration(**changes):
    chosen = choose([0.1 + 0.2, 0.9], [0.1, 0.2])
    rest = {
        "n": 2,
        "pair_ids": ("a", "b"),
        "videos": ("video_qa/v", "video_qa/w"),
        "scores_sha256": "0" * 64,
        "split": "main",
        "task": "vidhalloc",
        "model": "m",
        "signature": "",
    }
    return Calibration(**chosen._asdict() | rest | changes)


def test_a_file_gives_its_threshold_to_the_last_bit(tmp_path):
    file = tmp_path / "threshold.json"
    file.write_text(calibration().model_dump_json())
    assert read_threshold(str(file)) == (0.1 + 0.2, f"calibration {'0' * 12}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no calibration file"),
        ("[1]", "no calibration file"),
        ('{"threshold": 0.5}', "it lacks factual, counterfactual, overall, midpoint"),
        (calibration().model_dump_json().replace("-1", "-2", 1), "schema_version"),
        (json.dumps(json.loads(calibration().model_dump_json()) | {"threshold": "x"}), "threshold"),
        (
            json.dumps(json.loads(calibration().model_dump_json()) | {"threshold": 1e300}),
            "less than",
        ),
        (json.dumps(json.loads(calibration().model_dump_json()) | {"threshold": "0.5"}), "number"),
        (json.dumps(json.loads(calibration().model_dump_json()) | {"threshold": True}), "number"),
        (json.dumps(json.loads(calibration().model_dump_json()) | {"n": 3}), "n is 3, and pair"),
        (
            json.dumps(json.loads(calibration().model_dump_json()) | {"pair_ids": ["a", "a"]}),
            "n is 2, and pair_ids are 1",
        ),
        ("[" * 100_000, "no calibration file"),
    ],
)
def test_files_that_are_no_calibration(tmp_path, content, message):
    file = tmp_path / "threshold.json"
    file.write_text(content)
    with pytest.raises(InputProblems) as caught:
        read_threshold(str(file))
    assert message in str(caught.value)
    assert str(file) in str(caught.value)


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path):
    file = tmp_path / "threshold.json"
    file.write_text("\ufeff" + calibration().model_dump_json(), encoding="utf-8")
    assert read_threshold(str(file)).value == 0.1 + 0.2


def test_what_is_neither_names_the_presets(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", 65 << 20)
    files = [*map(str, (tmp_path, tmp_path / "pipe", tmp_path / "large", tmp_path / "a\0b"))]
    # Python's own float takes the first two of these for 5 and for 0.5.
    words = ["0_5", "\u0660.\u0665", "~nobody-of-this-name/x", "true", "0,5", "0x1", "1e", "."]
    for setting in ("paper-owl", *words, *files):
        with pytest.raises(InputProblems, match="paper-emscore, paper-fifa"):
            read_threshold(setting)
