"""Which frames of a video are looked at, and that their pixels are the video's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from videos import noise, write_video

from tests.conftest import CLIP
from vidomni_plugin.models.detectors.frames import frame_count, numbers, shown_frames
from vidomni_plugin.video.failures import UnreadableVideo


@pytest.mark.parametrize(
    ("frames", "total", "expected"),
    [
        pytest.param(10, 25, [0, 2, 5, 8, 10, 13, 16, 18, 21, 24], id="as EMScore's code"),
        pytest.param(1, 25, [0], id="one is the first"),
        pytest.param(4, 2, [0, 0, 0, 1], id="a short video repeats"),
        pytest.param(3, 1, [0, 0, 0], id="a video of one frame"),
        pytest.param("all", 3, [0, 1, 2], id="all"),
    ],
)
def test_worked_by_hand(frames, total, expected):
    assert numbers(frames, total) == expected


@given(st.integers(1, 64), st.integers(1, 5000))
def test_frames_ascend_from_the_first_to_the_last(count, total):
    sampled = numbers(count, total)
    assert len(sampled) == count
    assert sampled == sorted(sampled)
    assert sampled[0] == 0
    assert sampled[-1] == (total - 1 if count > 1 else 0)


@pytest.mark.parametrize("given", ["0", "-1", "all of them", "1.5", True, "", None])
def test_what_is_no_number_of_frames(given):
    with pytest.raises(ValueError, match=r"no whole number from 1 on, and not all"):
        frame_count(given)


@pytest.mark.parametrize("ending", ["mkv", "avi"], ids=["time stamps", "no time stamps"])
def test_pixels_are_those_of_the_video(ending, tmp_path):
    pictures = noise(7)
    path = write_video(tmp_path / f"video.{ending}", pictures)
    found = {
        place: frame.pixels.copy() for frame in shown_frames(str(path), 4) for place in frame.places
    }
    assert sorted(found) == [0, 1, 2, 3]
    for place, number in enumerate(numbers(4, 7)):
        np.testing.assert_array_equal(found[place], pictures[number])


def test_a_short_video_is_decoded_once_a_frame(tmp_path):
    path = write_video(tmp_path / "video.mkv", noise(2))
    assert [frame.places for frame in shown_frames(str(path), 4)] == [(0, 1, 2), (3,)]


def test_every_frame_of_a_built_in_clip():
    places = [place for frame in shown_frames(str(CLIP), "all") for place in frame.places]
    assert sorted(places) == list(range(len(places)))
    assert len(places) > 20


@pytest.mark.parametrize("content", [b"", b"no video", CLIP.read_bytes()[:4000]])
def test_what_is_no_video(content, tmp_path):
    path = tmp_path / "video.mp4"
    path.write_bytes(content)
    with pytest.raises(UnreadableVideo, match=r"video\.mp4: pyav cannot read it"):
        list(shown_frames(str(path), "all"))
