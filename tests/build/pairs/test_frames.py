"""What the roles see: which frame at which time, in every kind of file, and how large."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from typer.testing import CliRunner

from tests.endpoint.scripted import ScriptedServer
from tests.video import clips
from vidomni_plugin.build.pairs import media
from vidomni_plugin.build.pairs.contracts.facts import Interval
from vidomni_plugin.build.pairs.media import Looks, times_of
from vidomni_plugin.build.pairs.settings import MediaSettings
from vidomni_plugin.build.pairs.videos import VideoFile
from vidomni_plugin.cli import app
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.video import lean
from vidomni_plugin.video.failures import UnreadableVideo

FRAMES = 48


def video(path: Path, duration_s: float, *, has_audio: bool = False) -> VideoFile:
    return VideoFile("v", path, "0" * 64, duration_s, 25.0, has_audio, "v", "video_qa")


def times(parts: Sequence[Any]) -> list[float]:
    texts = [part["text"] for part in parts if part["type"] == "text"]
    return [float(text.removesuffix(" s")) for text in texts if text.endswith(" s")]


def pictures(parts: Sequence[Any]) -> list[Image.Image]:
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    files = [base64.b64decode(url.partition(",")[2]) for url in urls]
    return [Image.open(io.BytesIO(content)) for content in files]


def number_of(image: Image.Image, turned: int = 0, size: tuple[int, int] = (96, 64)) -> int:
    """Return which of the clip's pictures this one is, by its looks."""
    seen = np.rot90(np.asarray(image).astype(int), -turned)
    apart = [np.abs(seen - clips.picture(number, *size)).mean() for number in range(FRAMES)]
    return int(np.argmin(apart))


def late(number: int) -> int:
    return 1500 + clips.steady(number)


KINDS: dict[str, tuple[Callable[[Path], Path], Callable[[int], int]]] = {
    "steady.mp4": (clips.write, clips.steady),
    "uneven.mp4": (lambda path: clips.write(path, time=clips.uneven), clips.uneven),
    "late.mp4": (lambda path: clips.write(path, time=late), clips.steady),
    "one_key.mp4": (lambda path: clips.write(path, options={"g": "250", "bf": "3"}), clips.steady),
    "uneven.webm": (
        lambda path: clips.write(
            path, "libvpx-vp9", {"g": "16", "deadline": "realtime"}, time=clips.uneven
        ),
        clips.uneven,
    ),
    "no_index.avi": (lambda path: clips.write(path, "mpeg4", {"g": "12"}), clips.steady),
}


@pytest.mark.parametrize("name", [*KINDS])
def test_the_frame_of_a_time_is_the_one_that_is_shown_then(name, tmp_path):
    write, at = KINDS[name]
    length = at(FRAMES - 1) / 1000 + 0.04
    looks = Looks(MediaSettings(fps=7, camera_fps=20))
    for camera in (False, True):
        parts = looks.whole(video(write(tmp_path / name), length), camera=camera)
        asked = times_of(0, length, 20 if camera else 7, 64)
        assert times(parts) == pytest.approx(asked, abs=0.006)
        shown = [max(k for k in range(FRAMES) if at(k) <= 1000 * t + 0.01) for t in asked]
        assert [number_of(image) for image in pictures(parts)] == shown


def test_a_turned_video_is_seen_upright(tmp_path):
    plain = clips.write(tmp_path / "plain.mp4", size=(98, 66))
    path = clips.turned(plain, tmp_path / "turned.mp4", 90)
    parts = Looks(MediaSettings(fps=5)).whole(video(path, 1.92))
    images = pictures(parts)
    assert {image.size for image in images} == {(66, 98)}
    found = [
        {number_of(image, turn, (98, 66)) for turn in (1, 3)} for image in images
    ]  # the file says which way; one of them is the picture
    assert all(5 * k in numbers for k, numbers in enumerate(found))


def test_frames_that_are_far_apart_are_sought(tmp_path, monkeypatch):
    decoded: list[int] = []
    plain = lean._decoded

    def counted(*given):
        for frame in plain(*given):
            decoded.append(1)
            yield frame

    monkeypatch.setattr(lean, "_decoded", counted)
    path = clips.write(tmp_path / "long.mp4", frames=1500)
    parts = Looks(MediaSettings(most_frames=4)).whole(video(path, 60.0))
    assert times(parts) == [0, 15, 30, 45]
    assert 4 <= len(decoded) < 150


def test_a_file_that_cannot_be_sought_is_read_from_its_start(tmp_path, monkeypatch):
    path = clips.write(tmp_path / "a.mp4")
    whole = Looks(MediaSettings()).whole(video(path, 1.92))

    def breaks(*_):
        raise ValueError("a frame cannot be decoded")
        yield

    monkeypatch.setattr(media, "walk_frames", breaks)
    assert Looks(MediaSettings()).whole(video(path, 1.92)) == whole


