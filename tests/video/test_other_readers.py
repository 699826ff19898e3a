"""Readers of transformers and of the host's simple runners: once a video, and copies handed out."""

from __future__ import annotations

import sys
from functools import partial
from types import ModuleType

import numpy as np
import pytest
import torch

from tests.video.conftest import fresh
from vidomni_plugin.video.other_readers import wrap_load_video, wrap_transformers


@pytest.fixture
def utils(monkeypatch):
    from transformers import video_utils

    plain = {
        name: getattr(decoder, "__wrapped__", decoder)
        for name, decoder in video_utils.VIDEO_DECODERS.items()
    }
    monkeypatch.setattr(video_utils, "VIDEO_DECODERS", plain)
    return video_utils


@pytest.mark.parametrize("backend", ["decord", "pyav", "opencv"])
def test_a_processor_gets_the_same_from_one_decode(backend, clip, utils, cache, monkeypatch):
    path = clip("cfr.mp4")
    calls: list[int] = []
    plain = utils.VIDEO_DECODERS[backend]

    def counted(video, sample_indices_fn, **options):
        frames, metadata = plain(video, sample_indices_fn, **options)
        calls.append(len(frames))
        return frames, metadata

    expected, seen = utils.load_video(path, num_frames=8, backend=backend)
    utils.VIDEO_DECODERS[backend] = counted
    wrap_transformers(utils, cache)
    for _ in range(3):
        frames, metadata = utils.load_video(path, num_frames=8, backend=backend)
        np.testing.assert_array_equal(frames, expected)
        assert dict(metadata).keys() == dict(seen).keys()
        assert metadata.fps == seen.fps
        assert list(metadata.frames_indices) == list(seen.frames_indices)
        frames[:] = 0
        metadata.fps = 0.0
    assert calls == [8]
    utils.load_video(path, fps=5, backend=backend)
    assert len(calls) == 2


def test_tensors_of_a_decoder_are_copied_too(clip, utils, cache):
    def tensors(video, sample_indices_fn, **options):
        metadata = utils.VideoMetadata(total_num_frames=9, fps=3.0)
        metadata.frames_indices = sample_indices_fn(metadata=metadata, **options)
        return torch.ones(len(metadata.frames_indices), 2, 2, 3, dtype=torch.uint8), metadata

    utils.VIDEO_DECODERS["decord"] = tensors
    wrap_transformers(utils, cache)
    for _ in range(2):
        frames, _ = utils.load_video(clip("cfr.mp4"), num_frames=3, backend="decord")
        assert int(frames.sum()) == 3 * 2 * 2 * 3
        frames.zero_()
    assert cache.stats.hits == 1


def test_a_video_that_is_too_big_to_keep_is_not_copied(clip, utils, cache):
    made: list[np.ndarray] = []

    def counted(video, sample_indices_fn, **options):
        metadata = utils.VideoMetadata(total_num_frames=9, fps=3.0)
        metadata.frames_indices = sample_indices_fn(metadata=metadata, **options)
        made.append(np.zeros((3, 64, 96, 3), np.uint8))
        return made[-1], metadata

    cache.resize(1000)
    utils.VIDEO_DECODERS["decord"] = counted
    wrap_transformers(utils, cache)
    for _ in range(2):
        frames, _ = utils.VIDEO_DECODERS["decord"](clip("cfr.mp4"), lambda metadata, **_: [0, 1, 2])
        assert frames is made[-1]
    assert cache.stats.too_big == 2


def test_an_error_of_a_decoder_stays_as_it_is(utils, cache, tmp_path):
    path = tmp_path / "broken.mp4"
    path.write_text("no video")
    wrap_transformers(utils, cache)
    with pytest.raises(RuntimeError, match="Error reading"):
        utils.load_video(str(path), num_frames=3, backend="decord")


@pytest.fixture
def load_video(monkeypatch):
    module = fresh("lmms_eval.models.model_utils.load_video")
    runner = ModuleType("lmms_eval.models.simple.a_runner")
    runner.read_video = module.read_video
    runner.other = partial(module.read_video)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(sys.modules, runner.__name__, runner)
    return module, runner


def test_a_simple_runner_that_imported_the_reader_by_name_decodes_once(
    clip, load_video, cache, monkeypatch
):
    import av

    module, runner = load_video
    expected = module.read_video(clip("cfr.mp4"), num_frm=8)
    opened: list[str] = []
    plain = av.open
    monkeypatch.setattr(
        module.av, "open", lambda path, *rest: opened.append(path) or plain(path, *rest)
    )
    wrap_load_video(module, cache)
    assert runner.read_video is module.read_video is module.read_video_pyav
    for source in (clip("cfr.mp4"), [clip("cfr.mp4")], (clip("cfr.mp4"),)):
        frames = runner.read_video(source, num_frm=8)
        np.testing.assert_array_equal(frames, expected)
        frames[:] = 0
    assert len(opened) == 1
    assert len(runner.read_video(clip("cfr.mp4"), num_frm=4)) == 4
    assert len(opened) == 2


def test_a_decoder_of_another_backend_is_another_video(clip, load_video, cache, monkeypatch):
    module, runner = load_video
    wrap_load_video(module, cache)
    runner.read_video(clip("cfr.mp4"), num_frm=8)
    monkeypatch.setenv("LMMS_VIDEO_DECODE_BACKEND", "no-such")
    with pytest.raises(ValueError, match="no-such"):
        runner.read_video(clip("cfr.mp4"), num_frm=8)


def test_a_missing_file_is_left_to_the_reader(load_video, cache):
    module, runner = load_video
    wrap_load_video(module, cache)
    with pytest.raises(FileNotFoundError):
        runner.read_video("/no/such/clip.mp4")
