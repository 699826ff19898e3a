"""Whether one run beats another: joined by id, refused where settings differ, tested right."""

from __future__ import annotations

import csv
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests
from typer.testing import CliRunner

from tests.report.builders import signature, vidhalloc_run, vidomni_run, write_run
from tests.report.test_leaderboard import random_halloc, random_omni
from vidomni_plugin.commands.compare import compare as compare_command
from vidomni_plugin.paired import paired_difference
from vidomni_plugin.report.compare import compare, partners
from vidomni_plugin.report.compare_tables import metrics_table, settings_table, shown_p, verdict
from vidomni_plugin.report.runs import TaskRun
from vidomni_plugin.report.settings import Settings

SETTINGS = Settings(draws=500)
ACCEPTED, REJECTED, RIGHT = ("ACCEPT", "ACCEPT"), ("REJECT", "REJECT"), ("ACCEPT", "REJECT")


def halloc(name: str, verdicts, **changes) -> TaskRun:
    pairs = {f"v{k}__p": pair for k, pair in enumerate(verdicts)}
    return vidhalloc_run(name, pairs, **changes)


def command(*arguments: object):
    app = typer.Typer()
    app.command()(compare_command)
    return CliRunner().invoke(app, [*map(str, arguments)])


def test_mcnemar_worked_by_hand():
    """Five pairs only A gets right, one only B, one both, one neither: p = 2 (1 + 6) / 64."""
    a = halloc("a", [RIGHT] * 5 + [ACCEPTED, RIGHT, REJECTED])
    b = halloc("b", [REJECTED] * 5 + [RIGHT, RIGHT, REJECTED])
    found = compare(a, b, SETTINGS)
    row = found.rows[0]
    assert (row.metric, row.n, row.videos) == ("overall", 8, 8)
    assert (row.a, row.b, row.difference) == (75.0, 25.0, 50.0)
    assert row.p_value == pytest.approx(14 / 64)
    assert found.outcome[1:5] == (1, 5, 1, 1)
    assert [(one.right, one.pair_id, one.a, one.b) for one in found.only_one[:1]] == [
        ("A", "v0__p", "ACCEPT / REJECT", "REJECT / REJECT")
    ]
    assert [one.right for one in found.only_one] == ["A"] * 5 + ["B"]


@pytest.mark.parametrize(
    ("videos", "says"),
    [
        # Eight pairs that only A gets right, p = 2 / 256, and three that both do.
        (["v"] * 8 + ["w", "x", "y"], "the interval over videos disagree"),  # all on one video
        ([f"v{k}" for k in range(11)], "A is better."),
        (["v"] * 11, "Without an interval"),
    ],
)
def test_one_is_better_where_test_and_interval_say_so(videos, says):
    verdicts = {f"{video}__{k}": RIGHT for k, video in enumerate(videos)}
    worse = {pair: ACCEPTED if k < 8 else RIGHT for k, pair in enumerate(verdicts)}
    for left, right, winner in ((verdicts, worse, "A"), (worse, verdicts, "B")):
        found = compare(vidhalloc_run("a", left), vidhalloc_run("b", right), SETTINGS)
        assert found.rows[0].p_value == pytest.approx(2 / 256)
        text = verdict(found, SETTINGS)
        assert says.replace("A", winner) in text
        assert ("is better." in text.replace("either is better.", "")) == ("A" in says)


@pytest.mark.parametrize("seed", range(3))
def test_vidhalloc_against_scipy(seed):
    a, b = random_halloc("a", seed), random_halloc("b", seed + 100)
    found = compare(a, b, SETTINGS)
    seen = []
    for row in found.rows:
        if row.metric in {"factual", "counterfactual", "overall"}:
            right = [dict.fromkeys((i["pair_id"] for i in run.items), True) for run in (a, b)]
            for ids, run in zip(right, (a, b), strict=True):
                for i in run.items:
                    if row.metric in {i["side"], "overall"}:
                        ids[i["pair_id"]] &= i["correct"]
            seen.append(row.metric)
            only_a = sum(right[0][pair] and not right[1][pair] for pair in right[0])
            only_b = sum(right[1][pair] and not right[0][pair] for pair in right[0])
            assert row.p_value == pytest.approx(binomtest(only_a, only_a + only_b).pvalue)
    assert sorted(seen) == ["counterfactual", "factual", "overall"]
    made = [row for row in found.rows if row.p_value == row.p_value]
    expected = multipletests([row.p_value for row in made], method="holm")[1]
    assert [row.adjusted for row in made] == pytest.approx(expected)
    assert all(row.adjusted != row.adjusted for row in found.rows if row not in made)