def test_the_length_is_told_and_the_same_look_is_the_same_bytes(tmp_path):
    path = clips.write(tmp_path / "a.mp4")
    parts = Looks(MediaSettings()).whole(video(path, 1.92))
    assert parts[0]["text"].startswith("The video is 1.92 s long.")
    assert [part["type"] for part in parts[1:3]] == ["text", "image_url"]
    assert parts == Looks(MediaSettings()).whole(video(path, 1.92))


@pytest.mark.parametrize(
    ("start", "end", "first", "last"),
    [
        pytest.param(0.0, 0.2, 0.0, 0.5, id="at the start"),
        pytest.param(1.8, 1.92, 1.3, 1.8, id="at the end"),
        pytest.param(1.9, 2.1, 1.4, 1.9, id="just behind the end"),
        pytest.param(0.0, 1.92, 0.0, 1.75, id="the whole"),
    ],
)
def test_a_second_look_stays_within_the_video(tmp_path, start, end, first, last):
    path = clips.write(tmp_path / "a.mp4")
    looks = Looks(MediaSettings(focus_fps=4))
    parts = looks.focused(video(path, 1.92), Interval(start_sec=start, end_sec=end))
    seen = times(parts)
    assert (seen[0], seen[-1]) == (pytest.approx(first), pytest.approx(last, abs=0.15))
    assert len(pictures(parts)) == len(seen)


@pytest.mark.parametrize("size", [(97, 65), (16, 16), (640, 20)])
def test_frames_are_no_larger_than_asked_and_keep_their_shape(tmp_path, size):
    path = clips.write(tmp_path / "a.mp4", size=size, frames=2, pixels="yuv444p")
    for side in (64, 2000):
        (image,) = pictures(Looks(MediaSettings(long_side=side)).whole(video(path, 0.08)))
        scale = min(1, side / max(size))
        assert image.size == tuple(max(1, round(length * scale)) for length in size)


@given(
    start=st.floats(0, 5400),
    length=st.floats(0, 5400),
    fps=st.floats(0.1, 30),
    most=st.integers(1, 2000),
)
def test_times_are_spread_over_the_whole_interval(start, length, fps, most):
    found = times_of(start, start + length, fps, most)
    assert 1 <= len(found) <= most
    assert found[0] == start
    assert found == sorted(found)
    assert found[-1] <= start + length
    gap = max(1 / fps, length / most)
    assert start + length - found[-1] <= gap + 1e-6


def test_a_file_is_sent_as_it_is_and_only_what_is_in_it_is_listed(tmp_path):
    path = clips.write(tmp_path / "a.mp4")
    looks = Looks(MediaSettings(policy="native_video_url_v1"))
    file, length = looks.whole(video(path, 1.92))
    kind, _, content = file["video_url"]["url"].partition(";base64,")
    assert (kind, base64.b64decode(content)) == ("data:video/mp4", path.read_bytes())
    assert length["text"] == "The video is 1.92 s long."
    assert "speech_audio" not in looks.modalities(video(path, 1.92))
    assert "speech_audio" in looks.modalities(video(path, 1.92, has_audio=True))
    frames = Looks(MediaSettings()).modalities(video(path, 1.92, has_audio=True))
    assert frames == ["visual", "on_screen_text", "camera_editing"]


def test_a_file_that_grew_too_large_is_not_sent(tmp_path, monkeypatch):
    path = clips.write(tmp_path / "a.mp4")
    monkeypatch.setattr(media, "MOST_FILE_BYTES", path.stat().st_size - 1)
    with pytest.raises(UnreadableVideo, match="too many to be sent"):
        Looks(MediaSettings(policy="native_video_url_v1")).whole(video(path, 1.92))


def test_what_is_no_video_is_told(tmp_path):
    path = tmp_path / "a.mp4"
    path.write_bytes(b"no video at all")
    with pytest.raises(UnreadableVideo):
        Looks(MediaSettings()).whole(video(path, 1.0))
    with pytest.raises(UnreadableVideo) as raised:
        Looks(MediaSettings()).whole(video(tmp_path / "none.mp4", 1.0))
    assert isinstance(raised.value.__cause__, OSError)


def test_files_that_are_too_large_are_all_named_before_anything_is_asked(tmp_path, monkeypatch):
    folder = tmp_path / "videos"
    folder.mkdir()
    for name in ("a.mp4", "b.mp4", "c.mp4"):
        frames = 4 if name == "c.mp4" else FRAMES
        clips.write(folder / name, frames=frames, first=ord(name[0]))
    monkeypatch.setattr(media, "MOST_FILE_BYTES", 4 + (folder / "c.mp4").stat().st_size)
    with ScriptedServer("nothing") as server:
        given = ("--videos", folder, "--out", tmp_path / "out", "--base-url", server.url)
        asked = ["build", "pairs", *map(str, given), "--model", "tiny", "--native"]
        result = CliRunner().invoke(app, asked)
    assert isinstance(result.exception, InputProblems), result.output
    told = [str(problem) for problem in result.exception.problems]
    assert [name for name in ("a.mp4", "b.mp4", "c.mp4") if name in str(told)] == ["a.mp4", "b.mp4"]
    assert "MB, --native sends" in told[0]
    assert not server.seen
