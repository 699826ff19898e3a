"""A report takes the place of an earlier report and of nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from vidomni_plugin.problems import InputProblems
from vidomni_plugin.report.folder import INDEX, KIND, check_place, new_folder


def report(out: Path, files: list[str], text: str = "first") -> Path:
    """Write a folder as a report leaves it."""
    for name in files:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text, encoding="utf-8")
    index = json.dumps({"kind": KIND, "files": files})
    (out / INDEX).write_text(index, encoding="utf-8")
    return out


def test_a_new_folder_is_there_as_a_whole_or_not_at_all(tmp_path):
    out = tmp_path / "deep" / "report"
    with new_folder(out, replace=False) as folder:
        (folder / "a.txt").write_text("a", encoding="utf-8")
        assert not out.exists()
    assert [path.name for path in out.iterdir()] == ["a.txt"]
    assert [path.name for path in out.parent.iterdir()] == ["report"]


def test_an_empty_folder_is_used(tmp_path):
    (tmp_path / "report").mkdir()
    with new_folder(tmp_path / "report", replace=False) as folder:
        (folder / "a.txt").write_text("a", encoding="utf-8")
    assert (tmp_path / "report" / "a.txt").exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_what_was_there_stays_when_the_new_one_fails(tmp_path, error):
    out = report(tmp_path / "report", ["tables/a.csv"])

    def fail() -> None:
        with new_folder(out, replace=True) as folder:
            (folder / "half").write_text("half", encoding="utf-8")
            raise error

    with pytest.raises(error):
        fail()
    assert (out / "tables" / "a.csv").read_text(encoding="utf-8") == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_an_earlier_report_is_replaced_when_asked(tmp_path):
    out = report(tmp_path / "report", ["tables/a.csv", "report.html"])
    with pytest.raises(InputProblems, match="there is a report already"):
        check_place(out, replace=False)
    with new_folder(out, replace=True) as folder:
        (folder / "new").write_text("new", encoding="utf-8")
    assert [path.name for path in out.rglob("*")] == ["new"]


def test_a_link_to_a_folder_stays_a_link(tmp_path):
    target = report(tmp_path / "disk" / "report", ["a"])
    link = tmp_path / "report"
    link.symlink_to(target)
    with new_folder(link, replace=True) as folder:
        (folder / "new").write_text("new", encoding="utf-8")
    assert link.is_symlink()
    assert [path.name for path in target.iterdir()] == ["new"]


@pytest.mark.parametrize(
    ("prepare", "reason"),
    [
        pytest.param(lambda out: out.write_text("x"), "not a folder", id="a file"),
        pytest.param(lambda out: out.symlink_to("nowhere"), "not a folder", id="a broken link"),
        pytest.param(
            lambda out: report(out, ["a"]).joinpath(INDEX).unlink(), "no report", id="no index"
        ),
        pytest.param(
            lambda out: report(out, ["a"]).joinpath(INDEX).write_text('{"kind": "x"}'),
            "no report",
            id="another program's index",
        ),
        pytest.param(
            lambda out: report(out, ["a"]).joinpath(INDEX).write_text("["),
            "no report",
            id="no json",
        ),
        pytest.param(
            lambda out: report(out, ["a"]).joinpath("notes.txt").write_text("mine"),
            r"somebody else: notes\.txt",
            id="a file of the user",
        ),
    ],
)
def test_everything_else_is_left_alone_even_when_replacing(tmp_path, prepare, reason):
    out = tmp_path / "report"
    prepare(out)
    with pytest.raises(InputProblems, match=reason):
        check_place(out, replace=True)
    with pytest.raises(InputProblems, match=reason), new_folder(out, replace=True):
        pytest.fail("nothing may be written")


def test_files_that_came_meanwhile_are_not_lost(tmp_path):
    out = tmp_path / "report"

    def write() -> None:
        with new_folder(out, replace=True) as folder:
            (folder / "a").write_text("a", encoding="utf-8")
            out.mkdir()
            (out / "notes.txt").write_text("mine", encoding="utf-8")

    with pytest.raises(InputProblems, match="no report"):
        write()
    assert (out / "notes.txt").read_text(encoding="utf-8") == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the super-user may write everywhere")
def test_a_place_that_cannot_be_written_is_known_before_the_work(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InputProblems, match="cannot be written"):
        check_place(tmp_path / "report", replace=False)


def test_a_place_below_a_file_is_known_before_the_work(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(InputProblems, match="cannot be written"):
        check_place(tmp_path / "file" / "report", replace=False)


def test_a_name_that_is_too_long_is_refused(tmp_path):
    with pytest.raises(InputProblems, match="File name too long"):
        check_place(tmp_path / ("x" * 300), replace=False)


STOPPED = """
import sys, time
from pathlib import Path
from vidomni_plugin.report.folder import new_folder
with new_folder(Path(sys.argv[1]), replace=True) as folder:
    (folder / "half").write_text("half")
    print("working", flush=True)
    time.sleep(60)
"""


def killed(out: Path) -> Path:
    """Kill a process that writes a report, an hour ago; return what it left."""
    command = [sys.executable, "-c", STOPPED, str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        (left,) = (path for path in out.parent.iterdir() if path.suffix == ".tmp")
        process.send_signal(signal.SIGKILL)
    os.utime(left / "lock", (0, 0))
    return left


def write(out: Path) -> None:
    with new_folder(out, replace=True) as folder:
        (folder / INDEX).write_text(json.dumps({"kind": KIND, "files": []}), encoding="utf-8")


def test_what_a_killed_process_left_is_removed_by_the_next_report(tmp_path):
    left = killed(tmp_path / "report")
    assert (left / "new" / "half").exists()
    write(tmp_path / "other")
    assert left.exists()
    write(tmp_path / "report")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "report"]


def test_the_only_copy_of_an_earlier_report_is_never_removed(tmp_path):
    left = killed(tmp_path / "report")
    (left / "old").mkdir()
    write(tmp_path / "report")
    assert (left / "old").exists()
    write(tmp_path / "report")  # now there is a report at its place
    assert not left.exists()


@pytest.mark.parametrize("lock", ["real", "taken twice"])
def test_folders_that_are_in_use_or_of_somebody_else_stay(lock, tmp_path, monkeypatch):
    """The host makes locks reentrant in a process that ran it."""
    if lock == "taken twice":
        monkeypatch.setattr(FileLock, "acquire", lambda lock, *_: Path(lock.lock_file).touch())
    out = tmp_path / "report"
    mine = tmp_path / ".report.abcdefgh.tmp"
    mine.mkdir()
    (mine / "lock").write_text("", encoding="utf-8")
    (mine / "notes").write_text("mine", encoding="utf-8")
    os.utime(mine / "lock", (0, 0))
    with new_folder(out, replace=False) as folder:
        os.utime(folder.parent / "lock", (0, 0))
        write(out)
        assert folder.exists()
        (out / INDEX).unlink()
        out.rmdir()
    assert sorted(path.name for path in tmp_path.iterdir()) == [mine.name, "report"]
