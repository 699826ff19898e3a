"""The files of runs are found wherever they lie, and what cannot be read is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vidomni_plugin.report.find import Given, find_files, given


def a_run(folder):
    folder.mkdir(parents=True)
    (folder / "20260101_results.json").write_text("{}")
    return folder


@pytest.mark.parametrize(
    ("text", "path", "name"),
    [
        ("logs/a", "logs/a", ""),
        ("sft=logs/a", "logs/a", "sft"),
        (" my run =/x", "/x", "my run"),
        ("a=b=c", "b=c", "a"),
        ("logs/a=b", "logs/a=b", ""),
        ("=logs", "=logs", ""),
        ("sft=", "sft=", ""),
    ],
)
def test_a_name_stands_before_the_path(text, path, name):
    assert given(text) == Given(Path(path), name)


def test_what_exists_is_a_path_whatever_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    a_run(tmp_path / "fps=2")
    assert given("fps=2") == Given(Path("fps=2"))
    assert find_files([given("x=fps=2")])[0].name == "x"


def test_links_to_folders_are_followed_once(tmp_path):
    real = a_run(tmp_path / "elsewhere" / "model")
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "model").symlink_to(real)
    (logs / "again").symlink_to(real)
    (real / "up").symlink_to(tmp_path / "logs")
    (found,) = find_files([logs])
    assert found.results is not None
    assert found.results.resolve() == real / "20260101_results.json"


def test_a_folder_that_cannot_be_read_is_told(tmp_path, monkeypatch):
    a_run(tmp_path / "logs" / "a")
    locked = tmp_path / "logs" / "locked"
    locked.mkdir()
    real = os.scandir

    def refuse(path="."):
        if Path(path) == locked:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    run, rest = find_files([tmp_path / "logs"])
    assert run.results is not None
    (problem,) = rest.problems
    assert (problem.code, problem.place) == ("unreadable", str(locked))
    assert "cannot be read: Permission denied" in problem.message