@pytest.mark.parametrize("seed", range(3))
def test_vidomni_is_the_paired_bootstrap_of_f1(seed):
    a, b = random_omni("a", seed), random_omni("b", seed + 100)
    found = compare(a, b, SETTINGS)
    rows = [sorted(run.items, key=lambda i: (i["video_id"], i["pair_id"])) for run in (a, b)]
    scores = [[i["score"] for i in of_run] for of_run in rows]
    videos = [i["video_id"] for i in rows[0]]
    expected = paired_difference(*scores, videos, seed=SETTINGS.seed, draws=SETTINGS.draws)
    row = found.rows[0]
    assert row.metric == "f1"
    assert (row.difference, row.low, row.high) == pytest.approx(expected.estimate[:3])
    assert row.p_value == pytest.approx(expected.p_value)


@pytest.mark.parametrize("make", [random_omni, random_halloc])
def test_swapping_the_runs_swaps_the_signs(make):
    a, b = make("a", 1), make("b", 2)
    there, back = compare(a, b, SETTINGS), compare(b, a, SETTINGS)
    for one, other in zip(there.rows, back.rows, strict=True):
        assert one.difference == pytest.approx(-other.difference, nan_ok=True)
        assert one.low == pytest.approx(-other.high, nan_ok=True)
        assert one.p_value == pytest.approx(other.p_value, nan_ok=True)
    assert len(there.only_one) == len(back.only_one)


@pytest.mark.parametrize("make", [random_omni, random_halloc])
def test_a_run_does_not_beat_itself_whatever_the_order_of_its_lines(make):
    run = make("a", 1)
    items = list(run.items)
    random.Random(3).shuffle(items)
    found = compare(run, replace(run, items=items), SETTINGS)
    assert {row.difference for row in found.rows if not row.reason} == {0.0}
    assert {row.p_value for row in found.rows if not row.reason} == {1.0}
    assert found.only_one == []
    assert "does not show that either is better" in verdict(found, SETTINGS)


def test_only_common_pairs_count():
    truth = {f"v{k}__x": [1, 0] for k in range(6)}
    right = dict(truth)
    a = vidomni_run("a", {k: right[k] for k in list(truth)[:5]}, truth)
    b = vidomni_run("b", {k: [0, 1] for k in list(truth)[2:]}, truth)
    found = compare(a, b, SETTINGS)
    assert (found.common, found.only_in_a, found.only_in_b) == (3, 2, 1)
    assert (found.rows[0].n, found.rows[0].a, found.rows[0].b) == (3, 100.0, 0.0)
    assert {one.pair_id for one in found.only_one} == {"v2__x", "v3__x", "v4__x"}
    # Both sentences of each of the three pairs.
    assert [one.right for one in found.only_one] == ["A"] * 6


def test_another_item_under_the_same_id_is_left_out():
    truth = {f"v{k}__x": [1, 0] for k in range(4)}
    a = vidomni_run("a", truth, truth)
    b = vidomni_run("b", truth, truth | {"v1__x": [0, 0]})
    found = compare(a, b, SETTINGS)
    assert (found.changed, found.common) == (["v1__x"], 3)
    b = vidomni_run("b", truth, truth, {"v2__x": {"media_digest": "other"}})
    found = compare(a, b, SETTINGS)
    assert (found.changed, found.common, found.other_videos) == ([], 4, 1)


def test_half_pairs_and_unlabelled_sentences_are_never_right():
    a = halloc("a", [RIGHT, RIGHT])
    b = replace(halloc("b", [RIGHT, RIGHT]), items=halloc("b", [RIGHT, RIGHT]).items[:-1])
    found = compare(a, b, SETTINGS)
    assert (found.common, found.only_in_a) == (1, 1)
    silent = vidomni_run("a", {"v__x": [None, None]}, {"v__x": [0, None]})
    other = vidomni_run("b", {"v__x": [0, 0]}, {"v__x": [0, None]})
    (one,) = compare(silent, other, SETTINGS).only_one
    assert (one.right, one.sentence, one.a, one.b) == ("B", 1, "none", "0")


