"""The folder of a shipped checkpoint, and what is said where there is none."""

from __future__ import annotations

import subprocess
import sys

import pytest

from vidomni_plugin.models.seer import shipped
from vidomni_plugin.problems import InputProblems


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """A package with one of its two checkpoints."""
    monkeypatch.setattr(shipped, "files", lambda package: tmp_path)
    whole = tmp_path / shipped.FOLDERS["whole"]
    whole.mkdir()
    (whole / shipped.WEIGHTS).write_bytes(b"weights")
    (tmp_path / shipped.FOLDERS["half"]).mkdir()  # as a checkout without its weights
    return tmp_path


def test_the_whole_one_is_what_is_meant(folders, capsys):
    assert shipped.checkpoint() == shipped.checkpoint("whole") == folders / "checkpoint"
    for arguments in ([], ["whole"]):
        shipped.main(arguments)
        assert capsys.readouterr().out.splitlines() == [str(folders / "checkpoint")]


def test_a_folder_without_weights_is_no_checkpoint(folders):
    with pytest.raises(InputProblems, match="there is no checkpoint 'half'") as none:
        shipped.checkpoint("half")
    assert none.value.problems[0].place == str(folders / "checkpoint_half")
    with pytest.raises(SystemExit, match=r"^seer: (?s:.)*-> install the package again"):
        shipped.main(["half"])


def test_weights_have_a_name_that_is_theirs(folders):
    name = shipped.digest(shipped.checkpoint())
    assert len(name) == 12
    assert name == shipped.digest(shipped.checkpoint())
    (folders / "checkpoint" / shipped.WEIGHTS).write_bytes(b"other weights")
    assert name != shipped.digest(shipped.checkpoint())


def test_a_slip_ends_the_command_with_the_names():
    command = [sys.executable, "-m", "vidomni_plugin.models.seer.shipped", "hole"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "whole" in done.stderr
    assert "half" in done.stderr
    assert done.stdout == ""
