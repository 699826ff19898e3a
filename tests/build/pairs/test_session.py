"""Runs in their folder: workers, seeds, budgets, stops, other settings, replies of before."""

from __future__ import annotations

import dataclasses
import http.server
import json
import sqlite3
import threading
from collections import Counter

import pytest
from filelock import FileLock

from tests.build.pairs.acting import content, reply
from tests.build.pairs.running import Quiet, a_plan, asked, exports, go, lines, reasons
from tests.endpoint.scripted import ScriptedServer, refuses, says, status
from vidomni_plugin.build.pairs.contracts.roles import Role
from vidomni_plugin.build.pairs.session import REPLIES, ask_to_stop
from vidomni_plugin.build.pairs.status import read_status, spent_table
from vidomni_plugin.endpoint.budget import Budget
from vidomni_plugin.endpoint.prices import Prices
from vidomni_plugin.endpoint.replies import Replies
from vidomni_plugin.problems import InputProblems


@pytest.fixture
def server():
    with ScriptedServer(reply) as server:
        yield server


def test_the_number_of_workers_changes_nothing(server, videos, tmp_path):
    plan = a_plan(videos[:5], target=7, round_size=3)
    told = Quiet()
    server.script = lambda seen: dataclasses.replace(reply(seen), wait_s=0.01)
    for workers in (1, 2, 8):
        ended = go(server, plan, tmp_path / str(workers), workers=workers, told=told)
        assert ended.state == "target_reached"
    assert exports(tmp_path / "1") == exports(tmp_path / "2") == exports(tmp_path / "8")
    assert server.most_at_once > 1
    assert told.rounds == [1, 2] * 3


def test_the_same_seed_gives_the_same_bytes_and_another_one_other_pairs(server, videos, tmp_path):
    for name, seed in (("a", 42), ("b", 42), ("c", 7)):
        go(server, a_plan(videos[:3], target=3, seed=seed), tmp_path / name)
    first, second, other = (exports(tmp_path / name)[0] for name in "abc")
    assert first == second != other


def test_a_finished_run_asks_nothing_again(server, videos, tmp_path):
    plan = a_plan(videos[:2], target=3)
    go(server, plan, tmp_path)
    before, count = exports(tmp_path), len(server.seen)
    assert go(server, plan, tmp_path).state == "target_reached"
    assert (exports(tmp_path), len(server.seen)) == (before, count)


def test_kept_replies_are_enough_for_a_new_folder(server, videos, tmp_path):
    plan = a_plan(videos[:2], target=3)
    go(server, plan, tmp_path / "first")
    count = len(server.seen)
    go(server, plan, tmp_path / "second", replies=tmp_path / "first" / REPLIES)
    assert len(server.seen) == count
    assert exports(tmp_path / "second") == exports(tmp_path / "first")


@pytest.mark.parametrize("lost", ["checkpoints.sqlite", "pairs.sqlite"])
def test_a_lost_file_is_made_again_from_the_replies(server, videos, tmp_path, lost):
    plan = a_plan(videos[:2], target=3, round_size=1)
    go(server, plan, tmp_path / "whole")
    replies, count = tmp_path / "whole" / REPLIES, len(server.seen)
    stop = threading.Event()

    class Stops(Quiet):
        def step_done(self) -> None:
            super().step_done()
            if self.steps == 2:
                stop.set()

    out = tmp_path / "again"
    ended = go(server, plan, out, workers=1, replies=replies, stop=stop, told=Stops())
    assert ended.state == "stopped"
    for path in out.glob(f"{lost}*"):
        path.unlink()
    assert go(server, plan, out, workers=1, replies=replies).state == "target_reached"
    assert exports(out) == exports(tmp_path / "whole")
    assert len(server.seen) == count


