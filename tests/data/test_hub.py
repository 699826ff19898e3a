"""The hub data set is fetched whole or not at all; a small hub on this machine stands for it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.parse import unquote

import pytest

from vidomni_plugin.data import hub as hub_client
from vidomni_plugin.data.locate import mini_root

REPO = "wesfggfd/VidHalLoc"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {"Datasets/2000_Orign/2000_Orign.jsonl": b'{"a": 1}\n', "videoqa/v1.mp4": b"0" * 5000}


class Hub(BaseHTTPRequestHandler):
    """Answers as the hub does for one data set; ``broken`` files fail."""

    files: ClassVar[dict[str, bytes]] = FILES
    broken: frozenset[str] = frozenset()
    asked: ClassVar[list[str]] = []

    def log_message(self, *args: object) -> None:
        pass

    def answer(self) -> None:
        body, headers = b"", {}
        code = 404
        if self.path.startswith(f"/api/datasets/{REPO}/revision/"):
            siblings = [{"rfilename": name} for name in self.files]
            body = json.dumps({"id": REPO, "sha": COMMIT, "siblings": siblings}).encode()
            code, headers = 200, {"Content-Type": "application/json"}
        if self.path.startswith(f"/api/datasets/{REPO}/tree/"):
            tree = [
                {"type": "file", "path": name, "size": len(content), "oid": f"{len(content):040d}"}
                for name, content in self.files.items()
            ]
            body = json.dumps(tree).encode()
            code, headers = 200, {"Content-Type": "application/json"}
        name = unquote(self.path.partition(f"/resolve/{COMMIT}/")[2])
        if name in self.files:
            self.asked.append(f"{self.command} {name}")
            code = 403 if name in self.broken else 200
            body = self.files[name] if code == 200 else b""
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
    Hub.broken, Hub.files = frozenset(), FILES
    Hub.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
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


def test_a_hub_that_goes_away_leaves_no_part_behind_as_the_whole(hub, tmp_path):
    """The hub's client hands back an unfinished folder when the hub no longer answers.

    It does so where its cache does not know the commit: emptied, or a client of an older version.
    """
    Hub.broken = frozenset({"videoqa/v1.mp4"})
    download(hub, tmp_path)
    assert (tmp_path / "vidhalloc.download").is_dir()
    shutil.rmtree(tmp_path / "hf", ignore_errors=True)
    gone = download("http://127.0.0.1:9", tmp_path)
    assert gone.returncode == 1
    assert not (tmp_path / "vidhalloc").exists()


def test_what_is_missing_is_told_by_size(tmp_path):
    (tmp_path / "videoqa").mkdir()
    (tmp_path / "videoqa" / "v1.mp4").write_bytes(b"0" * 4999)
    tree = hub_client.HubTree(COMMIT, {name: len(content) for name, content in FILES.items()})
    assert hub_client.missing(tree, tmp_path) == tree.sizes
    (tmp_path / "videoqa" / "v1.mp4").write_bytes(b"0" * 5000)
    assert set(hub_client.missing(tree, tmp_path)) == {"Datasets/2000_Orign/2000_Orign.jsonl"}


def test_the_space_is_looked_at_before_a_download(tmp_path):
    tree = hub_client.HubTree(COMMIT, {"huge.mp4": 10**18})
    with pytest.raises(hub_client.HubUnreachable, match=r"1000000\.0 TB needed, .* free"):
        hub_client.fill(REPO, tmp_path, tree)


def fetch(hub: str, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    start = "from vidomni_plugin.cli import main; main()"
    env = {"HF_ENDPOINT": hub, "HF_HUB_OFFLINE": "0", "HF_HOME": str(home / "hf")}
    return subprocess.run(
        [sys.executable, "-c", start, "data", "fetch", "vidhalloc", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, **env, "VIDOMNI_HOME": str(home)},
    )


def test_the_command_gets_only_what_is_missing(hub, tmp_path):
    mini = mini_root("vidhalloc").path
    inside = "VidHalLoc/"  # the hub may have it one folder deeper
    Hub.files = {
        inside + path.relative_to(mini).as_posix(): path.read_bytes()
        for path in mini.rglob("*")
        if path.is_file()
    }
    lost = "VidHalLoc/video caption/captioning_0001.mp4"
    Hub.broken = frozenset({lost})
    failed = fetch(hub, tmp_path)
    assert failed.returncode == 1
    assert "Traceback" not in failed.stderr
    assert not (tmp_path / "vidhalloc").exists()
    Hub.broken = frozenset()
    done = fetch(hub, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "whole" in done.stdout
    folder = tmp_path / "vidhalloc"
    assert {n: (folder / n).read_bytes() for n in Hub.files} == Hub.files
    Hub.asked.clear()
    assert fetch(hub, tmp_path).returncode == 0
    assert Hub.asked == []
    (folder / lost).unlink()  # a video was deleted later
    again = fetch(hub, tmp_path)
    assert again.returncode == 0, again.stderr
    assert [line for line in Hub.asked if line.startswith("GET")] == [f"GET {lost}"]
    unread = folder / "VidHalLoc/Datasets/source_video_inventory.jsonl"  # by every task
    unread.unlink()
    assert fetch("http://127.0.0.1:9", tmp_path).returncode == 0
    assert fetch(hub, tmp_path).returncode == 0
    assert unread.exists()
    (folder / lost).unlink()
    offline = fetch("http://127.0.0.1:9", tmp_path)
    assert offline.returncode == 1
    assert "captioning_0001" in offline.stderr


def test_a_hub_that_has_changed_is_told(hub, tmp_path):
    Hub.files = {"Datasets/README.md": b"moved", "videoqa/v1.mp4": b"0"}
    done = fetch(hub, tmp_path)
    assert done.returncode == 1
    assert "2000_Orign.jsonl" in done.stderr
    assert "not the whole data set" in done.stderr
