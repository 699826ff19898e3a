"""Two runs joined: the labels, the samples file, and what is told when they cannot be."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.report.builders import signature, vidomni_run, write_run
from vidomni_plugin.commands.ensemble import ensemble
from vidomni_plugin.data.lines import write_jsonl
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.report.ensemble import joint_labels, merge, only_vidomni, results_of
from vidomni_plugin.report.read import read_runs
from vidomni_plugin.report.signature import differences
from vidomni_plugin.report.vidomni_scored import either, score_run
from vidomni_plugin.rescore import rescore

GOLD = {"v1__a": [1, 0, 1], "v2__a": [1, 0], "v3__a": [0, None]}
A = {"v1__a": [1, 0, None], "v2__a": [None, None], "v3__a": [0, 1]}
B = {"v3__a": [0, 0], "v1__a": [0, None, 1], "v2__a": [None, None]}
LABEL = st.sampled_from([0, 1, None])
PAIR = st.integers(1, 30).flatmap(
    lambda size: st.tuples(*(st.lists(LABEL, min_size=size, max_size=size) for _ in range(3)))
)


@pytest.mark.parametrize(
    ("a", "b", "joint"),
    [(1, 0, 1), (0, 1, 1), (0, 0, 0), (1, None, 1), (None, 0, 0), (None, None, None)],
)
def test_either_says_incorrect(a, b, joint):
    assert joint_labels([a], [b]) == [joint]


@settings(deadline=None)  # the first use compiles patterns
@given(st.lists(PAIR, min_size=1, max_size=4))
def test_the_parser_reads_the_joint_labels_back(pairs):
    ids = [f"v{k}__a" for k in range(len(pairs))]
    gold = dict(zip(ids, (pair[1] for pair in pairs), strict=True))
    a = vidomni_run("a", dict(zip(ids, (pair[0] for pair in pairs), strict=True)), gold)
    b = vidomni_run("b", dict(zip(ids, (pair[2] for pair in pairs), strict=True)), gold)
    merged = merge(a, b)
    assert [sample["f1"]["pair_id"] for sample in merged.samples] == sorted(ids)
    table = either(score_run(a), score_run(b))
    for k, sample in enumerate(merged.samples):
        first, second = a.items[ids.index(table.pair_ids[k])], b.items[ids.index(table.pair_ids[k])]
        assert sample["f1"]["labels"] == joint_labels(first["labels"], second["labels"])
        assert sample["f1"]["score"] == table.f1[k]  # the report's ensemble is the same


def samples_file(folder, name, labels, gold=None):
    run = vidomni_run(name, labels, gold or GOLD)
    lines = [
        {
            "filtered_resps": [
                json.dumps(
                    {f"sentence_{k}": y for k, y in enumerate(item["labels"], 1) if y is not None}
                )
            ],
            "f1": item,
        }
        for item in run.items
    ]
    path = folder / name / f"{name}_samples_vidomni.jsonl"
    path.parent.mkdir()
    write_jsonl(path, lines)
    return path


def command(*arguments):
    app = typer.Typer()
    app.command()(ensemble)
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_the_written_file_scores_and_is_read_by_reports(tmp_path):
    a, b = samples_file(tmp_path, "a", A), samples_file(tmp_path, "b", B)
    out = tmp_path / "both_samples_vidomni.jsonl"
    done = command(a, b.parent, "--out", out)
    assert done.exit_code == 0, done.output
    assert "3 pairs in" in done.output
    scores = rescore(out).scores
    # v1 all three found out: 100; v2 unlabelled: 0; v3 has nothing Incorrect: 0.
    assert scores["f1"].value == pytest.approx(100 / 3)
    assert scores["unlabelled"].value == pytest.approx(100 * 2 / 6)
    (run,) = read_runs([out])
    task = run.tasks["vidomni"]
    assert [item["labels"] for item in task.items] == [[1, 0, 1], [None, None], [0, 1]]


def test_a_report_knows_what_an_ensemble_is_and_compare_takes_it(tmp_path):
    for name, labels in (("a", A), ("b", B)):
        sign = signature(f"org/{name}", generation={"max_new_tokens": "8192", "temperature": "0"})
        write_run(tmp_path / name, vidomni_run(name, labels, GOLD, signature=sign))
    out = tmp_path / "both_samples_vidomni.jsonl"
    done = command(f"small={tmp_path / 'a'}", tmp_path / "b", "--out", out)
    assert done.exit_code == 0, done.output
    (both,) = read_runs([out])
    assert both.name == "small + b"
    task, alone = both.tasks["vidomni"], read_runs([tmp_path / "a"])[0].tasks["vidomni"]
    assert [problem.code for problem in task.problems if problem.code != "unparsed"] == []
    for name in ("data", "frames", "prompt", "task_version", "limit", "plugin"):
        assert getattr(task.signature, name) == getattr(alone.signature, name), name
    refused = [found.name for found in differences(task, alone) if not found.of_the_model]
    assert refused == []
    again = command(tmp_path / "a", tmp_path / "b", "--out", tmp_path / "both_samples_x.jsonl")
    assert isinstance(again.exception, InputProblems)
    assert "both_results.json" in str(again.exception)


def test_an_ensemble_of_limited_runs_is_limited(tmp_path):
    sign = signature("m", limit="3 of 9")
    merged = merge(vidomni_run("a", A, GOLD, signature=sign), vidomni_run("b", B, GOLD))
    runs = vidomni_run("a", A, GOLD, signature=sign), vidomni_run("b", B, GOLD)
    assert results_of(*runs, merged, "vidomni")["config"]["limit"] == 3


def test_pairs_of_one_run_only_or_of_other_data_are_left_out_and_counted():
    gold = {**GOLD, "v2__a": [0, 0], "v9__a": [1]}
    labels = {"v1__a": [1, 1, 1], "v2__a": [1, 1], "v9__a": [1]}
    merged = merge(vidomni_run("a", A, GOLD), vidomni_run("b", labels, gold))
    assert [sample["f1"]["pair_id"] for sample in merged.samples] == ["v1__a"]
    assert (merged.only_a, merged.only_b, merged.different) == (1, 1, 1)


def test_runs_without_a_common_pair_are_an_error():
    with pytest.raises(InputProblems, match="none with the same sentences"):
        merge(vidomni_run("a", A, GOLD), vidomni_run("b", {"v9__a": [1]}, {"v9__a": [1]}))


def test_missing_videos_of_either_run_are_kept():
    fields = {key: {"missing": 4} for key in GOLD}
    merged = merge(vidomni_run("a", A, GOLD), vidomni_run("b", B, GOLD, fields))
    assert {sample["missing"]["missing"] for sample in merged.samples} == {4}


def test_nothing_is_replaced(tmp_path):
    a, b = samples_file(tmp_path, "a", A), samples_file(tmp_path, "b", B)
    before = a.read_bytes()
    done = command(a, b, "--out", a)
    assert isinstance(done.exception, InputProblems)
    assert "exists" in str(done.exception)
    assert a.read_bytes() == before


def test_what_is_wrong_with_both_is_told_together(tmp_path):
    broken = tmp_path / "b_samples_vidomni.jsonl"
    broken.write_text("{}\n")
    out = tmp_path / "both_samples_vidomni.jsonl"
    done = command(tmp_path / "gone", broken, "--out", out)
    assert isinstance(done.exception, InputProblems)
    assert "gone" in str(done.exception)
    assert str(broken) in str(done.exception)
    assert not out.exists()


def test_a_folder_with_two_runs_is_not_guessed_from(tmp_path):
    samples_file(tmp_path, "a", A)
    samples_file(tmp_path, "b", B)
    with pytest.raises(InputProblems, match="2 runs of VidOmni"):
        only_vidomni(read_runs([tmp_path]), str(tmp_path))


def test_a_broken_line_is_a_warning_and_the_rest_is_joined(tmp_path):
    a, b = samples_file(tmp_path, "a", A), samples_file(tmp_path, "b", B)
    with a.open("a") as file:
        file.write('{"cut off\n')
    done = command(a, b, "--out", tmp_path / "both_samples_vidomni.jsonl")
    assert done.exit_code == 0, done.output
    assert f"{a}:4" in done.output.replace("\n", "")


def test_a_name_that_reports_do_not_find_is_remarked_on(tmp_path):
    a, b = samples_file(tmp_path, "a", A), samples_file(tmp_path, "b", B)
    done = command(a, b, "--out", tmp_path / "both.jsonl")
    assert done.exit_code == 0
    assert "*_samples_vidomni.jsonl" in done.output


def test_where_no_sentence_counts_the_unlabelled_share_is_empty(tmp_path):
    gold = {"v1__a": [None, None]}
    files = [samples_file(tmp_path, name, {"v1__a": [1, 0]}, gold) for name in "ab"]
    done = command(*files, "--out", tmp_path / "both_samples_vidomni.jsonl")
    assert done.exit_code == 0, done.output
    rows = [line.split() for line in done.output.splitlines() if line.strip().startswith("either")]
    assert rows == [["either", "0.0", "0.0", "0.0", "-", "1"]]


def test_a_name_that_is_too_long_is_refused(tmp_path):
    a, b = samples_file(tmp_path, "a", A), samples_file(tmp_path, "b", B)
    for arguments in (
        (a, b, "--out", tmp_path / ("x" * 300)),
        (tmp_path / ("x" * 300), b, "--out", tmp_path / "c"),
    ):
        done = command(*arguments)
        assert isinstance(done.exception, InputProblems)
        assert "File name too long" in str(done.exception)


def test_prompt_and_host_of_an_ensemble_are_those_in_which_both_runs_agree():
    def of_run(name, **fields):
        run = vidomni_run(name, A, GOLD)
        return replace(run, items=[{**item, **fields} for item in run.items])

    a, b = of_run("a", prompt="p@1", host="0.7.3"), of_run("b", prompt="p@2", host="0.7.3")
    found = [(line["f1"]["prompt"], line["f1"]["host"]) for line in merge(a, b).samples]
    assert set(found) == {("", "0.7.3")}
    same = [(line["f1"]["prompt"], line["f1"]["host"]) for line in merge(a, a).samples]
    assert set(same) == {("p@1", "0.7.3")}
    assert {line["f1"]["host"] for line in merge(a, of_run("c", host="0.7.2")).samples} == {""}