@pytest.mark.parametrize("most", [0.15, 0.5, 0.8])
@pytest.mark.parametrize("unit", ["tokens", "money"])
def test_a_budget_is_never_passed_and_the_next_run_goes_on(videos, tmp_path, unit, most):
    prices = Prices(1.0, 0.1, 10.0)

    def script(seen):
        # As dear as it can be: what is set aside for a call is used up.
        bound = len(json.dumps(seen.request["messages"])) if not seen.has_media else 4000
        return says(json.dumps(content(seen)), tokens=(bound // 2, 0, 200))

    plan = a_plan(videos[:4], target=6)
    with ScriptedServer(script) as server:
        go(server, plan, tmp_path / "whole")
        with Replies(tmp_path / "whole" / REPLIES) as kept:
            tokens = kept.spent().tokens
        money = sum(
            prices.cost(usage) for usage in map(_usage_of, [script(seen) for seen in server.seen])
        )
        server.seen.clear()
        limit = (
            Budget(most_tokens=round(tokens * most))
            if unit == "tokens"
            else Budget(most_cost=money * most, prices=prices)
        )
        out = tmp_path / "limited"
        ended = go(server, plan, out, workers=8, budget=limit)
        assert ended.state == "stopped"
        assert "budget_exhausted" in ended.why
        assert not ended.set_aside
        assert not reasons(out).keys() & {"budget_exhausted", "stopped"}
        with Replies(out / REPLIES) as kept:
            assert limit.allows(kept.spent())
        count = len(server.seen)
        assert go(server, plan, out, workers=8, budget=limit).state == "stopped"
        assert len(server.seen) == count
        unlimited = Budget(prices=prices)
        assert go(server, plan, out, workers=8, budget=unlimited).state == "target_reached"
    assert set(Counter(map(asked, server.seen)).values()) == {1}
    assert exports(out) == exports(tmp_path / "whole")


def _usage_of(act):
    from vidomni_plugin.endpoint.reply import Usage

    used = json.loads(act.body)["usage"]
    return Usage(used["prompt_tokens"], 0, used["completion_tokens"])


def test_a_stop_from_elsewhere_loses_nothing(videos, tmp_path):
    out = tmp_path / "out"

    def script(seen):
        if seen.number == 4:
            ask_to_stop(out)
        return reply(seen)

    plan = a_plan(videos[:4], target=8)
    with ScriptedServer(script) as server:
        patient = {"workers": 1}
        server.script = lambda seen: dataclasses.replace(script(seen), wait_s=0.3)
        ended = go(server, plan, out, **patient)
        assert ended.state == "stopped"
        assert ended.why == "it was asked to stop"
        assert len(server.seen) < 10
        server.script = reply
        assert go(server, plan, out).state == "target_reached"
        assert set(Counter(map(asked, server.seen)).values()) == {1}
        go(server, plan, tmp_path / "whole")
    assert exports(out) == exports(tmp_path / "whole")
    with pytest.raises(InputProblems, match="no run is at work"):
        ask_to_stop(out)
    with pytest.raises(InputProblems, match="no run is at work"):
        ask_to_stop(tmp_path / "nowhere")


def test_a_second_run_in_the_same_folder_is_refused(server, videos, tmp_path):
    with FileLock(tmp_path / "run.lock"), pytest.raises(InputProblems, match="another run is at"):
        go(server, a_plan(videos[:1]), tmp_path)
    assert not server.seen


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        pytest.param({"seed": 7}, "seed: 42 there, 7 asked", id="seed"),
        pytest.param({"target": 9}, "target: 1 there, 9 asked", id="target"),
        pytest.param({"ceilings": {"eeh": 3}}, "ceilings of eeh: none there, 3", id="ceilings"),
        pytest.param({"media": {"fps": 2.0}}, "media of fps: 1.0 there, 2.0 asked [", id="media"),
        pytest.param(
            {"models": dict.fromkeys(Role, "big")},
            "models: 'tiny' there, 'big' asked [",
            id="models",
        ),
        pytest.param(
            {"models": dict.fromkeys(Role, "tiny") | {Role.MONITOR: "big"}},
            "models of monitor: 'tiny' there, 'big' asked [",
            id="one model",
        ),
        pytest.param({"max_tokens": 300}, "max_tokens", id="max_tokens"),
        pytest.param({"videos": slice(1, 3)}, "1 video new: .*1 video gone: ", id="videos"),
    ],
)
def test_other_settings_are_refused_by_name(server, videos, tmp_path, changes, words):
    go(server, a_plan(videos[:2], target=1), tmp_path)
    before, count = exports(tmp_path), len(server.seen)
    chosen = videos[changes.pop("videos", slice(0, 2))]
    with pytest.raises(InputProblems, match=words.replace("[", r"\[")):
        go(server, a_plan(chosen, **{"target": 1} | changes), tmp_path)
    assert (exports(tmp_path), len(server.seen)) == (before, count)


def test_a_video_that_changed_between_runs_is_named(server, videos, tmp_path):
    go(server, a_plan(videos[:2], target=1), tmp_path)
    other = dataclasses.replace(videos[0], sha256="0" * 64)
    with pytest.raises(InputProblems, match=f"1 video changed: {other.video_id}"):
        go(server, a_plan([other, videos[1]], target=1), tmp_path)


