"""A server on loopback that speaks the chat-completions protocol and behaves as a test says.

    with ScriptedServer({"questions": ["one", status(503), "two"], "video": slow(0.1)}) as server:
        ... make_client(server.url, timeout_s=1) ...
        assert [seen.role for seen in server.seen] == [...]

A script is one act, a list of acts (the n-th request of a role and item gets the n-th; the last
one repeats), a function of what was asked, or a mapping of roles to scripts. A string is a reply.
Roles and items are read from the first text that begins so: ``role: NAME``, and below it, if a test
needs it, ``item: NAME``.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = [
    "Act",
    "ScriptedServer",
    "Seen",
    "cut",
    "drips",
    "empty",
    "raw",
    "refuses",
    "says",
    "slow",
    "status",
]

MEDIA = ("image_url", "video_url", "audio_url", "input_audio", "input_video")


@dataclass(frozen=True)
class Seen:
    """One request."""

    number: int
    """Counted over all requests, from 1."""
    nth: int
    """Counted over the requests of this role and item, from 1."""
    role: str
    item: str
    request: dict[str, Any]
    authorization: str
    path: str

    @property
    def has_media(self) -> bool:
        parts = [m["content"] for m in self.request["messages"] if isinstance(m["content"], list)]
        return any(part["type"] in MEDIA for content in parts for part in content)

    @property
    def text(self) -> str:
        """All text of the request."""
        return "\n".join(_texts(self.request["messages"]))


@dataclass(frozen=True)
class Act:
    """What the server does with one request."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    wait_s: float = 0.0
    """Before it answers."""
    gate: threading.Event | None = None
    """Answers only once this is set."""
    cut_at: int | None = None
    """Sends so many bytes of the body, then closes the connection; -1 closes it at once."""
    drip_s: float = 0.0
    """Sends blanks for so long before the body."""


Script = Act | str | Sequence[Act | str] | Callable[[Seen], Act | str] | Mapping[str, "Script"]


def says(
    text: str | None,
    *,
    finish: str = "stop",
    tokens: tuple[int, int, int] | None = (10, 0, 5),
    **message: Any,
) -> Act:
    """Answer; ``tokens`` are those of the question, the cached ones of them, and of the answer."""
    said = {"role": "assistant", "content": text} | message
    body: dict[str, Any] = {
        "id": "c1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": said, "finish_reason": finish}],
    }
    if tokens:
        asked, cached, answered = tokens
        body["usage"] = {
            "prompt_tokens": asked,
            "completion_tokens": answered,
            "total_tokens": asked + answered,
            "prompt_tokens_details": {"cached_tokens": cached},
        }
    return Act(json.dumps(body).encode())


def raw(body: bytes) -> Act:
    """Answer with any bytes."""
    return Act(body)


def empty() -> Act:
    """Answer with a completion without choices."""
    return Act(json.dumps({"object": "chat.completion", "choices": []}).encode())


def refuses(words: str = "I cannot help with that.") -> Act:
    return says(None, refusal=words)


def status(number: int, message: str = "no", *, code: str = "", **headers: str) -> Act:
    """Fail; ``retry_after="3"`` becomes the header Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = {"error": {"message": message, "code": code or None, "type": None}}
    return Act(json.dumps(body).encode(), number, named)


def slow(seconds: float, then: Act | str = "late") -> Act:
    return replace(_act(then), wait_s=seconds)


def drips(seconds: float, then: Act | str = "late") -> Act:
    """Send blanks for a while, as some gateways do, and then answer."""
    return replace(_act(then), drip_s=seconds)


def cut(at: int = 20, then: Act | str = "never whole") -> Act:
    """Close the connection in the middle of an answer; ``at=-1`` before it."""
    return replace(_act(then), cut_at=at)


class ScriptedServer:
    """The server; ``seen`` holds every request in its order."""

    def __init__(self, script: Script = "yes") -> None:
        self.script = script
        self.seen: list[Seen] = []
        self.most_at_once = 0
        self._at_once = 0
        self._nth: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def of_role(self, role: str) -> list[Seen]:
        return [seen for seen in self.seen if seen.role == role]

    def _see(self, request: dict[str, Any], authorization: str, path: str) -> Seen:
        role, item = _tags(request)
        with self._lock:
            self._nth[role, item] += 1
            nth = self._nth[role, item]
            seen = Seen(len(self.seen) + 1, nth, role, item, request, authorization, path)
            self.seen.append(seen)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        return seen

    def _wait(self, act: Act) -> None:
        if act.gate is not None:
            act.gate.wait(10)
        if act.wait_s:
            self._over.wait(act.wait_s)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                seen = server._see(request, self.headers.get("Authorization", ""), self.path)
                try:
                    act = _next(server.script, seen)
                    server._wait(act)
                finally:
                    with server._lock:  # before the client can know of an answer
                        server._at_once -= 1
                with suppress(OSError):  # the client was killed, or waits no longer
                    self._answer(act)

            def _answer(self, act: Act) -> None:
                self.close_connection = act.cut_at is not None
                if act.cut_at == -1:
                    return
                blanks = round(act.drip_s / 0.01)
                self.send_response(act.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(act.body) + blanks))
                for name, value in act.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                for _ in range(blanks):
                    self.wfile.write(b" ")
                    self.wfile.flush()
                    if server._over.wait(0.01):
                        return
                self.wfile.write(act.body[: act.cut_at])

            def log_message(self, *_: object) -> None:
                pass

        return Handler


def _act(act: Act | str) -> Act:
    return says(act) if isinstance(act, str) else act


def _next(script: Script, seen: Seen) -> Act:
    while isinstance(script, Mapping):
        script = script[seen.role]
    if isinstance(script, (Act, str)):
        return _act(script)
    if callable(script):
        return _act(script(seen))
    return _act(script[min(seen.nth, len(script)) - 1])


def _tags(request: Mapping[str, Any]) -> tuple[str, str]:
    found = {"role": "", "item": ""}
    for text in _texts(request["messages"]):
        if found["role"]:
            break
        for line in text.splitlines()[:2]:
            name, _, value = line.partition(":")
            if name in found:
                found[name] = value.strip()
    return found["role"], found["item"]


def _texts(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for message in messages:
        content = message["content"]
        parts = [{"text": content}] if isinstance(content, str) else content
        yield from (part["text"] for part in parts if "text" in part)
