"""A judge that speaks the chat-completions protocol on loopback, and captions for it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Answer:
    """What the server does with one request."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    wait: threading.Event | None = None
    """Answers only once this is set."""


def completion(text: str | None, finish: str = "stop") -> Answer:
    message = {"role": "assistant", "content": text}
    body = {
        "id": "c1",
        "object": "chat.completion",
        "created": 0,
        "model": "judge",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    return Answer(body=json.dumps(body).encode())


class Judge:
    """A server with a rule for its answers; it remembers what it was asked."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.paths: list[str] = []
        self.rule: Callable[[dict[str, Any], int], Answer] = lambda request, number: completion(
            longer(request)
        )
        lock = threading.Lock()
        judge = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    judge.requests.append(request)
                    judge.keys.append(self.headers.get("Authorization", ""))
                    judge.paths.append(self.path)
                    number = len(judge.requests)
                answer = judge.rule(request, number)
                if answer.wait is not None:
                    answer.wait.wait(30)
                try:
                    self.send_response(answer.status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(answer.body)))
                    for name, value in answer.headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(answer.body)
                except OSError:
                    pass  # the client was killed

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def prompts(self) -> list[str]:
        return [request["messages"][0]["content"] for request in self.requests]


def shown(request: dict[str, Any]) -> tuple[str, str]:
    """Return the two captions of a request."""
    prompt = request["messages"][0]["content"]
    first, second = (
        prompt.split(f"<description_{n}>\n")[1].split(f"\n</description_{n}>")[0] for n in (1, 2)
    )
    return first, second


def longer(request: dict[str, Any]) -> str:
    """Choose the longer caption: a judge that is right in both orders."""
    first, second = map(len, shown(request))
    return f"One is longer.\nVerdict: {'tie' if first == second else 1 if first > second else 2}"


@pytest.fixture
def judge_server() -> Iterator[Judge]:
    judge = Judge()
    thread = threading.Thread(target=judge.server.serve_forever, daemon=True)
    thread.start()
    yield judge
    judge.server.shutdown()
    judge.server.server_close()
    thread.join()


def write_captions(
    path: Path, texts: dict[str, str], source: str = "captioner-a", **changes: Any
) -> Path:
    rows = [
        {
            "pair_id": f"{video}__{source}",
            "video_id": video,
            "caption_source": source,
            "caption": text,
            "sentences": [{"text": text, "start": 0, "end": len(text)}],
        }
        | changes
        for video, text in texts.items()
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
