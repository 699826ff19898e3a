"""What came of a task: each way to be incomplete, one at a time."""

from __future__ import annotations

from typing import Any

import pytest

from vidomni_plugin.records import CATEGORY_OF_LEAF
from vidomni_plugin.run.ending import show_outcomes
from vidomni_plugin.run.host_command import Evaluated
from vidomni_plugin.run.outcome import missing_files, results_file, task_outcomes

FAILED = "[LMMS_EVAL_REQUEST_FAILED: out of memory]"


def detail(pair: str, side: str, label: str | None) -> dict[str, Any]:
    return {
        "benchmark": "vidhalloc",
        "pair_id": pair,
        "side": side,
        "label": label,
        "reason": "" if label else "request_failed",
        "category": CATEGORY_OF_LEAF["EntityCategory"],
        "video_id": pair,
        "missing": 0,
    }


def sample(number: int, response: str, label: str | None) -> dict[str, Any]:
    side = "counterfactual" if number % 2 else "factual"
    item = detail(f"p{number // 2}", side, label)
    return {"doc_id": number, "filtered_resps": response, "overall": item}


def evaluated(samples: list[dict[str, Any]], **changes: Any) -> Evaluated:
    results: dict[str, Any] = {
        "results": {"t": {"alias": "t", "factual,none": 50.0, "overall,none": 50.0}},
        "configs": {"t": {"metric_list": [{"metric": "factual"}, {"metric": "overall"}]}},
        "n-samples": {"t": {"original": 4, "effective": 4}},
        "config": {"offset": 0},
        "date": "20260101_000000",
        "model_name_sanitized": "m",
    }
    return Evaluated(results | changes, {"t": samples})


RIGHT = [("ACCEPT", "ACCEPT"), ("REJECT", "REJECT"), ("ACCEPT", "ACCEPT"), (FAILED, None)]


def test_a_failed_side_leaves_its_pair_out_of_the_answered_ones():
    rows = [sample(k, text, label) for k, (text, label) in enumerate(RIGHT)]
    (outcome,) = task_outcomes(evaluated(rows))
    assert outcome.failed == {"out of memory": 1}
    assert outcome.scores == {"factual": 50.0, "overall": 50.0}
    assert outcome.answered["overall"] == 100.0
    assert outcome.complaint() == "t: 1 of 4 items failed: out of memory"


def test_a_complete_task_has_nothing_to_complain_of():
    rows = [sample(k, "ACCEPT", "ACCEPT") for k in range(4)]
    (outcome,) = task_outcomes(evaluated(rows))
    assert (outcome.complaint(), outcome.answered) == ("", {})


def test_an_offset_is_no_loss():
    rows = [sample(k, "ACCEPT", "ACCEPT") for k in (2, 3)]
    (outcome,) = task_outcomes(evaluated(rows, config={"offset": 2}))
    assert outcome.complaint() == ""


@pytest.mark.parametrize(
    ("row", "said"),
    [
        pytest.param({"factual,none": 1.0}, "no value for overall", id="gone"),
        pytest.param({"factual,none": 1.0, "overall,none": []}, "no value for overall", id="list"),
        pytest.param(
            {"factual,none": 1.0, "overall,none": float("nan")}, "no value for overall", id="nan"
        ),
        pytest.param({"alias": "t"}, "no value for factual, overall", id="all"),
    ],
)
def test_a_score_that_is_missing(row, said):
    rows = [sample(k, "ACCEPT", "ACCEPT") for k in range(4)]
    (outcome,) = task_outcomes(evaluated(rows, results={"t": row}))
    assert outcome.complaint() == f"t: {said}"


def test_tasks_of_the_host_need_not_have_every_score():
    rows = [{"doc_id": k, "filtered_resps": ["A"], "acc": 1.0} for k in range(4)]
    row = {"factual,none": 0.5, "factual_stderr,none": 0.1}
    (outcome,) = task_outcomes(evaluated(rows, results={"t": row}))
    assert outcome.complaint() == ""
    assert outcome.scores == {"factual": 0.5}
    (without,) = task_outcomes(evaluated(rows, results={"t": {"alias": "t"}}))
    assert "no value for" in without.complaint()


