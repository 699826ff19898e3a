"""A folder is there whole or not at all."""

from __future__ import annotations

import pytest
from filelock import FileLock

from vidomni_plugin.build.release.staging import staged, staging_of
from vidomni_plugin.problems import InputProblems


def code_of(root):
    with pytest.raises(InputProblems) as caught, staged(root):
        pytest.fail("it began")
    return caught.value.problems[0].code


def test_it_is_in_its_place_at_the_end_only(tmp_path):
    root = tmp_path / "new" / "root"
    with staged(root) as folder:
        (folder / "file").write_text("x")
        assert not root.exists()
    assert [path.name for path in root.iterdir()] == ["file"]
    assert list(root.parent.iterdir()) == [root]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_nothing_is_left_of_what_failed(tmp_path, error):
    def fail():
        with staged(tmp_path / "root") as folder:
            (folder / "deep").mkdir()
            (folder / "deep" / "file").write_text("x")
            raise error

    with pytest.raises(error):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_command_left_is_cleared(tmp_path):
    left = staging_of(tmp_path / "root")
    (left / "videoqa").mkdir(parents=True)
    (left / "videoqa" / "old.mp4").write_text("x")
    (left / "README.txt").write_text("x")
    (left / ".lock").touch()
    with staged(tmp_path / "root") as folder:
        assert [path.name for path in folder.iterdir()] == [".lock"]
    assert list((tmp_path / "root").iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_is_there_is_never_replaced(tmp_path, kind):
    root = tmp_path / "root"
    if kind == "file":
        root.write_text("mine")
    elif kind == "folder":
        root.mkdir()
    else:
        root.symlink_to(tmp_path / "nowhere")
    assert code_of(root) == "exists"
    assert [path.name for path in tmp_path.iterdir()] == ["root"]


def test_what_appears_meanwhile_stays(tmp_path):
    root = tmp_path / "root"

    def meanwhile():
        with staged(root):
            root.mkdir()
            (root / "mine").touch()

    with pytest.raises(InputProblems):
        meanwhile()
    assert [path.name for path in root.iterdir()] == ["mine"]


def test_a_folder_of_somebody_else_is_not_cleared(tmp_path):
    other = staging_of(tmp_path / "root")
    other.mkdir()
    (other / "mine").touch()
    assert code_of(tmp_path / "root") == "exists"
    assert (other / "mine").exists()


def test_two_commands_do_not_make_one_release(tmp_path):
    folder = staging_of(tmp_path / "root")
    folder.mkdir()
    with FileLock(folder / ".lock"):
        (folder / "half").touch()
        assert code_of(tmp_path / "root") == "locked"
        assert (folder / "half").exists()


def test_a_parent_that_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    assert code_of(tmp_path / "file" / "root") == "no-folder"
