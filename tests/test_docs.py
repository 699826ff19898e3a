"""The docs say what the code does: generated parts, links, prompts, and the example model."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

from tests.conftest import run_host

ROOT = Path(__file__).parent.parent
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


def test_generated_parts_are_up_to_date():
    build = runpy.run_path(str(ROOT / "docs" / "build.py"))
    assert build["main"](["--check"]) == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    gone = [t for t in targets if "://" not in t and not (page.parent / t).exists()]
    assert gone == []


@pytest.mark.host
def test_the_example_model_runs(tmp_path):
    """Made visible by its entry point alone, as after ``pip install``."""
    info = tmp_path / "site" / "my_models-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-models\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[lmms_eval.models]\nmy_models = my_models:manifests\n")
    arguments = ("--model", "my_constant", "--model_args", "answer=ACCEPT")
    run = run_host(
        tmp_path / "logs",
        *(*arguments, "--tasks", "vidhalloc_mini", "--limit", "4"),
        PYTHONPATH=f"{tmp_path / 'site'}:{ROOT / 'docs' / 'example_model'}",
    )
    assert run.code == 0, run.output
    scores = run.scores("vidhalloc_mini")
    assert (scores["factual"], scores["counterfactual"], scores["overall"]) == (100, 0, 0)


def test_importing_is_fast_and_does_nothing():
    """No torch, no host, no file: what a plugin costs whoever only imports it."""
    import subprocess

    code = (
        "import sys, time; start = time.perf_counter(); import vidomni_plugin, "
        "vidomni_plugin.labels, vidomni_plugin.records, vidomni_plugin.vidomni.metrics; "
        "print(time.perf_counter() - start, 'torch' in sys.modules, 'lmms_eval' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, torch, host = done.stdout.split()
    assert (torch, host) == ("False", "False")
    assert float(seconds) < 1.0  # measured: 0.2 s; the limit leaves room for a busy machine
