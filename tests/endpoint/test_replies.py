"""Replies on disk: nothing is lost, nothing is counted twice, and damage is told."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.endpoint.conftest import KEY, call
from tests.endpoint.scripted import ScriptedServer
from vidomni_plugin.endpoint.budget import Amount, Budget
from vidomni_plugin.endpoint.replies import Ended, Kept, Replies
from vidomni_plugin.endpoint.reply import FailureKind, Reply, Usage
from vidomni_plugin.problems import InputProblems


def reply(text="Yes.", usage=Usage(3, 1, 2), cost=0.5):  # noqa: B008 - frozen
    return Reply(text, "stop", usage, 0.25, 2, cost, kept=True)


def add(replies, asked, kept, spent=Amount(5, 0.5)):  # noqa: B008 - frozen
    opened = replies.open(asked, "item-1", Amount(100, 1.0), Budget())
    ended = Ended("ok", "", kept.reply.usage, spent, estimated=False)
    replies.close_attempt(opened, ended, asked, kept)


def ended_with(spent):
    return Ended("ok", "", None, spent, estimated=True)


def rows(path, query):
    with sqlite3.connect(path) as db:
        return db.execute(query).fetchall()


@pytest.mark.parametrize(
    "kept",
    [
        Kept(reply(), None, ""),
        Kept(reply(usage=None, cost=None), None, ""),
        Kept(reply(""), FailureKind.REFUSED, "the model refuses"),
        Kept(reply("a\x00b\nünï 🐕"), FailureKind.TRUNCATED, "cut"),
    ],
)
def test_a_reply_comes_back_as_it_was(tmp_path, kept):
    path = tmp_path / "deep" / "replies.sqlite"
    replies = Replies(path)
    assert replies.find(call().key) is None
    add(replies, call(), kept)
    assert replies.find(call().key) == kept
    replies.close()
    assert Replies(path).find(call().key) == kept


def test_half_a_character_does_not_lose_a_reply(tmp_path):
    replies = Replies(tmp_path / "r.sqlite")
    add(replies, call(role="a\udc80"), Kept(reply("half \ud83d"), None, ""))
    assert replies.find(call(role="a\udc80").key).reply.text == "half ?"


def test_the_first_reply_to_a_call_stays():
    replies = Replies(None)
    add(replies, call(), Kept(reply("first"), None, ""))
    add(replies, call(), Kept(reply("second"), None, ""))
    assert replies.find(call().key).reply.text == "first"
    assert replies.spent() == Amount(10, 1.0)


def test_an_attempt_counts_from_before_it_is_made(tmp_path):
    path = tmp_path / "r.sqlite"
    replies = Replies(path)
    opened = replies.open(call(), "video-7", Amount(100, 1.5), Budget())
    assert Replies(path).spent() == replies.spent() == Amount(100, 1.5)
    query = "SELECT item, outcome, ended, reserved_tokens, spent_tokens FROM attempts"
    assert rows(path, query) == [("video-7", None, None, 100, 100)]
    ended = Ended("server_error", "status 500: no", None, Amount(), estimated=False)
    replies.close_attempt(opened, ended)
    assert replies.spent() == Amount(0, 0)
    query = "SELECT outcome, message, ended IS NULL, spent_tokens FROM attempts"
    assert rows(path, query) == [("server_error", "status 500: no", 0, 0)]


amounts = st.builds(Amount, st.integers(0, 50), st.floats(0, 1))


@given(st.lists(st.tuples(amounts, amounts, st.booleans()), max_size=12))
def test_what_is_spent_is_the_sum_of_all_attempts(attempts):
    replies = Replies(None)
    tokens, cost = 0, 0.0
    for reserved, spent, closed in attempts:
        opened = replies.open(call(), "", reserved, Budget())
        if closed:
            replies.close_attempt(opened, ended_with(spent))
        counted = spent if closed else reserved
        tokens, cost = tokens + counted.tokens, cost + counted.cost
    total = replies.spent()
    assert total.tokens == tokens
    assert total.cost == pytest.approx(cost, abs=1e-9)
    replies.close()


@given(
    st.integers(1, 400),
    st.lists(st.tuples(st.integers(1, 60), st.integers(0, 60)), min_size=1, max_size=25),
)
def test_threads_never_overshoot_together(limit, attempts):
    """No server counts more than what was set aside, so the limit holds at every moment."""
    replies = Replies(None)
    budget = Budget(most_tokens=limit)
    highest = []

    def one(reserved, spent):
        opened = replies.open(call(), "", Amount(reserved), budget)
        highest.append(replies.spent().tokens)
        if opened:
            actual = Amount(min(spent, reserved))
            replies.close_attempt(opened, ended_with(actual))
        return opened is not None

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(one, *zip(*attempts, strict=True)))
    assert max(highest) <= limit
    if sum(reserved for reserved, _ in attempts) <= limit:
        assert all(made)
    replies.close()


def test_a_budget_is_waited_for_while_attempts_are_under_way():
    """Also those of another client: two models may share one file."""
    replies = Replies(None)
    budget = Budget(most_tokens=100)
    first = replies.open(call("first"), "", Amount(80), budget)
    assert replies.may_allow(Amount(50), budget)
    waited = []

    def check():
        waited.append(True)
        if len(waited) == 1:
            replies.close_attempt(first, ended_with(Amount(10)))

    second = replies.reserve(call("second"), "", Amount(50), budget, check)
    assert second is not None
    assert waited == [True]
    replies.close_attempt(second, ended_with(Amount(50)))
    assert replies.reserve(call("third"), "", Amount(50), budget, check) is None
    assert not replies.may_allow(Amount(50), budget)
    assert waited == [True]


WORKER = """
import sys
from pathlib import Path
from tests.endpoint.conftest import call
from vidomni_plugin.endpoint.budget import Amount, Budget
from vidomni_plugin.endpoint.replies import Ended, Kept, Replies
from vidomni_plugin.endpoint.reply import Reply

