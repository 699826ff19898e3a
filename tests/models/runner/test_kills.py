"""A run that is killed goes on where it was: nothing answered is asked again, nothing is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from vidomni_plugin.models.runner.entries import read_journal

pytestmark = pytest.mark.host

ROOT = Path(__file__).parents[3]
QUESTIONS = 80
"""Of the built-in sample of VidHalLoc."""
KILLS = 3
HANGS = 200
"""A run that has not come to its gate, or to its end, after so many seconds hangs."""


class Starts:
    """The process that starts runs."""

    def __init__(self, errors, env):
        command = [sys.executable, "-m", "tests.models.runner.starts"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": errors, "env": env}
        self.process = subprocess.Popen(command, text=True, cwd=ROOT, **pipes)
        assert self._told() == {"ready": True}

    def start(self, **command):
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        return self._told()["pids"]

    def codes(self):
        """Wait for the end of the run."""
        return self._told()["codes"]

    def _told(self):
        late = threading.Timer(HANGS, self.process.kill)
        late.start()
        try:
            line = self.process.stdout.readline()
        finally:
            late.cancel()
        assert line, "the process that starts runs has ended, or hung and was killed"
        return json.loads(line)


@pytest.fixture(scope="module")
def starts(tmp_path_factory, shared_home):
    env = {**os.environ, "VIDOMNI_HOME": str(shared_home), "HF_HUB_OFFLINE": "1"}
    with (tmp_path_factory.mktemp("starts") / "errors").open("w+") as errors:
        made = Starts(errors, env)
        yield made
        made.process.kill()
        made.process.communicate()


def items_in(log):
    lines = log.read_text().splitlines() if log.exists() else []
    return [json.loads(line)["item"] for line in lines]


def answered_lines(journal):
    lines = [line for path in journal.glob("*.jsonl") for line in path.read_text().split("\n")[:-1]]
    records = [json.loads(line) for line in lines]
    return [record for record in records if "key" in record]


def answered(journal):
    return {answer.item for answer in read_journal(journal).answers.values()}


@pytest.fixture(scope="module")
def whole(starts, tmp_path_factory):
    """Results and answers of a run that nothing breaks."""
    folder = tmp_path_factory.mktemp("whole")
    arguments = f"inner=toy,journal={folder / 'journal'},fault=mixed"
    starts.start(model_args=arguments, ranks=1, results=str(folder / "results.json"))
    assert starts.codes() == [0]
    return json.loads((folder / "results.json").read_text())


@pytest.mark.parametrize("ranks", [1, 2])
def test_three_kills_and_every_answer_is_asked_once(ranks, starts, whole, tmp_path):
    journal, log = tmp_path / "journal", tmp_path / "log"
    gate = tmp_path / "gate"
    arguments = f"inner=toy,journal={journal},fault=mixed,log={log},gate={gate}"
    command = {"model_args": arguments, "ranks": ranks, "results": str(tmp_path / "broken.json")}
    asked_again = set()
    for number in range(1, KILLS + 1):
        each = random.Random(number).randrange(1, QUESTIONS // (KILLS + 1) // ranks)
        gate.write_text(str(each))
        kept, before = answered(journal), len(items_in(log))
        pids = starts.start(**command)
        stopped = [gate.with_name(f"gate.{rank}") for rank in range(ranks)]
        end = time.monotonic() + HANGS
        while not all(path.exists() for path in stopped) and time.monotonic() < end:
            time.sleep(0.02)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        assert starts.codes() == [-signal.SIGKILL] * ranks
        assert len(answered(journal)) == len(kept) + each * ranks
        asked_again |= kept & set(items_in(log)[before:])
        for path in stopped:
            path.unlink()
    gate.unlink()
    kept, before = answered(journal), len(items_in(log))
    starts.start(**command)
    assert starts.codes() == [0] * ranks
    asked_again |= kept & set(items_in(log)[before:])
    assert asked_again == set()
    asked = Counter(items_in(log))
    assert len(asked) == QUESTIONS
    # A kill interrupts the one question that each rank is answering.
    assert asked.total() - QUESTIONS == KILLS * ranks
    answers = answered_lines(journal)
    assert Counter(answer["item"] for answer in answers) == dict.fromkeys(asked, 1)
    assert {answer["failure"] for answer in answers} == {None}
    broken = json.loads((tmp_path / "broken.json").read_text())
    assert broken["answers"] == whole["answers"]
    for name, value in whole["results"]["vidhalloc_mini"].items():
        same = pytest.approx(value, rel=1e-12) if isinstance(value, float) else value
        assert broken["results"]["vidhalloc_mini"][name] == same, name
