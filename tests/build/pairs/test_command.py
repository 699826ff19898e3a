"""``vidomni build pairs``: what it checks before it asks, what it tells, how it ends."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import langsmith
import pytest
from langsmith.utils import get_env_var
from typer.testing import CliRunner, Result

from tests.build.pairs.acting import reply
from tests.endpoint.scripted import ScriptedServer, slow, status
from vidomni_plugin.build.pairs.session import ask_to_stop
from vidomni_plugin.cli import app
from vidomni_plugin.data.hashes import file_sha256
from vidomni_plugin.problems import InputProblems

OFTEN = ("--target", "4", "--round", "4", "--model", "tiny", "--max-tokens", "200")


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["build", "pairs", *map(str, arguments)])


def begin(clips: Path, url: str, out: Path, *more: object) -> Result:
    return call("--videos", clips, "--out", out, "--base-url", url, *OFTEN, *more)


def faults(result: Result) -> list[str]:
    assert isinstance(result.exception, InputProblems), result.output
    return [str(problem) for problem in result.exception.problems]


def refused(result: Result) -> str:
    assert isinstance(result.exception, InputProblems), result.output
    return str(result.exception)


@pytest.fixture
def few(clips: Path, tmp_path: Path) -> Path:
    """Three of the clips, for runs that use all up."""
    folder = tmp_path / "few"
    folder.mkdir()
    for number in range(3):
        shutil.copy(clips / f"clip_{number:02d}.mp4", folder)
    return folder


@pytest.fixture(scope="module")
def made(clips: Path, tmp_path_factory: pytest.TempPathFactory, shared_home: Path) -> Any:
    """A finished run: its folder, its end and what the server saw."""
    out = tmp_path_factory.mktemp("run") / "out"
    with pytest.MonkeyPatch.context() as patch, ScriptedServer(reply) as server:
        patch.setenv("VIDOMNI_HOME", str(shared_home))
        patch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")
        result = begin(clips, server.url, out, "--prices", "1,0.1,4", "--workers", "2")
    return out, result, list(server.seen)


def test_a_run_to_its_target(made, clips):
    out, result, _ = made
    assert result.exit_code == 0, result.output
    assert len((out / "pairs.jsonl").read_text(encoding="utf-8").splitlines()) == 4
    assert "4 of 4 pairs" in result.stdout
    assert "not at work" in result.stdout
    release = f"next: vidomni build release --pairs {out} --videos {clips} --out RELEASE"
    assert release in result.stdout


def test_progress_without_a_terminal_is_a_line_a_round(made):
    _, result, _ = made
    lines = result.stderr.splitlines()
    assert lines[0].startswith("round 1 of 3: 0 of 4 pairs; EEH 0 ECH 0 EQH 0 AVH 0 SRH 0 APH 0")
    assert "0 candidates rejected; 0 requests, 0 tokens, 0.0000 USD" in lines[0]
    assert "\x1b" not in result.stderr


def test_a_finished_run_asks_nothing_more(made, clips):
    out, _, _ = made
    with ScriptedServer(status(500)) as server:
        result = begin(clips, server.url, out)
    assert (result.exit_code, server.seen) == (0, [])


def test_the_status_as_json_has_counts_and_cost(made):
    out, _, seen = made
    told = json.loads(call("--out", out, "--status", "--json").stdout)
    assert (told["state"], told["at_work"], told["pairs"]) == ("target_reached", False, 4)
    assert sum(row["pairs"] for row in told["categories"]) == 4
    assert sum(told["tasks"].values()) == 4
    whole = told["spent"][-1]
    assert (whole["role"], whole["requests"], whole["answered"]) == ("all", len(seen), len(seen))
    assert whole["counted"] == 1100 * len(seen)
    assert whole["cost"] == pytest.approx(len(seen) * (1000 * 1 + 100 * 4) / 1e6)
    assert told["rejected"] == []
    assert {row["reason"] for row in told["not_needed"]} == {"target_reached"}


def test_the_status_tells_candidates_at_gates_from_those_not_needed(few, tmp_path):
    with ScriptedServer({**dict.fromkeys(PARTS, reply), "generator": "{}"}) as server:
        result = begin(few, server.url, tmp_path / "out")
    assert result.exit_code == 0
    assert "used up before the target" in result.stderr
    told = json.loads(call("--out", tmp_path / "out", "--status", "--json").stdout)
    assert told["state"] == "sources_used_up"
    assert {row["reason"] for row in told["rejected"]} == {"schema_violation"}
    assert told["not_needed"] == []
    table = call("--out", tmp_path / "out", "--status").stdout
    assert "Candidates that ended at a gate" in table
    assert "Candidates that were not needed" not in table


PARTS = ("planner", "extractor", "reflector", "generator", "verifier", "monitor")


def test_a_run_with_json_prints_json_alone(clips, tmp_path):
    with ScriptedServer(reply) as server:
        result = begin(clips, server.url, tmp_path / "out", "--json")
    assert json.loads(result.stdout)["state"] == "target_reached"


def test_roles_have_their_models(clips, tmp_path):
    with ScriptedServer(reply) as server:
        more = ("--role-model", "monitor=big", "--role-model", "generator=small")
        assert begin(clips, server.url, tmp_path / "out", *more).exit_code == 0
    models = {(seen.role, seen.request["model"]) for seen in server.seen}
    assert models == {
        *((role, "tiny") for role in ("planner", "extractor", "reflector", "verifier")),
        *(("monitor", "big"), ("generator", "small")),
    }


def test_replies_may_lie_elsewhere(clips, tmp_path):
    out, again = tmp_path / "out", tmp_path / "again"
    with ScriptedServer(reply) as server:
        assert begin(clips, server.url, out, "--replies", tmp_path / "r.sqlite").exit_code == 0
        seen = len(server.seen)
        assert begin(clips, server.url, again, "--replies", tmp_path / "r.sqlite").exit_code == 0
        assert len(server.seen) == seen
    assert "--replies" in call("--out", out, "--status").stdout
    shown = call("--out", out, "--status", "--replies", tmp_path / "r.sqlite").stdout
    assert "Requests and tokens by role" in shown
    assert (out / "pairs.jsonl").read_bytes() == (again / "pairs.jsonl").read_bytes()


# The estimate.


def test_a_dry_run_asks_and_writes_nothing(clips, tmp_path):
    out = tmp_path / "out"
    with ScriptedServer(reply) as server:
        more = ("--rate", "30", "--prices", "1,0.1,4", "--budget", "0.01", "--dry-run")
        result = begin(clips, server.url, out, *more)
        assert server.seen == []
    assert result.exit_code == 0, result.output
    assert not out.exists()
    for words in (
        "about 4 pairs of 4 expected, from 4 of 12 videos in rounds of 4",
        f"would send: JPEG frames, 64 a look and 512 pixels at most, to {server.url}; "
        "the key OPENAI_API_KEY is set",
        "assumed, not measured: 4 facts a video",
        "300 tokens a frame (--frame-tokens)",
        "off by a factor of two or more",
        "the budget of 0.01 would end the run at about",
        "sets aside up to 262,344 tokens",
    ):
        assert words in result.stdout.replace("\n", " "), words
    minutes = re.search(r"at 30 requests a minute: (\d+) min at least", result.stdout)
    calls = re.search(r"^ all +(\d+) ", result.stdout, re.MULTILINE)
    assert minutes is not None
    assert calls is not None
    assert int(minutes[1]) == pytest.approx(int(calls[1]) / 30, abs=1)


def test_numbers_of_an_estimate_have_two_digits(clips, tmp_path):
    more = ("--prices", "1,0.1,4", "--rate", "7", "--dry-run", "--json", "--frame-tokens", "123")
    told = json.loads(begin(clips, "http://localhost:1/v1", tmp_path / "out", *more).stdout)
    assert told["assumed"]["frame_tokens"] == 123
    roles = [role[name] for role in told["roles"] for name in ("calls", "input_tokens", "cost")]
    for value in (told["calls"], told["tokens"], told["cost"], told["hours_at_least"], *roles):
        assert len(re.sub(r"e.*|[.0]", "", f"{value:e}".split("e")[0])) <= 2, value


def test_copies_are_named(clips, tmp_path):
    folder = tmp_path / "clips"
    shutil.copytree(clips, folder)
    shutil.copy(folder / "clip_00.mp4", folder / "copy.mp4")
    more = ("--dry-run", "--json")
    told = json.loads(begin(folder, "http://localhost:1/v1", tmp_path / "out", *more).stdout)
    assert told["left_out"] == {str(folder / "copy.mp4"): str(folder / "clip_00.mp4")}
    assert told["videos_there"] == 12
    shown = begin(folder, "http://localhost:1/v1", tmp_path / "out", "--dry-run").stdout
    assert "copy.mp4: the same content as" in shown.replace("\n", "")


def test_a_dry_run_tells_of_another_run_there(made, clips):
    out, _, _ = made
    url = "http://localhost:1/v1"
    assert "will be refused" in begin(clips, url, out, "--seed", "1", "--dry-run").stdout


def test_a_dry_run_of_a_finished_run_has_no_cost(made, clips):
    out, _, _ = made
    more = ("--dry-run", "--prices", "1,0.1,4")
    shown = begin(clips, "http://localhost:1/v1", out, *more).stdout
    assert shown == (
        "the run is at its end (target reached): 4 pairs there, nothing will be asked\n"
    )
    told = json.loads(begin(clips, "http://localhost:1/v1", out, *more, "--json").stdout)
    assert told["finished"]
    assert (told["pairs"], told["calls"], told["tokens"], told["cost"]) == (4, 0, 0, 0)


def test_a_dry_run_tells_what_of_a_stopped_run_is_there(clips, tmp_path):
    def act(seen: Any) -> Any:
        return status(401) if seen.role == "verifier" and seen.nth > 1 else reply(seen)

    out = tmp_path / "out"
    with ScriptedServer(act) as server:
        begin(clips, server.url, out, "--workers", "1")
        shown = begin(clips, server.url, out, "--dry-run").stdout
    assert "about 4 pairs of 4 expected" in shown
    assert "of it are there already: less will be asked" in shown


def test_a_dry_run_says_that_whole_files_would_be_sent_and_no_key_is_set(
    clips, tmp_path, monkeypatch
):
    monkeypatch.delenv("OPENAI_API_KEY")
    url = "http://me:secret@localhost:1/v1"
    shown = begin(clips, url, tmp_path / "out", "--native", "--dry-run").stdout
    assert (
        "would send: whole video files with their sound, to http://localhost:1/v1; the key "
        "OPENAI_API_KEY is not set" in shown
    )
    told = json.loads(begin(clips, url, tmp_path / "out", "--dry-run", "--json").stdout)
    assert (told["sends"], told["to"]) == ("frames_timestamped_v1", "http://localhost:1/v1")
    assert told["key"] == {"name": "OPENAI_API_KEY", "is_set": False}
    assert not told["finished"]


def test_a_dry_run_needs_no_key_to_tell_the_cost_and_says_it_is_missing(
    clips, tmp_path, monkeypatch
):
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    result = call("--videos", clips, "--out", tmp_path / "out", *OFTEN, "--dry-run")
    assert "About what will be asked" in result.stdout
    assert "OPENAI_API_KEY: it is not set" in refused(result)


def test_what_a_budget_sets_aside_for_a_file_is_by_its_length(clips, tmp_path):
    more = ("--native", "--budget-tokens", "100000", "--dry-run")
    result = begin(clips, "http://localhost:1/v1", tmp_path / "out", *more)
    assert f"sets aside up to {2 * 1024 + 200:,} tokens" in result.stdout.replace("\n", " ")


# What is wrong is told before anything is asked.


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--role-model", "judge=x"), "--role-model: 'judge=x'"),
        (("--role-model", "monitor"), "--role-model: 'monitor'"),
        (("--ceiling", "eh=3"), "--ceiling: 'eh=3'"),
        (("--ceiling", "eeh=-1"), "--ceiling: 'eeh=-1'"),
        (("--ceiling", "eeh=0", "--target", "16"), "may have 14 pairs, the target is 16"),
        (("--fps", "0"), "--fps: "),
        (("--camera-fps", "nan"), "--camera-fps: "),
        (("--temperature", "nan"), "--temperature: "),
        (("--rate", "0"), "--rate: 0.0 is not above zero"),
        (("--rate", "nan"), "--rate: nan is not above zero"),
        (("--frame-tokens", "-1"), "--frame-tokens: "),
        (("--budget", "5"), "--budget: without prices"),
        (("--budget", "0", "--prices", "1,1,1"), "--budget: 0.0 is not above zero"),
        (("--prices", "1,2"), "--prices: '1,2': 2 numbers"),
        (("--prices", "1,2,-3"), "--prices: '1,2,-3'"),
        (("--prices", "a,b,c"), "--prices: 'a,b,c'"),
        (("--questions", "/no/bank.yaml"), "/no/bank.yaml: No such file"),
        (("--pool", "/no/pool"), "--videos: name --videos or --pool, one of them"),
        (("--base-url", "localhost:8000"), "--base-url: 'localhost:8000'"),
        (("--base-url", "ftp://host/v1"), "--base-url: "),
    ],
)
def test_one_fault(clips, tmp_path, options, told):
    with ScriptedServer(reply) as server:
        result = begin(clips, server.url, tmp_path / "out", *options)
        assert server.seen == []
    found = faults(result)
    assert len(found) == 1, found
    assert told in found[0]
    assert not (tmp_path / "out").exists()


def test_all_faults_are_told_at_once(clips, tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    options = ("--fps", "0", "--ceiling", "x=1", "--prices", "1", "--rate", "-1", "--budget", "1")
    result = begin(clips, "nowhere", tmp_path / "file" / "out", *options)
    places = [text.split(":")[0] for text in faults(result)]
    out = str(tmp_path / "file" / "out")
    assert sorted(places) == sorted(["--fps", "--ceiling", "--prices", "--rate", out, "--base-url"])


def test_without_a_model(clips, tmp_path):
    result = call("--videos", clips, "--out", tmp_path, "--base-url", "http://localhost:1/v1")
    assert "--model: no model for planner, extractor, reflector" in refused(result)


def test_videos_that_cannot_be_used_are_all_named(tmp_path):
    folder = tmp_path / "clips"
    folder.mkdir()
    for name in ("a.mp4", "b.mp4"):
        (folder / name).write_bytes(b"no video")
    result = begin(folder, "http://localhost:1/v1", tmp_path / "out")
    assert len(faults(result)) == 2
    assert str(result.exception).count("-> `vidomni build pool` makes a pool without them") == 1


def test_an_empty_pool_is_told_as_such(tmp_path):
    (tmp_path / "pool").mkdir()
    (tmp_path / "pool" / "pool.jsonl").touch()
    url = "http://localhost:1/v1"
    result = call("--pool", tmp_path / "pool", "--out", tmp_path / "o", "--base-url", url, *OFTEN)
    assert "there is no video" in refused(result)
    assert "-> the pool is empty" in refused(result)
    assert ".mp4" not in refused(result)


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(clips, tmp_path):
    tmp_path.chmod(0o500)
    try:
        result = begin(clips, "http://localhost:1/v1", tmp_path / "out")
    finally:
        tmp_path.chmod(0o700)
    assert "cannot be written" in refused(result)


def test_another_run_in_the_folder_is_refused(made, clips):
    out, _, _ = made
    with ScriptedServer(reply) as server:
        told = refused(begin(clips, server.url, out, "--seed", "43"))
        assert server.seen == []
    assert "seed: 42 there, 43 asked" in told
    assert "--replies" in told


def test_a_run_of_another_version_is_told_as_such(made, tmp_path):
    shutil.copytree(made[0], tmp_path / "out")
    with closing(sqlite3.connect(tmp_path / "out" / "pairs.sqlite")) as db, db:
        db.execute("UPDATE settings SET value = '{\"speed\": 3}' WHERE name = 'settings'")
    assert "begun by another version" in refused(call("--out", tmp_path / "out", "--status"))


def test_a_killed_start_is_told_and_one_of_an_older_version_tells_nothing(made, tmp_path):
    shutil.copytree(made[0], tmp_path / "out")
    said = []
    for query in (
        "UPDATE settings SET value = '{}' WHERE name = 'last_end'",
        "DELETE FROM settings WHERE name = 'last_end'",
    ):
        with closing(sqlite3.connect(tmp_path / "out" / "pairs.sqlite")) as db, db:
            db.execute(query)
        said.append(call("--out", tmp_path / "out", "--status").stdout)
    assert "the last start was ended before it could say why" in said[0]
    assert "last start" not in said[1]


def test_no_run_has_no_status_and_cannot_be_stopped(tmp_path):
    assert "there is no run" in refused(call("--out", tmp_path, "--status"))
    assert "no run is at work" in refused(call("--out", tmp_path, "--stop"))


# How it ends.


def test_a_wrong_key_ends_the_run_and_is_not_shown(clips, tmp_path):
    refuses = status(401, "Incorrect API key provided: sk-secret-of-the-test")
    with ScriptedServer(refuses) as server:
        result = begin(clips, server.url, tmp_path / "out")
    assert result.exit_code == 1
    assert (
        f"stopped: auth_failed: status 401: Incorrect API key provided: *** (at {server.url})"
        in (result.stderr)
    )
    assert "-> set OPENAI_API_KEY to a key that this server takes" in result.stderr
    assert "sk-secret" not in result.output
    told = json.loads(call("--out", tmp_path / "out", "--status", "--json").stdout)["last_start"]
    assert (told["state"], told["kind"]) == ("stopped", "auth_failed")
    shown = call("--out", tmp_path / "out", "--status").stdout
    assert f"last start: stopped, {told['at']}: auth_failed: status 401" in shown
    with ScriptedServer(reply) as server:
        assert begin(clips, server.url, tmp_path / "out").exit_code == 0


def test_videos_set_aside_are_named_and_asked_again(few, tmp_path):
    name = f"video_{file_sha256(few / 'clip_02.mp4')[:12]}"

    def act(seen: Any) -> Any:
        return status(500, "out of order") if name in str(seen.request) else reply(seen)

    out, options = tmp_path / "out", ("--retries", "0", "--target", "6")
    with ScriptedServer(act) as server:
        result = begin(few, server.url, out, *options)
    assert result.exit_code == 1
    assert "set aside: clip_02: server_error" in result.stdout
    assert "1 video set aside\n-> the same command asks for them again" in result.stderr
    with ScriptedServer(reply) as server:
        result = begin(few, server.url, out, *options)
    assert result.exit_code == 0, result.output
    assert "6 of 6 pairs" in result.stdout


def test_a_used_up_budget_ends_the_run_with_what_it_came_to(clips, tmp_path):
    with ScriptedServer(reply) as server:
        more = ("--budget-tokens", "20000", "--most-frame-tokens", "100", "--max-tokens", "100")
        result = begin(clips, server.url, tmp_path / "out", *more)
        seen = len(server.seen)
    assert result.exit_code == 1
    assert seen > 0
    assert re.search(r"stopped: budget_exhausted: \d+ of 20000 tokens are spent", result.stderr)
    assert "-> raise --budget-tokens, or lower --most-frame-tokens" in result.stderr
    assert "each call sets aside 100 tokens a frame" in result.stderr


@pytest.mark.parametrize(
    ("act", "told"),
    [
        pytest.param(status(404, "no such model"), "see the names of --model", id="not found"),
        pytest.param(status(503), "see that a server answers at this address", id="down"),
        pytest.param(status(400, "too long"), "what the server says of the request", id="wrong"),
        pytest.param(status(429), "lower --rate or --workers", id="too fast"),
        pytest.param("I see a dog.", "mend the server, then the same command", id="no JSON"),
    ],
)
def test_a_stop_says_what_to_mend(clips, tmp_path, act, told):
    with ScriptedServer(act) as server:
        more = ("--round", "12", "--retries", "0")
        result = begin(clips, server.url, tmp_path / "out", *more)
    assert result.exit_code == 1
    assert f"-> {told}" in result.stderr


def test_without_a_pair_there_is_no_next_command(few, tmp_path):
    with ScriptedServer({**dict.fromkeys(PARTS, reply), "generator": "{}"}) as server:
        result = begin(few, server.url, tmp_path / "out")
    assert result.exit_code == 0
    assert "0 of 4 pairs" in result.stdout
    assert "next:" not in result.stdout
    assert "GVP: generator and verifier" not in result.stdout  # it ended at a call
    assert "call: a reply that cannot be used" in result.stdout


def test_prose_and_a_mended_server_lose_no_video(few, tmp_path):
    with ScriptedServer("I see a dog.") as server:
        for _ in range(3):
            result = begin(few, server.url, tmp_path / "out")
            assert result.exit_code == 1
            assert "3 videos set aside" in result.stderr
            assert "next:" not in result.stdout
        server.script = reply
        result = begin(few, server.url, tmp_path / "out")
    assert result.exit_code == 0
    assert "next: vidomni build release" in result.stdout


def test_a_run_is_stopped_from_elsewhere(clips, tmp_path):
    """What is under way is waited for, and kept: the next run does not ask for it again."""
    out, asked, stopped = tmp_path / "out", threading.Event(), threading.Event()

    def act(seen: Any) -> Any:
        if seen.role != "extractor" or stopped.is_set():
            return reply(seen)
        if not asked.is_set():
            asked.set()
            ask_to_stop(out)
        return slow(2.0, reply(seen))  # a run looks twice a second whether it is to stop

    with ScriptedServer(act) as server:
        result = begin(clips, server.url, out)
        before = len(server.seen)
        stopped.set()
        assert result.exit_code == 1
        assert "stopped: it was asked to stop" in result.stderr
        told = json.loads(call("--out", out, "--status", "--json").stdout)
        assert (told["state"], told["at_work"]) == ("unfinished", False)
        assert told["spent"][-1]["answered"] == before
        assert begin(clips, server.url, out).exit_code == 0
    requests = [json.dumps(seen.request, sort_keys=True) for seen in server.seen]
    assert len(requests) == len(set(requests))


def test_the_help_groups_its_options_and_starts_fast():
    result = CliRunner().invoke(app, ["build", "pairs", "--help"], env={"COLUMNS": "120"})
    groups = ("The run", "What is made", "Who is asked", "What the models see", "Pace and cost")
    for name in groups:
        assert f" {name} " in result.stdout


def test_no_trace_is_sent_whatever_the_environment_says(few, tmp_path, monkeypatch):
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def do_POST(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers["Content-Length"] or 0))
            self.send_response(202)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    traces = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=traces.serve_forever, daemon=True).start()
    try:
        for name in ("LANGSMITH_", "LANGCHAIN_"):
            monkeypatch.setenv(f"{name}TRACING", "true")
            monkeypatch.setenv(f"{name}TRACING_V2", "true")
            monkeypatch.setenv(f"{name}ENDPOINT", f"http://127.0.0.1:{traces.server_port}")
            monkeypatch.setenv(f"{name}API_KEY", "traced")
        get_env_var.cache_clear()  # the package reads the environment once
        with ScriptedServer(reply) as server:
            assert begin(few, server.url, tmp_path / "out").exit_code == 0
        time.sleep(1)
        assert asked == []
        # It would have been seen: what is traced because of these variables arrives.
        langsmith.traceable(lambda: None)()
        wait_for(lambda: any("runs" in path for path in asked))
        time.sleep(0.2)
    finally:
        get_env_var.cache_clear()
        traces.shutdown()
        traces.server_close()


def wait_for(there: Callable[[], object]) -> None:
    for _ in range(100):
        if there():
            return
        time.sleep(0.1)
    raise AssertionError("it never came")
