"""``vidomni calibrate``: what it chooses and writes, and what it refuses."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.conftest import write_lines
from vidomni_plugin.cli import app
from vidomni_plugin.data.load import inspect_vidhalloc
from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.detectors.answer import answer, answer_with
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
        "media_digest": "",
        "question": "Is it?",
        "candidate_answer": side,
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


@pytest.mark.parametrize(
    ("place", "changes", "message"),
    [
        (1, {"video_id": "v9"}, "'a' has another video_id here than at"),
        (1, {"task_type": "video_captioning"}, "'a' has another task_type"),
        (3, {"question": "Was it?", "category": "aph"}, "'b' has another category, question"),
        (0, {"pair_id": "\ud800"}, "half a character"),
        (6, {"video_id": "\udfff"}, "half a character"),
        (6, {"category": "zzz"}, "category: Input should be"),
        (6, {"missing": "3"}, "missing: Input should be a valid integer"),
        (6, {"missing": None}, "missing: Input should be a valid integer"),
        (6, {"task_type": {"a": 1}}, "task_type: Input should be a valid string"),
        (0, {"detector_score": 0.1}, "its answer has the score 0.9, and its detail 0.1"),
        (0, {"detector_score": "0.9"}, "its answer has the score 0.9, and its detail '0.9'"),
        (7, {"detector_score": math.nan}, "and its detail nan"),
    ],
)
def test_lines_that_our_tasks_do_not_write_are_named(run, tmp_path, place, changes, message):
    rows = lines(SCORES)
    rows[place]["overall"] |= changes
    problems = problems_of(run(rows=rows))
    assert message in " ".join(problem.message for problem in problems)
    assert any(problem.place.endswith(f":{place + 1}") for problem in problems)
    assert not (tmp_path / "threshold.json").exists()


@pytest.mark.parametrize("change", [{"score": "0.9"}, {"score": True}, {"score": 0.4, "more": 1}])
def test_an_edited_answer_is_no_score(run, change):
    rows = lines(SCORES)
    rows[6]["filtered_resps"] = [json.dumps(json.loads(answer(0.7, None)) | change)]
    (problem,) = problems_of(run(rows=rows))
    assert problem.message.startswith("its answer was cut off or edited, and its detail has the")
    # Without a score beside it, it is an answer without one.
    rows[6] = line("d", "factual", "v3", rows[6]["filtered_resps"][0])
    result = run(rows=rows)
    assert "factual 33.33, counterfactual 33.33, undecided 16.67" in result.stdout
    rows[0] = line("a", "factual", "v1", rows[6]["filtered_resps"][0])
    (problem,) = problems_of(run("--force", rows=rows))
    assert problem.message == "'a/factual' has no score: its answer was cut off or edited"


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ({"detector": "x"}, {"detector": "y"}, 'detector "y", and "x" at '),
        ({"text": "answer"}, {"text": "statement"}, 'text "statement", and "answer" at '),
        ({"frames": 8, "idf": None}, {"frames": 32, "idf": "c"}, "frames 32, and 8 at "),
    ],
)
def test_scores_of_another_detector_or_settings_are_refused(run, one, other, said):
    rows = [
        line(pair_id, side, video, answer(score, None, **(one if pair_id < "d" else other)))
        for pair_id, (video, *both) in SCORES.items()
        for side, score in zip(("factual", "counterfactual"), both, strict=True)
    ]
    (problem,) = problems_of(run(rows=rows))
    assert said in problem.message
    assert problem.place.endswith(":7")
    assert run(rows=rows[:6] + lines(SCORES)[6:]).exit_code == 0  # which tell none


def test_what_is_no_score_keeps_its_reason(run, tmp_path):
    rows = lines(SCORES)
    rows[6] = line("d", "factual", "v3", answer(math.nan, None))
    rows[7] = line("d", "counterfactual", "v3", "[LMMS_EVAL_REQUEST_FAILED after 3 attempts]")
    rows[8] = line("e", "factual", "v3", answer_with({"score": 1, "reason": "x"}, None, None))
    out = tmp_path / "answers.jsonl"
    assert run("--answers", str(out), rows=rows).exit_code == 0
    read = [json.loads(json.loads(row)["response"]) for row in out.read_text().splitlines()]
    assert [row.get("reason") for row in read[:4]] == [
        *("not_finite", "request_failed", "no_score", None)
    ]
    assert read[2]["detail"] == {"score": 1, "reason": "x"}


def test_percents_are_rounded_as_the_paper_does(run):
    """1 of 800 is 0.125 %, which is 0.13."""
    scores = {f"p{k:03d}": (f"w{k}", 0.2 if k else 0.9, 0.3) for k in range(800)}
    result = run(rows=lines({"a": ("v", 0.9, 0.8)} | scores), split=("a",))
    assert "on 800 pairs of other videos: overall 0.13, factual 0.13" in result.stdout


def test_logs_that_hold_half_characters_and_names_that_are_no_text(run, tmp_path):
    split = Path(os.fsdecode(os.fsencode(tmp_path) + b"/more\xff.txt"))
    split.write_text("d\ne\n")
    results = {"results": {}, "config": {"model": "x", "model_args": "pretrained=\ud800"}}
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "1_results.json").write_text(json.dumps(results))
    result = run("--split", str(split))
    assert result.exit_code == 0, result.output
    assert written(tmp_path).split.endswith("more\\udcff.txt")
    assert "\\ud800" in written(tmp_path).model


def test_a_file_of_samples_that_lacks_some_is_told(run, tmp_path):
    counts = {"vidhalloc": {"original": 12, "effective": 12}}
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "1_results.json").write_text(json.dumps({"n-samples": counts}))
    assert "vidhalloc: 12 answers evaluated, 10 in SAMPLES" in run(rows=lines(SCORES)[:10]).stdout
    assert "in SAMPLES" not in run("--force").stdout


def test_files_that_are_read_are_never_written(run, tmp_path):
    assert run().exit_code == 0
    kept = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    logs = tmp_path / "logs"
    for name in (logs / "1_samples_vidhalloc.jsonl", tmp_path / "split.txt", logs):
        for options in (["--answers", str(name)], ["--out", str(name)]):
            problems_of(run(*options, "--force"))
    other = write_lines(logs / "1_results.json", [{"results": {}}])
    problems_of(run("--answers", str(other), str(logs), "--force"))
    assert {file: file.read_bytes() for file in kept} == kept


@pytest.mark.parametrize("name", ["a" * 300, "split.txt/x", "logs"])
def test_names_that_cannot_be_written(run, tmp_path, name):
    assert len(problems_of(run("--answers", str(tmp_path / name)))) == 1


def test_a_pair_on_two_videos_in_lists_is_refused(run, tmp_path):
    record = {"pair_id": "z", "task_type": "video_qa", "media": {"video_id": "v7"}}
    other = {**record, "media": {"video_id": "v8"}}
    lists = [write_lines(tmp_path / f"{k}.jsonl", [r]) for k, r in enumerate((record, other))]
    options = [option for file in lists for option in ("--evaluation", str(file))]
    (problem,) = problems_of(run(*options))
    assert "'z' is on video_qa/v8 here, and on video_qa/v7 at" in problem.message
    (tmp_path / "ids.txt").write_text("z\n")
    assert run("--evaluation", str(tmp_path / "ids.txt"), *options[:2]).exit_code == 0


def test_lists_that_are_no_files(run, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name in (tmp_path / "pipe", "~nobody-of-this-name/x", tmp_path):
        (problem,) = problems_of(run("--evaluation", str(name)))
        assert problem.code == "no-file"


def test_two_tasks_of_a_run_may_share_no_pair(run, tmp_path):
    rows = lines(SCORES)
    both = write_lines(tmp_path / "logs" / "1_samples_vidhalloc_qa.jsonl", rows[:6])
    problems = problems_of(run(str(both)))
    assert [problem.code for problem in problems] == ["repeated-id"] * 6
    assert "of tasks that share pairs only one" in problems[0].hint
    result = run(str(both), rows=rows[6:])
    assert result.exit_code == 0, result.output
    assert written(tmp_path).task == "vidhalloc,vidhalloc_qa"


def test_a_split_of_other_pairs_is_one_message_that_asks_which_run_it_was(run, tmp_path):
    (problem,) = problems_of(run(split=[f"other{k}" for k in range(24)]))
    assert "none of its 24 pairs is in the samples, which have 6 others" in problem.message
    assert "vidhalloc_eval" in problem.hint


@pytest.mark.parametrize(
    ("name", "said"), [("mian", "did you mean main?"), ("evl", "eval?"), ("lists/x", "a file")]
)
def test_a_word_that_is_neither_a_split_nor_a_file(name, said, run):
    (problem,) = problems_of(run("--split", name))
    assert problem.place == name
    assert "neither main nor eval" in problem.message
    assert said in problem.hint


def test_a_run_of_the_built_in_sample_has_its_splits_there(run, tmp_path):
    mini = inspect_vidhalloc(mini_root("vidhalloc")).pairs
    rows = [
        line(record.pair_id, side, record.media.video_id, answer(score, None), **of)
        for record in (entry.record for entry in mini)
        for of in [{"task_type": record.task_type}]
        for side, score in (("factual", 0.9), ("counterfactual", 0.1))
    ]
    samples = write_lines(tmp_path / "logs" / "1_samples_vidhalloc_mini.jsonl", rows)
    out = tmp_path / "threshold.json"
    command = ["calibrate", str(samples), "--split", "main", "--out", str(out)]
    result = CliRunner().invoke(app, command, env={"VIDHALLOC_DATA": str(tmp_path / "none")})
    assert result.exit_code == 0, (result.output, result.exception)
    assert written(tmp_path).n == 24


def test_answers_without_a_score_are_told_with_their_status_and_the_way_out(run):
    rows = lines(SCORES)
    for k, side in ((0, "factual"), (2, "factual"), (3, "counterfactual")):
        pair = ("a", "a", "b", "b")[k]
        video = SCORES[pair][0]
        rows[k] = line(pair, side, video, answer(None, None, status="too_long"))
    result = run(rows=rows)
    problems = problems_of(result)
    assert problems[0].message == "'a/factual' has no score: no_score (too_long)"
    assert {p.hint for p in problems} == {problems[0].hint}
    assert "long_text=truncate" in problems[0].hint
    assert "no_score 3 (too_long 3); long_text=truncate" in str(result.exception)