def test_a_stratum_with_one_video_has_no_interval_and_no_test():
    fields = {"v0__x": {"duration_s": 4000.0}}
    truth = {f"v{k}__x": [1] for k in range(3)}
    a = vidomni_run("a", truth, truth, fields)
    b = vidomni_run("b", {pair: [0] for pair in truth}, truth, fields)
    rows = {row.metric: row for row in compare(a, b, SETTINGS).rows}
    assert rows["f1_long"].reason == "fewer than two clusters"
    assert rows["f1_type2"].n == 0
    shown = {row[0]: row for row in metrics_table(compare(a, b, SETTINGS), SETTINGS).rows}
    assert shown["f1_long"][1:6] == [1, 1, 100.0, 0.0, 100.0]
    assert shown["f1_long"][6:] == [None] * 4
    assert shown["f1_type2"][1:3] == [0, 0]
    assert shown["f1_type2"][3:] == [None] * 7


def test_a_table_without_a_test_tells_of_no_correction():
    one = vidomni_run("a", {"v1__x": [1, 0]}, {"v1__x": [1, 0]})
    found = compare(one, replace(one, run="b"), Settings(draws=100))
    (_, note, _) = metrics_table(found, Settings(draws=100)).notes
    assert "No metric was tested" in note
    assert "Holm" not in note
    assert "over 1 common pair of 1 video:" in verdict(found, Settings(draws=100))


def test_the_share_without_a_label_or_verdict_of_either_run_is_told():
    """Over the compared pairs only, and over the sentences whose gold label is known."""
    truth = {"v1__x": [1, 0, None], "v2__x": [1, 0, 1], "v3__x": [1]}
    a = vidomni_run("a", {"v1__x": [1, None, None], "v2__x": [1, 0, 1], "v3__x": [None]}, truth)
    b = vidomni_run("b", {"v1__x": [None] * 3, "v2__x": [1, 0, 1]}, truth)
    found = compare(a, b, SETTINGS)
    assert (found.unparsed_a, found.unparsed_b) == (20.0, 40.0)
    note = metrics_table(found, SETTINGS).notes[2]
    assert note == "Sentences without a label: A 20.00 %, B 40.00 %; they count as not flagged."
    found = compare(halloc("a", [RIGHT] * 2), halloc("b", [(None, "REJECT"), RIGHT]), SETTINGS)
    note = metrics_table(found, SETTINGS).notes[2]
    assert note == "Answers without a verdict: A 0.00 %, B 25.00 %; they are wrong."


def test_small_p_values_are_not_called_zero():
    assert shown_p(1e-9) == "< 0.0001"


