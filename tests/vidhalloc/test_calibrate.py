"""``vidomni calibrate``: what it chooses and writes, and what it refuses."""

from __future__ import annotations

import json
import math

import pytest
from typer.testing import CliRunner

from tests.conftest import write_lines
from vidomni_plugin.cli import app
from vidomni_plugin.detectors.answer import answer
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.vidhalloc import task
from vidomni_plugin.vidhalloc.thresholds import Calibration, choose

SCORES = {  # pair: (video, factual, counterfactual)
    "a": ("v1", 0.9, 0.2),
    "b": ("v1", 0.6, 0.4),
    "c": ("v2", 0.55, 0.6),
    "d": ("v3", 0.7, 0.1),
    "e": ("v3", 0.3, 0.65),
    "f": ("v4", 0.65, 0.65),
}


def doc(pair_id, side, video, **changes):
    fields = dict.fromkeys(task.IN_DETAIL)
    return fields | {
        "answer_id": f"{pair_id}/{side}",
        "pair_id": pair_id,
        "video_id": video,
        "side": side,
        "category": "eeh",
        "task_type": "video_qa",
        "missing": 0,
        **changes,
    }


def line(pair_id, side, video, response, **changes):
    row = doc(pair_id, side, video, **changes)
    items = task.process_results(row, [response])
    return {"doc_id": 0, "filtered_resps": [response], "resps": [[response]], **items}


def lines(scores, **changes):
    return [
        line(pair_id, side, video, answer(score, None), **changes)
        for pair_id, (video, *both) in scores.items()
        for side, score in zip(("factual", "counterfactual"), both, strict=True)
    ]


@pytest.fixture
def run(tmp_path):
    """Return a function that writes samples and a split, and runs the command on them."""

    def call(*options, rows=None, split=("a", "b", "c"), name="samples_vidhalloc"):
        samples = write_lines(tmp_path / "logs" / f"1_{name}.jsonl", rows or lines(SCORES))
        (tmp_path / "split.txt").write_text("\n".join(split))
        out = tmp_path / "threshold.json"
        arguments = ["calibrate", str(samples), "--split", str(tmp_path / "split.txt")]
        return CliRunner().invoke(app, [*arguments, "--out", str(out), *options])

    return call


def problems_of(result):
    assert isinstance(result.exception, InputProblems), result.output
    return result.exception.problems


def written(tmp_path):
    return Calibration.model_validate_json((tmp_path / "threshold.json").read_text())


def test_what_it_writes(run, tmp_path):
    result = run()
    assert result.exit_code == 0, result.output
    found = written(tmp_path)
    expected = choose([0.9, 0.6, 0.55], [0.2, 0.4, 0.6])
    assert (found.threshold, found.overall) == (expected.threshold, expected.overall)
    assert (found.pair_ids, found.n) == (("a", "b", "c"), 3)
    assert found.videos == ("video_qa/v1", "video_qa/v2")
    assert (found.task, found.split) == ("vidhalloc", str(tmp_path / "split.txt"))
    assert repr(expected.threshold) in result.stdout
    assert "on 3 pairs of other videos" in result.stdout


def test_the_hash_is_that_of_the_scores_alone(run, tmp_path):
    hashes = []
    for rows in (lines(SCORES), lines(SCORES)[::-1], lines(SCORES | {"a": ("v1", 0.9, 0.21)})):
        assert run("--force", rows=rows).exit_code == 0
        hashes.append(written(tmp_path).scores_sha256)
    assert hashes[0] == hashes[1] != hashes[2]


