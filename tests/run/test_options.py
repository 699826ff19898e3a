"""Slips in the names of options: told at once, before the host is imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

from vidomni_plugin.problems import InputProblems
from vidomni_plugin.run.options import check_options

OWN = ["--journal", "--dry-run", "--shard"]
GOOD = ["--model", "toy", "--tasks", "vidomni"]


@pytest.mark.parametrize(
    ("given", "said", "hint"),
    [
        (["--modle", "toy", "--tasks", "x"], "--modle: there is no such option", "mean --model?"),
        ([*GOOD, "--jurnal", "d"], "--jurnal: there is no such option", "mean --journal?"),
        ([*GOOD, "--dryrun"], "--dryrun: there is no such option", "mean --dry-run?"),
        ([*GOOD, "--output-path=x"], "--output-path: there is", "mean --output_path?"),
        ([*GOOD, "--qqqqqq"], "--qqqqqq: there is no such option", "lmms-eval eval --help"),
        (["--tasks", "vidomni"], "--model: which model?", "--model qwen3_vl"),
        (["--model", "toy"], "--tasks: which tasks?", "--tasks vidomni"),
    ],
)
def test_a_slip_is_told_alone_with_what_was_meant(given, said, hint):
    with pytest.raises(InputProblems) as found:
        check_options(given, OWN)
    (problem,) = found.value.problems
    assert said in str(problem)
    assert hint in problem.hint


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(GOOD, id="plain"),
        pytest.param([*GOOD, "--limit", "-1", "-b", "2"], id="numbers and short names"),
        pytest.param(["--model=toy", "--task=x", "--out=y"], id="beginnings of names"),
        pytest.param(["--config", "x.yaml"], id="a configuration file"),
        pytest.param(["--power-analysis"], id="refused later"),
    ],
)
def test_what_the_host_takes_passes(given):
    check_options(given, OWN)


@pytest.mark.host
def test_every_option_of_the_hosts_parser_passes():
    from vidomni_plugin.run.arguments import _parsed

    known = [o for a in _parsed(()).parser._actions for o in a.option_strings if len(o) > 2]
    assert len(known) > 30
    check_options([*GOOD, *(name for name in known if name != "--help")], OWN)


def test_nothing_heavy_is_imported_for_it():
    code = (
        "import sys\nfrom vidomni_plugin.cli import main\n"
        "sys.argv = ['vidomni', 'run', '--modle']\n"
        "try:\n    main()\nexcept SystemExit as end:\n"
        "    print(end.code, 'torch' in sys.modules, 'lmms_eval' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["1", "False", "False"]
    assert done.stderr.splitlines()[-1].startswith("vidomni run: failed: --modle: there is no such")
    assert "usage: " not in done.stderr