def test_a_video_that_cannot_be_had_is_set_aside_and_taken_up_later(server, videos, tmp_path):
    gone = dataclasses.replace(videos[0], path=tmp_path / "elsewhere.mp4")
    ended = go(server, a_plan([gone, *videos[1:3]], target=9), tmp_path / "out")
    assert list(ended.set_aside) == [gone.video_id]
    assert "elsewhere.mp4" in ended.set_aside[gone.video_id]
    assert not reasons(tmp_path / "out")["video_unreadable"]
    ended = go(server, a_plan(videos[:3], target=9), tmp_path / "out")
    assert not ended.set_aside
    assert len(lines(tmp_path / "out", "pairs.jsonl")) == 6


def test_a_video_that_cannot_be_decoded_ends_alone(server, videos, tmp_path):
    path = tmp_path / "broken.mp4"
    path.write_bytes(b"no video at all")
    broken = dataclasses.replace(videos[0], path=path)
    ended = go(server, a_plan([broken, *videos[1:3]], target=9), tmp_path / "out")
    assert not ended.set_aside
    assert reasons(tmp_path / "out")["video_unreadable"] == 1
    assert len(lines(tmp_path / "out", "pairs.jsonl")) == 4


def test_a_video_that_the_server_fails_for_holds_its_place(videos, tmp_path):
    """Set aside with a fact under way, it is taken up by the next run; no cap is passed."""
    plan = a_plan(videos[:4], target=4, round_size=2)
    failing = videos[0].video_id

    def script(seen):
        wanted = seen.role == "monitor" and server_is_down[0]
        return status(503) if wanted and _is_about(seen, monitored, failing) else reply(seen)

    monitored: list[str] = []
    server_is_down = [True]
    with ScriptedServer(script) as server:
        monitored.extend(_pictures_of(server, videos[0], tmp_path / "look"))
        server.seen.clear()
        ended = go(server, plan, tmp_path / "out", retries=0)
        assert list(ended.set_aside) == [failing]
        assert len(lines(tmp_path / "out", "pairs.jsonl")) == 3
        found = read_status(tmp_path / "out")
        assert found.videos["set_aside"] == 1
        assert "503" in found.set_aside[failing]
        server_is_down[0] = False
        ended = go(server, plan, tmp_path / "out", retries=0)
    assert (ended.state, ended.set_aside) == ("target_reached", {})
    pairs = lines(tmp_path / "out", "pairs.jsonl")
    assert len(pairs) == 4
    assert max(Counter(pair["media"]["video_id"] for pair in pairs).values()) <= 2
    assert not reasons(tmp_path / "out").keys() & {"server_error", "timeout"}


def test_what_waited_for_the_place_of_a_set_aside_video_gets_it_when_that_fails(videos, tmp_path):
    only = dict.fromkeys(("ech", "eqh", "srh", "aph", "trh", "cph", "eeh"), 0) | {"avh": 1}
    plan = a_plan(videos[:2], target=1, ceilings=only, round_size=2)
    with ScriptedServer(lambda seen: status(503) if seen.role == "reflector" else reply(seen)) as s:
        ended = go(s, plan, tmp_path, retries=0)
        assert len(ended.set_aside) == 1
        assert not lines(tmp_path, "pairs.jsonl")
        bad = {"verdict": "contradicted"}
        s.script = lambda seen: (
            says(json.dumps(content(seen) | bad))
            if seen.role == "reflector" and s.of_role("reflector")[-1].number == first[0]
            else reply(seen)
        )
        first = [len(s.seen) + 1]
        ended = go(s, plan, tmp_path, retries=0)
    assert ended.state == "target_reached"
    [pair] = lines(tmp_path, "pairs.jsonl")
    assert pair["leaf_label"] == "AttributeValue"
    assert reasons(tmp_path)["reflection_contradicted"] == 1


def _pictures_of(server, video, out):
    go(server, a_plan([video], target=1), out)
    return [_first_picture(seen) for seen in server.of_role("planner")]


def _first_picture(seen):
    parts = seen.request["messages"][1]["content"]
    return next(part["image_url"]["url"] for part in parts if part["type"] == "image_url")


def _is_about(seen, pictures, video_id):
    return _first_picture(seen) in pictures


def test_a_server_that_is_down_ends_the_run(videos, tmp_path):
    with ScriptedServer(status(503)) as server:
        ended = go(server, a_plan(videos, round_size=12), tmp_path, retries=0)
        assert ended.state == "stopped"
        assert "8 videos failed in a row" in ended.why
        assert len(ended.set_aside) == 8
        server.script = reply
        assert go(server, a_plan(videos, round_size=12), tmp_path).state == "target_reached"


def test_a_server_that_is_down_ends_the_run_within_a_round(videos, tmp_path):
    with ScriptedServer(status(503)) as server:
        ended = go(server, a_plan(videos, round_size=12), tmp_path, retries=0, workers=2)
    assert ended.kind == "server_down"
    assert 8 <= len(server.seen) <= 8 + 2  # what the workers had begun


