"""What ends the asking: an interrupt or a wrong key does, a broken video does not."""

from __future__ import annotations

import threading
import time

import pytest

from tests.endpoint.scripted import ScriptedServer, status
from vidomni_plugin.endpoint.address import make_client
from vidomni_plugin.endpoint.budget import Budget
from vidomni_plugin.endpoint.client import Client
from vidomni_plugin.endpoint.pacing import Pacer
from vidomni_plugin.endpoint.replies import Replies
from vidomni_plugin.models.detectors.fifa.arguments import Side
from vidomni_plugin.models.detectors.fifa.endpoint_model import EndpointText, in_threads, stopping
from vidomni_plugin.models.detectors.fifa.heard import NotHeard
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.video.failures import UnreadableVideo


@pytest.mark.parametrize(
    ("error", "ends"),
    [
        (KeyboardInterrupt(), True),
        (InputProblems("t", [Problem("usage", "here", "a wrong key")]), True),
        (UnreadableVideo("a.mp4", "pyav", ValueError("cut off")), False),
    ],
)
def test_what_ends_the_run(error, ends):
    stop = threading.Event()
    with pytest.raises(type(error)), stopping(stop):
        raise error
    assert stop.is_set() is ends


@pytest.mark.parametrize(
    ("act", "ends"),
    [
        pytest.param(status(401), True, id="the key"),
        pytest.param(status(404), True, id="the model"),
        pytest.param(status(403, "no credit left"), True, id="the account"),
        pytest.param(status(403, "no"), False, id="this text alone"),
        pytest.param(status(400, "too long"), False, id="too long"),
    ],
)
def test_the_run_ends_where_every_later_call_would_fail(act, ends):
    with ScriptedServer(act) as server, Replies(None) as replies:
        client = Client(make_client(server.url, timeout_s=5), Pacer(), Budget(), replies)
        side = Side("llm", "tiny", server.url, max_tokens=8)
        asked = [{"role": "user", "content": "A dog."}]
        if ends:
            with pytest.raises(InputProblems, match="all replies are kept"):
                EndpointText(side, client).ask("facts", asked, "item")
        else:
            assert isinstance(EndpointText(side, client).ask("facts", asked, "item"), NotHeard)


def test_order_and_number_at_once():
    at_once, most, lock = 0, 0, threading.Lock()

    def work(number):
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.01 * (number % 3))
        with lock:
            at_once -= 1
        return number * number

    assert in_threads(work, range(20), 3, threading.Event()) == [n * n for n in range(20)]
    assert 1 < most <= 3


def test_after_an_error_nothing_new_is_begun():
    begun = []
    stop = threading.Event()

    def work(number):
        begun.append(number)
        if number == 0:
            raise InputProblems("t", [Problem("usage", "here", "a wrong key")])
        stop.wait(5)

    with pytest.raises(InputProblems):
        in_threads(work, range(50), 2, stop)
    assert stop.is_set()
    assert len(begun) < 10
