"""Folders that may not be entered: a problem with its place, never a traceback."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vidomni_plugin.data.locate import mini_root

POWER = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
"""Takes from root what lets it enter every folder."""
MAIN = [sys.executable, "-c", "from vidomni_plugin.cli import main; main()"]

pytestmark = pytest.mark.skipif(
    os.name != "posix" or (os.geteuid() == 0 and shutil.which("setpriv") is None),
    reason="root may enter every folder",
)


def told(*arguments: str | Path) -> str:
    before = POWER if os.geteuid() == 0 else []
    done = subprocess.run(
        [*before, *MAIN, "data", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("closed", "command", "words"),
    [
        ("vidomni/videos", ("check", "vidomni"), "missing-video"),
        ("vidhalloc/Datasets", ("check", "vidhalloc"), "Permission denied"),
        ("vidhalloc/Datasets", ("stats", "vidhalloc"), "Permission denied"),
        ("vidhalloc/Datasets/Videoqa_set", ("check", "vidhalloc"), "Permission denied"),
        ("vidhalloc/Datasets/Videoqa_set", ("check", "vidhalloc", "--fix"), "Permission denied"),
        ("vidhalloc/Datasets/Videoqa_set", ("stats", "vidhalloc"), "Permission denied"),
    ],
)
def test_a_closed_folder_is_named(tmp_path, closed, command, words):
    for benchmark in ("vidomni", "vidhalloc"):
        shutil.copytree(mini_root(benchmark).path, tmp_path / benchmark)
    (tmp_path / closed).chmod(0)
    try:
        assert words in told(*command, "--root", tmp_path / command[1])
    finally:
        (tmp_path / closed).chmod(0o755)


def test_a_target_that_may_not_be_entered(tmp_path):
    (tmp_path / "closed").mkdir(mode=0)
    out = ("--out", tmp_path / "closed" / "x")
    assert "was not fetched" in told("fetch", "vidhalloc", *out)
    copy = mini_root("vidhalloc").path
    assert "Permission denied" in told("fetch", "vidhalloc", "--local", copy, *out)
