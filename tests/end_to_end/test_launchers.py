"""Every way to start the host finds the tasks and gives the same numbers."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from answers import gold, noise

from tests.conftest import CLIP, HostRun, run_host, vidhalloc_data, vidhalloc_record
from vidomni_plugin.rescore import rescore

pytestmark = pytest.mark.host

BOTH = ("--tasks", "vidomni_mini,vidhalloc_mini")
ROOT = Path(__file__).parent.parent.parent
PACKAGES = ("vidomni_plugin", "lmms_eval_tasks")
NO_NETWORK = """
import runpy, socket, sys

def refuse(*args, **kwargs):
    raise OSError("the network was used")

socket.create_connection = refuse
connect = socket.socket.connect
socket.socket.connect = lambda self, address: (
    connect(self, address) if self.family == socket.AF_UNIX else refuse()
)
sys.argv = ["lmms_eval", *sys.argv[1:]]
runpy.run_module("lmms_eval", run_name="__main__")
"""
OTHER_CLIP = next(path for path in sorted(CLIP.parent.glob("*.mp4")) if path != CLIP)
SAME_DIGITS = 1e-12
"""The host adds up its standard errors in the order in which the ranks report."""


@pytest.fixture(scope="module")
def responses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("responses") / "noise.jsonl"
    rows = ({"id": name, "response": text} for name, text in noise().items())
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def replay(responses: Path) -> tuple[str, ...]:
    return ("--model", "vidomni_replay", "--model_args", f"responses={responses}")


@pytest.fixture(scope="module")
def one_rank(
    responses: Path, tmp_path_factory: pytest.TempPathFactory, shared_home: Path
) -> HostRun:
    out = tmp_path_factory.mktemp("one-rank") / "logs"
    run = run_host(out, *replay(responses), *BOTH, VIDOMNI_HOME=str(shared_home))
    assert run.code == 0, run.output
    return run


def assert_same_results(one: HostRun, other: HostRun) -> None:
    assert other.code == 0, other.output
    expected, got = one.results(), other.results()
    assert got["n-samples"] == expected["n-samples"]
    for task, rows in expected["results"].items():
        near = {
            name: pytest.approx(value, rel=SAME_DIGITS) if isinstance(value, float) else value
            for name, value in rows.items()
        }
        assert got["results"][task] == near
        assert comparable(other.samples(task)) == comparable(one.samples(task))


def comparable(samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return samples without the number of their document: it depends on the ranks."""
    kept = [{name: value for name, value in s.items() if name != "doc_id"} for s in samples]
    return sorted(kept, key=lambda sample: json.dumps(sample, sort_keys=True))


def test_two_ranks_give_the_same(responses, one_rank, tmp_path):
    launcher = ("-m", "torch.distributed.run", "--nproc_per_node", "2", "-m", "lmms_eval")
    run = run_host(
        tmp_path / "logs", *replay(responses), *BOTH, launcher=launcher, ACCELERATE_USE_CPU="true"
    )
    assert_same_results(one_rank, run)


def test_accelerate_launch_gives_the_same(responses, one_rank, tmp_path):
    launcher = (
        "-m",
        "accelerate.commands.launch",
        "--cpu",
        "--num_processes",
        "1",
        "-m",
        "lmms_eval",
    )
    assert_same_results(
        one_rank, run_host(tmp_path / "logs", *replay(responses), *BOTH, launcher=launcher)
    )


def test_simple_models_give_the_same(responses, one_rank, tmp_path):
    run = run_host(tmp_path / "logs", *replay(responses), *BOTH, "--force_simple")
    assert_same_results(one_rank, run)


def test_a_samples_file_can_be_replayed(one_rank, tmp_path):
    file = one_rank.samples_file("vidhalloc_mini")
    run = run_host(tmp_path / "logs", *replay(file), "--tasks", "vidhalloc_mini")
    assert run.code == 0, run.output
    assert run.scores("vidhalloc_mini") == one_rank.scores("vidhalloc_mini")


