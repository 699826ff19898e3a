"""A client of a scripted server, with a clock that nobody waits for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.endpoint.clock import Clock
from tests.endpoint.scripted import Script, ScriptedServer
from vidomni_plugin.endpoint.address import make_client
from vidomni_plugin.endpoint.budget import Budget
from vidomni_plugin.endpoint.call import Call
from vidomni_plugin.endpoint.client import Client
from vidomni_plugin.endpoint.pacing import Pacer
from vidomni_plugin.endpoint.replies import Replies

KEY = "sk-secret-of-the-test"


@dataclass
class Asking:
    """All parts of one client."""

    server: ScriptedServer
    client: Client
    replies: Replies
    clock: Clock
    path: Path
    stop: threading.Event

    def again(self, **options: Any) -> Client:
        """Return the client of a later run: the same file, nothing else."""
        return make(self.server, self.path, Clock(), **options)[0]


def make(
    server: ScriptedServer,
    path: Path,
    clock: Clock,
    *,
    budget: Budget | None = None,
    timeout_s: float = 5.0,
    per_minute: float | None = None,
    **options: Any,
) -> tuple[Client, Replies]:
    replies = Replies(path)
    client = Client(
        make_client(server.url, timeout_s=timeout_s),
        Pacer(per_minute, clock=clock, sleep=clock.sleep),
        budget or Budget(),
        replies,
        timeout_s=timeout_s,
        **options,
    )
    return client, replies


@pytest.fixture
def asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Asking]]:
    """Return what makes a client of a server with a script."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ExitStack() as stack:

        def start(script: Script = "yes", **options: Any) -> Asking:
            server = stack.enter_context(ScriptedServer(script))
            clock, stop = Clock(), threading.Event()
            path = tmp_path / "replies.sqlite"
            client, replies = make(server, path, clock, stop=stop, **options)
            return Asking(server, client, replies, clock, path, stop)

        yield start


def call(text: str = "Is there a dog?", *, role: str = "questions", **settings: Any) -> Call:
    messages = (
        {"role": "system", "content": f"role: {role}\nAnswer yes or no."},
        {"role": "user", "content": text},
    )
    return Call(role, messages, "tiny", {"max_tokens": 10, "temperature": 0} | settings)
