"""A real Label Studio on a loopback port, with a data folder of its own and nothing else.

By hand, until Ctrl-C:

    VIDOMNI_LABEL_STUDIO=.venv-label-studio/bin/label-studio python -m tests.label_studio.server
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from vidomni_plugin.data.locate import mini_root

START_SECONDS = 180
"""The first start makes the data base: half a minute on two cores, more on a busy machine."""
OWNER = "owner@example.org"


@dataclass(frozen=True)
class Server:
    """A running server and its first account."""

    url: str
    token: str
    password: str
    process: subprocess.Popen[bytes]
    log: Path

    def said(self) -> str:
        """Return the end of what the server logged."""
        return self.log.read_text(encoding="utf-8", errors="replace")[-3000:]


def executable() -> Path:
    """Return the label-studio that ``VIDOMNI_LABEL_STUDIO`` names."""
    named = os.environ.get("VIDOMNI_LABEL_STUDIO", "")
    path = Path(named).absolute()
    if not named or not path.is_file():
        raise SystemExit(f"VIDOMNI_LABEL_STUDIO={named!r} is no label-studio executable")
    return path


@contextmanager
def running(folder: Path, videos: Path) -> Iterator[Server]:
    """Start Label Studio, wait until it answers, and end it with all its children.

    Args:
        folder: For its data base and its log; must exist.
        videos: The VidOmni root whose ``videos`` folder it may serve.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token, password = secrets.token_hex(20), secrets.token_hex(10)
    command = [str(executable()), "start", "--no-browser", "--enable-legacy-api-token"]
    command += ["--internal-host", "127.0.0.1", "--port", str(port), "--data-dir", str(folder)]
    command += ["--username", OWNER, "--password", password, "--user-token", token]
    log = folder / "server.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            cwd=folder,
            env=_environment(folder, videos),
            start_new_session=True,
        )
    server = Server(f"http://127.0.0.1:{port}", token, password, process, log)
    try:
        _wait(server)
        yield server
    finally:
        _end(process)


def _environment(folder: Path, videos: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    nowhere = "http://127.0.0.1:9"
    return kept | {
        "HOME": str(folder),
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder),
        "LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED": "true",
        "LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT": str(videos),
        # It is not to call home, and what it tries all the same fails at once.
        "COLLECT_ANALYTICS": "false",
        "LATEST_VERSION_CHECK": "false",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
        "HTTP_PROXY": nowhere,
        "HTTPS_PROXY": nowhere,
        "NO_PROXY": "127.0.0.1,localhost",
    }


def _wait(server: Server) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if server.process.poll() is not None:
            raise RuntimeError(f"Label Studio ended: {server.said()}")
        try:
            if httpx.get(f"{server.url}/health", trust_env=False).status_code == httpx.codes.OK:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.5)
    raise RuntimeError(f"Label Studio does not answer after {START_SECONDS} s: {server.said()}")


def _end(process: subprocess.Popen[bytes]) -> None:
    for what in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, what)
            process.wait(timeout=10)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def main() -> None:
    """Serve the built-in clips until Ctrl-C."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder), mini_root("vidomni").path) as server,
    ):
        print(f"{server.url}  {OWNER}  {server.password}  token {server.token}", flush=True)
        try:
            server.process.wait()
        except KeyboardInterrupt:
            print("ends")


if __name__ == "__main__":
    main()
