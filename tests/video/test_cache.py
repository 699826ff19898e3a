"""The cache against a slow model of itself, under threads, and with makers that fail."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.video.cache import FrameCache, file_identity, local_path


def size(value: bytes) -> int:
    return len(value)


@given(
    bound=st.integers(0, 30),
    asked=st.lists(st.integers(0, 9), max_size=60),
)
def test_it_keeps_what_was_used_last_and_never_more_than_the_bound(bound, asked):
    """Key ``k`` has ``k + 1`` bytes; the model keeps a list in the order of use."""
    cache = FrameCache(bound)
    model: list[int] = []
    for key in asked:
        made: list[int] = []
        value = cache.get(
            key, lambda k=key, made=made: made.append(k) or bytes([k]) * (k + 1), size
        )
        assert value == bytes([key]) * (key + 1)
        assert bool(made) == (key not in model)
        model = [k for k in model if k != key]
        if key + 1 <= bound:
            model.append(key)
            while sum(k + 1 for k in model) > bound:
                model.pop(0)
        assert cache.bytes == sum(k + 1 for k in model) <= bound
    stats = cache.stats
    assert stats.hits + stats.decodes == len(asked)
    assert stats.decodes - stats.too_big - stats.evictions == len(model)


def test_what_is_too_big_passes_through_and_displaces_nothing():
    cache = FrameCache(10)
    cache.get("small", lambda: b"12345", size)
    assert cache.get("big", lambda: b"x" * 11, size) == b"x" * 11
    cache.get("small", lambda: pytest.fail("it was kept"), size)
    assert (cache.stats.too_big, cache.stats.hits) == (1, 1)


def test_a_smaller_bound_drops_the_oldest_at_once():
    cache = FrameCache(10)
    for key in "ab":
        cache.get(key, lambda: b"12345", size)
    cache.resize(5)
    assert cache.bytes == 5
    cache.get("b", lambda: pytest.fail("it was kept"), size)


def test_nothing_is_kept_before_a_bound_is_set():
    cache = FrameCache()
    for _ in range(2):
        cache.get("a", lambda: b"1", size)
    assert cache.stats.decodes == 2


def test_threads_that_ask_for_the_same_video_decode_it_once():
    cache, inside, go = FrameCache(100), threading.Event(), threading.Event()
    made: list[int] = []

    def make() -> bytes:
        made.append(1)
        inside.set()
        assert go.wait(5)
        return b"frames"

    with ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(cache.get, "a", make, size) for _ in range(8)]
        assert inside.wait(5)
        # Another video is not held up by it.
        assert cache.get("b", lambda: b"other", size) == b"other"
        go.set()
        assert [answer.result(5) for answer in answers] == [b"frames"] * 8
    assert len(made) == 1


def test_a_failure_is_not_kept_and_reaches_everyone_who_waits():
    cache = FrameCache(100)

    def fail() -> bytes:
        raise OSError("gone")

    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(cache.get, "a", fail, size) for _ in range(4)]
        for answer in answers:
            with pytest.raises(OSError, match="gone"):
                answer.result(5)
    assert cache.get("a", lambda: b"back", size) == b"back"


def test_a_reader_inside_of_a_reader_is_not_kept_twice():
    cache = FrameCache(100)
    cache.get("outer", lambda: cache.get("inner", lambda: b"frames", size), size)
    assert cache.bytes == len(b"frames")


def test_a_file_is_known_by_content_times_and_real_path(tmp_path):
    file, link = tmp_path / "a.mp4", tmp_path / "b.mp4"
    file.write_bytes(b"1")
    link.symlink_to(file)
    first = file_identity(str(file))
    assert first is not None
    assert file_identity(link) == file_identity(f"file://{file}") == first
    os.utime(file, ns=(1, 1))
    assert file_identity(str(file)) != first
    assert file_identity(str(tmp_path / "none.mp4")) is None


@pytest.mark.parametrize("source", ["https://x/a.mp4", b"a.mp4", ["a.jpg"], 3, None])
def test_what_is_no_local_path_has_no_identity(source):
    assert local_path(source) is None
    assert file_identity(source) is None


def test_a_copy_is_made_only_where_one_is_kept():
    """Of 10 bytes a value of 5 is kept; the copies are told apart from the value by a list."""
    cache = FrameCache(10)
    copies: list[str] = []

    def read(key: str, value: bytes) -> bytes:
        return cache.get(
            key,
            lambda: value,
            size,
            lambda kept: copies.append(f"in {key}") or kept,
            lambda kept: copies.append(f"out {key}") or kept,
        )

    assert read("big", b"x" * 11) == b"x" * 11
    cache.get("outer", lambda: read("inner", b"12345"), size)
    with cache.bypassed():
        read("once", b"12345")
    assert copies == []
    assert [read("small", b"12345") for _ in range(3)] == [b"12345"] * 3
    assert copies == ["in small", "out small", "out small"]


def test_what_is_bypassed_is_not_kept_and_what_is_kept_is_still_used():
    cache = FrameCache(100)
    cache.get("known", lambda: b"12345", size)
    with cache.bypassed():
        cache.get("known", lambda: pytest.fail("it was kept"), size)
        with ThreadPoolExecutor(1) as others:  # a reader may have its own
            others.submit(cache.get, "once", lambda: b"12345", size).result()
    assert (cache.bytes, cache.stats.decodes, cache.stats.hits) == (5, 2, 1)
    assert cache.get("once", lambda: b"again", size) == b"again"
    assert cache.bytes == 10


def test_released_memory_is_read_anew_and_the_statistics_stay():
    cache = FrameCache(100)
    cache.get("a", lambda: b"12345", size)
    cache.release()
    assert cache.bytes == 0
    assert cache.get("a", lambda: b"again", size) == b"again"
    assert (cache.stats.decodes, cache.max_bytes) == (2, 100)
