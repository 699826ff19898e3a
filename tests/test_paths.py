"""Paths as users write them: no home that is not known ends a command with a traceback."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from vidomni_plugin.cli import app
from vidomni_plugin.data.locate import home
from vidomni_plugin.models.runner.arguments import read_arguments
from vidomni_plugin.models.runner.checkpoint import content_of
from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.vidhalloc.chosen_with import chosen_with
from vidomni_plugin.vidhalloc.overlap import calibrated_on

NOBODY = "~no-such-user-here/x"


def test_a_home_is_put_in_and_an_unknown_one_stays(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert path_of("~/x") == tmp_path / "x"
    assert str(path_of(NOBODY)) == NOBODY


def test_settings_keep_an_unknown_home(monkeypatch):
    monkeypatch.setenv("VIDOMNI_HOME", NOBODY)
    assert str(home()) == NOBODY
    assert str(read_arguments({"inner": "m", "journal": NOBODY}).journal) == NOBODY
    assert content_of("pretrained", NOBODY) == NOBODY


@pytest.mark.parametrize("read", [calibrated_on, chosen_with])
def test_a_threshold_there_is_a_file_that_is_missing(read):
    with pytest.raises(InputProblems, match="no-such-user-here"):
        read(NOBODY)


@pytest.mark.parametrize(
    "arguments",
    [
        ["data", "fetch", "vidhalloc", "--local", NOBODY, "--out", "out"],
        ["data", "fetch", "vidomni", "--root", NOBODY, "--dry-run"],
        ["data", "fetch", "vidomni", "--cookies", NOBODY],
        ["data", "fetch", "vidomni", "--roots", f"EgoSchema={NOBODY}", "--dry-run"],
    ],
)
def test_commands_end_with_a_message(arguments, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code != 0
    assert done.exception is None or isinstance(done.exception, (SystemExit, InputProblems))