def test_the_evaluation_worked_by_hand(run, tmp_path):
    # At 0.55 all of a and b are right, and the most answers of c. Of the others d is right, e is
    # wrong on both answers, and f accepts both.
    result = run("--answers", str(tmp_path / "answers.jsonl"))
    assert written(tmp_path).threshold == 0.55
    scores = "overall 33.33, factual 66.67, counterfactual 33.33, undecided 0.00"
    assert scores in result.stdout
    rows = [json.loads(row) for row in (tmp_path / "answers.jsonl").read_text().splitlines()]
    labels = {row["id"]: json.loads(row["response"])["label"] for row in rows}
    assert labels == {
        "d/factual": "ACCEPT",
        "d/counterfactual": "REJECT",
        "e/factual": "REJECT",
        "e/counterfactual": "ACCEPT",
        "f/factual": "ACCEPT",
        "f/counterfactual": "ACCEPT",
    }


def test_a_shared_video_is_refused_and_nothing_is_written(run, tmp_path):
    problems = problems_of(run(split=("a", "c", "d")))
    assert [problem.place for problem in problems] == ["video_qa/v1", "video_qa/v3"]
    assert problems[0].message.startswith("a to calibrate and b to evaluate")
    assert not (tmp_path / "threshold.json").exists()


def test_a_shared_video_is_refused_where_the_evaluation_was_not_run(run, tmp_path):
    record = {"pair_id": "z", "task_type": "video_qa", "media": {"video_id": "v2"}}
    other = write_lines(tmp_path / "evaluation.jsonl", [record])
    problems = problems_of(run("--evaluation", str(other)))
    assert [problem.place for problem in problems] == ["video_qa/v2"]
    record["task_type"] = "video_captioning"  # whose v2 is another video
    write_lines(other, [record])
    result = run("--evaluation", str(other))
    assert result.exit_code == 0
    assert "1 pair of the evaluation are not in SAMPLES" in result.stdout


def test_a_copy_on_the_other_side_is_refused(run, tmp_path):
    contents = {"v1": "d1", "v2": "d2", "v3": "d3", "v4": "d2"}  # v4 is a copy of v2
    rows = [
        line(pair_id, side, video, answer(score, None), media_digest=contents[video])
        for pair_id, (video, *both) in SCORES.items()
        for side, score in zip(("factual", "counterfactual"), both, strict=True)
    ]
    (problem,) = problems_of(run(rows=rows))
    assert problem.place == "video_qa/v2"
    assert problem.message == "the same content is to evaluate as video_qa/v4"
    assert not (tmp_path / "threshold.json").exists()
    assert run(rows=rows, split=("a", "b", "c", "f")).exit_code == 0
    assert written(tmp_path).media_digests == ("d1", "d2")


def test_answers_say_nothing_of_an_earlier_threshold(run, tmp_path):
    rows = lines(SCORES)
    old = {"threshold_source": "number", "threshold_saw_video": True, "frames": 4}
    rows[6] = line("d", "factual", "v3", answer(0.7, 0.9, **old))
    assert run("--answers", str(tmp_path / "answers.jsonl"), rows=rows).exit_code == 0
    first = json.loads((tmp_path / "answers.jsonl").read_text().splitlines()[0])
    assert json.loads(first["response"])["detail"] == {"frames": 4}


def test_every_answer_without_a_score_is_named(run, tmp_path):
    rows = lines(SCORES)
    rows[0] = line("a", "factual", "v1", answer(math.nan, None))
    rows[3] = line("b", "counterfactual", "v1", answer(None, None, reason="request_failed"))
    rows[4] = line("c", "factual", "v2", "ACCEPT")
    problems = problems_of(run(rows=rows))
    assert [problem.message.split(": ")[1] for problem in problems] == [
        "not_finite",
        "request_failed",
        "no answer of a detector",
    ]
    assert [problem.place.rsplit(":", 1)[1] for problem in problems] == ["1", "4", "5"]
    assert not (tmp_path / "threshold.json").exists()


def test_an_answer_without_a_score_is_undecided_and_wrong_in_the_evaluation(run, tmp_path):
    rows = lines(SCORES)
    rows[6] = line("d", "factual", "v3", answer(None, None, reason="request_failed", status=429))
    result = run("--answers", str(tmp_path / "answers.jsonl"), rows=rows)
    assert "overall 0.00, factual 33.33, counterfactual 33.33, undecided 16.67" in result.stdout
    first = json.loads((tmp_path / "answers.jsonl").read_text().splitlines()[0])
    response = json.loads(first["response"])
    assert (response["reason"], response["label"]) == ("request_failed", None)
    assert response["detail"] == {"status": 429}


