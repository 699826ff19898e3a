"""Asking through the whole client: real HTTP, a scripted server, a clock that nobody waits for."""

import sqlite3
import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import replace

import pytest

from tests.endpoint.conftest import KEY, call
from tests.endpoint.scripted import cut, empty, refuses, says, status
from vidomni_plugin.endpoint.budget import Budget
from vidomni_plugin.endpoint.client import Totals
from vidomni_plugin.endpoint.prices import Prices
from vidomni_plugin.endpoint.reply import Failed, FailureKind, Usage

PRICES = Prices(input=1, cached=0.5, output=2)


def attempts(asking, columns="outcome"):
    with sqlite3.connect(asking.path) as db:
        return db.execute(f"SELECT {columns} FROM attempts ORDER BY id").fetchall()


def outcomes(asking):
    return [outcome for (outcome,) in attempts(asking)]


def fails(client, asked=None, item=""):
    with pytest.raises(Failed) as raised:
        client.ask(asked or call(), item)
    return raised.value


def test_a_reply_costs_once(asking):
    it = asking(says("Yes.", tokens=(1000, 200, 10)), budget=Budget(prices=PRICES))
    reply = it.client.ask(call(), "video-1")
    assert (reply.text, reply.finish_reason, reply.attempts, reply.kept) == (
        "Yes.",
        "stop",
        1,
        False,
    )
    assert reply.usage == Usage(1000, 200, 10)
    assert reply.cost == pytest.approx((800 + 100 + 20) / 1e6)
    again = it.client.ask(call())
    assert again == replace(reply, kept=True)
    assert it.again().ask(call()) == again
    assert len(it.server.seen) == 1
    assert attempts(it, "item, outcome, estimated") == [("video-1", "ok", 0)]


def test_replies_of_an_item_up_to_a_time_are_asked_anew_and_stay_paid(asking):
    it = asking(["prose", "{}"], budget=Budget(prices=PRICES))
    it.client.ask(call("one"), "a")
    it.client.ask(call("two"), "b")
    spent = it.replies.spent()
    later = it.again()
    later.ask_again({"a": "2000-01-01T00:00:00Z", "b": "2999-01-01T00:00:00Z"})
    assert later.find(call("two"), "b") is None
    assert later.ask(call("one"), "a").kept
    assert not later.ask(call("two"), "b").kept
    assert len(it.server.seen) == 3
    assert it.replies.spent().tokens > spent.tokens


def test_a_reply_is_on_disk_before_it_is_handed_out(asking):
    it = asking("Yes.")
    seen = []
    close = it.replies.close_attempt

    def noting(*args, **kwargs):
        kept = close(*args, **kwargs)
        with sqlite3.connect(it.path) as db:
            seen.extend(db.execute("SELECT text FROM replies").fetchall())
        return kept

    it.replies.close_attempt = noting
    it.client.ask(call())
    assert seen == [("Yes.",)]


@pytest.mark.parametrize(
    ("act", "kind"),
    [
        (status(503), "server_error"),
        (status(429), "rate_limited"),
        (status(409), "server_error"),
        (status(408), "timeout"),
        (cut(), "no_connection"),
        (cut(-1), "no_connection"),
        (empty(), "malformed"),
    ],
)
def test_what_may_pass_is_asked_again(asking, act, kind):
    it = asking([act, act, "Yes."])
    reply = it.client.ask(call())
    assert (reply.text, reply.attempts) == ("Yes.", 3)
    assert outcomes(it) == [kind, kind, "ok"]
    assert 1.5 <= it.clock.now <= 3  # half to all of 1 s and 2 s


def test_a_late_answer_is_asked_for_again(asking):
    gate = threading.Event()
    it = asking([replace(says("late"), gate=gate), "Yes."], timeout_s=0.15)
    assert it.client.ask(call()).text == "Yes."
    gate.set()
    first, *_, last = outcomes(it)
    assert (first, last) == ("timeout", "ok")


