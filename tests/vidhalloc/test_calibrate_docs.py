"""The walkthrough of docs/calibrate.md, word for word, through the real host."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.conftest import HOST_SECONDS
from vidomni_plugin.cli import app
from vidomni_plugin.detectors.answer import read_answer
from vidomni_plugin.report.read import read_runs
from vidomni_plugin.report.vidhalloc_pairs import methods
from vidomni_plugin.samples import read_responses, read_samples
from vidomni_plugin.vidhalloc.thresholds import Calibration, read_threshold

PAGE = (Path(__file__).parents[2] / "docs" / "calibrate.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```\w*\n(.*?)```", PAGE[PAGE.index("## Example") :], re.DOTALL)
"""The code, the commands, and what was seen."""


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """Return the folder in which the walkthrough was run, and what its commands printed."""
    folder = tmp_path_factory.mktemp("walked")
    code, commands, _ = BLOCKS
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", f"set -e\npython - <<'CODE'\n{code}CODE\n{commands}"],
        cwd=folder,
        env={**os.environ, "PATH": path, "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=HOST_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder, done.stdout


@pytest.mark.host
def test_the_host_gives_the_scores_that_the_page_shows(walked):
    folder, printed = walked
    seen = BLOCKS[2]
    assert seen in printed
    said = dict(re.findall(r"(\w+) (\d+\.\d\d)", seen.split("other videos")[1]))
    assert said.keys() == {"overall", "factual", "counterfactual", "undecided"}
    (results,) = (folder / "logs" / "decided").rglob("*_results.json")
    scores = json.loads(results.read_text())["results"]["vidhalloc_eval"]
    assert {name: f"{scores[f'{name},none']:.2f}" for name in said} == said
    # The host's standard errors are those of accuracies, and never of scores.
    assert scores["overall_stderr_clt,none"] == "N/A"
    assert scores["factual_stderr_clt,none"] > 1


@pytest.mark.host
def test_the_threshold_decides_videos_that_it_was_not_chosen_on(walked):
    folder, _ = walked
    calibration = Calibration.model_validate_json((folder / "threshold.json").read_text())
    assert read_threshold(str(folder / "threshold.json")).value == calibration.threshold
    assert (calibration.n, len(calibration.videos)) == (10, 10)
    given = read_responses(folder / "scores.jsonl")
    assert read_answer(given[f"{calibration.pair_ids[0]}/factual"]).score is not None
    (samples,) = (folder / "logs" / "decided").rglob("*_samples_*.jsonl")
    details = [sample.detail for sample in read_samples(samples)]
    judged = {f"{detail['task_type']}/{detail['video_id']}" for detail in details}
    assert judged.isdisjoint(calibration.videos)
    for detail in details:
        score = read_answer(given[f"{detail['pair_id']}/{detail['side']}"]).score
        assert detail["detector_score"] == score
        assert detail["detector_threshold"] == calibration.threshold
        assert detail["label"] == ("ACCEPT" if score >= calibration.threshold else "REJECT")


@pytest.mark.host
def test_reports_find_the_scores(walked):
    runs = read_runs([walked[0] / "logs"])
    found = methods(task for run in runs for task in run.tasks.values())
    assert [int(method.scored.sum()) for method in found] == [16, 40]


def test_every_option_is_told():
    shown = CliRunner().invoke(app, ["calibrate", "--help"], env={"COLUMNS": "200"}).output
    told = {"--split", "--items", "--evaluation", "--answers", "--out", "--seed", "--root"}
    assert {option for option in told if option not in shown or option not in PAGE} == set()


def test_every_field_of_the_file_is_told():
    table = PAGE[PAGE.index("## The file") : PAGE.index("## Published")]
    named = set(re.findall(r"`(\w+)`", table))
    assert Calibration.model_fields.keys() - {"schema_version"} == named
