"""Ctrl-C in a terminal where ``vidomni build pairs`` works: gently, then at once."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.build.pairs.acting import reply
from tests.endpoint.scripted import ScriptedServer
from vidomni_plugin.cli import app

SECONDS = 60


def arguments(clips: Path, url: str, out: Path) -> list[str]:
    options = ("--target", "4", "--round", "4", "--model", "tiny", "--workers", "2")
    places = ("--videos", str(clips), "--out", str(out), "--base-url", url)
    return ["build", "pairs", *places, *options]


@contextmanager
def held(clips: Path, out: Path) -> Iterator[Any]:
    """A run whose first replies of the extractor wait: server, gate and process."""
    gate, reached = threading.Event(), threading.Event()

    def act(seen: Any) -> Any:
        if seen.role != "extractor":
            return reply(seen)
        reached.set()
        return replace(reply(seen), gate=gate)

    with ScriptedServer(act) as server:
        process = subprocess.Popen(
            [
                *(sys.executable, "-c", "from vidomni_plugin.cli import main; main()"),
                *arguments(clips, server.url, out),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert reached.wait(SECONDS)
            time.sleep(0.2)  # both workers wait by then
            yield server, gate, process
        finally:
            gate.set()
            process.kill()
            process.communicate()


def status(out: Path) -> dict[str, Any]:
    shown = CliRunner().invoke(app, ["build", "pairs", "--out", str(out), "--status", "--json"])
    told: dict[str, Any] = json.loads(shown.stdout)
    return told


def read_until(process: subprocess.Popen[str], words: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return
    raise AssertionError(f"it never said {words!r}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_one_waits_for_replies_under_way_and_keeps_them(clips, tmp_path, number):
    out = tmp_path / "out"
    with held(clips, out) as (server, gate, process):
        assert status(out)["at_work"] is True
        process.send_signal(number)
        read_until(process, "stopping: replies under way are waited for and kept")
        assert process.poll() is None
        gate.set()
        output, told = process.communicate(timeout=SECONDS)
        assert process.returncode == 130
        assert "the same command goes on" in told
        assert "not at work" in output
        asked = len(server.seen)
        found = status(out)
        assert found["at_work"] is False
        assert found["spent"][-1]["answered"] == asked
        assert CliRunner().invoke(app, arguments(clips, server.url, out)).exit_code == 0
        requests = [json.dumps(seen.request, sort_keys=True) for seen in server.seen]
    assert len(requests) == len(set(requests))


def test_the_second_one_ends_it_at_once_and_the_run_can_go_on(clips, tmp_path):
    out = tmp_path / "out"
    with held(clips, out) as (server, gate, process):
        process.send_signal(signal.SIGINT)
        read_until(process, "again ends at once")
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        read_until(process, "ended at once")
        process.wait(timeout=SECONDS)
        assert time.monotonic() - start < 5  # the gate would hold it for ten
        assert process.returncode == 130
        assert status(out)["spent"][-1]["open"] == 2
        gate.set()
        assert CliRunner().invoke(app, arguments(clips, server.url, out)).exit_code == 0
    assert len((out / "pairs.jsonl").read_text(encoding="utf-8").splitlines()) == 4