replies = Replies(Path(sys.argv[1]))
made = 0
for n in range(40):
    asked = call(f"{sys.argv[2]} {n}")
    opened = replies.open(asked, "", Amount(10, 0.5), Budget(most_tokens=500))
    if opened:
        made += 1
        kept = Kept(Reply(str(n), "stop", None, 0.0, 1, None, True), None, "")
        replies.close_attempt(opened, Ended("ok", "", None, Amount(10, 0.5), True), asked, kept)
print(made)
"""


def test_two_processes_share_a_file_and_its_budget(tmp_path):
    path = tmp_path / "r.sqlite"
    command = [sys.executable, "-c", WORKER, str(path)]
    workers = [
        subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True) for name in "ab"
    ]
    made = [int(worker.communicate()[0]) for worker in workers]
    assert sum(made) == 50  # 80 wanted, room for 50
    replies = Replies(path)
    assert replies.spent() == Amount(500, 25.0)
    names = [f"{name} {n}" for name in "ab" for n in range(40)]
    assert sum(replies.find(call(name).key) is not None for name in names) == 50


ASKS = """
import sys
from pathlib import Path
from tests.endpoint.clock import Clock
from tests.endpoint.conftest import call, make
from vidomni_plugin.endpoint.budget import Budget
from vidomni_plugin.endpoint.prices import Prices

class At:
    url = sys.argv[2]

client, _ = make(At, Path(sys.argv[1]), Clock(), budget=Budget(prices=Prices(1, 1, 1)))
client.ask(call("first"))
client.ask(call("second"), "video-2")
"""


def test_a_killed_run_keeps_its_replies_and_what_it_had_set_aside(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    path = tmp_path / "r.sqlite"
    asked_twice, gate = threading.Event(), threading.Event()

    def script(seen):
        if seen.nth == 1:
            return "first reply"
        asked_twice.set()
        gate.wait(10)
        return "too late"

    with ScriptedServer(script) as server:
        run = subprocess.Popen([sys.executable, "-c", ASKS, str(path), server.url])
        assert asked_twice.wait(20)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        gate.set()
    replies = Replies(path)
    assert replies.find(call("first").key).reply.text == "first reply"
    assert replies.find(call("second").key) is None
    most = call("second").most_tokens(0)
    assert replies.spent().tokens == 15 + most  # 10 + 5 tokens of the first, counted
    assert replies.spent().cost == pytest.approx((15 + most) / 1e6)
    query = "SELECT item, outcome FROM attempts ORDER BY id"
    assert rows(path, query) == [("", "ok"), ("video-2", None)]
    assert KEY.encode() not in path.read_bytes()


@pytest.mark.parametrize("content", [b"not a database, though long enough" * 50, b"x"])
def test_another_file_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "r.sqlite"
    path.write_bytes(content)
    with pytest.raises(InputProblems, match=r"r.sqlite: .* \[unreadable\]"):
        Replies(path)
    assert path.read_bytes() == content


def test_a_database_of_somebody_else_is_refused(tmp_path):
    path = tmp_path / "r.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE replies (key)")
    before = path.read_bytes()
    with pytest.raises(InputProblems, match="no file of replies of this version"):
        Replies(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("place", [4096, 12_000])
def test_damage_is_told(tmp_path, place):
    path = tmp_path / "r.sqlite"
    replies = Replies(path)
    for number in range(16):
        add(replies, call(str(number)), Kept(reply("x" * 500), None, ""))
    replies.close()
    content = bytearray(path.read_bytes())
    content[place : place + 3000] = b"\xff" * 3000
    path.write_bytes(bytes(content))
    with pytest.raises(InputProblems, match="unreadable"):
        Replies(path)


@pytest.mark.parametrize("name", [":memory:", "file:r?mode=memory"])
def test_a_name_that_sqlite_knows_is_a_file_like_any_other(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with Replies(Path(name)) as replies:
        add(replies, call(), Kept(reply("Yes."), None, ""))
    assert Replies(tmp_path / name).find(call().key).reply.text == "Yes."


def test_a_path_that_cannot_be():
    with pytest.raises(InputProblems, match="unreadable"):
        Replies(Path("a\0b"))


def test_a_folder_in_its_place(tmp_path):
    with pytest.raises(InputProblems, match="unreadable"):
        Replies(tmp_path)


def test_a_file_that_somebody_keeps_locked(tmp_path, monkeypatch):
    path = tmp_path / "r.sqlite"
    Replies(path).close()
    monkeypatch.setattr("vidomni_plugin.endpoint.database.BUSY_S", 0.05)
    with sqlite3.connect(path) as db:
        db.execute("BEGIN IMMEDIATE")
        start = time.monotonic()
        with pytest.raises(InputProblems, match=r"\[locked\]"):
            Replies(path)
        assert time.monotonic() - start < 2


def test_an_interruption_while_writing_leaves_nothing_half(tmp_path):
    replies = Replies(tmp_path / "r.sqlite")

    def interrupted():
        with replies._file.writing() as db:
            db.execute("UPDATE spent SET tokens = 9")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert replies.spent() == Amount(0, 0)