def test_few_videos_that_fail_are_tried_twice(videos, tmp_path):
    with ScriptedServer(status(503)) as server:
        ended = go(server, a_plan(videos[:7], round_size=7), tmp_path, retries=0)
    assert (ended.state, len(ended.set_aside)) == ("sources_used_up", 7)
    assert len(server.seen) == 14


@pytest.mark.parametrize("round_size", [3, 8])
@pytest.mark.parametrize("role", ["planner", "extractor"])
def test_replies_of_no_use_end_the_run_and_cost_no_video(videos, tmp_path, role, round_size):
    plan = a_plan(videos[:9], round_size=round_size, target=3)
    good = tmp_path / "good"
    with ScriptedServer(reply) as server:
        go(server, plan, good)
        server.script = lambda seen: "I see nothing." if seen.role == role else reply(seen)
        out = tmp_path / "out"
        ended = go(server, plan, out)
        assert (ended.state, ended.kind) == ("stopped", "no_use")
        assert "invalid_json" in ended.why
        assert not lines(out, "rejections.jsonl")
        assert read_status(out).videos == {"waiting": 9}
        asked_twice = go(server, plan, out)
        assert asked_twice.kind == "no_use"
        server.script = reply
        ended = go(server, plan, out)
        assert (ended.state, ended.set_aside) == ("target_reached", {})
        count = len(server.seen)
        go(server, plan, tmp_path / "new", replies=out / REPLIES)
        assert len(server.seen) == count
    assert exports(out) == exports(tmp_path / "new") == exports(good)


def test_few_videos_without_a_usable_reply_wait_for_a_better_server(videos, tmp_path):
    plan = a_plan(videos[:2], target=3)
    with ScriptedServer("{}") as server:
        ended = go(server, plan, tmp_path)
        assert ended.set_aside.keys() == {video.video_id for video in videos[:2]}
        assert len(server.seen) == 4
        server.script = reply
        assert go(server, plan, tmp_path).state == "target_reached"


def test_a_run_that_was_cut_off_among_useless_replies_loses_no_video(videos, tmp_path):
    stop = threading.Event()

    def script(seen):
        if seen.number == 8:
            stop.set()
        return says("prose")

    plan = a_plan(videos[:6], round_size=6, target=4)
    with ScriptedServer(script) as server:
        assert go(server, plan, tmp_path, stop=stop, workers=1).kind == "stopped"
        assert read_status(tmp_path).videos["closed"] > 1
        server.script = reply
        ended = go(server, plan, tmp_path)
    assert ended.state == "target_reached"
    assert not reasons(tmp_path)["invalid_json"]


def test_a_useless_reply_beside_usable_ones_is_final(videos, tmp_path):
    with ScriptedServer(reply) as server:
        [picture] = _pictures_of(server, videos[0], tmp_path / "look")

        def script(seen):
            useless = seen.role == "planner" and _is_about(seen, [picture], "")
            return "prose" if useless else reply(seen)

        server.script = script
        ended = go(server, a_plan(videos[:3], target=9), tmp_path / "out")
    assert not ended.set_aside
    assert reasons(tmp_path / "out")["invalid_json"] == 1


def test_the_status_tells_how_the_last_start_ended(videos, tmp_path):
    plan = a_plan(videos[:2], target=1)
    with ScriptedServer(status(401, "no such key")) as server:
        go(server, plan, tmp_path)
        last = read_status(tmp_path).last
        assert (last["state"], last["kind"]) == ("stopped", "auth_failed")
        assert "no such key" in last["why"]
        server.script = reply
        go(server, plan, tmp_path)
    assert (read_status(tmp_path).last["state"], last["at"][-1]) == ("target_reached", "Z")


STAGES = {"reflector": {"fact"}, "generator": {"fact", "question"}}
WHOLE = {"fact", "question", "answer", "counterfactual_answer"}


@pytest.mark.parametrize("role", ["reflector", "generator", "verifier", "monitor"])
@pytest.mark.parametrize("act", [says("{}"), refuses()])
def test_a_rejection_can_be_read_alone(videos, tmp_path, role, act):
    with ScriptedServer(lambda seen: act if seen.role == role else reply(seen)) as server:
        go(server, a_plan(videos[:2], target=9), tmp_path)
    for line in lines(tmp_path, "rejections.jsonl"):
        given = json.loads(line["given"])
        assert given.keys() == STAGES.get(role, WHOLE)
        assert all(given.values())


