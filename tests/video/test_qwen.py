"""The readers of qwen_vl_utils: decoded once, of the user's choice, with the true cause."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import clips
import pytest
import torch
from loguru import logger

from vidomni_plugin.video import qwen
from vidomni_plugin.video.cache import FrameCache
from vidomni_plugin.video.failures import UnreadableVideo
from vidomni_plugin.video.qwen import wrap_qwen

SMALL = {"min_pixels": 28 * 28, "max_pixels": 84 * 84}
HAS_TORCHCODEC = importlib.util.find_spec("torchcodec") is not None


def fetch(vision, path, **sampling):
    return vision.fetch_video(
        {"type": "video", "video": path, **SMALL, **sampling}, return_video_metadata=True
    )


SAMPLINGS = [
    {"nframes": 8},
    {"fps": 2.0, "min_frames": 4, "max_frames": 16},
    {"fps": 4.0, "video_start": 0.3, "video_end": 1.31},
    {"nframes": 6, "video_start": 0.5},
    {"nframes": 6, "video_end": 0.7},
]


@pytest.mark.parametrize("reader", ["", "decord", "pyav"])
@pytest.mark.parametrize("name", ["cfr.mp4", "vfr.mp4", "vp9_vfr.webm"])
def test_every_reader_gives_what_the_packages_own_gives(
    reader, name, clip, vision, cache, monkeypatch
):
    path = clip(name)
    own = vision.VIDEO_READER_BACKENDS["decord"]
    expected = [own({"video": path, **sampling}) for sampling in SAMPLINGS]
    monkeypatch.setenv("VIDOMNI_READER", reader)
    wrap_qwen(vision, cache)
    for sampling, (frames, metadata, rate) in zip(SAMPLINGS, expected, strict=True):
        read = vision.VIDEO_READER_BACKENDS["decord"]({"video": path, **sampling})
        assert torch.equal(read[0], frames)
        # Resizing may take another path for another layout in memory.
        assert read[0].stride() == frames.stride()
        assert read[1] == {**metadata, "video_backend": reader or "decord"}
        assert read[2] == rate


def test_a_video_is_decoded_once_for_each_way_of_sampling_it(clip, vision, cache, decodes):
    wrap_qwen(vision, cache)
    for _ in range(3):
        fetch(vision, clip("cfr.mp4"), nframes=8)
        fetch(vision, f"{Path(clip('cfr.mp4')).parent}/./cfr.mp4", nframes=8)
        fetch(vision, clip("cfr.mp4"), fps=2.0)
        fetch(vision, clip("vfr.mp4"), nframes=8)
    assert len(decodes) == 3
    assert cache.stats.hits == 9


def test_what_comes_after_reading_is_no_part_of_the_key(clip, vision, cache, decodes):
    wrap_qwen(vision, cache)
    small, _ = fetch(vision, clip("cfr.mp4"), nframes=8)
    large, _ = fetch(vision, clip("cfr.mp4"), nframes=8, max_pixels=56 * 56)
    assert small.shape != large.shape
    assert len(decodes) == 1


def test_a_replaced_video_is_decoded_again(clip, vision, cache, tmp_path, decodes):
    wrap_qwen(vision, cache)
    path = tmp_path / "clip.mp4"
    shutil.copy(clip("cfr.mp4"), path)
    first, _ = fetch(vision, str(path), nframes=8)
    shutil.copy(clip("vfr.mp4"), path)
    second, _ = fetch(vision, str(path), nframes=8)
    assert len(decodes) == 2
    assert not torch.equal(first, second)


@pytest.mark.parametrize("size", [(96, 64), (84, 56)], ids=["resized", "of the right size"])
def test_nothing_that_a_caller_changes_reaches_the_cache(size, vision, cache, tmp_path):
    path = str(clips.write(tmp_path / "clip.mp4", size=size))
    wrap_qwen(vision, cache)
    frames, metadata = fetch(vision, path, nframes=8)
    kept, seen = frames.clone(), list(metadata["frames_indices"])
    frames.zero_()
    metadata["frames_indices"].extend([1, 2])
    again, metadata = fetch(vision, path, nframes=8)
    assert torch.equal(again, kept)
    assert metadata["frames_indices"] == seen
    assert cache.stats.hits == 1


def test_wrapping_twice_changes_nothing(vision, cache):
    wrap_qwen(vision, cache)
    before = dict(vision.VIDEO_READER_BACKENDS)
    wrap_qwen(vision, FrameCache(1))
    assert before == vision.VIDEO_READER_BACKENDS


READERS = [
    "",
    "decord",
    "pyav",
    pytest.param(
        "torchcodec",
        marks=pytest.mark.skipif(not HAS_TORCHCODEC, reason="torchcodec is not installed"),
    ),
]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("fault", ["cut off", "no index", "not there", "no video", "one frame"])
def test_an_error_names_the_file_and_the_true_cause(
    reader, fault, clip, vision, cache, tmp_path, monkeypatch
):
    path = tmp_path / "broken.mp4"
    if fault == "cut off":
        clips.cut_off(clips.with_index_first(Path(clip("cfr.mp4")), tmp_path / "f.mp4"), path)
    elif fault == "no index":
        clips.cut_off(Path(clip("cfr.mp4")), path)
    elif fault == "no video":
        path.write_text("this is text, and no video")
    elif fault == "one frame":
        clips.write(path, frames=1)
    monkeypatch.setenv("VIDOMNI_READER", reader)
    wrap_qwen(vision, cache)
    with pytest.raises(UnreadableVideo) as caught:
        fetch(vision, str(path), nframes=8)
    message = str(caught.value)
    assert message.startswith(f"{path}: {reader or 'decord'} cannot read it: ")
    assert "\n" not in message
    assert "torchvision" not in message
    assert caught.value.__cause__ is not None
    if fault == "one frame":
        assert "nframes should in interval [2, 1]" in message
    assert cache.bytes == 0


def test_an_older_torchvision_may_still_try(vision, cache, tmp_path, monkeypatch):
    """Where the package's fallback works, the host keeps it."""
    from torchvision import io

    def read_video(path, **_):
        return torch.zeros(8, 3, 56, 56, dtype=torch.uint8), None, {"video_fps": 4.0}

    monkeypatch.setattr(io, "read_video", read_video, raising=False)
    path = tmp_path / "broken.mp4"
    path.write_text("no video")
    wrap_qwen(vision, cache)
    frames, metadata = fetch(vision, str(path), nframes=8)
    assert metadata["video_backend"] == "torchvision"
    assert frames.shape[0] == 8