@pytest.mark.parametrize("task", ["vidomni_mini", "vidhalloc_mini"])
def test_saved_samples_score_as_in_the_run(one_rank, task):
    table = rescore(one_rank.samples_file(task)).scores
    assert {name: score.value for name, score in table.items()} == one_rank.scores(task)


def test_no_network_is_used_with_local_data(responses, one_rank, tmp_path):
    run = run_host(tmp_path / "logs", *replay(responses), *BOTH, launcher=("-c", NO_NETWORK))
    assert_same_results(one_rank, run)


def test_a_wheel_holds_all_that_a_run_needs(responses, one_rank, tmp_path):
    """Built from a copy, since a build leaves files behind, unpacked, and run from there."""
    source = tmp_path / "source"
    for package in PACKAGES:
        shutil.copytree(ROOT / package, source / package)
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "-q",
        "-w",
        str(tmp_path),
        str(source),
    ]
    subprocess.run(build, check=True, capture_output=True, timeout=300)
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(site)
    packaged = {name for name in names if ".dist-info/" not in name}
    assert packaged == {
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    code = "import vidomni_plugin.host as h; print(h.tasks_folder())"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=site
    )
    assert shown.stdout.strip() == str(site / "lmms_eval_tasks")
    run = run_host(tmp_path / "logs", *replay(responses), *BOTH, PYTHONPATH=str(site))
    assert_same_results(one_rank, run)
    assert str(site) in run.output  # the data that were read are those of the wheel


def test_cached_answers_are_not_asked_again(tmp_path):
    """A second run asks nothing; a changed prompt or another video of the same name asks again."""
    data = vidhalloc_data(tmp_path / "data", [vidhalloc_record()])
    copied = tmp_path / "copy"
    for package in PACKAGES:
        shutil.copytree(ROOT / package, copied / package)
    file = tmp_path / "responses.jsonl"
    rows = [
        {"id": f"pair_1/{side}", "response": "ACCEPT"} for side in ("factual", "counterfactual")
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def run(name: str) -> HostRun:
        arguments = ("--tasks", "vidhalloc", "--use_cache", str(tmp_path / "cache"))
        env = {"VIDHALLOC_DATA": str(data), "PYTHONPATH": str(copied)}
        done = run_host(tmp_path / name, *replay(file), *arguments, **env)
        assert done.code == 0, done.output
        return done

    first, again = run("first"), run("again")
    assert "served from cache" not in first.output
    assert "all 2 requests served from cache" in again.output
    assert again.samples("vidhalloc") == first.samples("vidhalloc")
    assert again.results()["results"] == first.results()["results"]
    prompt = copied / "vidomni_plugin" / "vidhalloc" / "prompts" / "judge.txt"
    prompt.write_text(prompt.read_text().replace("You are judging", "Judge"), encoding="utf-8")
    assert "served from cache" not in run("prompt").output
    (data / "videoqa" / "v1.mp4").write_bytes(OTHER_CLIP.read_bytes())
    assert "served from cache" not in run("video").output


def test_the_model_is_not_loaded_when_data_are_bad(tmp_path):
    run = run_host(
        tmp_path / "logs",
        *("--model", "qwen2_5_vl", "--model_args", "pretrained=/no/such/model"),
        *("--tasks", "vidhalloc_mini,vidomni"),
        VIDOMNI_DATA=str(tmp_path / "nowhere"),
    )
    assert run.code == 1
    assert "no data for vidomni" in run.output
    assert "Traceback" not in run.output
    assert not run.folder.exists()


def test_gold_answers_through_the_installed_command(tmp_path):
    file = tmp_path / "gold.jsonl"
    rows = ({"id": name, "response": text} for name, text in gold().items())
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    script = Path(sys.executable).parent / "lmms-eval"
    run = run_host(tmp_path / "logs", *replay(file), *BOTH, launcher=(str(script),))
    assert run.code == 0, run.output
    assert run.scores("vidhalloc_mini")["overall"] == 100
    assert "|vidomni_mini  |none" in run.output
