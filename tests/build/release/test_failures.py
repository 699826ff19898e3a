"""What ends a release: nothing is left of it, and the next call makes it."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.build.release.runs import FREE_BOX, NUMBER, build, lines, pair, rows_of, run_of
from vidomni_plugin.build.release import package, placing
from vidomni_plugin.build.release.staging import staging_of
from vidomni_plugin.cli import app
from vidomni_plugin.data.layout import SPLITS, TASK_SETS
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.records import Leaf


@pytest.mark.parametrize(
    ("kind", "parent"), [("near_identical", False), ("parent", True)], ids=["near", "parent"]
)
def test_a_leak_ends_it_before_anything_is_in_place(source, tmp_path, monkeypatch, kind, parent):
    """A fault that gives every video a recording of its own."""
    videos = sorted(source[0].glob("*.mp4"))
    shared = {path.stem: {"parent": "match"} for path in videos} if parent else {}
    run = run_of(tmp_path / "run", rows_of(videos, **shared))
    monkeypatch.setattr(placing, "_recordings", lambda parents, near: {v: v for v in parents})
    root = tmp_path / "out" / "root"
    with pytest.raises(InputProblems) as caught:
        build(run, source[0], root)
    assert {one.code for one in caught.value.problems} == {"leak"}
    assert any(one.message.startswith(kind) for one in caught.value.problems)
    assert list(root.parent.iterdir()) == []


def test_a_video_that_changes_meanwhile_ends_it(source, tmp_path, monkeypatch):
    videos = tmp_path / "videos"
    shutil.copytree(source[0], videos)
    real = package.link_or_copy

    def changed(path, target):
        if path.stem == "roll":
            with path.open("ab") as file:
                file.write(FREE_BOX)
        real(path, target)

    monkeypatch.setattr(package, "link_or_copy", changed)
    with pytest.raises(InputProblems) as caught:
        build(source[1], videos, tmp_path / "root")
    assert [(one.code, Path(one.place).name) for one in caught.value.problems] == [
        ("changed-video", "roll.mp4")
    ]
    assert not (tmp_path / "root").exists()


def test_too_little_space_is_said_before_a_video_is_copied(source, tmp_path, monkeypatch):
    monkeypatch.setattr(package, "free_bytes", lambda folder: 1000)
    root = tmp_path / "out" / "root"
    with pytest.raises(OSError, match=r"no space: .* needed, 1\.0 kB free"):
        build(source[1], source[0], root, copy=True)
    assert list(root.parent.iterdir()) == []


def test_a_broken_video_is_named(source, tmp_path):
    folder = tmp_path / "videos"
    folder.mkdir()
    broken = folder / "broken.mp4"
    broken.write_bytes((source[0] / "roll.mp4").read_bytes()[:2000])
    run = run_of(tmp_path / "run", [pair(broken, Leaf.ENTITY_CATEGORY)])
    with pytest.raises(InputProblems) as caught:
        build(run, folder, tmp_path / "root")
    assert [(one.code, one.place) for one in caught.value.problems] == [
        ("unusable-video", str(broken))
    ]


def test_ctrl_c_leaves_nothing(source, tmp_path):
    root = tmp_path / "out" / "root"

    def watch(what, number, of):
        if what == "packaging videos" and number == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(source[1], source[0], root, watch=watch)
    assert list(root.parent.iterdir()) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from vidomni_plugin.build.release import audit, build, package, staging

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

where, run, videos, root = sys.argv[1:]
if where == "videos":
    real, left = package.link_or_copy, [3]
    def link(source, target):
        left[0] -= 1
        die() if not left[0] else real(source, target)
    package.link_or_copy = link
elif where == "records":
    package.statistics = die
elif where == "audit":
    build.audit = die
else:
    staging.os.rename = die
from tests.build.release.runs import build as make
make(Path(run), Path(videos), Path(root))
"""


@pytest.mark.parametrize("where", ["videos", "records", "audit", "rename"])
def test_killed_anywhere_there_is_no_release_and_the_next_call_makes_it(
    source, made, tmp_path, where
):
    root = tmp_path / "root"
    arguments = [where, str(source[1]), str(source[0]), str(root)]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert not root.exists()
    assert staging_of(root).is_dir()
    build(source[1], source[0], root)
    assert [path.name for path in tmp_path.iterdir()] == ["root"]
    files = {path.relative_to(root) for path in root.rglob("*")}
    assert files == {path.relative_to(made[1]) for path in made[1].rglob("*")}


def test_the_command_says_what_it_made(source, tmp_path):
    root = tmp_path / "root"
    arguments = ["build", "release", "--pairs", str(source[1]), "--videos", str(source[0])]
    done = CliRunner().invoke(app, [*arguments, "--out", str(root)])
    assert done.exit_code == 0, done.output
    for files in TASK_SETS.values():
        counts = [len(lines(root / files.splits[name])) for name in SPLITS]
        assert any(line.split()[2:] == list(map(str, counts)) for line in done.output.splitlines())
    assert f"{NUMBER} videos of 16 recordings" in done.output
    again = CliRunner().invoke(app, [*arguments, "--out", str(root)])
    assert isinstance(again.exception, InputProblems)
    assert "it is there already" in str(again.exception)


@pytest.mark.parametrize("extra", [[], ["--videos", "a", "--pool", "b"]], ids=["none", "both"])
def test_videos_come_from_one_place(tmp_path, extra):
    arguments = ["build", "release", "--pairs", str(tmp_path), "--out", str(tmp_path / "root")]
    done = CliRunner().invoke(app, [*arguments, *extra])
    assert "name --videos or --pool, one of them" in str(done.exception)


def test_a_home_that_cannot_be_written_is_said(source, tmp_path, monkeypatch):
    (tmp_path / "home").touch()
    monkeypatch.setenv("VIDOMNI_HOME", str(tmp_path / "home" / "deep"))
    with pytest.raises(InputProblems) as caught:
        build(source[1], source[0], tmp_path / "root")
    assert [one.code for one in caught.value.problems] == ["no-folder"]
