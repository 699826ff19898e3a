"""Videos are looked into once, in children that may hang or crash."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from filelock import FileLock
from loguru import logger

from tests.conftest import CLIP
from tests.video import clips
from vidomni_plugin.data import memory as memory_module
from vidomni_plugin.data import videos
from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.data.probe import media_digest, probe
from vidomni_plugin.data.videos import check_videos, find_videos


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VIDOMNI_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_every_built_in_clip_is_usable():
    for clip in sorted((mini_root("vidomni").path / "videos").glob("*.mp4")):
        facts = probe(clip)
        assert facts["error"] == ""
        assert facts["duration_s"] >= 4
        assert facts["frames"] >= 32


def test_what_was_seen_is_remembered_until_the_file_changes(home, tmp_path, monkeypatch):
    clip = tmp_path / "clip.mp4"
    shutil.copy(CLIP, clip)
    seen = check_videos([clip])[clip]
    monkeypatch.setattr(videos, "_Worker", None)  # a second look would fail
    assert check_videos([clip])[clip] == seen
    monkeypatch.undo()
    monkeypatch.setenv("VIDOMNI_HOME", str(home))
    clip.write_bytes(b"")
    assert check_videos([clip])[clip].error == "the file is empty"


def test_a_damaged_memory_is_forgotten(home, tmp_path):
    check_videos([CLIP])
    (home / "videos.json").write_text('{"half', encoding="utf-8")
    assert check_videos([CLIP])[CLIP].error == ""
    (home / "videos.json").write_text(json.dumps({"a": 1, "b": []}), encoding="utf-8")
    assert check_videos([CLIP])[CLIP].error == ""


def test_a_home_that_cannot_be_written_is_no_obstacle(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("VIDOMNI_HOME", str(tmp_path / "file" / "home"))
    assert check_videos([CLIP])[CLIP].error == ""


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import time, sys; sys.stdin.readline(); time.sleep(60)", "did not answer within"),
        ("import os, sys; sys.stdin.readline(); os.abort()", "the decoder crashed"),
    ],
    ids=["hangs", "crashes"],
)
def test_a_decoder_that_fails_costs_one_video(code, reason, home, tmp_path, monkeypatch):
    real = videos.subprocess.Popen
    monkeypatch.setattr(videos, "PROBE_SECONDS", 1.0)
    monkeypatch.setattr(
        videos.subprocess,
        "Popen",
        lambda command, **options: real([command[0], "-c", code], **options),
    )
    start = time.monotonic()
    assert reason in check_videos([CLIP])[CLIP].error
    assert time.monotonic() - start < 10


def test_videos_are_found_by_id_and_ending(tmp_path):
    for name in ("a.mp4", "b.webm", "c.txt", "d.mkv", "d.mp4"):
        (tmp_path / name).touch()
    found = find_videos(tmp_path, ["a", "b", "c", "d", "e"])
    assert {k: v.name for k, v in found.items()} == {"a": "a.mp4", "b": "b.webm", "d": "d.mp4"}
    assert find_videos(tmp_path / "nowhere", ["a"]) == {}


def test_the_digest_sees_start_middle_and_end_of_a_large_file(tmp_path):
    file = tmp_path / "large.mp4"
    content = bytearray(8 << 20)
    file.write_bytes(content)
    digests = {media_digest(file)}
    for place in (0, 4 << 20, (8 << 20) - 1):
        changed = content.copy()
        changed[place] = 1
        file.write_bytes(changed)
        digests.add(media_digest(file))
    assert len(digests) == 4


def test_a_failure_is_never_remembered(home, tmp_path, monkeypatch):
    """A killed child or a missing permission may pass; the file is looked at again."""
    clip = tmp_path / "clip.mp4"
    shutil.copy(CLIP, clip)
    with monkeypatch.context() as patch:
        patch.setattr(videos._Worker, "probe", lambda self, path: videos._failed("killed"))
        assert check_videos([clip])[clip].error == "killed"
    assert check_videos([clip])[clip].error == ""


def test_links_to_nowhere_and_folders_are_unusable_and_nothing_raises(home, tmp_path):
    paths = [tmp_path / name for name in ("nowhere.mp4", "loop.mp4", "folder.mp4")]
    paths[0].symlink_to(tmp_path / "gone")
    paths[1].symlink_to(paths[1])
    paths[2].mkdir()
    assert all(facts.error for facts in check_videos(paths).values())


def test_a_file_cut_inside_its_index_is_cut_off(tmp_path):
    """The sound may be gone while the picture still opens."""
    content = (CLIP.parent / "bounce.mp4").read_bytes()
    for share in (0.5, 0.8, 0.89, 0.95, 0.99):
        cut = tmp_path / f"{share}.mp4"
        cut.write_bytes(content[: int(len(content) * share)])
        assert probe(cut)["error"] == "the file is cut off"


def test_a_clip_of_exactly_two_seconds_is_whole(tmp_path):
    """Its middle is where the look at its end begins; the look stopped there."""
    facts = probe(clips.write(tmp_path / "two.mp4", frames=50))
    assert (facts["error"], facts["duration_s"], facts["frames"]) == ("", 2.0, 50)


def test_a_killed_first_look_keeps_most_of_what_it_saw(home, tmp_path):
    """Nothing can be tidied up then: what was seen must have been written before."""
    for k in range(70):
        (tmp_path / f"{k}.mp4").write_bytes(CLIP.read_bytes())
    code = f"""