@pytest.mark.parametrize(
    ("act", "kind", "infra"),
    [
        (status(503), FailureKind.SERVER_ERROR, True),
        (status(429), FailureKind.RATE_LIMITED, True),
        (cut(), FailureKind.NO_CONNECTION, True),
        (empty(), FailureKind.MALFORMED, False),
    ],
)
def test_retries_end(asking, act, kind, infra):
    it = asking(act, retries=2)
    failed = fails(it.client)
    assert (failed.kind, failed.is_infra) == (kind, infra)
    assert failed.message.endswith(" (3 attempts)")
    assert len(it.server.seen) == 3


@pytest.mark.parametrize(
    ("act", "kind"),
    [
        (status(400), FailureKind.BAD_REQUEST),
        (refuses(), FailureKind.REFUSED),
        (says("cut", finish="length"), FailureKind.TRUNCATED),
    ],
)
def test_what_will_not_pass_is_asked_once(asking, act, kind):
    it = asking(act)
    failed = fails(it.client)
    assert (failed.kind, failed.is_infra) == (kind, False)
    assert len(it.server.seen) == 1


@pytest.mark.parametrize("act", [refuses("I will not."), says("It is", finish="length")])
def test_a_refusal_or_a_cut_reply_is_kept_as_such(asking, act):
    """It was paid for, and the next run would get the same."""
    it = asking(act)
    first = fails(it.client)
    later = fails(it.again())
    assert len(it.server.seen) == 1
    assert (later.kind, later.message) == (first.kind, first.message)
    assert (first.reply.kept, later.reply.kept) == (False, True)
    assert later.reply.text in ("I will not.", "It is")


def test_a_failure_is_asked_again_by_the_next_run(asking):
    it = asking([status(400), status(500), "Yes."], retries=0)
    fails(it.client)
    fails(it.again(retries=0))
    assert it.again().ask(call()).text == "Yes."


@pytest.mark.parametrize("number", [401, 402])
def test_a_key_that_is_refused_ends_all_calls(asking, number):
    it = asking(status(number, f"bad {KEY}"))
    first = fails(it.client)
    second = fails(it.client, call("Another?"))
    assert first.kind == second.kind == FailureKind.AUTH_FAILED
    assert first.message == second.message == f"status {number}: " + "bad ***"
    assert first.is_infra
    assert first.breaks == second.breaks == "all"
    assert len(it.server.seen) == 1


def test_an_unknown_model_ends_the_calls_to_it_alone(asking):
    it = asking(lambda seen: status(404) if seen.request["model"] == "tiny" else "Yes.")
    failed = fails(it.client)
    assert (failed.kind, failed.breaks) == (FailureKind.NOT_FOUND, "model")
    fails(it.client, call("Another?"))
    assert len(it.server.seen) == 1
    assert it.client.ask(replace(call(), model="other")).text == "Yes."


def test_retry_after_holds_all_threads(asking):
    it = asking({"a": [status(429, retry_after="40"), "Yes."], "b": "Yes."})
    it.client.ask(call(role="a"))
    assert it.clock.now == pytest.approx(40)
    it.client.ask(call(role="b"))
    assert it.clock.now == pytest.approx(40)  # it is over by then


def test_the_pace_counts_retries(asking):
    it = asking([status(500), "Yes."], per_minute=6)
    it.client.ask(call())
    it.client.ask(call("Another?"))
    assert it.clock.now == pytest.approx(20)


def all_at_once(it, gate, threads):
    """Ask one question in many threads; the server answers once all of them wait for it."""
    shared = threading.Semaphore(0)
    share = it.client._share

    def noting(*args):
        shared.release()
        return share(*args)

    it.client._share = noting
    with ThreadPoolExecutor(threads) as pool:
        asked = [pool.submit(it.client.ask, call()) for _ in range(threads)]
        for _ in range(threads - 1):
            assert shared.acquire(timeout=10)
        gate.set()
    return asked


def test_threads_with_one_question_ask_once(asking):
    gate = threading.Event()
    it = asking(replace(says("Yes."), gate=gate))
    replies = [future.result() for future in all_at_once(it, gate, 6)]
    assert {reply.text for reply in replies} == {"Yes."}
    assert sorted(reply.kept for reply in replies) == [False] + [True] * 5
    assert len(it.server.seen) == 1
    totals = it.client.totals()
    assert (totals.calls, totals.kept, totals.attempts) == (6, 5, 1)


