"""Output folders of the host: what is whole, what is not, and what each run is called."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from tests.report.builders import signature, vidhalloc_run, vidomni_run, write_run
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.report.find import given
from vidomni_plugin.report.leaderboard import leaderboard
from vidomni_plugin.report.read import read_runs, recomputed
from vidomni_plugin.report.runs import TaskRun
from vidomni_plugin.report.settings import Settings

LABELS = {"v1__x": [1, 0], "v1__y": [0, None], "v2__x": [1, 1]}
GOLD = {"v1__x": [1, 0], "v1__y": [1, 0], "v2__x": [0, 1]}
VERDICTS = {"p1": ("ACCEPT", "REJECT"), "p2": ("ACCEPT", None), "p3": ("REJECT", "REJECT")}


def omni(**changes) -> TaskRun:
    return vidomni_run("model-a", LABELS, GOLD, **changes)


def halloc(**changes) -> TaskRun:
    return vidhalloc_run("model-a", VERDICTS, **changes)


def codes(run: TaskRun) -> list[str]:
    return [problem.code for problem in run.problems]


def samples(path: Path, task: str = "vidomni") -> Path:
    (found,) = path.parent.glob(f"*_samples_{task}.jsonl")
    return found


def test_a_whole_run_comes_back_as_it_was_written(tmp_path):
    write_run(tmp_path / "org__model-a", omni(), halloc())
    (run,) = read_runs([tmp_path])
    assert run.name == "model-a"
    assert [task.kind for task in run.tasks.values()] == ["vidomni", "vidhalloc"]
    for task, written in zip(run.tasks.values(), (omni(), halloc()), strict=True):
        assert list(task.items) == list(written.items)
        assert task.scores == written.scores
        assert task.responses == written.responses
        assert task.expected == len(task.items)
        assert codes(task) == []
        assert {name: s.value for name, s in recomputed(task).items()} == written.scores
    assert run.tasks["vidomni"].signature.frames == "32"
    assert run.tasks["vidomni"].signature.data == "0123456789abcdef"


def test_other_tasks_of_the_host_bring_their_scores(tmp_path):
    path = write_run(tmp_path, omni())
    results = json.loads(path.read_text())
    results["results"]["videomme"] = {
        "alias": "videomme",
        "videomme_perception_score,none": 61.5,
        "videomme_perception_score_stderr,none": "N/A",
        "broken,none": float("nan"),
        "list,none": [],
    }
    results["results"]["a_group"] = {"alias": "a_group", " ": ""}
    path.write_text(json.dumps(results))
    (run,) = read_runs([path])
    assert set(run.tasks) == {"vidomni", "videomme"}
    assert run.tasks["videomme"].kind == "other"
    assert run.tasks["videomme"].scores == {"videomme_perception_score": 61.5}


def test_a_limit_is_told(tmp_path):
    path = write_run(tmp_path, omni(), limit=3)
    results = json.loads(path.read_text())
    results["n-samples"]["vidomni"]["original"] = 2500
    path.write_text(json.dumps(results))
    task = read_runs([tmp_path])[0].tasks["vidomni"]
    assert task.signature.limit == "3 of 2500"
    assert codes(task) == ["limited"]
    assert "3 of 2500 documents" in task.problems[0].message


def test_a_limit_above_all_documents_is_none(tmp_path):
    write_run(tmp_path, omni(), limit=10_000)
    task = read_runs([tmp_path])[0].tasks["vidomni"]
    assert task.signature.limit is None
    assert codes(task) == []


@pytest.mark.parametrize("limit", ["Infinity", "NaN", '"8"', "[8]", "true", "-3", "{}"])
def test_a_limit_that_is_no_number_of_documents_is_told(tmp_path, limit):
    path = write_run(tmp_path, omni())
    path.write_text(path.read_text().replace('"limit": null', f'"limit": {limit}'))
    task = read_runs([tmp_path])[0].tasks["vidomni"]
    assert codes(task) == ["limited"]
    assert "no number of documents" in task.problems[0].message


@pytest.mark.parametrize("limit", ["null", "-1", "0", "100.0"])
def test_what_the_host_takes_as_all_documents_is_no_fault(tmp_path, limit):
    path = write_run(tmp_path, omni())
    path.write_text(path.read_text().replace('"limit": null', f'"limit": {limit}'))
    assert codes(read_runs([tmp_path])[0].tasks["vidomni"]) == []


@pytest.mark.parametrize("effective", [True, "3", -1, 3.5])
def test_a_number_of_samples_that_is_none_is_told(tmp_path, effective):
    path = write_run(tmp_path, omni())
    results = json.loads(path.read_text())
    results["n-samples"]["vidomni"]["effective"] = effective
    path.write_text(json.dumps(results))
    task = read_runs([tmp_path])[0].tasks["vidomni"]
    assert (codes(task), task.expected) == (["limited"], None)


def test_captions_without_their_results_file_are_told_what_they_lack(tmp_path):
    detail = {"benchmark": "vidomni_caption", "video_id": "v1", "words": 3}
    line = {"filtered_resps": ["A dog runs."], "words": detail}
    file = tmp_path / "20261130_120000_samples_vidomni_caption.jsonl"
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    with pytest.raises(InputProblems, match="captions have no scores but counts"):
        read_runs([file])


def test_missing_videos_are_told(tmp_path):
    fields = {pair: {"missing": 7} for pair in LABELS}
    write_run(tmp_path, omni(fields=fields))
    task = read_runs([tmp_path])[0].tasks["vidomni"]
    assert codes(task) == ["missing-video"]
    assert "7 pairs were left out" in task.problems[0].message


def test_a_torn_last_line_is_named_and_the_rest_is_used(tmp_path):
    file = samples(write_run(tmp_path, omni()))
    file.write_text(file.read_text()[:-40])
    task = read_runs([tmp_path])[0].tasks["vidomni"]
    assert codes(task) == ["json", "cut-short"]
    assert task.problems[0].place == f"{file}:3"
    assert "2 usable samples of 3" in task.problems[1].message
    assert [item["pair_id"] for item in task.items] == ["v1__x", "v1__y"]


def test_samples_that_end_early_are_told(tmp_path):
    file = samples(write_run(tmp_path, omni()))
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:1]))
    task = read_runs([tmp_path])[0].tasks["vidomni"]
    assert codes(task) == ["cut-short"]
    assert recomputed(task)["f1"].value == 100


def test_a_broken_line_in_the_middle_is_named(tmp_path):
    file = samples(write_run(tmp_path, omni()))
    lines = file.read_text().splitlines()
    lines[1] = lines[1].replace('"labels": [0, null]', '"labels": [0]')
    file.write_text("\n".join(lines))
    task = read_runs([tmp_path])[0].tasks["vidomni"]
    assert codes(task) == ["sample", "cut-short"]
    assert task.problems[0].place == f"{file}:2"
    assert "not one for each gold label" in task.problems[0].message
    assert len(task.items) == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"side": "factual"', '"side": "both"'),
        ('"category": "eeh"', '"category": "<script>"'),
        ('"label": "ACCEPT"', '"label": "YES"'),
        ('"question": "What is in p1?"', '"question": 7'),
        ('"question": "What is in p1?"', '"question": "\\ud800"'),
        ('"missing": 0', '"missing": -1'),
        ('"missing": 0', f'"missing": 1{"0" * 400}'),
    ],
    ids=["side", "category", "label", "number", "half a character", "count", "count of any size"],
)
def test_an_edited_field_is_named(old, new, tmp_path):
    file = samples(write_run(tmp_path, halloc()), "vidhalloc")
    lines = file.read_text().splitlines()
    assert old in lines[0]
    file.write_text("\n".join([lines[0].replace(old, new), *lines[1:]]))
    task = read_runs([tmp_path])[0].tasks["vidhalloc"]
    assert codes(task) == ["sample", "cut-short", "incomplete"]
    assert task.problems[0].place == f"{file}:1"


def test_a_second_sample_of_a_pair_is_not_used(tmp_path):
    file = samples(write_run(tmp_path, omni()))
    file.write_text(file.read_text() + file.read_text().splitlines()[0] + "\n")
    task = read_runs([tmp_path])[0].tasks["vidomni"]
    assert codes(task) == ["repeated-id"]
    assert len(task.items) == 3


def test_scores_that_the_samples_do_not_give_are_told(tmp_path):
    path = write_run(tmp_path, omni())
    results = json.loads(path.read_text())
    results["results"]["vidomni"]["f1,none"] = 51.0
    path.write_text(json.dumps(results))
    task = read_runs([tmp_path])[0].tasks["vidomni"]
    assert codes(task) == ["other-score"]
    # F1 of the three pairs: 1, 0 and 2/3.
    assert "f1 51, its samples 55.5556" in task.problems[0].message


def test_results_without_samples_keep_the_host_s_scores(tmp_path):
    path = write_run(tmp_path, omni())
    samples(path).unlink()
    task = read_runs([tmp_path])[0].tasks["vidomni"]
    assert codes(task) == ["no-samples"]
    assert task.kind == "vidomni"
    assert not task.items
    assert task.scores == omni().scores


def test_samples_without_results_are_read(tmp_path):
    write_run(tmp_path / "org__model-a", omni(), halloc()).unlink()
    (run,) = read_runs([tmp_path])
    assert run.name == "org__model-a"
    assert [codes(task) for task in run.tasks.values()] == [["no-results"]] * 2
    assert {task.kind for task in run.tasks.values()} == {"vidomni", "vidhalloc"}


def test_a_broken_results_file_leaves_the_samples(tmp_path):
    path = write_run(tmp_path, omni())
    path.write_text(path.read_text()[:-50])
    (run,) = read_runs([tmp_path])
    assert [problem.code for problem in run.problems] == ["json"]
    assert len(run.tasks["vidomni"].items) == 3


def test_samples_of_early_versions_have_no_error_words(tmp_path):
    file = samples(write_run(tmp_path, omni()))
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in rows:
        del row["f1"]["error_words"], row["f1"]["plugin"]
    file.write_text("\n".join(map(json.dumps, rows)))
    task = read_runs([tmp_path])[0].tasks["vidomni"]
    assert codes(task) == []
    assert task.items[0]["error_words"] == [[], []]
    assert task.signature.plugin is None


def test_every_date_in_a_folder_is_a_run_of_its_own(tmp_path):
    for date in ("20261129_080000", "20261130_080000"):
        write_run(tmp_path, omni(), date=date)
    found = read_runs([tmp_path, tmp_path / "20261129_080000_results.json"])
    assert [run.name for run in found] == [
        "model-a [20261129_080000]",
        "model-a [20261130_080000]",
    ]
    assert all(task.run == run.name for run in found for task in run.tasks.values())


def test_a_samples_file_brings_its_own_task_only(tmp_path):
    path = write_run(tmp_path, omni(), halloc())
    (run,) = read_runs([samples(path, "vidhalloc")])
    assert list(run.tasks) == ["vidhalloc"]
    assert run.tasks["vidhalloc"].signature.checkpoint == "model-a"


def test_names_tell_what_differs(tmp_path):
    def with_frames(frames: str, task: str = "vidomni", checkpoint: str = "org/m") -> TaskRun:
        arguments = {"pretrained": checkpoint, "max_num_frames": frames}
        return omni(task=task, signature=signature(checkpoint, model_args=arguments))

    runs = [
        with_frames("8"),
        with_frames("32"),
        with_frames("32", task="vidomni_av"),
        with_frames("8", checkpoint="other/n"),
        with_frames("8", checkpoint="org/n"),
        with_frames("8", checkpoint="org/lone"),
    ]
    folders = [tmp_path / str(k) for k in range(len(runs))]
    for folder, run in zip(folders, runs, strict=True):
        write_run(folder, run)
    names = [run.name for run in read_runs(folders)]
    assert names == ["m (frames 8)", "m (frames 32)", "m (frames 32)", "other/n", "org/n", "lone"]


def test_nothing_readable_is_one_error(tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(InputProblems, match="no results file and no samples file"):
        read_runs([tmp_path])
    with pytest.raises(InputProblems, match="no such file"):
        read_runs([tmp_path / "gone"])
    with pytest.raises(InputProblems, match="neither a results file nor a samples file"):
        read_runs([tmp_path / "notes.txt"])
    with pytest.raises(InputProblems, match="no folder of a run"):
        read_runs([])


def test_an_empty_folder_beside_a_run_is_told(tmp_path):
    write_run(tmp_path / "a", omni())
    (tmp_path / "b").mkdir()
    found = read_runs([tmp_path / "a", tmp_path / "b"])
    assert [problem.code for problem in found[1].problems] == ["no-run"]
    assert not found[1].tasks


def test_other_files_of_lines_are_no_samples_of_ours(tmp_path):
    write_run(tmp_path, omni())
    odd = tmp_path / "20270101_samples_odd.jsonl"
    odd.write_text('{"a": 1}\n')
    found = read_runs([tmp_path])
    assert [problem.code for problem in found[1].problems] == ["no-results"]


ODD = (None, 7, -1, 1e400, "", "x", [], {}, [None], {"a": []}, True, "\ud800")


def spoiled(value: Any, rng: random.Random) -> Any:
    """Return a JSON value with one part of it replaced by something of another kind."""
    if isinstance(value, dict) and value and rng.random() < 0.95:
        key = rng.choice(sorted(value))
        return value | {key: spoiled(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return [*value[:at], spoiled(value[at], rng), *value[at + 1 :]]
    return rng.choice(ODD)


@pytest.mark.parametrize("seed", range(200))
def test_whatever_a_file_holds_it_is_read_or_refused_with_reasons(seed, tmp_path):
    rng = random.Random(seed)
    results = write_run(tmp_path, omni(), halloc())
    for path in (results, samples(results, "vidomni"), samples(results, "vidhalloc")):
        if path.suffix == ".json":
            path.write_text(json.dumps(spoiled(json.loads(path.read_text()), rng)))
            continue
        lines = path.read_text().splitlines()
        at = rng.randrange(len(lines))
        row = json.loads(lines[at])
        metric = "overall" if "overall" in row else "f1"
        row[metric] = spoiled(row[metric], rng)
        lines[at] = json.dumps(spoiled(row, rng) if rng.random() < 0.3 else row)
        path.write_text("\n".join(lines)[: -rng.randrange(30) or None])
    try:
        found = read_runs([tmp_path])
    except InputProblems:
        return
    table = leaderboard(found, Settings(draws=100))
    json.dumps([list(row) for row in table.rows]).encode()
    for run in found:
        for task in run.tasks.values():
            task.signature.short().encode()
            if task.expected is not None and len(task.items) < task.expected and task.items:
                assert "cut-short" in codes(task)


def test_predict_only_has_no_scores(tmp_path):
    path = write_run(tmp_path, omni())
    results = json.loads(path.read_text())
    results["results"]["vidomni"] = {"alias": "vidomni", "bypass,none": 999}
    path.write_text(json.dumps(results))
    task = read_runs([tmp_path])[0].tasks["vidomni"]
    assert codes(task) == ["no-samples"]
    assert task.scores == {}


@pytest.mark.parametrize("value", ["NaN", "Infinity", "9" * 400])
def test_a_score_that_is_no_finite_number_hides_no_samples(value, tmp_path):
    results = write_run(tmp_path, omni(), halloc())
    text, changed = re.subn(
        r'("(?:f1|overall),none": )[\d.]+', rf"\g<1>{value}", results.read_text()
    )
    assert changed == 2
    results.write_text(text)
    (run,) = read_runs([tmp_path])
    assert {name: task.kind for name, task in run.tasks.items()} == {
        "vidomni": "vidomni",
        "vidhalloc": "vidhalloc",
    }
    assert all(task.items for task in run.tasks.values())
    assert [(problem.code, problem.place) for problem in run.problems] == [
        ("other-score", str(results))
    ] * 2
    assert "vidomni: the results file has no finite number for f1,none" in run.problems[0].message


def test_a_checkpoint_of_blanks_has_a_name_that_can_be_seen(tmp_path: Path) -> None:
    blank = vidhalloc_run("a", {"v1__x": ("ACCEPT", "REJECT")})
    (run,) = read_runs([write_run(tmp_path, blank, model_args={"pretrained": "  "})])
    assert run.name == "unnamed"


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b\x08junk", b"\xff\xfe{\x00}\x00\n\x00" * 9])
def test_a_samples_file_of_another_kind_leaves_the_hosts_scores(content, tmp_path):
    write_run(tmp_path, omni())
    samples(tmp_path / "x").write_bytes(content)
    task = read_runs([tmp_path])[0].tasks["vidomni"]
    assert task.items == []
    assert "no usable sample; only the host's scores are known" in task.problems[-1].message
    assert len(task.problems) == 1 + bool(content)
    assert "cut-short" not in codes(task)


@pytest.mark.parametrize("value", [None, "N/A", [], True])
def test_scores_of_another_type_hide_no_samples(value, tmp_path):
    path = write_run(tmp_path, omni())
    results = json.loads(path.read_text())
    row = results["results"]["vidomni"]
    results["results"]["vidomni"] = {"alias": "vidomni"} | dict.fromkeys(row, value)
    path.write_text(json.dumps(results))
    task = read_runs([tmp_path])[0].tasks["vidomni"]
    assert len(task.items) == len(LABELS)
    assert codes(task) == ["other-score"]
    assert "no score of this task" in task.problems[0].message


@pytest.mark.parametrize("value", ["NaN", "9" * 400])
def test_scores_of_which_none_is_finite_are_told_once(value, tmp_path):
    path = write_run(tmp_path, omni())
    path.write_text(re.sub(r'(,none": )[\d.]+', rf"\g<1>{value}", path.read_text()))
    (run,) = read_runs([tmp_path])
    assert [problem.code for problem in run.problems] == ["other-score"]
    assert codes(run.tasks["vidomni"]) == []


def test_a_score_of_many_digits_is_told_in_few(tmp_path):
    path = write_run(tmp_path, omni())
    path.write_text(re.sub(r'("f1,none": )[\d.]+', r"\g<1>1e308", path.read_text()))
    (problem,) = read_runs([tmp_path])[0].tasks["vidomni"].problems
    assert "f1 1e+308" in problem.message


def test_more_samples_than_the_host_evaluated_are_told(tmp_path):
    write_run(tmp_path, omni(expected=0))
    task = read_runs([tmp_path])[0].tasks["vidomni"]
    assert codes(task) == ["other-score"]
    assert "3 samples, but the results file says that 0 were evaluated" in task.problems[0].message


def test_a_model_whose_answers_cannot_be_read_is_told(tmp_path):
    silent = {f"p{k}": ("ACCEPT", None) for k in range(4)}
    write_run(tmp_path, vidhalloc_run("m", silent))
    task = read_runs([tmp_path])[0].tasks["vidhalloc"]
    assert codes(task) == ["unparsed"]
    assert "4 of 8 answers without any label or verdict (no_verdict 4)" in task.problems[0].message
    few = silent | {f"q{k}": ("ACCEPT", "REJECT") for k in range(5)}
    write_run(tmp_path, vidhalloc_run("m", few))
    assert codes(read_runs([tmp_path])[0].tasks["vidhalloc"]) == []


def test_another_task_without_its_results_is_one_warning(tmp_path):
    write_run(tmp_path, omni())
    lines = '{"doc_id": 1, "videomme_perception_score": {"score": 1}}\n' * 40
    (tmp_path / "20270101_samples_videomme.jsonl").write_text(lines)
    found = read_runs([tmp_path])
    assert [problem.code for problem in found[1].problems] == ["no-results"]


def test_given_names_are_those_of_the_tables(tmp_path):
    for name, frames in (("a", "8"), ("b", "8"), ("c", "32")):
        sign = signature("m", frames=frames, model_args={"pretrained": "m", "nframes": frames})
        write_run(tmp_path / name, omni(signature=sign))
    paths = [given(f"{name}={tmp_path / at}") for name, at in (("sft", "a"), ("dpo", "b"))]
    found = read_runs([*paths, tmp_path / "c"])
    assert [run.name for run in found] == ["sft", "dpo", "m"]
    assert [run.tasks["vidomni"].run for run in found] == ["sft", "dpo", "m"]
    same = read_runs([given(f"m={tmp_path / at}") for at in "ac"])
    assert [run.name for run in same] == ["m (frames 8)", "m (frames 32)"]
    clash = read_runs([given(f"m={tmp_path / 'a'}"), tmp_path / "c"])
    assert len({run.name for run in clash}) == 2


def test_a_run_without_any_gold_label_is_told(tmp_path):
    unknown = vidomni_run("m", {"v1__x": [1, 0]}, {"v1__x": [None, None]})
    write_run(tmp_path / "unknown", unknown)
    (run,) = read_runs([tmp_path / "unknown"])
    assert "no-gold" in codes(run.tasks["vidomni"])
    write_run(tmp_path / "known", vidomni_run("m", {"v1__x": [1, 0]}, {"v1__x": [None, 0]}))
    (run,) = read_runs([tmp_path / "known"])
    assert "no-gold" not in codes(run.tasks["vidomni"])


def test_a_name_of_thousands_of_characters_is_cut_and_still_its_own(tmp_path):
    for k in "ab":
        sign = signature(f"/runs/{'long' * 500}{k}{'tail' * 500}")
        write_run(tmp_path / k, omni(signature=sign))
    names = [run.name for run in read_runs([tmp_path / "a", tmp_path / "b"])]
    assert len(set(names)) == 2
    assert all(len(name) < 300 and "…" in name for name in names)