def test_pyav_leaves_to_decord_what_has_no_time_stamps(clip, vision, cache, monkeypatch):
    expected = vision.VIDEO_READER_BACKENDS["decord"]({"video": clip("clip.avi"), "nframes": 8})
    monkeypatch.setenv("VIDOMNI_READER", "pyav")
    wrap_qwen(vision, cache)
    frames, metadata, _ = vision.VIDEO_READER_BACKENDS["decord"](
        {"video": clip("clip.avi"), "nframes": 8}
    )
    assert torch.equal(frames, expected[0])
    assert metadata["video_backend"] == "decord"


def test_a_torchcodec_that_does_not_work_is_not_used_and_this_is_said_once(
    clip, vision, cache, monkeypatch
):
    monkeypatch.setattr(qwen, "find_spec", lambda name: object())
    monkeypatch.setattr(qwen, "torchcodec_fault", lambda: "no FFmpeg")
    monkeypatch.setattr(vision, "is_torchcodec_available", lambda: True)
    said: list[str] = []
    handler = logger.add(lambda message: said.append(str(message)), level="WARNING")
    try:
        wrap_qwen(vision, cache)
        for number in (4, 8):
            _, metadata = fetch(vision, clip("cfr.mp4"), nframes=number)
            assert metadata["video_backend"] == "decord"
    finally:
        logger.remove(handler)
    assert len(said) == 1
    assert "torchcodec does not work (no FFmpeg); decord reads the videos" in said[0]


def test_a_torchcodec_that_is_forced_is_not_replaced(clip, vision, cache, monkeypatch):
    monkeypatch.setenv("FORCE_QWENVL_VIDEO_READER", "torchcodec")
    monkeypatch.setattr(qwen, "find_spec", lambda name: object())
    monkeypatch.setattr(qwen, "torchcodec_fault", lambda: "no FFmpeg")

    def broken(request):
        raise RuntimeError("Could not load libtorchcodec")

    vision.VIDEO_READER_BACKENDS["torchcodec"] = broken
    wrap_qwen(vision, cache)
    monkeypatch.setattr(vision, "get_video_reader_backend", lambda: "torchcodec")
    with pytest.raises(UnreadableVideo, match="torchcodec cannot read it: Could not load"):
        fetch(vision, clip("cfr.mp4"), nframes=8)
