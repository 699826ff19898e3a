"""What a role sees of a video: which frames, with which times, in which size."""

from __future__ import annotations

import base64
import dataclasses
import io
import itertools
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tests.build.pool.clips import write
from vidomni_plugin.build.pairs import media
from vidomni_plugin.build.pairs.contracts.facts import Interval
from vidomni_plugin.build.pairs.media import Looks, times_of
from vidomni_plugin.build.pairs.settings import MediaSettings
from vidomni_plugin.build.pairs.videos import VideoFile
from vidomni_plugin.video.failures import UnreadableVideo

FPS, SECONDS = 8, 6
GREY = 5
"""Frame k is plain grey of level 5 k: a picture tells which frame it was."""


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    path = tmp_path_factory.mktemp("media") / "grey.mp4"
    frames = [np.full((64, 96, 3), GREY * k, np.uint8) for k in range(FPS * SECONDS)]
    write(path, frames, FPS, crf=1)
    return VideoFile("grey", path, "0" * 64, float(SECONDS), float(FPS), False, "grey", "video_qa")


def picture(part):
    head, _, data = part["image_url"]["url"].partition(",")
    assert head == "data:image/jpeg;base64"
    return Image.open(io.BytesIO(base64.b64decode(data)))


def shown(parts):
    """Return the stated times, and the numbers of the frames that the pictures show."""
    head, *parts = parts
    assert head["type"] == "text"
    times = [float(part["text"].removesuffix(" s")) for part in parts[::2]]
    levels = [np.asarray(picture(part)).mean() / GREY for part in parts[1::2]]
    return times, [round(level) for level in levels]


@pytest.mark.parametrize(("camera", "fps"), [(False, 1), (True, 4)])
def test_each_frame_stands_behind_its_time(video, camera, fps):
    times, frames = shown(Looks(MediaSettings()).whole(video, camera=camera))
    assert times == [k / fps for k in range(SECONDS * fps)]
    assert frames == [round(time * FPS) for time in times]


def test_a_longer_video_gets_its_frames_farther_apart(video):
    times, frames = shown(Looks(MediaSettings(most_frames=4)).whole(video))
    assert times == [0.0, 1.5, 3.0, 4.5]
    assert frames == [0, 12, 24, 36]


def test_a_second_look_is_closer_and_larger(video):
    looks = Looks(MediaSettings(long_side=64, focus_long_side=80, focus_fps=8))
    parts = looks.focused(video, Interval(start_sec=2, end_sec=3))
    times, frames = shown(parts)
    assert (times[0], times[-1]) == (1.5, 3.38)
    assert frames == list(range(12, 28))
    assert picture(parts[2]).size == (80, 53)
    assert picture(looks.whole(video)[2]).size == (64, 43)


@pytest.mark.parametrize("start", [0.0, 5.9])
def test_a_second_look_stays_within_the_video(video, start):
    interval = Interval(start_sec=start, end_sec=start + 0.1)
    times, frames = shown(Looks(MediaSettings()).focused(video, interval))
    assert all(0 <= time <= SECONDS for time in times)
    assert frames == [min(round(time * FPS), FPS * SECONDS - 1) for time in times]


def test_the_same_look_has_the_same_bytes(video):
    assert Looks(MediaSettings()).whole(video) == Looks(MediaSettings()).whole(video)


@given(st.floats(0, 1000), st.floats(0, 5000), st.floats(0.1, 30), st.integers(1, 200))
def test_times_are_even_within_the_interval_and_not_too_many(start, length, fps, most):
    times = times_of(start, start + length, fps, most)
    assert 1 <= len(times) <= most
    assert times[0] == start
    assert times[-1] <= start + length
    gaps = {round(b - a, 6) for a, b in itertools.pairwise(times)}
    assert len(gaps) <= 2
    assert all(gap >= 1 / fps - 1e-5 for gap in gaps)


def test_a_video_is_decoded_once_for_all_its_looks(video, monkeypatch):
    count = []
    sought = media._sought
    monkeypatch.setattr(media, "_sought", lambda *of: count.append(1) or sought(*of))
    looks = Looks(MediaSettings())
    threads = [
        threading.Thread(target=looks.whole, args=(video,), kwargs={"camera": camera})
        for camera in (True, False, True, False)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(count) == 1


@pytest.mark.parametrize("policy", ["frames_timestamped_v1", "native_video_url_v1"])
def test_what_was_looked_at_longest_ago_is_dropped_first(video, monkeypatch, policy):
    looks = Looks(MediaSettings(policy=policy))
    one, two, three = (dataclasses.replace(video, video_id=name) for name in "abc")
    size = sum(media._size(found) for found in [looks._looks(one)])
    assert size > 1000
    monkeypatch.setattr(media, "KEPT_BYTES", 2 * size)
    for each in (one, two, one, three):
        looks.whole(each)
    assert list(looks._kept) == ["a", "c"]
    monkeypatch.setattr(media, "KEPT_BYTES", 1)
    looks.whole(two)
    assert list(looks._kept) == ["b"]


def test_the_file_itself(video):
    looks = Looks(MediaSettings(policy="native_video_url_v1"))
    part, told = looks.whole(video)
    head, _, data = part["video_url"]["url"].partition(",")
    assert head == "data:video/mp4;base64"
    assert base64.b64decode(data) == video.path.read_bytes()
    assert looks.whole(video, camera=True) == [part, told]


def test_only_what_is_sent_is_listed(video):
    frames, native = (
        Looks(MediaSettings(policy=policy))
        for policy in ("frames_timestamped_v1", "native_video_url_v1")
    )
    loud = dataclasses.replace(video, has_audio=True)
    silent = ["visual", "on_screen_text", "camera_editing"]
    assert frames.modalities(video) == frames.modalities(loud) == silent
    assert native.modalities(video) == [*silent, "container_metadata"]
    assert set(native.modalities(loud)) - set(native.modalities(video)) == {
        "speech_audio",
        "non_speech_audio",
    }


@pytest.mark.parametrize("policy", ["frames_timestamped_v1", "native_video_url_v1"])
def test_a_missing_file_is_told(video, tmp_path, policy):
    gone = dataclasses.replace(video, path=tmp_path / "gone.mp4")
    with pytest.raises(UnreadableVideo, match=r"gone\.mp4") as caught:
        Looks(MediaSettings(policy=policy)).whole(gone)
    assert isinstance(caught.value.__cause__, OSError)


def test_what_is_no_video_is_told(video, tmp_path):
    path = tmp_path / "text.mp4"
    path.write_text("no video")
    with pytest.raises(UnreadableVideo) as caught:
        Looks(MediaSettings()).whole(dataclasses.replace(video, path=path))
    assert not isinstance(caught.value.__cause__, OSError)