import os, time
from pathlib import Path
from vidomni_plugin.data import videos
calls = []
def probe(self, path):
    calls.append(path)
    time.sleep(0.01)
    if len(calls) > 60:
        os._exit(9)
    return videos.VideoFacts("0", 1.0, 1.0, 2, False, "")
videos._Worker.probe = probe
videos.WORKERS = 1
videos.check_videos(Path({str(tmp_path)!r}).glob("*.mp4"))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 9
    assert len(json.loads((home / "videos.json").read_text(encoding="utf-8"))) >= 50


def test_a_slow_file_does_not_hold_back_the_others(home, tmp_path, monkeypatch):
    for name in "abc":
        (tmp_path / f"{name}.mp4").write_bytes(CLIP.read_bytes())

    def probe(worker, path):
        if path.stem == "a":
            time.sleep(1)
        return videos.VideoFacts("0", 1.0, 1.0, 2, False, "")

    monkeypatch.setattr(videos._Worker, "probe", probe)
    monkeypatch.setattr(videos, "WORKERS", 2)
    order = [path.stem for path, _ in videos._probe_all(sorted(tmp_path.glob("*.mp4")))]
    assert order[-1] == "a"


@pytest.mark.parametrize(("given", "seconds"), [("5", 5), ("0", 60), ("-1", 60), ("soon", 60)])
def test_the_limit_of_a_decoder_can_be_set(given, seconds, monkeypatch):
    monkeypatch.setenv("VIDOMNI_PROBE_SECONDS", given)
    assert videos._probe_seconds() == seconds


def test_waiting_for_another_process_is_said(home, monkeypatch, tmp_path):
    home.mkdir()
    said: list[str] = []
    sink = logger.add(lambda message: said.append(str(message)), level="INFO")
    monkeypatch.setattr(memory_module, "QUIET_SECONDS", 0.1)
    held = threading.Event()

    def hold() -> None:
        with FileLock(home / "videos.lock"):
            held.set()
            time.sleep(0.5)

    other = threading.Thread(target=hold)
    other.start()
    held.wait()
    try:
        assert check_videos([CLIP])[CLIP].error == ""
    finally:
        other.join()
        logger.remove(sink)
    assert any("another process works on" in line for line in said)


@pytest.mark.parametrize("change", [{"duration_s": "4"}, {"has_audio": 1}, {"frames": None}])
def test_what_was_remembered_with_wrong_types_is_looked_at_again(change, tmp_path, monkeypatch):
    monkeypatch.setenv("VIDOMNI_HOME", str(tmp_path))
    (facts,) = check_videos([CLIP]).values()
    memory = tmp_path / "videos.json"
    entries = json.loads(memory.read_text())
    memory.write_text(json.dumps({key: entry | change for key, entry in entries.items()}))
    assert check_videos([CLIP]) == {CLIP: facts}