def test_fewer_samples_than_documents():
    rows = [sample(k, "ACCEPT", "ACCEPT") for k in (0, 1, 1)]
    (outcome,) = task_outcomes(evaluated(rows))
    assert outcome.complaint() == "t: 2 of 4 items were evaluated"


def test_files_that_are_short(tmp_path):
    rows = [sample(k, "ACCEPT", "ACCEPT") for k in range(4)]
    made = evaluated(rows)
    path = results_file(made, tmp_path)
    assert path == tmp_path / "m" / "20260101_000000_results.json"
    first, second = missing_files(made, tmp_path)
    assert first == f"{path} was not written"
    assert second.endswith("samples_t.jsonl has 0 of 4 samples")
    path.parent.mkdir()
    path.write_text("{}")
    (path.parent / "20260101_000000_samples_t.jsonl").write_text("{}\n" * 3)
    (only,) = missing_files(made, tmp_path)
    assert only.endswith("has 3 of 4 samples")
    (path.parent / "20260101_000000_samples_t.jsonl").write_text("{}\n" * 4)
    assert missing_files(made, tmp_path) == []


def scored(number: int, score: float | None, reason: str, **changes: Any) -> dict[str, Any]:
    row = sample(number, "{}", None)
    row["overall"] |= {"detector_score": score, "reason": reason} | changes
    return row


OF_A_DETECTOR = {
    "t": {
        "auroc,none": 75.0,
        "ranking,none": 50.0,
        "ties,none": 50.0,
        "factual,none": -1.0,
        "overall,none": -1.0,
        "undecided,none": 100.0,
    }
}


def test_a_detector_without_a_threshold_has_scores_and_no_accuracy(capsys):
    rows = [scored(k, k / 8, "no_threshold") for k in range(4)]
    (outcome,) = task_outcomes(evaluated(rows, results=OF_A_DETECTOR))
    assert list(outcome.scores)[:3] == ["auroc", "ranking", "ties"]
    assert (outcome.scores["factual"], outcome.scores["overall"]) == (None, None)
    assert outcome.complaint() == ""
    assert "vidomni calibrate" in outcome.doubt()
    assert "no label" not in outcome.doubt()
    show_outcomes([outcome])
    shown = capsys.readouterr().out
    cells = [line.split("│") for line in shown.splitlines()]
    values = {row[2].strip(): row[3].strip() for row in cells if len(row) > 3}
    assert values["auroc"] == "75.00"
    assert values["overall"] == "-"
    assert "0 failed; 2 pairs with scores of both answers" in shown


def test_answers_without_a_score_are_told_with_their_status_and_the_way_out():
    rows = [
        scored(0, 0.5, "no_threshold"),
        *(scored(k, None, "no_score", detector_status="too_long") for k in (1, 2, 3)),
    ]
    (outcome,) = task_outcomes(evaluated(rows, results=OF_A_DETECTOR))
    assert "long_text=truncate" in outcome.doubt()
    rows[0] = scored(0, None, "no_score", detector_status="too_long")
    row = OF_A_DETECTOR["t"] | {"overall,none": 0.0, "auroc,none": -1.0}
    (outcome,) = task_outcomes(evaluated(rows, results={"t": row}))
    assert outcome.doubt() == (
        "t: 100 % have no label (no_score 4 (too_long 4)); "
        "long_text=truncate gives texts that are too long for the model a score as well"
    )
    assert (outcome.scored_pairs, outcome.scores["overall"]) == (0, 0.0)


def test_minus_one_of_another_task_is_a_value():
    rows = [{"doc_id": k, "filtered_resps": ["A"], "acc": 1.0} for k in range(4)]
    (outcome,) = task_outcomes(evaluated(rows, results={"t": {"corr,none": -1.0}}))
    assert outcome.scores == {"corr": -1.0}
