"""``python -m vidomni_plugin run`` in processes of its own: launchers, kills, the network gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import pytest

from tests.conftest import HOST_SECONDS
from tests.run.conftest import Command, Done, asked, replay, toy
from vidomni_plugin.models.runner.entries import read_journal

pytestmark = pytest.mark.host


def started(folder: Path, env: dict[str, str], *command: str) -> Done:
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        timeout=HOST_SECONDS,
        check=False,
        env=env,
        cwd=folder,
    )
    return Done(done.returncode, done.stdout, done.stderr, folder)


def test_two_ranks_have_whole_videos_and_the_scores_of_one(
    vidomni: Command, responses, script, tmp_path
):
    one = vidomni(tmp_path / "one", *replay(responses), "--no-report")
    launcher = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2")
    command = (*launcher, "-m", "vidomni_plugin", *replay(responses), "--no-report")
    two = started(tmp_path / "two", script[1], *command)
    assert (one.code, two.code) == (0, 0), two.out + two.err
    assert two.out.count("vidomni run: complete") == 1
    for task, row in one.scores().items():
        assert two.scores()[task] == pytest.approx(row)
    ranks: dict[str, set[str]] = defaultdict(set)
    counts = []
    for file in sorted((two.folder / "runs" / "vidomni_replay" / "journal").glob("answers.*")):
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        rows = [row for row in rows if "key" in row]
        counts.append(len(rows))
        for row in rows:
            ranks[f"{row['task']} {row['video']}"].add(file.name)
            ranks[row["item"].rsplit("/", 1)[0]].add(file.name)  # both answers of a pair
    assert counts == [52, 52]
    assert all(len(where) == 1 for where in ranks.values())


def test_a_killed_run_goes_on(vidomni, script, tmp_path):
    log, gate = tmp_path / "log", tmp_path / "gate"
    gate.write_text("5")
    command = (*toy(log, fault="mixed", gate=gate), "--limit", "20")
    (tmp_path / "work").mkdir()
    with subprocess.Popen(
        [sys.executable, str(script[0]), *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path / "work",
        env=script[1] | {"VIDOMNI_HOME": os.environ["VIDOMNI_HOME"]},
    ) as process:
        until = time.monotonic() + HOST_SECONDS
        stopped = gate.with_name("gate.0")
        while not stopped.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        process.kill()
    before = asked(log)
    assert len(before) == 6
    gate.unlink()
    journal = tmp_path / "work" / "runs" / "toy" / "journal"
    kept = read_journal(journal).answers
    assert len(kept) == 5
    again = vidomni(tmp_path / "work", *command)
    assert again.code == 0, again.err
    assert len(asked(log)) - len(before) == 20 - len(kept)
    whole = vidomni(tmp_path / "whole", *toy(tmp_path / "other", fault="mixed"), "--limit", "20")
    assert whole.scores() == again.scores()


def test_accelerate_launches_a_run_and_gets_its_exit_code(responses, script, tmp_path):
    """Here of a run whose data cannot be had, without a network: it asks nothing."""
    tasks = "vidhalloc_mini,mvbench_action_antonym"
    env = script[1] | {"HF_HOME": str(tmp_path / "hub")}
    launcher = ("-m", "accelerate.commands.launch", "--cpu", "--num_processes", "1")
    command = (*launcher, "-m", "vidomni_plugin", *replay(responses, tasks))
    done = started(tmp_path / "w", env, *command)
    assert done.code == 1
    said = [line for line in done.err.splitlines() if line.startswith("vidomni run: ")]
    assert said[-1].startswith("vidomni run: failed: mvbench_action_antonym: ")
    assert "[no-data]" in said[-1]
    assert not list((tmp_path / "w").rglob("*_results.json"))


def test_help_teaches_and_loads_no_host():
    code = "import atexit, sys; from vidomni_plugin.cli import main; "
    code += "atexit.register(lambda: print('loaded:', *sys.modules)); main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "run", "--help"],
        capture_output=True,
        text=True,
        check=True,
        timeout=HOST_SECONDS,
    )
    said, loaded = done.stdout.split("loaded:")
    for text in ("torchrun", "--shard", "--dry-run", "--plain", "--journal", "Example"):
        assert text in said
    assert not {"lmms_eval", "torch", "transformers", "datasets", "numpy"} & set(loaded.split())
