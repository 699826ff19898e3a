"""The hub data set is fetched whole or not at all; a small hub on this machine stands for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

REPO = "wesfggfd/VidHalLoc"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {"Datasets/2000_Orign/2000_Orign.jsonl": b'{"a": 1}\n', "videoqa/v1.mp4": b"0" * 5000}


class Hub(BaseHTTPRequestHandler):
    """Answers as the hub does for one data set; ``broken`` files fail."""

    broken: frozenset[str] = frozenset()
    asked: ClassVar[list[str]] = []

    def log_message(self, *args: object) -> None:
        pass

    def answer(self) -> None:
        body, headers = b"", {}
        code = 404
        if self.path.startswith(f"/api/datasets/{REPO}/revision/"):
            siblings = [{"rfilename": name} for name in FILES]
            body = json.dumps({"id": REPO, "sha": COMMIT, "siblings": siblings}).encode()
            code, headers = 200, {"Content-Type": "application/json"}
        if self.path.startswith(f"/api/datasets/{REPO}/tree/"):
            tree = [
                {"type": "file", "path": name, "size": len(content), "oid": f"{len(content):040d}"}
                for name, content in FILES.items()
            ]
            body = json.dumps(tree).encode()
            code, headers = 200, {"Content-Type": "application/json"}
        name = self.path.partition(f"/resolve/{COMMIT}/")[2]
        if name in FILES:
            self.asked.append(f"{self.command} {name}")
            code = 403 if name in self.broken else 200
            body = FILES[name] if code == 200 else b""
            headers = {"ETag": f'"{len(name)}-{len(body)}"', "X-Repo-Commit": COMMIT}
        self.send_response(code)
        for key, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(key, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_GET = do_HEAD = answer  # noqa: N815 - the names that http.server calls


@pytest.fixture
def hub() -> Iterator[str]:
    Hub.broken = frozenset()
    Hub.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def download(hub: str, home: Path) -> subprocess.CompletedProcess[str]:
    code = (
        "from pathlib import Path; import sys; from vidomni_plugin.data.hub import *\n"
        "try: download(sys.argv[1], Path(sys.argv[2]))\n"
        "except HubUnreachable as reason: sys.exit(f'unreachable: {reason}')"
    )
    env = {**os.environ, "HF_ENDPOINT": hub, "HF_HUB_OFFLINE": "0", "HF_HOME": str(home / "hf")}
    return subprocess.run(
        [sys.executable, "-c", code, REPO, str(home / "vidhalloc")],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=env,
    )


def test_whole_or_not_at_all_and_resumed(hub, tmp_path):
    Hub.broken = frozenset({"videoqa/v1.mp4"})
    failed = download(hub, tmp_path)
    assert failed.returncode == 1
    assert failed.stderr.splitlines()[-1].startswith("unreachable: ")
    assert not (tmp_path / "vidhalloc").exists()
    Hub.broken = frozenset()
    Hub.asked.clear()
    done = download(hub, tmp_path)
    assert done.returncode == 0, done.stderr
    for name, content in FILES.items():
        assert (tmp_path / "vidhalloc" / name).read_bytes() == content
    assert "GET videoqa/v1.mp4" in Hub.asked
    assert "GET Datasets/2000_Orign/2000_Orign.jsonl" not in Hub.asked  # it was there already
    Hub.asked.clear()
    assert download(hub, tmp_path).returncode == 0
    assert Hub.asked == []


def test_an_unreachable_hub_is_one_line(tmp_path):
    failed = download("http://127.0.0.1:9", tmp_path)
    assert failed.returncode == 1
    assert failed.stderr.splitlines()[-1].startswith("unreachable: ")