def test_processes_with_one_question_decide_on_one_reply(asking):
    """Both ask; a server may answer each in its own way, and the next run knows the first alone."""
    both, gate = threading.Barrier(2), threading.Event()

    def answer(seen):
        both.wait(10)
        if seen.number == 2:
            gate.wait(10)
        return f"reply {seen.number}"

    it = asking(answer)
    other = it.again()
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(client.ask, call()) for client in (it.client, other)]
        first = wait(asked, return_when=FIRST_COMPLETED).done.pop()
        gate.set()
    texts = {future.result().text for future in asked}
    assert texts == {first.result().text} == {it.again().ask(call()).text} == {"reply 1"}
    assert len(it.server.seen) == 2
    assert outcomes(it) == ["ok", "ok"]


def test_threads_with_one_question_fail_together(asking):
    gate = threading.Event()
    it = asking(replace(status(400), gate=gate))
    failures = [future.exception() for future in all_at_once(it, gate, 3)]
    assert [failed.kind for failed in failures] == [FailureKind.BAD_REQUEST] * 3
    assert len(it.server.seen) == 1
    assert it.client.totals().failed == 3


def test_many_threads_never_overshoot_the_budget(asking):
    """The server counts as much as may be: what was set aside."""
    most = call("Question 00?").most_tokens(0)

    def script(seen):
        return says("Yes.", tokens=(most - 10, 0, 10))

    it = asking(script, budget=Budget(most_tokens=7 * most + most // 2))
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(it.client.ask, call(f"Question {n:02}?")) for n in range(20)]
        failures = [future.exception() for future in asked]
    assert sum(failure is None for failure in failures) == 7
    assert {failure.kind for failure in failures if failure} == {FailureKind.BUDGET_EXHAUSTED}
    assert it.replies.spent().tokens == 7 * most
    assert len(it.server.seen) == 7


def test_a_budget_is_used_to_its_end_though_much_is_set_aside(asking):
    """A call waits for others to end instead of failing because of what they set aside."""
    most = call("Question 00?").most_tokens(0)
    it = asking(says("Yes.", tokens=(1, 0, 1)), budget=Budget(most_tokens=most + 40))
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(it.client.ask, call(f"Question {n:02}?")) for n in range(20)]
        assert [future.exception() for future in asked] == [None] * 20
    assert it.replies.spent().tokens == 40
    assert it.server.most_at_once == 1


def test_the_budget_is_that_of_the_file(asking):
    it = asking(says("Yes.", tokens=(400, 0, 100)))
    it.client.ask(call())
    failed = fails(it.again(budget=Budget(most_tokens=501)), call("Another?"))
    assert failed.kind == FailureKind.BUDGET_EXHAUSTED
    assert failed.is_infra
    assert failed.message.startswith("500 of 501 tokens are spent or set aside")
    assert len(it.server.seen) == 1
    assert it.again(budget=Budget(most_tokens=501)).ask(call()).text == "Yes."  # costs nothing


def test_a_budget_of_money(asking):
    budget = Budget(most_cost=0.0005, prices=PRICES)
    it = asking(says("Yes.", tokens=(400, 0, 10)), budget=budget)
    it.client.ask(call())
    failed = fails(it.client, call("Another?"))
    assert failed.message == (
        "0.0004 of 0.0005 USD are spent or set aside and the call may cost 0.0004"
    )


def test_no_turn_is_waited_for_once_the_budget_is_used_up(asking):
    it = asking(budget=Budget(most_tokens=5), per_minute=1)
    for number in range(5):
        fails(it.client, call(f"Question {number}?"))
    assert it.clock.now == 0


def test_a_server_that_counts_more_than_was_set_aside_ends_the_run(asking):
    it = asking(says("Yes.", tokens=(10**7, 0, 1)), budget=Budget(most_tokens=10**6))
    it.client.ask(call())
    assert fails(it.client, call("Another?")).kind == FailureKind.BUDGET_EXHAUSTED
    assert it.replies.spent().tokens == 10**7 + 1


