"""``vidomni run``: what it checks, what it keeps, and what its exit code and last line say."""

from __future__ import annotations

import json
import re
import signal

import pytest

from tests.conftest import vidhalloc_data, vidhalloc_record
from tests.run.conftest import BOTH, Command, Done, asked, replay, toy
from vidomni_plugin.models.runner.entries import read_journal

pytestmark = pytest.mark.host


@pytest.fixture(scope="module")
def whole(vidomni: Command, responses, tmp_path_factory) -> Done:
    return vidomni(tmp_path_factory.mktemp("whole") / "work", *replay(responses))


def test_both_samples_run_to_the_end(whole):
    assert whole.code == 0, whole.out + whole.err
    assert whole.out.rstrip().endswith("vidomni run: complete: all items")
    assert "Traceback" not in whole.out + whole.err
    for text in ("vidomni_mini: 24 items, 0 failed", "vidhalloc_mini: 80 items, 0 failed"):
        assert text in whole.out


def test_results_samples_journal_and_report_are_where_it_says(whole):
    output = whole.folder / "runs" / "vidomni_replay"
    (results,) = output.glob("*_results.json")
    assert f"results: {results}" in whole.out
    assert f"journal: {output / 'journal'}" in whole.out
    assert f"report: {output / 'report' / 'report.html'}" in whole.out
    assert (output / "report" / "report.html").is_file()
    assert len(list(output.glob("*_samples_*.jsonl"))) == 2
    assert len(read_journal(output / "journal").answers) == 104


def test_the_runner_changes_no_score(whole, vidomni, responses, tmp_path):
    plain = vidomni(tmp_path / "plain", *replay(responses), "--plain", "--no-report")
    assert plain.code == 0, plain.err
    assert plain.scores() == whole.scores()
    assert not list(plain.folder.rglob("answers.rank*"))


def test_the_same_command_asks_nothing_again(vidomni, tmp_path):
    log = tmp_path / "log"
    command = (*toy(log, answer="verdict {n}: ACCEPT"), "--limit", "6")
    first, second = (vidomni(tmp_path / "work", *command) for _ in range(2))
    assert (first.code, second.code) == (0, 0), second.err
    assert len(asked(log)) == 6
    assert first.scores() == second.scores()


def test_all_that_is_wrong_is_said_at_once_and_nothing_is_asked(vidomni, tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "file").write_text("no folder")
    done = vidomni(
        tmp_path / "work",
        *("run", "--model", "qwen3_vll", "--model_args", "fps=1,at_once=0"),
        *("--tasks", "vidomni,vidhaloc_mini", "--output_path", "file/out"),
        VIDOMNI_DATA=str(tmp_path / "nowhere"),
    )
    assert done.code == 1
    for text in (
        "no model 'qwen3_vll'",
        "did you mean qwen3_vl",
        "at_once=0 is no number of requests",
        "file/out",
        "no task 'vidhaloc_mini'",
        "did you mean vidhalloc_mini",
        str(tmp_path / "nowhere"),
    ):
        assert text in done.err
    assert done.last.startswith("vidomni run: failed: --model: the host knows no model")
    assert "Traceback" not in done.err


def test_a_missing_video_is_the_cause(vidomni, tmp_path):
    records = [vidhalloc_record(f"p{k}", f"v{k}") for k in range(2)]
    root = vidhalloc_data(tmp_path / "data", records)
    (root / "videoqa" / "v1.mp4").unlink()
    log = tmp_path / "log"
    done = vidomni(tmp_path / "w", *toy(log, tasks="vidhalloc"), VIDHALLOC_DATA=str(root))
    assert done.code == 1
    assert "no video 'v1'" in done.last
    assert "[missing-video]" in done.last
    assert not asked(log)


def test_what_is_left_out_for_want_of_a_video_is_said(vidomni, tmp_path):
    records = [vidhalloc_record(f"p{k}", f"v{k}") for k in range(3)]
    root = vidhalloc_data(tmp_path / "data", records)
    (root / "videoqa" / "v1.mp4").unlink()
    env = {"VIDHALLOC_DATA": str(root), "VIDOMNI_ALLOW_MISSING": "1"}
    command = toy(tmp_path / "log", tasks="vidhalloc", answer="ACCEPT {n}")
    done = vidomni(tmp_path / "w", *command, **env)
    assert done.code == 0, done.err
    said = "vidhalloc: 4 of 6 items, 2 left out: no video"
    assert f"{said}, 0 failed" in done.out
    assert done.out.rstrip().endswith(f"vidomni run: complete: {said}")
    part = vidomni(tmp_path / "w", *command, "--limit", "2", **env)
    assert "vidhalloc: 2 items, 2 of the data left out: no video" in part.out