def test_tasks_find_their_partners():
    omni, halloc_run = random_omni("a", 1), random_halloc("a", 1)
    other = replace(omni, task="vidomni_av")
    assert partners({"vidomni": omni, "vidhalloc": halloc_run}, {"vidhalloc": halloc_run}) == [
        (halloc_run, halloc_run)
    ]
    assert partners({"vidomni": omni}, {"vidomni_av": other}) == [(omni, other)]
    assert partners({"vidomni": omni}, {"vidhalloc": halloc_run}) == []


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Return the folders of two runs with different numbers of frames."""
    paths = []
    for name, frames, seed in (("a", "8", 1), ("b", "32", 2)):
        arguments = {"pretrained": "org/m", "max_num_frames": frames}
        run = random_omni(name, seed)
        changes = {"signature": signature("org/m", model_args=arguments)}
        write_run(tmp_path / name, replace(run, **changes))
        paths.append(tmp_path / name)
    return paths[0], paths[1]


def test_different_settings_are_shown_and_refused(two):
    done = command(*two)
    assert done.exit_code == 1
    assert "not compared: frames differ" in done.output
    assert "Holm" not in done.output
    found = json.loads(command(*two, "--json").stdout)["comparisons"][0]
    assert found["comparable"] is False
    assert found["metrics"] == found["only_one_right"] == []
    assert found["differences"] == [{"name": "frames", "a": "8", "b": "32", "of_the_model": False}]


def test_different_settings_are_compared_when_allowed(two, tmp_path):
    done = command(*two, "--allow-different", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "A: m (frames 8) (vidomni)" in done.output
    assert "Holm p" in done.output
    found = json.loads((tmp_path / "out" / "compare.json").read_text())["comparisons"][0]
    with (tmp_path / "out" / "compare_vidomni_only_one_right.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(found["only_one_right"]) > 5
    assert {row["only right in"] for row in rows} == {"A", "B"}
    with (tmp_path / "out" / "compare_vidomni_metrics.csv").open() as file:
        metrics = {row["metric"]: row for row in csv.DictReader(file)}
    assert float(metrics["f1"]["A - B"]) == found["metrics"][0]["difference"]
    assert (tmp_path / "out" / "compare_vidomni_settings.tex").exists()


def test_an_earlier_comparison_is_replaced_only_when_told_so(two, tmp_path):
    from vidomni_plugin.problems import InputProblems

    given = (*two, "--allow-different", "--out", tmp_path / "out", "--draws", 100)
    assert command(*given).exit_code == 0
    before = {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()}
    done = command(*given, "--seed", 5)
    assert isinstance(done.exception, InputProblems)
    assert "10 files of a comparison already there" in str(done.exception)
    assert {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()} == before
    assert command(*given, "--seed", 5, "--force").exit_code == 0
    assert (tmp_path / "out" / "compare.json").read_bytes() != before["compare.json"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").touch()  # other files do not stand in the way
    assert command(*two, "--allow-different", "--out", tmp_path / "mine").exit_code == 0


def test_the_number_of_draws_is_used_and_recorded(two):
    few, more = (
        json.loads(command(*two, "--allow-different", "--json", "--draws", n).stdout)
        for n in (100, 200)
    )
    counts = [one["comparisons"][0]["settings"]["draws"] for one in (few, more)]
    assert counts == [100, 200]
    lows = [one["comparisons"][0]["metrics"][0]["low"] for one in (few, more)]
    assert lows[0] != lows[1]


def test_the_seed_is_used_and_recorded(two):
    runs = [
        json.loads(command(*two, "--allow-different", "--json", "--seed", seed).stdout)
        for seed in (1, 1, 2)
    ]
    assert runs[0] == runs[1] != runs[2]
    assert runs[2]["comparisons"][0]["settings"]["seed"] == 2


def test_nothing_in_common_is_told(tmp_path):
    truth = {"v1__x": [1], "v2__x": [1]}
    for name in ("a", "b"):
        renamed = {f"{name}{pair}": labels for pair, labels in truth.items()}
        write_run(tmp_path / name, vidomni_run("m", renamed, renamed))
    done = command(tmp_path / "a", tmp_path / "b")
    assert done.exit_code == 1
    assert "no pair in common" in done.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a", "a", "--task", "videomme"), "no task 'videomme'; there are: vidomni"),
        (("a", "gone"), "no such file or folder"),
        (("a", "twice"), "several runs of vidomni: m [20260101] in "),
        (("a", "halloc"), "no task of VidOmni or VidHalLoc that both runs have"),
    ],
)
def test_what_cannot_be_compared_is_one_error(two, arguments, message, tmp_path):
    from vidomni_plugin.problems import InputProblems

    run = random_omni("m", 1)
    for date in ("20260101", "20260102"):
        write_run(tmp_path / "twice", run, date=date)
    write_run(tmp_path / "halloc", random_halloc("m", 1))
    given = [
        tmp_path / text if "-" not in text and text != "videomme" else text for text in arguments
    ]
    done = command(*given)
    assert isinstance(done.exception, InputProblems)
    assert message in str(done.exception)


def test_runs_can_be_named_and_one_given_twice_is_noticed(two, tmp_path):
    done = command(f"sft={tmp_path / 'a'}", f"dpo={tmp_path / 'b'}", "--json")
    (one,) = json.loads(done.stdout)["comparisons"]
    assert (one["a"]["run"], one["b"]["run"]) == ("sft", "dpo")
    done = command(tmp_path / "a", tmp_path / "a")
    assert "is one run given twice?" in done.output


def test_a_full_disk_leaves_an_earlier_comparison_as_it_was(two, tmp_path, monkeypatch):
    from vidomni_plugin.problems import InputProblems

    out = tmp_path / "out"
    runs = (tmp_path / "a", tmp_path / "b", "--out", out, "--allow-different")
    assert command(*runs).exit_code == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    written = []

    def full(path, text):
        written.append(path)
        if len(written) > 3:
            raise OSError(28, "No space left on device")
        path.write_text(text)

    monkeypatch.setattr("vidomni_plugin.tables.write_text", full)
    done = command(*runs, "--force", "--task", "vidomni")
    assert isinstance(done.exception, InputProblems)
    assert len(written) == 4
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_texts_of_data_cannot_reach_the_terminal_or_a_spreadsheet(tmp_path):
    evil = "\x1b[31m=HYPERLINK() [red]x"
    truth = {f"v{k}__x": [1, 0] for k in range(3)}
    fields = {pair: {"sentences": [evil, evil]} for pair in truth}
    write_run(tmp_path / "a", vidomni_run("m", truth, truth, fields))
    other = {pair: [0, 0] for pair in truth}
    write_run(tmp_path / "b", vidomni_run("n", other, truth, fields, signature=signature("n")))
    done = command(tmp_path / "a", tmp_path / "b", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "\x1b[31m" not in done.output
    assert "\\x1b[31m=HYPERLINK() [red]x" in done.output
    assert "\x1b" not in (tmp_path / "out" / "compare_vidomni_only_one_right.csv").read_text()


@pytest.mark.host
def test_two_runs_of_the_host(replay_runs):
    """Right and random answers to the built-in samples, through the real host."""
    done = command(replay_runs["right"], replay_runs["random"], "--json")
    assert done.exit_code == 0, done.output
    found = {one["a"]["task"]: one for one in json.loads(done.stdout)["comparisons"]}
    omni, halloc_found = found["vidomni_mini"], found["vidhalloc_mini"]
    assert omni["differences"][0]["name"] == "checkpoint"
    assert (omni["common"], halloc_found["common"]) == (24, 40)
    assert omni["a"]["problems"] == halloc_found["b"]["problems"] == []
    assert omni["metrics"][0]["a"] == pytest.approx(100 * 23 / 24)
    assert omni["metrics"][0]["p_value"] < 0.001
    assert halloc_found["metrics"][0]["a"] == 100
    outcome = halloc_found["outcome"]
    assert outcome["only_b"] == outcome["neither"] == 0
    assert outcome["only_a"] == len(halloc_found["only_one_right"])
    # The words of error spans are in the samples, one list a sentence, as in the data.
    (file,) = replay_runs["right"].glob("*_samples_vidomni_mini.jsonl")
    details = [json.loads(line)["f1"] for line in file.read_text().splitlines()]
    assert all(
        [len(words) for words in item["error_words"]] == [len(names) for names in item["errors"]]
        for item in details
    )
    assert any(words for item in details for words in item["error_words"])


def test_a_log_tells_that_there_was_no_limit():
    pairs = [("ACCEPT", "REJECT")]
    whole = halloc("a", pairs)
    limited = halloc("b", pairs, signature=replace(whole.signature, limit="1 of 2"))
    rows = settings_table(compare(whole, limited, Settings(draws=100))).rows
    assert ["limit", "none", "1 of 2", "yes"] in rows
    unknown = replace(whole, scores={})  # samples alone: nobody knows
    rows = settings_table(compare(unknown, limited, Settings(draws=100))).rows
    assert ["limit", "not in the log", "1 of 2", "yes"] in rows


def test_an_argument_that_was_not_given_is_no_gap_in_the_log():
    pairs = [("ACCEPT", "REJECT")]
    run = halloc("a", pairs)
    arguments = {**run.signature.model_args, "idf": "x"}
    other = halloc("b", pairs, signature=replace(run.signature, model_args=arguments))
    rows = {row[0]: row[1:3] for row in settings_table(compare(run, other, SETTINGS)).rows}
    assert rows["argument idf"] == ["not given", "x"]
    unknown = replace(run, scores={})
    rows = {row[0]: row[1:3] for row in settings_table(compare(unknown, other, SETTINGS)).rows}
    assert rows["argument idf"] == ["not in the log", "x"]
