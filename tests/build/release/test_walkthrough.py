"""The walkthrough of docs/release_items.md, word for word, with a scripted server and the host."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.build.pairs import acting
from tests.conftest import HOST_SECONDS
from tests.endpoint.scripted import ScriptedServer
from vidomni_plugin.cli import app

PAGE = (Path(__file__).parents[3] / "docs" / "release_items.md").read_text(encoding="utf-8")
POOL, PAIRS, RELEASE, SEEN, SCORES = re.findall(r"```\w*\n(.*?)```", PAGE, re.DOTALL)
ADDRESS = "http://localhost:8000/v1"
ROOT = "MyRelease"


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """Return the folder in which the walkthrough was run, and what its commands printed."""
    folder = tmp_path_factory.mktemp("walked")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with ScriptedServer(acting.reply) as server:
        commands = [POOL, PAIRS.replace(ADDRESS, server.url), RELEASE, SCORES]
        done = subprocess.run(
            ["bash", "-c", "set -e\n" + "".join(commands)],
            cwd=folder,
            env={
                **os.environ,
                "PATH": path,
                "CUDA_VISIBLE_DEVICES": "",
                "HF_HUB_OFFLINE": "1",
                "OPENAI_API_KEY": "none",
                "COLUMNS": "80",
            },
            capture_output=True,
            text=True,
            timeout=HOST_SECONDS,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder, done.stdout


@pytest.mark.host
def test_the_page_shows_what_the_commands_print(walked):
    _, printed = walked
    assert SEEN in printed
    assert "pool/pool.jsonl: 13 videos" in printed
    assert "0 problems (0 errors, 0 reports)" in printed


@pytest.mark.host
def test_all_four_tasks_run_on_it(walked):
    folder, _ = walked
    (file,) = (folder / "logs").rglob("*_results.json")
    scores = json.loads(file.read_text(encoding="utf-8"))["results"]
    pairs = {"vidhalloc": 24, "vidhalloc_eval": 9, "vidhalloc_qa": 13, "vidhalloc_caption": 11}
    for task, number in pairs.items():
        (samples,) = (folder / "logs").rglob(f"*_samples_{task}.jsonl")
        assert len(samples.read_text(encoding="utf-8").splitlines()) == 2 * number
        row = scores[task]
        assert [row[f"{name},none"] for name in ("factual", "counterfactual", "overall")] == [
            0,
            100,
            0,
        ]
        assert (row["missing,none"], row["incomplete,none"]) == (0, 0)
    assert (folder / "report" / "report.html").is_file()


@pytest.mark.host
def test_nothing_in_it_names_this_machine(walked):
    folder, _ = walked
    texts = [
        path
        for path in (folder / ROOT).rglob("*")
        if path.suffix in {".json", ".jsonl", ".csv", ".txt"}
    ]
    assert len(texts) > 12
    for path in texts:
        text = path.read_text(encoding="utf-8")
        assert str(folder) not in text, path
        assert "vidomni_plugin/data" not in text, path


def test_every_option_is_told():
    shown = CliRunner().invoke(app, ["build", "release", "--help"], env={"COLUMNS": "200"}).output
    options = {"--pairs", "--videos", "--pool", "--out", "--seed", "--copy", "--near-bits"}
    assert {one for one in options if one not in shown or one not in PAGE} == set()