def test_a_reply_that_nobody_counted_costs_what_was_set_aside(asking):
    it = asking(says("Yes.", tokens=None), budget=Budget(prices=PRICES), image_tokens=100)
    reply = it.client.ask(call())
    most = call().most_usage(100)
    assert reply.usage is None
    assert reply.cost == pytest.approx(PRICES.most(most))
    assert it.replies.spent().tokens == most.input + most.output
    assert attempts(it, "estimated, spent_tokens") == [(1, most.input + most.output)]
    assert it.client.totals().estimated == 1


@pytest.mark.parametrize(
    ("act", "counted"), [(status(503), False), (status(504), True), (cut(), True), (empty(), True)]
)
def test_what_a_failed_attempt_costs(asking, act, counted):
    """Nothing where the server did not take it; what was set aside where it may have worked."""
    it = asking(act, retries=0)
    fails(it.client)
    assert it.replies.spent().tokens == (call().most_tokens(4096) if counted else 0)


def test_a_stop_ends_it_before_anything_is_asked(asking):
    it = asking()
    it.stop.set()
    failed = fails(it.client)
    assert (failed.kind, failed.is_infra) == (FailureKind.STOPPED, True)
    assert it.server.seen == []


def test_a_stop_ends_the_wait_between_attempts(asking):
    it = asking(lambda seen: (it.stop.set(), status(503))[1])
    assert fails(it.client).kind == FailureKind.STOPPED
    assert len(it.server.seen) == 1
    assert it.clock.now == 0


def test_an_interruption_is_written_down_as_spent(asking, monkeypatch):
    it = asking()

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("vidomni_plugin.endpoint.client.attempt", interrupted)
    with pytest.raises(KeyboardInterrupt):
        it.client.ask(call())
    monkeypatch.undo()
    assert outcomes(it) == ["interrupted"]
    assert it.replies.spent().tokens == call().most_tokens(4096)
    assert it.client.ask(call()).text == "yes"  # nothing waits for the call that was interrupted


def test_totals(asking):
    script = {
        "questions": [status(500), says("Yes.", tokens=(100, 20, 5))],
        "video": [
            says("No.", tokens=(1000, 0, 10)),
            says("cut", finish="length", tokens=(9, 0, 1)),
        ],
    }
    it = asking(script, budget=Budget(prices=PRICES))
    it.client.ask(call())
    it.client.ask(call())
    it.client.ask(call(role="video"))
    fails(it.client, call("Another?", role="video"))
    totals = it.client.totals()
    by_role = totals.by_role
    assert by_role["questions"] == Totals(
        calls=2, kept=1, failed=0, attempts=2, input=100, cached=20, output=5, cost=1e-4
    )
    assert by_role["video"] == Totals(
        calls=2, failed=1, attempts=2, input=1009, output=11, cost=pytest.approx(0.001031)
    )
    assert (totals.calls, totals.attempts, totals.input, totals.failed) == (4, 4, 1109, 1)
    assert totals.cost == pytest.approx(0.001131)


def test_totals_without_prices_have_no_cost(asking):
    it = asking()
    it.client.ask(call())
    assert it.client.totals().cost is None
    assert it.client.ask(call()).cost is None


def test_no_key_is_in_the_file(asking):
    it = asking([status(500, KEY), says(f"it is {KEY}")])
    assert it.client.ask(call()).text == "it is ***"
    it.replies.close()
    assert KEY.encode() not in it.path.read_bytes()
    assert it.server.seen[0].authorization == f"Bearer {KEY}"


def test_a_file_that_cannot_be_written_is_told_and_blocks_nobody(asking):
    from vidomni_plugin.problems import InputProblems

    it = asking()
    it.replies.close()
    for _ in range(2):
        with pytest.raises(InputProblems, match="cannot be kept"):
            it.client.ask(call())


def test_the_package_itself_never_asks_again(asking):
    """Each attempt is on disk, whoever made the client."""
    from vidomni_plugin.endpoint.address import make_client
    from vidomni_plugin.endpoint.client import Client
    from vidomni_plugin.endpoint.pacing import Pacer

    it = asking(status(503))
    server = make_client(it.server.url, timeout_s=5, retries=3)
    fails(Client(server, Pacer(), Budget(), it.replies, retries=0))
    assert len(it.server.seen) == 1


def test_retries_below_zero(asking):
    with pytest.raises(ValueError, match="-1 retries"):
        asking(retries=-1)