def test_what_was_not_needed_names_its_fact(server, videos, tmp_path):
    go(server, a_plan(videos[:2], target=3), tmp_path)
    left = lines(tmp_path, "rejections.jsonl")
    assert left
    assert all(json.loads(line["given"])["fact"].endswith(".") for line in left)


def test_a_rejected_answer_is_in_the_rejection(videos, tmp_path):
    def script(seen):
        if seen.role != "generator":
            return reply(seen)
        return says(json.dumps(content(seen) | {"question": "Is it?"}))

    with ScriptedServer(script) as server:
        go(server, a_plan(videos[:1], target=9), tmp_path)
    found = lines(tmp_path, "rejections.jsonl")
    assert {line["reason"] for line in found} == {"question_changed"}
    assert all(json.loads(line["given"]).keys() == WHOLE for line in found)


def test_a_refused_text_is_no_refused_key(videos, tmp_path):
    """Some servers forbid one item with 403: it is set aside, and the others are made."""

    def script(seen):
        forbidden = seen.role == "planner" and _first_picture(seen) in pictures
        return status(403, "this is forbidden") if forbidden else reply(seen)

    pictures: list[str] = []
    with ScriptedServer(script) as server:
        pictures += _pictures_of(server, videos[0], tmp_path / "look")
        ended = go(server, a_plan(videos[:3], target=9), tmp_path / "out")
    assert list(ended.set_aside) == [videos[0].video_id]
    assert len(lines(tmp_path / "out", "pairs.jsonl")) == 4


def test_status_tells_pairs_reasons_and_requests(server, videos, tmp_path):
    go(server, a_plan(videos[:2], target=3), tmp_path)
    found = read_status(tmp_path)
    assert found.committed == found.had.total == sum(found.tasks.values()) == 3
    assert found.videos == {"closed": 2}
    spent = spent_table(tmp_path / REPLIES)
    assert spent is not None
    assert spent.rows[-1][:3] == ["all", len(server.seen), len(server.seen)]
    with pytest.raises(InputProblems, match="no such file"):
        read_status(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["pairs.sqlite", "checkpoints.sqlite", "replies.sqlite"])
def test_a_file_that_is_none_of_a_run_is_told(server, videos, tmp_path, name):
    (tmp_path / name).write_bytes(b"SQLite format 3\0" + b"nonsense" * 200)
    with pytest.raises(InputProblems, match=name):
        go(server, a_plan(videos[:1]), tmp_path)
    assert not server.seen


def test_states_that_can_no_longer_be_written_end_the_run_with_their_name(videos, tmp_path):
    def script(seen):
        if seen.number == 3:
            with sqlite3.connect(tmp_path / "checkpoints.sqlite") as other:
                other.execute("DROP TABLE writes")
            other.close()
        return reply(seen)

    with ScriptedServer(script) as server:
        with pytest.raises(InputProblems, match=r"checkpoints\.sqlite: no such table"):
            go(server, a_plan(videos[:2]), tmp_path, workers=1)
        assert exports(tmp_path)
        (tmp_path / "checkpoints.sqlite").unlink()
        for path in tmp_path.glob("checkpoints.sqlite-*"):
            path.unlink()
        assert go(server, a_plan(videos[:2]), tmp_path).state == "target_reached"


def test_no_trace_is_sent_whatever_the_environment_says(server, videos, tmp_path, monkeypatch):
    seen: list[str] = []

    class Collector(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(self.path)
            self.send_error(404)

        do_GET = do_PATCH = do_POST  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    collector = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    thread = threading.Thread(target=collector.serve_forever, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{collector.server_port}"
    for name, value in {"TRACING": "true", "TRACING_V2": "true", "ENDPOINT": url}.items():
        for first in ("LANGSMITH", "LANGCHAIN"):
            monkeypatch.setenv(f"{first}_{name}", value)
            monkeypatch.setenv(f"{first}_API_KEY", "lsv2_pt_none")
    try:
        _traced_control(seen)
        go(server, a_plan(videos[:1], target=1), tmp_path)
        from langchain_core.tracers.langchain import wait_for_all_tracers

        wait_for_all_tracers()
        assert not seen
    finally:
        collector.shutdown()
        collector.server_close()
        thread.join()


def _traced_control(seen: list[str]) -> None:
    """A graph outside of our hands does send: the collector would have seen it."""
    from langchain_core.runnables import RunnableLambda
    from langchain_core.tracers.langchain import wait_for_all_tracers
    from langsmith.utils import get_env_var

    get_env_var.cache_clear()
    RunnableLambda(lambda value: value).invoke(1)
    wait_for_all_tracers()
    assert seen
    seen.clear()
