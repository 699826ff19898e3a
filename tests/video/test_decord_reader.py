"""``decord.VideoReader`` with and without the cache: the same frames, from fewer decodes."""

from __future__ import annotations

import decord
import numpy as np
import pytest

from vidomni_plugin.video import decord_reader
from vidomni_plugin.video.decord_reader import wrap_decord, wrap_reader


@pytest.fixture
def reader(cache):
    class Reader(decord.video_reader.VideoReader):
        """The class as a runner has it; others keep the plain one."""

    wrap_reader(Reader, decord, cache)
    return Reader


@pytest.fixture
def opened(monkeypatch):
    files: list[str] = []
    plain = decord.video_reader._CAPI_VideoReaderGetVideoReader

    def open_file(uri, *rest):
        files.append(uri)
        return plain(uri, *rest)

    monkeypatch.setattr(decord.video_reader, "_CAPI_VideoReaderGetVideoReader", open_file)
    return files


def test_a_runner_gets_the_same_from_one_decode_and_one_opening(clip, reader, decodes, opened):
    path = clip("cfr.mp4")
    plain = decord.VideoReader(path, ctx=decord.cpu(0), num_threads=1)
    wanted = np.linspace(0, len(plain) - 1, 8, dtype=int)
    expected = plain.get_batch(wanted).asnumpy()
    opened.clear()
    decodes.clear()
    for threads in (1, 2, 0):
        again = reader(path, ctx=decord.cpu(0), num_threads=threads)
        assert len(again) == len(plain)
        assert again.get_avg_fps() == plain.get_avg_fps()
        frames = again.get_batch(wanted.tolist()).asnumpy()
        np.testing.assert_array_equal(frames, expected)
        frames[:] = 0  # reaches nobody else
        del again
    assert len(decodes) == 1
    assert len(opened) == 1


def test_frames_that_are_read_one_by_one_are_decoded_once(clip, reader, opened):
    """As the InternVL runners do."""
    path = clip("vfr.mp4")
    plain = decord.VideoReader(path)
    expected = [plain[number].asnumpy() for number in (3, 17, -1)]
    opened.clear()
    for _ in range(3):
        again = reader(path)
        for number, frame in zip((3, 17, -1), expected, strict=True):
            got = again[number].asnumpy()
            np.testing.assert_array_equal(got, frame)
            got[:] = 0
        np.testing.assert_array_equal(again[47].asnumpy(), expected[2])
    assert len(opened) == 1
    np.testing.assert_array_equal(again[3:18:14].asnumpy(), np.stack(expected[:2]))
    for number in (48, -49):
        with pytest.raises(IndexError, match="out of bound"):
            again[number]


def test_a_known_file_is_opened_when_something_else_is_asked_of_it(clip, reader, opened):
    path = clip("cfr.mp4")
    plain = decord.VideoReader(path)
    reader(path)
    opened.clear()
    known = reader(path)
    assert opened == []
    assert known.get_key_indices() == plain.get_key_indices()
    np.testing.assert_array_equal(known[5].asnumpy(), plain[5].asnumpy())
    np.testing.assert_array_equal(known.get_frame_timestamp([3]), plain.get_frame_timestamp([3]))
    assert len(opened) == 1
    with pytest.raises(AttributeError, match="no_such"):
        known.no_such  # noqa: B018


@pytest.mark.parametrize("other", [{"width": 32, "height": 32}, {"fault_tol": 3}])
def test_other_frames_are_not_mixed_up(clip, reader, other):
    path = clip("cfr.mp4")
    first = reader(path).get_batch([0, 9]).asnumpy()
    second = reader(path, **other).get_batch([0, 9]).asnumpy()
    np.testing.assert_array_equal(
        second, decord.VideoReader(path, **other).get_batch([0, 9]).asnumpy()
    )
    assert first.shape == (2, 64, 96, 3)
    third = reader(path).get_batch([9, 0]).asnumpy()
    np.testing.assert_array_equal(third, first[::-1])


def test_frames_that_another_reader_keeps_or_nobody_are_not_copied(
    clip, reader, cache, monkeypatch
):
    copies: list[object] = []
    monkeypatch.setattr(decord_reader, "_as_numpy", copies.append)
    path = clip("cfr.mp4")

    def read() -> np.ndarray:
        return reader(path).get_batch([0, 9]).asnumpy()

    cache.get("by qwen_vl_utils", read, lambda frames: frames.nbytes)
    cache.resize(1000)
    frames = read()
    assert frames.shape == (2, 64, 96, 3)
    assert (copies, cache.bytes, cache.stats.too_big) == ([], 0, 1)


def test_a_bridge_to_torch_is_kept(clip, reader):
    import torch

    path = clip("cfr.mp4")
    with decord.bridge.use_torch():
        fresh, kept = (reader(path).get_batch([0, 9]) for _ in range(2))
    assert torch.is_tensor(fresh)
    assert torch.is_tensor(kept)
    assert torch.equal(fresh, kept)
    native = reader(path).get_batch([0, 9])
    np.testing.assert_array_equal(native.asnumpy(), kept.numpy())


def test_a_file_object_and_a_missing_file_are_left_to_decord(clip, reader, tmp_path, cache):
    with open(clip("cfr.mp4"), "rb") as file:
        assert reader(file).get_batch([0]).shape == (1, 64, 96, 3)
    with pytest.raises(RuntimeError, match="Error reading"):
        reader(str(tmp_path / "none.mp4"))
    assert cache.bytes == 0


def test_wrong_indices_are_refused_as_before(clip, reader):
    for _ in range(2):
        with pytest.raises(IndexError, match="Out of bound"):
            reader(clip("cfr.mp4")).get_batch([48])


def test_the_class_itself_is_wrapped_once(cache, monkeypatch):
    class Reader(decord.video_reader.VideoReader):
        pass

    monkeypatch.setattr(decord, "VideoReader", Reader)
    wrap_decord(decord, cache)
    batch = Reader.get_batch
    wrap_decord(decord, cache)
    assert Reader.get_batch is batch
