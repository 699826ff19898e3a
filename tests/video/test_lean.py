"""The lean reader gives decord's pixels, whatever is read, in whatever order."""

from __future__ import annotations

import random
from pathlib import Path

import av
import clips
import decord
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.video.conftest import KINDS
from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.video.index import NoTimeStamps, index_of
from vidomni_plugin.video.lean import read_frames

READ_IN_ORDER = ("open_groups.mp4", "refreshed.mp4")
"""Where decord seeks into such a group it returns wrong frames; in order it is right."""
SAME = [name for name in KINDS if name not in (*READ_IN_ORDER, "clip.avi")]
BUILT_IN = sorted(
    path for name in ("vidomni", "vidhalloc") for path in mini_root(name).path.rglob("*.mp4")
)


def samples(frames: int) -> list[list[int]]:
    spread = np.linspace(0, frames - 1, 8).round().astype(int).tolist()
    mixed = random.Random(frames).sample(range(frames), 6)
    return [spread, mixed, [frames - 1, 0, frames // 2, frames // 2], [frames - 1], [1]]


@pytest.mark.parametrize("name", SAME)
def test_the_pixels_are_those_of_decord(name, clip):
    path = clip(name)
    reference = decord.VideoReader(path)
    index = index_of(path)
    assert len(index) == len(reference)
    assert index.fps == reference.get_avg_fps()
    for wanted in samples(len(index)):
        frames = read_frames(path, index, wanted)
        expected = decord.VideoReader(path).get_batch(wanted).asnumpy()
        assert frames.dtype == np.uint8
        assert frames.flags["C_CONTIGUOUS"]
        np.testing.assert_array_equal(frames, expected)


@pytest.mark.parametrize("path", BUILT_IN[::4], ids=lambda path: path.stem)
def test_the_pixels_of_the_built_in_clips_are_those_of_decord(path):
    index = index_of(str(path))
    reference = decord.VideoReader(str(path))
    wanted = samples(len(reference))[0]
    np.testing.assert_array_equal(
        read_frames(str(path), index, wanted), reference.get_batch(wanted).asnumpy()
    )


@pytest.mark.parametrize("name", ["cfr.mp4", *READ_IN_ORDER, "vp9_vfr.webm"])
def test_any_frames_in_any_order_are_those_of_reading_the_file_through(name, clip):
    path = clip(name)
    index = index_of(path)
    through = decord.VideoReader(path).get_batch(range(len(index))).asnumpy()

    @settings(max_examples=20, deadline=None)
    @given(st.lists(st.integers(0, len(index) - 1), min_size=1, max_size=10))
    def check(wanted):
        np.testing.assert_array_equal(read_frames(path, index, wanted), through[wanted])

    check()


def test_frames_that_an_edit_list_cuts_are_not_counted(clip, tmp_path):
    """The frames are those that a player shows; decord counts the cut ones, too."""
    whole, path = clip("cfr.mp4"), str(clips.cut_in(Path(clip("cfr.mp4")), tmp_path / "e.mp4", 400))
    index = index_of(path)
    assert len(index) == 38
    through = decord.VideoReader(whole).get_batch(range(48)).asnumpy()
    np.testing.assert_array_equal(read_frames(path, index, [0, 20, 37]), through[[10, 30, 47]])


def test_a_container_without_time_stamps_is_left_to_decord(clip):
    with pytest.raises(NoTimeStamps, match="avi"):
        index_of(clip("clip.avi"))


def test_a_file_that_is_cut_off_is_an_error(clip, tmp_path):
    whole = clips.with_index_first(Path(clip("cfr.mp4")), tmp_path / "whole.mp4")
    assert len(index_of(str(whole))) == 48
    with pytest.raises(ValueError, match=r"the file is cut off: \d\d of 48 frames are there"):
        index_of(str(clips.cut_off(whole, tmp_path / "cut.mp4")))
    with pytest.raises(av.FFmpegError, match="Invalid data"):
        index_of(str(clips.cut_off(Path(clip("cfr.mp4")), tmp_path / "no_index.mp4")))


def test_a_file_without_video_is_an_error(tmp_path):
    path = tmp_path / "sound.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=16000, layout="mono")
        silence = av.AudioFrame.from_ndarray(np.zeros((1, 1600), np.float32), "fltp", "mono")
        silence.sample_rate = 16000
        container.mux(stream.encode(silence))
        container.mux(stream.encode(None))
    with pytest.raises(ValueError, match="no video stream"):
        index_of(str(path))


def test_a_replaced_file_is_indexed_again(tmp_path):
    path = clips.write(tmp_path / "clip.mp4", frames=20)
    assert len(index_of(str(path))) == 20
    clips.write(path, frames=30)
    assert len(index_of(str(path))) == 30