@pytest.mark.parametrize(
    ("answer", "warned"), [("ACCEPT {n}", True), ("verdict {n}: ACCEPT", False)]
)
def test_answers_without_a_label_are_in_the_summary(answer, warned, vidomni, tmp_path):
    command = (*toy(tmp_path / "log", answer=answer), "--limit", "4")
    done = vidomni(tmp_path / "w", *command)
    assert done.code == 0, done.err
    share = "100.00" if warned else "0.00"
    assert re.search(rf"undecided +│ +{share} +│", done.out)
    warning = "warning: vidhalloc_mini: 100 % have no label"
    assert (warning in done.err) == warned


def test_a_request_that_fails_is_said_and_asked_again(vidomni, tmp_path):
    log = tmp_path / "log"
    command = (*toy(log, answer="ACCEPT {n}", fault="raises", at=7), "--limit", "12")
    done = vidomni(tmp_path / "work", *command)
    assert done.code == 1
    assert done.last.startswith("vidomni run: incomplete: vidhalloc_mini: 1 of 12 items failed: ")
    assert "CUDA out of memory" in done.last
    assert "-> fewer or smaller frames" in done.err
    assert "vidhalloc_mini: 12 items, 1 failed" in done.out
    rows = re.findall(r"│ *(factual|overall) +│ +([\d.]+) +│ +([\d.]+) +│", done.out)
    scores = done.scores()["vidhalloc_mini"]
    assert {name: float(value) for name, value, _ in rows} == pytest.approx(
        {name: scores[f"{name},none"] for name in ("factual", "overall")}, abs=0.005
    )
    assert float(rows[1][2]) == pytest.approx(scores["overall_answered,none"], abs=0.005)
    again = vidomni(tmp_path / "work", *command)
    assert again.code == 0, again.err
    assert len(asked(log)) == 13


def test_without_the_runner_a_failure_ends_the_run(vidomni, tmp_path):
    command = toy(tmp_path / "log", fault="raises", at=7)
    done = vidomni(tmp_path / "work", *command, "--limit", "12", "--plain")
    assert done.code == 1
    assert done.last.startswith("vidomni run: failed: RuntimeError: CUDA out of memory. Tried")


def test_no_secret_is_kept(vidomni, tmp_path):
    command = toy(tmp_path / "log", answer="ACCEPT {n}", api_key="geheim")
    done = vidomni(tmp_path / "work", *command, "--limit", "4")
    assert done.code == 0, done.err
    journal = tmp_path / "work" / "runs" / "toy" / "journal"
    texts = [path.read_text() for path in journal.iterdir()]
    assert any('"model_args"' in text for text in texts)
    assert not any("geheim" in text for text in texts)


def test_a_model_that_answers_nothing_stops_the_run(vidomni, tmp_path):
    done = vidomni(tmp_path / "work", *toy(tmp_path / "log", fault="swallows"))
    assert done.code == 1
    assert "the first 8 answers are all empty" in done.last
    assert "the model said: the processor is broken" in done.last
    assert len(asked(tmp_path / "log")) == 8


def test_ctrl_c_says_how_to_go_on(vidomni, tmp_path):
    log = tmp_path / "log"
    command = (*toy(log, answer="ACCEPT {n}", fault="interrupted", at=5), "--limit", "8")
    done = vidomni(tmp_path / "work", *command)
    assert done.code == 130
    assert "the same command goes on from there" in done.last
    assert "journal" in done.last
    assert vidomni(tmp_path / "work", *command).code == 0
    assert len(asked(log)) == 5 + 4  # the interrupted one is asked again


def test_a_stop_before_the_first_answer_speaks_of_no_answers(vidomni, tmp_path):
    command = toy(tmp_path / "log", answer="ACCEPT {n}", fault="interrupted", at=1)
    done = vidomni(tmp_path / "work", *command)
    assert done.code == 130
    assert done.last == "vidomni run: stopped: no answer is kept"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_ctrl_c_that_lands_in_a_destructor_is_not_lost(vidomni, tmp_path):
    log = tmp_path / "log"
    command = (*toy(log, answer="ACCEPT {n}", fault="drops-ctrl-c", at=5), "--limit", "8")
    before = signal.getsignal(signal.SIGINT)
    done = vidomni(tmp_path / "work", *command)
    assert done.code == 130
    assert "the same command goes on from there" in done.last
    assert len(asked(log)) == 5
    assert signal.getsignal(signal.SIGINT) is before
    again = vidomni(tmp_path / "work", *command)  # it is question 1 to 4 of this start
    assert again.code == 0, again.err
    assert len(asked(log)) == 5 + 4


def test_what_the_host_swallows_ends_with_one(vidomni, responses, tmp_path, monkeypatch):
    from lmms_eval import evaluator

    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("a metric is broken")

    monkeypatch.setattr(evaluator, "consolidate_results", broken)
    done = vidomni(tmp_path / "work", *replay(responses, "vidhalloc_mini"), "--limit", "4")
    assert done.code == 1
    assert done.last == "vidomni run: failed: RuntimeError: a metric is broken"
    assert "Traceback" in done.err  # for whoever mends it
    assert "every answer up to here is in" in done.err


