"""The judge against a real server: both orders, failures, and what a second run asks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.build.judge.conftest import Answer, Judge, completion, longer, shown, write_captions
from tests.conftest import vidomni_record, write_lines
from vidomni_plugin.build.judge import asking
from vidomni_plugin.build.judge.prompt import prompt_hash
from vidomni_plugin.cli import app
from vidomni_plugin.problems import InputProblems

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def captions(tmp_path: Path) -> tuple[Path, Path]:
    a = {"v1": "A long caption of it.", "v2": "Short.", "v3": "Same.", "only-a": "x"}
    b = {"v1": "Short {first}.", "v2": "A long caption of it.", "v3": "Equal", "only-b": "y"}
    return (
        write_captions(tmp_path / "a.jsonl", a),
        write_captions(tmp_path / "b.jsonl", b, "captioner-b"),
    )


def arguments(captions: tuple[Path, Path], url: str, out: Path, *more: str) -> list[str]:
    return [
        *("build", "judge", "--a", str(captions[0]), "--b", str(captions[1])),
        *("--model", "judge", "--base-url", url, "--out", str(out), *more),
    ]


def run(captions: tuple[Path, Path], judge: Judge, out: Path, *more: str) -> Result:
    return CliRunner().invoke(app, arguments(captions, judge.url, out, *more))


def result(out: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((out / "judge.json").read_text())
    return loaded


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_win_a_loss_and_a_tie(captions, judge_server, tmp_path):
    out = tmp_path / "out"
    done = run(captions, judge_server, out)
    assert done.exit_code == 0, done.output
    assert "3 videos in both files, 1 only in A, 1 only in B: 3 comparisons" in done.stderr
    found = result(out)
    every = found["all"]
    assert [every[n] for n in ("win", "loss", "tie", "unparsable", "failed")] == [1, 1, 1, 0, 0]
    assert found["videos"] == {"compared": 3, "only_in_a": 1, "only_in_b": 1}
    assert found["settings"]["prompt_hash"] == prompt_hash()
    assert found["replies"]["chose_first"] == 50.0
    assert [(r["video_id"], r["outcome"]) for r in rows(out / "comparisons.jsonl")] == [
        ("v1", "win"),
        ("v2", "loss"),
        ("v3", "tie"),
    ]
    pairs = {shown(request) for request in judge_server.requests}
    assert len(pairs) == 6
    assert pairs == {pair[::-1] for pair in pairs}
    assert ("A long caption of it.", "Short {first}.") in pairs
    assert ("Short {first}.", "A long caption of it.") in pairs
    for request in judge_server.requests:
        assert (request["model"], request["temperature"], request["seed"]) == ("judge", 0, 0)
    assert set(judge_server.paths) == {"/v1/chat/completions"}


def test_the_key_is_sent_and_never_written(captions, judge_server, tmp_path):
    """Also not where the server repeats it in its message."""
    judge_server.rule = lambda request, number: (
        Answer(400, json.dumps({"error": {"message": f"bad key {KEY} \ud800"}}).encode())
        if number % 2
        else completion("Verdict: 1")
    )
    out = tmp_path / "out"
    done = run(captions, judge_server, out, "--retries", "0")
    assert set(judge_server.keys) == {f"Bearer {KEY}"}
    assert "bad key ***" in done.output
    for path in out.iterdir():
        assert KEY not in path.read_text()
    assert KEY not in done.output


def test_a_judge_that_prefers_a_place_gives_ties(captions, judge_server, tmp_path):
    judge_server.rule = lambda request, number: completion("Verdict: 1")
    run(captions, judge_server, tmp_path / "out")
    found = result(tmp_path / "out")
    assert (found["all"]["tie"], found["all"]["win_rate"]) == (3, 0.0)
    assert (found["replies"]["chose_first"], found["replies"]["contradicting"]) == (100.0, 3)


def test_nothing_is_asked_twice(captions, judge_server, tmp_path):
    out = tmp_path / "out"
    run(captions, judge_server, out)
    before = (out / "judge.json").read_bytes(), (out / "replies.jsonl").read_bytes()
    done = run(captions, judge_server, out)
    assert "6 replies were there already" in done.output
    assert len(judge_server.requests) == 6
    assert ((out / "judge.json").read_bytes(), (out / "replies.jsonl").read_bytes()) == before
    write_captions(captions[0], {"v1": "A changed caption.", "v2": "Short.", "v3": "Same."})
    run(captions, judge_server, out)
    assert len(judge_server.requests) == 8
    run(captions, judge_server, out, "--seed", "1")
    assert len(judge_server.requests) == 14


def test_equal_captions_of_two_videos_are_asked_about_once(judge_server, tmp_path):
    a = write_captions(tmp_path / "a.jsonl", {"v1": "One.", "v2": "One."})
    b = write_captions(tmp_path / "b.jsonl", {"v1": "Two two.", "v2": "Two two."})
    run((a, b), judge_server, tmp_path / "out")
    assert len(judge_server.requests) == 2
    assert result(tmp_path / "out")["all"]["loss"] == 2


def test_too_many_requests_and_then_an_answer(captions, judge_server, tmp_path):
    """The server says how long to wait; the question is asked again and has one reply."""
    busy = Answer(429, b'{"error": {"message": "slow down"}}', {"Retry-After": "0.05"})
    judge_server.rule = lambda request, number: (
        busy if number in (1, 2, 5) else completion(longer(request))
    )
    done = run(captions, judge_server, tmp_path / "out", "--concurrency", "1")
    assert done.exit_code == 0, done.output
    assert len(judge_server.requests) == 9
    assert len(rows(tmp_path / "out" / "replies.jsonl")) == 6
    assert result(tmp_path / "out")["all"]["failed"] == 0


def test_a_server_that_always_fails_is_counted_and_asked_again(captions, judge_server, tmp_path):
    out = tmp_path / "out"
    judge_server.rule = lambda request, number: Answer(
        500, b'{"error": {"message": "broken"}}', {"Retry-After": "0.01"}
    )
    done = run(captions, judge_server, out, "--retries", "1")
    assert done.exit_code == 1
    assert "6 of 6 replies are missing, since calls failed like this: status 500" in done.output
    assert "broken" in done.output
    assert len(judge_server.requests) == 12
    found = result(out)
    assert (found["all"]["failed"], found["all"]["win"]) == (3, 0)
    assert found["replies"]["failed"] == 6
    assert found["replies"]["chose_first"] is None
    judge_server.rule = lambda request, number: completion(longer(request))
    assert run(captions, judge_server, out).exit_code == 0
    assert result(out)["all"]["failed"] == 0


def test_an_endpoint_that_is_down_is_given_up(judge_server, tmp_path, monkeypatch):
    monkeypatch.setattr(asking, "GIVE_UP_AFTER", 4)
    a = write_captions(tmp_path / "a.jsonl", {f"v{k}": f"Text {k}." for k in range(30)})
    b = write_captions(tmp_path / "b.jsonl", {f"v{k}": f"Other {k}." for k in range(30)})
    judge_server.rule = lambda request, number: Answer(503, b"{}")
    done = run((a, b), judge_server, tmp_path / "out", "--retries", "0", "--concurrency", "2")
    assert done.exit_code == 1
    assert len(judge_server.requests) < 10
    assert result(tmp_path / "out")["all"]["failed"] == 30
    reasons = {r["reasons"][1] for r in rows(tmp_path / "out" / "comparisons.jsonl")}
    assert any("not asked, since 4 calls in a row failed" in reason for reason in reasons)


BODIES = [b"", b"{", b"[]", b"null", b'{"choices": []}', b'"' + b"x" * 500 + b'"']
BODIES += [b'{"choices": [{"message": {"content": [1]}}]}', b"\xff\xfe", b'{"choices": {"0": 1}}']


def test_answers_that_are_no_completion_are_failed_calls(judge_server, tmp_path):
    texts = {f"v{k}": f"Text {k}." for k in range(len(BODIES))}
    a = write_captions(tmp_path / "a.jsonl", texts)
    b = write_captions(tmp_path / "b.jsonl", dict.fromkeys(texts, "Other."))
    judge_server.rule = lambda request, number: Answer(body=BODIES[(number - 1) % len(BODIES)])
    done = run((a, b), judge_server, tmp_path / "out", "--retries", "0", "--concurrency", "1")
    assert done.exit_code == 1
    assert "not a chat completion" in done.output
    assert result(tmp_path / "out")["all"]["failed"] == len(BODIES)
    assert (tmp_path / "out" / "replies.jsonl").read_bytes() == b""


def test_replies_without_a_choice_are_no_wins(captions, judge_server, tmp_path):
    texts = iter([None, "Both are good.", "Verdict: 1 or 2", "<think>Verdict: 1"])
    judge_server.rule = lambda request, number: completion(next(texts, "Verdict: 1"), "length")
    done = run(captions, judge_server, tmp_path / "out", "--concurrency", "1")
    assert done.exit_code == 0
    found = result(tmp_path / "out")
    assert (found["all"]["unparsable"], found["all"]["tie"]) == (2, 1)
    assert found["replies"]["unparsable_reasons"] == {
        "both": 1,
        "empty": 1,
        "none": 1,
        "unfinished": 1,
    }


def test_a_slow_answer_is_a_failed_call(captions, judge_server, tmp_path):
    release = threading.Event()
    judge_server.rule = lambda request, number: Answer(wait=release)
    done = run(captions, judge_server, tmp_path / "out", "--retries", "0", "--timeout", "0.2")
    release.set()
    assert done.exit_code == 1
    assert "no answer in time" in done.output


def test_a_refused_key_ends_the_run_at_once(captions, judge_server, tmp_path):
    for status in (401, 404):
        judge_server.requests.clear()
        answer = Answer(status, b'{"error": {"message": "no"}}')
        judge_server.rule = lambda request, number, answer=answer: answer
        done = run(captions, judge_server, tmp_path / "out", "--concurrency", "1")
        assert isinstance(done.exception, InputProblems)
        assert f"the endpoint says {status}" in str(done.exception)
        assert len(judge_server.requests) == 1


def test_without_a_key_only_ones_own_server_is_asked(captions, judge_server, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    assert run(captions, judge_server, tmp_path / "out").exit_code == 0
    done = CliRunner().invoke(app, arguments(captions, asking.OFFICIAL_URL, tmp_path / "new"))
    assert "OPENAI_API_KEY" in str(done.exception)
    monkeypatch.setenv("OPENAI_BASE_URL", judge_server.url)
    command = [a for a in arguments(captions, "", tmp_path / "env") if a not in ("--base-url", "")]
    assert CliRunner().invoke(app, command).exit_code == 0


def start(captions: tuple[Path, Path], judge: Judge, out: Path) -> subprocess.Popen[str]:
    command = arguments(captions, judge.url, out, "--concurrency", "2")
    return subprocess.Popen(
        [sys.executable, "-c", "from vidomni_plugin.cli import main; main()", *command],
        env=dict(os.environ),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def until(condition: Any, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.02)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_stopped_asks_only_what_is_missing(how, captions, judge_server, tmp_path):
    out = tmp_path / "out"
    release = threading.Event()

    def rule(request: dict[str, Any], number: int) -> Answer:
        answer = completion(longer(request))
        answer.wait = release if number > 3 else None
        return answer

    judge_server.rule = rule
    process = start(captions, judge_server, out)
    journal = out / "replies.jsonl"
    until(lambda: journal.exists() and journal.read_bytes().count(b"\n") == 3)
    until(lambda: len(judge_server.requests) == 5)
    process.send_signal(how)
    if how == signal.SIGINT:
        assert process.stderr is not None
        until(lambda: "waiting for 2 replies" in process.stderr.readline())
        release.set()  # what is under way is waited for, and kept
    _, stderr = process.communicate(timeout=30)
    release.set()
    kept = journal.read_bytes().count(b"\n")
    assert kept == (3 if how == signal.SIGKILL else 5)
    assert "Traceback" not in stderr
    if how == signal.SIGINT:
        assert process.returncode == 130
    assert not (out / "judge.json").exists()
    with journal.open("ab") as file:
        file.write(b'{"key": "torn')
    judge_server.requests.clear()
    done = run(captions, judge_server, out)
    assert done.exit_code == 0, done.output
    assert len(judge_server.requests) == 6 - kept
    assert len({row["key"] for row in rows(journal)}) == len(rows(journal)) == 6
    assert result(out)["all"]["win"] == 1


def test_two_runs_in_one_folder_are_refused(captions, judge_server, tmp_path):
    release = threading.Event()
    judge_server.rule = lambda request, number: Answer(wait=release)
    process = start(captions, judge_server, tmp_path / "out")
    until(lambda: len(judge_server.requests) == 2)
    done = run(captions, judge_server, tmp_path / "out")
    process.kill()
    process.communicate()
    release.set()
    assert "another run writes to it" in str(done.exception)


def test_a_broken_line_inside_the_journal_is_named(captions, judge_server, tmp_path):
    out = tmp_path / "out"
    run(captions, judge_server, out)
    lines = (out / "replies.jsonl").read_text().splitlines()
    bad = [lines[0], lines[1][:40], '{"key": 1}', "[]", *lines[4:]]
    (out / "replies.jsonl").write_text("\n".join(bad) + "\n")
    done = run(captions, judge_server, out)
    assert isinstance(done.exception, InputProblems)
    assert [p.place.rsplit(":", 1)[1] for p in done.exception.problems] == ["2", "3", "4"]


def test_sources_are_told_apart_and_pairs_files_are_read(judge_server, tmp_path):
    sentences = [{"text": "A [red] ball rolls.", "label": 0}, {"text": "It stops.", "label": 1}]
    records = [
        vidomni_record(pair_id=f"p{k}", caption_source=f"[b]m{k}\x1b[2J", sentences=sentences[:k])
        for k in (1, 2)
    ]
    a = write_lines(tmp_path / "pairs.jsonl", records)
    b = write_captions(tmp_path / "b.jsonl", {"clip": "A red ball rolls off."})
    done = run((a, b), judge_server, tmp_path / "out")
    assert done.exit_code == 0, done.output
    found = result(tmp_path / "out")["sources"]
    assert [(row["source_a"], row["win"], row["loss"]) for row in found] == [
        ("[b]m1\x1b[2J", 0, 1),
        ("[b]m2\x1b[2J", 1, 0),
    ]
    assert "[b]m1" in done.stdout
    assert "\x1b" not in done.stdout
    assert any("A [red] ball rolls. It stops." in prompt for prompt in judge_server.prompts())


def test_bad_captions_are_all_named_before_anything_is_asked(judge_server, tmp_path):
    a = write_captions(tmp_path / "a.jsonl", {"v1": "One.", "v2": "Two."}, pair_id="same")
    b = tmp_path / "b.jsonl"
    b.write_text('{"half": \n{"caption": 1}\n')
    done = run((a, b), judge_server, tmp_path / "out")
    assert isinstance(done.exception, InputProblems)
    text = str(done.exception)
    assert all(part in text for part in ("a.jsonl:2", "b.jsonl:1", "b.jsonl:2"))
    assert judge_server.requests == []
    good = write_captions(tmp_path / "c.jsonl", {"other": "x"})
    assert "no video is in both" in str(
        run((good, write_captions(tmp_path / "d.jsonl", {"v": "y"})), judge_server, b).exception
    )


def test_json_output_is_the_file(captions, judge_server, tmp_path):
    done = run(captions, judge_server, tmp_path / "out", "--json")
    assert json.loads(done.stdout) == result(tmp_path / "out")


@pytest.mark.parametrize("key", [f"{KEY}\n", f"  {KEY}\r\n"])
def test_a_key_from_a_file_ends_with_a_line_end(key, captions, judge_server, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert run(captions, judge_server, tmp_path / "out").exit_code == 0
    assert set(judge_server.keys) == {f"Bearer {KEY}"}


@pytest.mark.parametrize("key", [f"{KEY}\u200b", f"{KEY}\r\nX-Other: y", f"é{KEY}"])
def test_a_key_that_cannot_be_sent_is_not_shown(key, captions, judge_server, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    done = run(captions, judge_server, tmp_path / "out")
    assert done.exit_code == 1
    assert isinstance(done.exception, InputProblems)
    assert KEY not in done.output + str(done.exception)
    assert not judge_server.requests


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8000",
        "ftp://x/v1",
        "http://[::1",
        "http://x:y/v1",
        "http:///v1",
        "http://\x1b[1m/",
    ],
)
def test_an_address_that_is_none(url, captions, tmp_path):
    done = CliRunner().invoke(app, arguments(captions, url, tmp_path / "out"))
    assert isinstance(done.exception, InputProblems)
    assert "--base-url" in str(done.exception)
    assert "\x1b" not in str(done.exception)


def test_nothing_secret_of_an_address_is_shown(captions, judge_server, tmp_path):
    def rule(request: dict[str, Any], number: int) -> Answer:
        return completion("Verdict: tie") if number < 3 else Answer(401, b"{}")

    judge_server.rule = rule
    url = judge_server.url.replace("://", "://me:pass-word@") + "?key=para-meter"
    done = CliRunner().invoke(app, arguments(captions, url, tmp_path / "out", "--concurrency", "1"))
    assert isinstance(done.exception, InputProblems)
    judge_server.rule = lambda request, number: completion("Verdict: tie")
    assert CliRunner().invoke(app, arguments(captions, url, tmp_path / "out")).exit_code == 0
    seen = str(done.exception) + "".join(p.read_text() for p in (tmp_path / "out").iterdir())
    assert "pass-word" not in seen
    assert "para-meter" not in seen
    assert result(tmp_path / "out")["settings"]["base_url"] == judge_server.url


def test_a_text_that_the_endpoint_forbids_is_one_failed_call(captions, judge_server, tmp_path):
    refused = json.dumps({"error": {"message": "flagged \x1b[31m\nnone of it"}}).encode()
    judge_server.rule = lambda request, number: (
        Answer(403, refused) if "Same." in shown(request) else completion(longer(request))
    )
    done = run(captions, judge_server, tmp_path / "out")
    assert done.exit_code == 1
    every = result(tmp_path / "out")["all"]
    assert (every["win"], every["loss"], every["failed"]) == (1, 1, 1)
    assert "\x1b" not in done.output
    assert "flagged \\x1b[31m none of it" in done.stderr


def test_a_line_that_is_nested_too_deep_is_a_broken_line(captions, judge_server, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "replies.jsonl").write_text("[" * 100_000 + "\n")
    done = run(captions, judge_server, out)
    assert isinstance(done.exception, InputProblems)
    assert "replies.jsonl:1" in str(done.exception)


def test_a_second_interruption_ends_it_at_once(captions, judge_server, tmp_path):
    release = threading.Event()
    answer = completion("Verdict: tie")
    answer.wait = release
    judge_server.rule = lambda request, number: answer
    process = start(captions, judge_server, tmp_path / "out")
    until(lambda: len(judge_server.requests) == 2)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    until(lambda: "waiting for 2 replies" in process.stderr.readline())
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=10)
    release.set()
    assert process.returncode == 130
    assert "Traceback" not in stderr


def test_no_number_is_cut_off_on_a_narrow_terminal(captions, judge_server, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    done = run(captions, judge_server, tmp_path / "out")
    assert "…" not in done.stdout
    assert ["95", "%", "6.1-79.2"] in [line.split() for line in done.stdout.splitlines()]


def test_the_same_caption_on_both_sides_is_remarked_on_and_counted_once(judge_server, tmp_path):
    texts = {"v1": "A dog runs.", "v2": "Short."}
    files = (
        write_captions(tmp_path / "a.jsonl", texts),
        write_captions(tmp_path / "b.jsonl", texts | {"v2": "Longer."}, "captioner-b"),
    )
    judge_server.rule = lambda request, number: Answer(500, b"{}", {"Retry-After": "0.01"})
    done = run(files, judge_server, tmp_path / "out", "--retries", "0")
    assert "in 1 of these comparisons both captions are the same text" in done.output
    assert len(judge_server.requests) == 3  # the order of equal texts makes no other question
    assert "4 of 4 replies are missing" in done.output
    assert "4 failed" in done.output
    assert result(tmp_path / "out")["identical_captions"] == 1


def test_a_file_of_another_kind_and_one_that_is_not_there_are_one_problem_each(
    judge_server, tmp_path
):
    table = tmp_path / "a.csv"
    table.write_text("pair_id,caption\n" + "p,A dog.\n" * 50)
    done = run((table, tmp_path / "nope.jsonl"), judge_server, tmp_path / "out")
    assert isinstance(done.exception, InputProblems)
    assert [problem.code for problem in done.exception.problems] == ["record", "no-file"]
    assert "fetch this file again" not in str(done.exception)
