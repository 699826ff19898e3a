"""FIFA through the real host: models behind a scripted server, and a model of the host."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import run_host
from tests.endpoint.scripted import ScriptedServer, cut, empty, refuses, says, slow, status
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.samples import read_responses

pytestmark = pytest.mark.host

QUICK = {"bootstrap_iters": 0}
KEY = "sk-secret-of-the-test"
PRICES = "1/0.5/2"
DRIVER = """
import sys
from lmms_eval.evaluator import simple_evaluate
from lmms_eval.tasks import TaskManager

simple_evaluate(
    model="vidomni_fifa",
    model_args=sys.argv[1],
    tasks=["vidhalloc_mini"],
    limit=int(sys.argv[2]),
    task_manager=TaskManager(include_defaults=False, model_name="vidomni_fifa"),
    bootstrap_iters=0,
)
"""
"""The host without its own tasks, which take seconds to find."""


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def asked_text(seen: Any) -> str:
    """Return the text that a call of the language model is about."""
    last = seen.request["messages"][-1]["content"]
    return str(last).splitlines()[0].removeprefix("Text: ")


def question_of(seen: Any) -> str:
    return str(seen.request["messages"][-1]["content"][-1]["text"])


def answers_all(seen: Any) -> Any:
    """Play both models: two facts a text, and a yes or no that hangs on the question alone."""
    if seen.role == "facts":
        return says(f"1 | There is a scene.\n2 | It holds: {asked_text(seen)}", tokens=(100, 40, 9))
    if seen.role == "questions":
        question = f"Does it hold: {asked_text(seen)}?"
        return says(f"1 | Is there a scene?\n2 | {question}", tokens=(200, 0, 9))
    if seen.role == "parents":
        return says("1 | 0\n2 | 1", tokens=(200, 0, 9))
    question = question_of(seen)
    odd = hashlib.sha256(question.encode()).digest()[0] % 2
    return says("No." if odd and "scene" not in question else "Yes.", tokens=(1000, 0, 2))


def told(**arguments: Any) -> str:
    return ",".join(f"{name}={value}" for name, value in arguments.items())


def of_server(server: ScriptedServer, **more: Any) -> dict[str, Any]:
    both = {"llm": "scripted-llm", "videoqa": "scripted-eyes", "num_concurrent": 4}
    urls = {"llm_base_url": server.url, "videoqa_base_url": server.url}
    return {**both, **urls, "videoqa_frames": 4, "videoqa_max_pixels": 1024, **more}


def made(name: str = "vidomni_fifa", **arguments: Any) -> Any:
    from lmms_eval.models import get_model

    return get_model(name).create_from_arg_string(told(**arguments), {"batch_size": 1})


def answers(evaluation: Any) -> dict[str, dict[str, Any]]:
    samples = evaluation.results["samples"]["vidhalloc_mini"]
    return {
        f"{s['overall']['pair_id']}/{s['overall']['side']}": json.loads(s["filtered_resps"][0])
        for s in samples
    }


def started(arguments: dict[str, Any], limit: int, folder: Path) -> subprocess.Popen[bytes]:
    """Start a run in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, told(**arguments), str(limit)],
        env={**os.environ, "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""},
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def wait_for(server: ScriptedServer, requests: int) -> None:
    """Wait until a server has seen so many requests."""
    end = time.monotonic() + 200
    while len(server.seen) < requests and time.monotonic() < end:
        time.sleep(0.01)


@pytest.fixture
def server():
    with ScriptedServer(answers_all) as one:
        yield one


def test_good(server, evaluate, tmp_path):
    detector = made(
        **of_server(server, replies=tmp_path / "replies.sqlite", threshold="paper-fifa"),
        **{"llm_prices": PRICES, "videoqa_prices": PRICES, "paper_compat": 1},
    )
    evaluation = evaluate(["vidhalloc_mini"], detector, limit=8, **QUICK)
    found = answers(evaluation)
    assert {one["score"] for one in found.values()} == {0.5, 1.0}
    assert all(
        one["label"] == ("ACCEPT" if one["score"] >= 0.8 else "REJECT") for one in found.values()
    )
    one = next(iter(found.values()))
    detail = one["detail"]
    assert [fact["verdict"] for fact in detail["facts"]] == [True, one["score"] == 1]
    assert detail["published"] == one["score"]
    assert detail["taken"]["calls"] == 5
    assert detail["taken"]["input"] == 100 + 200 + 200 + 2 * 1000
    assert detail["taken"]["cached"] == 40
    expected = (60 + 400 + 2000) * 1 + 40 * 0.5 + (27 + 4) * 2
    assert detail["taken"]["cost"] == pytest.approx(expected / 1e6)
    assert detail["llm"] == {"model": "scripted-llm", "temperature": 0.0, "max_tokens": 1024}
    assert detail["addresses"] == {"llm": server.url, "videoqa": server.url}
    # A question about a video is asked once, however many of its answers hold it.
    videos = {len(seen.request["messages"][-1]["content"]) for seen in server.of_role("")}
    assert videos == {1 + 2 * 4 + 1}  # a line, four times and pictures, the question
    scenes = [seen for seen in server.of_role("") if "scene" in question_of(seen)]
    assert len(scenes) == 2
    assert [len(server.of_role(role)) for role in ("facts", "questions", "parents")] == [8] * 3
    assert len(server.of_role("")) == 2 + 8
    assert {seen.authorization for seen in server.seen} == {f"Bearer {KEY}"}
    assert KEY not in json.dumps(evaluation.results, default=str)
    assert KEY.encode() not in (tmp_path / "replies.sqlite").read_bytes()
    assert evaluation.scores("vidhalloc_mini")["undecided"] == 0


def test_every_kind_of_trouble_is_a_status(evaluate, tmp_path):
    kinds = ["words", "empty", "unreadable", "none", "refuses", "unclear", "long", "good"]
    of_text: dict[str, str] = {}

    def act(seen):
        if not seen.role:
            kind = next((of_text[t] for t in of_text if t in question_of(seen)), "")
            return says("Perhaps.") if kind == "unclear" else answers_all(seen)
        kind = of_text.setdefault(asked_text(seen), kinds[len(of_text) % len(kinds)])
        if seen.role == "facts":
            special = {
                "words": says("It is a nice text."),
                "empty": empty(),
                "none": says("0 | none"),
                "refuses": refuses(),
                "long": says("1 | There is", finish="length"),
            }
            return special.get(kind) or answers_all(seen)
        if seen.role == "parents" and kind == "unreadable":
            return says("1 | 0\n2 | the scene")
        return answers_all(seen)

    with ScriptedServer(act) as server:
        arguments = of_server(server, replies=tmp_path / "r.sqlite", threshold=0.5, max_retries=1)
        arguments["num_concurrent"] = 1
        evaluation = evaluate(["vidhalloc_mini"], made(**arguments), limit=8, **QUICK)
    found = answers(evaluation)
    states = {one["detail"].get("status", "good") for one in found.values()}
    assert states == {
        *("unreadable", "malformed", "no_facts", "refused", "unclear", "truncated", "good")
    }
    for one in found.values():
        failed = one["detail"].get("status")
        assert (one["score"] is None) == (one["label"] is None) == bool(failed)
        if failed:
            assert one["reason"] == "no_score"
            assert one["detail"]["error"]
    assert evaluation.scores("vidhalloc_mini")["undecided"] > 0


def test_trouble_that_passes_is_waited_out(evaluate, tmp_path):
    def act(seen):
        first = {
            "facts": status(429, "slow down", retry_after="0.05"),
            "questions": cut(),
            "parents": status(503),
            "": slow(0.01, answers_all(seen)),
        }
        known = sum(seen.request == other.request for other in server.seen)
        return first[seen.role] if known == 1 else answers_all(seen)

    with ScriptedServer(act) as server:
        detector = made(**of_server(server, replies=tmp_path / "r.sqlite", threshold=0.5))
        found = answers(evaluate(["vidhalloc_mini"], detector, limit=2, **QUICK))
    assert all(one["label"] for one in found.values())
    assert [len(server.of_role(role)) for role in ("facts", "questions", "parents")] == [4] * 3


def test_a_server_that_is_too_slow_fails_and_the_next_run_asks_again(evaluate, tmp_path):
    file = tmp_path / "r.sqlite"
    with ScriptedServer({"facts": slow(5), "": "yes"}) as server:
        arguments = of_server(server, replies=file, threshold=0.5, timeout=0.2, max_retries=0)
        evaluation = evaluate(["vidhalloc_mini"], made(**arguments), limit=2, **QUICK)
    for one in answers(evaluation).values():
        assert (one["score"], one["reason"]) == (None, "request_failed")
        assert one["detail"]["status"] == "timeout"
    assert evaluation.scores("vidhalloc_mini")["failed"] == 2
    with ScriptedServer(answers_all) as server:
        detector = made(**of_server(server, replies=file, threshold=0.5))
        found = answers(evaluate(["vidhalloc_mini"], detector, limit=2, **QUICK))
    assert all(one["label"] for one in found.values())


@pytest.mark.parametrize("number", [401, 404])
def test_what_fails_for_every_call_ends_the_run(number, evaluate, tmp_path):
    with ScriptedServer(status(number, f"no {KEY}")) as server:
        detector = made(**of_server(server, replies=tmp_path / "r.sqlite"))
        with pytest.raises(InputProblems, match=f"llm=scripted-llm: status {number}") as raised:
            evaluate(["vidhalloc_mini"], detector, limit=8, **QUICK)
    assert len(server.seen) <= 4  # those that were under way
    assert KEY not in str(raised.value)


def test_a_budget_is_kept(server, evaluate, tmp_path):
    limits = {"most_cost": 0.01, "llm_prices": PRICES, "videoqa_prices": PRICES}
    detector = made(**of_server(server, replies=tmp_path / "r.sqlite", **limits))
    found = answers(evaluate(["vidhalloc_mini"], detector, limit=8, **QUICK))
    over = [one for one in found.values() if one["detail"].get("status") == "budget_exhausted"]
    assert over
    assert {one["reason"] for one in over} == {"request_failed"}
    assert detector.models.replies is not None
    spent = sqlite3.connect(tmp_path / "r.sqlite").execute("SELECT cost FROM spent").fetchone()[0]
    assert 0 < spent <= 0.01


def test_one_rank_and_two_decide_the_same(server, evaluate, tmp_path):
    alone = answers(
        evaluate(
            ["vidhalloc_mini"],
            made(**of_server(server, replies=tmp_path / "one.sqlite", threshold=0.8)),
            limit=8,
            **QUICK,
        )
    )
    first = len(server.seen)
    file = tmp_path / "two.sqlite"
    arguments = told(**of_server(server, replies=file, threshold=0.8))
    run = run_host(
        tmp_path / "logs",
        *("--model", "vidomni_fifa", "--tasks", "vidhalloc_mini", "--limit", "8"),
        *("--model_args", arguments, "--verbosity", "INFO"),
        launcher=(
            *("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"),
            *("-m", "lmms_eval"),
        ),
        ACCELERATE_USE_CPU="true",
        OMP_NUM_THREADS="1",
    )
    assert run.code == 0, run.output
    two = {k: json.loads(v) for k, v in read_responses(run.samples_file("vidhalloc_mini")).items()}
    assert two == alone
    assert len(server.seen) - first == first  # nothing is asked by both
    assert KEY not in run.output
    for rank in (0, 1):
        assert f"vidomni_fifa, rank {rank}: llm: " in run.output


def test_kill_and_resume(server, evaluate, tmp_path):
    file = tmp_path / "replies.sqlite"
    arguments = of_server(server, replies=file, threshold=0.8)
    server.script = lambda seen: slow(0.05, answers_all(seen))
    process = started(arguments, 8, tmp_path)
    wait_for(server, 12)
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(0.2)  # what was on its way arrives
    kept = sqlite3.connect(file).execute("SELECT count(*) FROM replies").fetchone()[0]
    asked = len(server.seen)
    assert 12 - 8 <= kept <= asked < 8 * 3 + 10
    server.script = answers_all
    found = answers(evaluate(["vidhalloc_mini"], made(**arguments), limit=8, **QUICK))
    assert all(one["label"] for one in found.values())
    assert len(server.seen) - asked == 8 * 3 + 10 - kept  # what was answered is not asked again
    # And a third run asks nothing at all.
    before = len(server.seen)
    assert answers(evaluate(["vidhalloc_mini"], made(**arguments), limit=8, **QUICK)) == found
    assert len(server.seen) == before


def test_the_runner_keeps_answers_and_asks_failures_again(evaluate, tmp_path):
    broken = True

    def act(seen):
        if broken and seen.role == "parents" and seen.number % 2:
            return status(503)
        return answers_all(seen)

    with ScriptedServer(act) as server:
        arguments = of_server(server, replies=tmp_path / "r.sqlite", threshold=0.8, max_retries=0)
        arguments |= {"inner": "vidomni_fifa", "journal": tmp_path / "journal", "guard": False}
        evaluation = evaluate(
            ["vidhalloc_mini"], made("vidomni_runner", **arguments), limit=8, **QUICK
        )
        texts = [s["filtered_resps"][0] for s in evaluation.results["samples"]["vidhalloc_mini"]]
        failed = [text for text in texts if text.startswith("[LMMS_EVAL_REQUEST_FAILED")]
        assert failed
        assert "server_error" in failed[0]
        assert evaluation.scores("vidhalloc_mini")["failed"] == len(failed)
        broken = False
        found = answers(
            evaluate(["vidhalloc_mini"], made("vidomni_runner", **arguments), limit=8, **QUICK)
        )
        assert all(one["label"] for one in found.values())
        # Another place of the replies is no other run.
        arguments["replies"] = tmp_path / "another.sqlite"
        before = len(server.seen)
        again = made("vidomni_runner", **arguments)
        assert answers(evaluate(["vidhalloc_mini"], again, limit=8, **QUICK)) == found
        assert len(server.seen) == before


def test_a_video_that_cannot_be_read_costs_its_answers_only(
    server, evaluate, tmp_path, monkeypatch
):
    from vidomni_plugin.models.detectors.fifa import pictures
    from vidomni_plugin.video.failures import UnreadableVideo

    real, broken = pictures.chosen_frames, []

    def breaking(path, choose):
        broken.append(path)
        if path == broken[0]:
            raise UnreadableVideo(path, "pyav", ValueError("cut off"))
        return real(path, choose)

    monkeypatch.setattr(pictures, "chosen_frames", breaking)
    detector = made(**of_server(server, replies=tmp_path / "r.sqlite", threshold=0.8))
    found = answers(evaluate(["vidhalloc_mini"], detector, limit=8, **QUICK)).values()
    assert [one["reason"] for one in found if "reason" in one] == ["request_failed"] * 4
    assert sum(one["label"] is not None for one in found) == 4
    assert len(broken) == 2  # each video once


def test_in_the_runner_a_broken_video_is_a_failure_and_the_next_one_is_asked(
    server, evaluate, tmp_path, monkeypatch
):
    from vidomni_plugin.models.detectors.fifa import pictures
    from vidomni_plugin.video.failures import UnreadableVideo

    real, broken = pictures.chosen_frames, []

    def breaking(path, choose):
        broken.append(path)
        if path == broken[0]:
            raise UnreadableVideo(path, "pyav", ValueError("cut off"))
        return real(path, choose)

    monkeypatch.setattr(pictures, "chosen_frames", breaking)
    arguments = of_server(server, replies=tmp_path / "r.sqlite", threshold=0.8)
    arguments |= {"inner": "vidomni_fifa", "journal": tmp_path / "journal"}
    runner = made("vidomni_runner", **arguments)
    evaluation = evaluate(["vidhalloc_mini"], runner, limit=8, **QUICK)
    texts = [s["filtered_resps"][0] for s in evaluation.results["samples"]["vidhalloc_mini"]]
    failed = [text for text in texts if "cut off" in text]
    assert len(failed) == 4
    assert all(json.loads(text)["label"] for text in texts if text not in failed)


def test_ctrl_c_ends_the_run_and_keeps_what_was_answered(server, evaluate, tmp_path):
    server.script = lambda seen: slow(0.05, answers_all(seen))
    file = tmp_path / "replies.sqlite"
    arguments = of_server(server, replies=file, threshold=0.8)
    process = started(arguments, 40, tmp_path)
    wait_for(server, 12)
    process.send_signal(signal.SIGINT)
    process.wait(60)
    asked = len(server.seen)
    assert asked < 12 + 40  # of 3 x 40 calls and more
    kept = sqlite3.connect(file).execute("SELECT count(*) FROM replies").fetchone()[0]
    assert kept == asked  # those under way were waited for


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from checkpoints import build

    return build("qwen2_5_vl", tmp_path_factory.mktemp("tiny-qwen"))


@pytest.mark.parametrize("name", ["qwen2_5_vl", "vidomni_qwen2_5_vl"])
def test_a_model_of_the_host_sees_the_video(name, tiny, server, evaluate, tmp_path):
    eyes = {"pretrained": tiny, "device": "cpu", "device_map": "cpu", "max_num_frames": 2}
    detector = made(
        **{"llm": "scripted-llm", "llm_base_url": server.url, "videoqa": name},
        **{f"videoqa_{key}": value for key, value in eyes.items()},
        **{"videoqa_max_pixels": 56 * 56, "videoqa_min_pixels": 28 * 28, "videoqa_max_tokens": 4},
        **{"replies": tmp_path / "r.sqlite", "threshold": 0.5, "device": "cpu"},
    )
    found = answers(evaluate(["vidhalloc_mini"], detector, limit=4, **QUICK))
    assert not server.of_role("")
    for one in found.values():
        # A model without knowledge says neither yes nor no, and that is no score.
        assert one["detail"]["status"] == "unclear"
        assert all("reply" in fact for fact in one["detail"]["facts"])
        assert one["detail"]["videoqa"]["pretrained"] == str(tiny)
    if name == "vidomni_qwen2_5_vl":
        work = detector.models.videoqa._model._model.work
        assert (work.videos, work.decodes, work.requests) == (1, 1, 4 * 2)


def test_one_model_of_the_host_for_both(tiny, evaluate):
    eyes = {"pretrained": tiny, "device": "cpu", "device_map": "cpu", "max_num_frames": 2}
    detector = made(
        **{"llm": "videoqa", "llm_max_tokens": 4, "videoqa": "qwen2_5_vl", "device": "cpu"},
        **{f"videoqa_{key}": value for key, value in eyes.items()},
    )
    found = answers(evaluate(["vidhalloc_mini"], detector, limit=2, **QUICK))
    assert {one["detail"]["status"] for one in found.values()} == {"unreadable"}
