"""Videos are found by what they hold, never by what they are called."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.build.release.runs import FREE_BOX, pair, run_of, videos_of
from tests.conftest import write_lines
from vidomni_plugin.build.release.finding import in_folders, in_pool
from vidomni_plugin.build.release.reading import read_runs
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.records import Leaf


@pytest.fixture
def videos(tmp_path):
    return videos_of(tmp_path / "videos", 3)


@pytest.fixture
def contents(tmp_path, videos):
    rows = [pair(path, Leaf.ENTITY_CATEGORY) for path in videos]
    return read_runs([run_of(tmp_path / "run", rows)]).contents


def line(path, **changes):
    """Return a line of a pool."""
    record = pair(path, Leaf.ENTITY_CATEGORY)
    return {
        "video_id": path.stem,
        "path": str(path),
        "sha256": record["video_sha256"],
        "parent": path.stem,
        "source": "clips",
        "task": "video_qa",
        "motion": 1.0,
        "motion_third": "low",
        "duration_s": 5.0,
        "width": 128,
        "height": 128,
        "fps": 8.0,
        "frames": 40,
        "has_audio": False,
    } | changes


def told(call, *arguments):
    with pytest.raises(InputProblems) as caught:
        call(*arguments)
    return [(one.code, one.message) for one in caught.value.problems]


def test_other_names_and_folders_do_not_matter(tmp_path, contents, videos):
    deep = tmp_path / "other" / "deep"
    deep.mkdir(parents=True)
    moved = [deep / f"{k}.MP4" for k in range(3)]
    for old, new in zip(videos, moved, strict=True):
        shutil.move(old, new)
    found = in_folders(contents, [tmp_path / "other"])
    assert [found[content.sha256] for content in contents] == moved


def test_missing_and_changed_videos_are_all_named(tmp_path, contents, videos):
    videos[0].unlink()
    videos[1].write_bytes(videos[1].read_bytes() + FREE_BOX)
    assert told(in_folders, contents, [tmp_path / "videos"]) == [
        (
            "missing-video",
            f"no video {videos[0].stem!r} with its content in {tmp_path / 'videos'}",
        ),
        (
            "changed-video",
            f"{videos[1]} is not the video {videos[1].stem!r} any more: its SHA-256 is "
            f"{pair(videos[1], Leaf.ENTITY_CATEGORY)['video_sha256'][:12]}..., "
            f"{contents[1].sha256[:12]}... is stated",
        ),
    ]


def test_a_video_that_cannot_be_read_is_not_called_missing_or_changed(
    tmp_path, contents, videos, monkeypatch
):
    real = Path.open

    def opened(path, *arguments, **options):  # as root every file can be read
        if path in videos[:1]:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *arguments, **options)

    write_lines(tmp_path / "pool" / "pool.jsonl", [line(path) for path in videos])
    monkeypatch.setattr(Path, "open", opened)
    expected = [("unreadable", f"{videos[0]} cannot be read")]
    assert told(in_folders, contents, [tmp_path / "videos"]) == expected
    assert told(in_pool, contents, tmp_path / "pool") == expected
    videos[0] = videos[0].rename(tmp_path / "videos" / "other.mp4")
    ((code, message),) = told(in_folders, contents, [tmp_path / "videos"])
    assert code == "missing-video"
    assert message.endswith(f"; 1 file there cannot be read, such as {videos[0]}")


def test_a_folder_that_is_not_there(tmp_path, contents):
    found = told(in_folders, contents, [tmp_path / "a", tmp_path / "videos", tmp_path / "b"])
    assert [code for code, _ in found] == ["no-folder", "no-folder"]


def test_a_pool_names_its_files(tmp_path, contents, videos):
    write_lines(tmp_path / "pool" / "pool.jsonl", [line(path) for path in videos])
    found = in_pool(contents, tmp_path / "pool")
    assert [found[content.sha256] for content in contents] == videos


def test_a_pool_whose_files_moved_or_changed(tmp_path, contents, videos):
    write_lines(tmp_path / "pool" / "pool.jsonl", [line(path) for path in videos[:2]])
    videos[0].write_bytes(videos[0].read_bytes() + FREE_BOX)
    videos[1].unlink()
    found = told(in_pool, contents, tmp_path / "pool")
    assert [code for code, _ in found] == ["changed-video", "missing-video", "missing-video"]


def test_no_pool(tmp_path, contents):
    assert [code for code, _ in told(in_pool, contents, tmp_path)] == ["no-file"]