def test_items_are_of_different_videos_and_drawn_by_the_seed(run, tmp_path):
    drawn = set()
    for seed in map(str, range(8)):
        assert run("--items", "2", "--seed", seed, "--force").exit_code == 0
        found = written(tmp_path)
        assert (found.n, found.videos) == (2, ("video_qa/v1", "video_qa/v2"))
        drawn.add(found.pair_ids)
        assert run("--items", "2", "--seed", seed, "--force").exit_code == 0
        assert written(tmp_path).pair_ids == found.pair_ids
    assert drawn == {("a", "c"), ("b", "c")}
    (problem,) = problems_of(run("--items", "3", "--force"))
    assert problem.message == "3 pairs of different videos are wanted, and there are 2"


def test_a_pair_that_was_not_run_is_named(run):
    problems = problems_of(run(split=("a", "b", "x", "y")))
    assert [problem.message for problem in problems] == [
        "'x' is not in the samples",
        "'y' is not in the samples",
    ]


def test_a_list_of_other_data_is_refused(run, tmp_path):
    record = {"pair_id": "a", "task_type": "video_qa", "media": {"video_id": "v9"}}
    (problem,) = problems_of(run(split=(json.dumps(record),)))
    assert "on video_qa/v9 here, and on video_qa/v1 in the samples" in problem.message


@pytest.mark.parametrize("split", [("",), ("{",), ('{"id": "a"}',), ("[1]",)])
def test_lists_that_are_none(run, split):
    assert len(problems_of(run(split=split))) == 1


def test_half_a_pair_and_a_repeated_answer_are_named(run):
    rows = lines(SCORES)
    (problem,) = problems_of(run(rows=rows[:-1]))
    assert "'f' has this answer only" in problem.message
    (problem,) = problems_of(run(rows=[*rows, rows[2]]))
    assert "'b/factual' was already at" in problem.message
    assert problem.place.endswith(":13")


def test_a_file_that_is_there_stays(run, tmp_path):
    (tmp_path / "threshold.json").write_text("mine")
    (problem,) = problems_of(run())
    assert problem.code == "exists"
    assert (tmp_path / "threshold.json").read_text() == "mine"
    assert run("--force").exit_code == 0
    assert written(tmp_path).n == 3


def test_two_outputs_are_two_files(run, tmp_path):
    (problem,) = problems_of(run("--answers", str(tmp_path / "logs" / ".." / "threshold.json")))
    assert problem.message == "the same file as --out"


def test_samples_that_are_none(run, tmp_path):
    (problem,) = problems_of(run(name="samples_vidomni"))
    assert problem.message == "0 runs with samples of VidHalLoc"
    write_lines(tmp_path / "logs" / "2_samples_vidhalloc.jsonl", lines(SCORES))
    (problem,) = problems_of(run(str(tmp_path / "logs" / "2_samples_vidhalloc.jsonl")))
    assert problem.message.startswith("2 runs with samples of VidHalLoc")


def test_scores_of_an_item_never_become_the_value_of_a_metric():
    """The host takes ``score`` in an item for the metric's value: a standard error of it."""
    for response in (answer(0.25, 0.5), "REJECT"):
        items = task.process_results(doc("a", "factual", "v"), [response])
        assert "score" not in items["overall"]
        assert items["overall"]["label"] == "REJECT"
        assert {name for name, item in items.items() if "score" in item} == {"factual", "undecided"}
    scored = task.detail(doc("a", "factual", "v"), answer(0.25, 0.5))
    assert (scored["detector_score"], scored["detector_threshold"]) == (0.25, 0.5)
    silent = task.detail(doc("a", "factual", "v"), "REJECT")
    assert (silent["detector_score"], silent["detector_threshold"]) == (None, None)
