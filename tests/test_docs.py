"""The docs say what the code does: generated parts, links, prompts, and the example model."""

from __future__ import annotations

import configparser
import re
import runpy
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conftest import run_host

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "docs" / "example_model"
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


def test_generated_parts_are_up_to_date():
    build = runpy.run_path(str(ROOT / "docs" / "build.py"))
    assert build["main"](["--check"]) == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    gone = [t for t in targets if "://" not in t and not (page.parent / t).exists()]
    assert gone == []


@pytest.mark.parametrize("part", ["verification", "judge"])
def test_prompts_are_quoted_as_the_model_gets_them(part):
    page = (ROOT / "docs" / "prompts.md").read_text(encoding="utf-8")
    (file,) = (ROOT / "vidomni_plugin").glob(f"*/prompts/{part}.txt")
    assert f"```\n{file.read_text(encoding='utf-8').rstrip()}\n```" in page


def test_commands_of_the_readme_name_what_there_is():
    """Tasks are files here; runners and their arguments are names in the host's source."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8").replace("\\\n", " ")
    commands = re.findall(r"lmms-eval --model (\w+) --model_args (\S+) .*--tasks (\S+)", readme)
    assert len(commands) == 3
    ours = {path.stem for path in ROOT.glob("lmms_eval_tasks/*/*.yaml")}
    models = Path(str(find_spec("lmms_eval").origin)).parent / "models"
    for model, arguments, tasks in commands:
        assert set(tasks.split(",")) <= ours | {"videomme"}
        # internvl3_5 takes the arguments of the class that it derives from.
        files = [*models.glob(f"*/{model}.py"), *models.glob(f"*/{model.split('_5')[0]}.py")]
        source = "".join(file.read_text(encoding="utf-8") for file in files)
        unknown = [a for a in re.findall(r"(\w+)=", arguments) if f"        {a}: " not in source]
        assert unknown == [], model


@pytest.mark.host
def test_the_example_model_runs(tmp_path):
    """Made visible by its entry point alone, as after ``pip install``."""
    set_up = configparser.ConfigParser()
    set_up.read(EXAMPLE / "setup.cfg")
    (group,) = set_up["options.entry_points"].items()
    info = tmp_path / "site" / "my_models-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-models\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text(f"[{group[0]}]{group[1]}\n")
    arguments = ("--model", "my_constant", "--model_args", "answer=ACCEPT")
    run = run_host(
        tmp_path / "logs",
        *(*arguments, "--tasks", "vidhalloc_mini", "--limit", "4"),
        PYTHONPATH=f"{tmp_path / 'site'}:{EXAMPLE}",
    )
    assert run.code == 0, run.output
    scores = run.scores("vidhalloc_mini")
    assert (scores["factual"], scores["counterfactual"], scores["overall"]) == (100, 0, 0)


def test_importing_is_fast_and_does_nothing():
    """No torch, no host, no file: what a plugin costs whoever only imports it."""
    import subprocess

    code = (
        "import sys, time; start = time.process_time(); import vidomni_plugin, "
        "vidomni_plugin.labels, vidomni_plugin.records, vidomni_plugin.vidomni.metrics; "
        "print(time.process_time() - start, 'torch' in sys.modules, 'lmms_eval' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, torch, host = done.stdout.split()
    assert (torch, host) == ("False", "False")
    assert float(seconds) < 1.0  # measured: 0.2 s; the limit leaves room for a busy machine