def test_results_that_were_not_written_end_with_one(vidomni, responses, tmp_path, monkeypatch):
    """The host only logs it when it cannot write."""
    from lmms_eval.loggers.evaluation_tracker import EvaluationTracker

    monkeypatch.setattr(EvaluationTracker, "save_results_aggregated", lambda *_, **__: None)
    command = (*replay(responses, "vidhalloc_mini"), "--limit", "4", "--plain", "--no-report")
    done = vidomni(tmp_path / "work", *command)
    assert done.code == 1
    assert "_results.json was not written" in done.last


def test_a_configuration_file_is_read_and_the_command_line_wins(vidomni, responses, tmp_path):
    config = tmp_path / "run.yaml"
    text = {"model": "vidomni_replay", "model_args": "responses=nowhere", "tasks": "vidhalloc_mini"}
    config.write_text(json.dumps([text | {"limit": 4, "env": {"VIDOMNI_SHARD": ""}}]))
    command = ("run", "--config", str(config), "--model_args", f"responses={responses}")
    done = vidomni(tmp_path / "work", *command, "--no-report")
    assert done.code == 0, done.err
    assert "vidhalloc_mini: 4 items" in done.out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param([{"tasks": "a"}, {"tasks": "b"}], "holds 2 runs", id="two runs"),
        pytest.param({"taks": "a"}, "unknown: taks", id="a name that is none"),
        pytest.param({"tasks": ["a", "b"]}, "the host takes one text here", id="a list of tasks"),
        pytest.param("tasks", "holds no arguments", id="text"),
        pytest.param({"env": "A=1", "tasks": "a"}, "env: is a str", id="env"),
        pytest.param({"model": "dummy"}, "which tasks?", id="no tasks"),
    ],
)
def test_a_configuration_file_that_cannot_be_used(content, said, vidomni, tmp_path):
    (tmp_path / "run.yaml").write_text(json.dumps(content))
    done = vidomni(tmp_path / "work", "run", "--config", str(tmp_path / "run.yaml"))
    assert done.code == 1
    assert said in done.last


def test_the_hosts_parser_refuses_early(vidomni, tmp_path):
    command = ("run", "--model", "toy", "--tasks", BOTH, "--limit", "many")
    done = vidomni(tmp_path / "work", *command)
    assert done.code == 2
    assert "--limit: invalid float value: 'many'" in done.last


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--shard", "4/3"), "'4/3' is no shard"),
        (("--calibrate", "2"), "is for --dry-run"),
        (("--plain", "--journal", "j"), "needs the runner, which --plain leaves out"),
        (("--plain", "--shard", "1/2"), "needs the runner"),
        (("--journal", "a,b"), "the host cannot be told a path with ,"),
        (("--model", "vidomni_runner", "--plain"), "contradict each other"),
        (("--model_args", "fps"), "'fps' is no list of name=value"),
        (("--power-analysis",), "plans a test and runs nothing"),
    ],
)
def test_arguments_that_contradict_each_other(arguments, said, vidomni, tmp_path):
    done = vidomni(tmp_path / "work", "run", "--model", "toy", "--tasks", BOTH, *arguments)
    assert done.code == 1
    assert said in done.last
    assert not (tmp_path / "work" / "runs").exists()


def test_a_broken_report_hides_no_result(vidomni, responses, tmp_path, monkeypatch):
    from vidomni_plugin.report import assemble

    monkeypatch.setattr(assemble, "read_runs", lambda *_: 1 / 0)
    done = vidomni(tmp_path / "work", *replay(responses, "vidhalloc_mini"), "--limit", "4")
    assert done.code == 0, done.err
    assert "report: none: ZeroDivisionError" in done.out
    assert f"results: {tmp_path}" in done.out


def test_the_runner_may_be_named_as_the_model(vidomni, responses, tmp_path):
    given = f"inner=vidomni_replay,journal=kept,responses={responses},at_once=4"
    command = ("run", "--model", "vidomni_runner", "--model_args", given, "--limit", "4")
    done = vidomni(tmp_path / "w", *command, "--tasks", "vidhalloc_mini", "-b", "1", "--no-report")
    assert done.code == 0, done.err
    assert len(read_journal(tmp_path / "w" / "kept").answers) == 4


def test_another_run_has_the_journal(vidomni, responses, tmp_path):
    from vidomni_plugin.models.runner.journal import Journal

    journal = Journal(tmp_path / "j", 0, {})
    try:
        done = vidomni(tmp_path / "work", *replay(responses), "--journal", str(tmp_path / "j"))
    finally:
        journal.close()
    assert done.code == 1
    assert "another run writes to this journal" in done.last
