"""Single files: cut off, damaged, without pictures; what is measured of good ones."""

from __future__ import annotations

import io
import os
import sqlite3
from pathlib import Path

import av
import numpy as np
import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from tests.build.pool.clips import cut, scene, write
from vidomni_plugin.build.pool import contents
from vidomni_plugin.build.pool.checks import check
from vidomni_plugin.build.pool.cut_off import is_cut_off
from vidomni_plugin.build.pool.find import Found, FoundVideo
from vidomni_plugin.build.pool.measure import Facts, Measured, measure
from vidomni_plugin.build.pool.reasons import MEANINGS, Reason
from vidomni_plugin.build.pool.settings import Thresholds
from vidomni_plugin.build.pool.store import open_store
from vidomni_plugin.build.pool.workers import measure_all
from vidomni_plugin.data.mini.sounds import RATE
from vidomni_plugin.problems import InputProblems

ENDINGS = (".mp4", ".mkv", ".avi")


def measured(path: Path) -> Measured:
    return measure(path, 224, lambda frames: None)


def clip(path: Path, **options) -> Path:
    return write(path, scene(1, **options))


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("share", [0.3, 0.9, 0.99])
def test_a_file_without_its_end_is_truncated(ending, share, tmp_path):
    path = clip(tmp_path / f"a{ending}")
    assert not is_cut_off(path)
    assert measured(path).reason is None
    cut(path, share)
    assert measured(path).reason is Reason.TRUNCATED


def test_a_stream_that_ends_early_is_truncated(tmp_path):
    """The container is whole; its video lasts for 2 s of the 8 s that its header tells."""
    path = write(tmp_path / "a.avi", scene(1))
    content = bytearray(path.read_bytes())
    header = content.index(b"strh")
    content[header + 8 + 32 : header + 8 + 36] = (128).to_bytes(4, "little")  # dwLength
    path.write_bytes(content)
    found = measured(path)
    assert found.reason is Reason.TRUNCATED
    assert found.detail == "the frames end at 2.00 s of 8.00 s"


def test_a_damaged_frame_is_seen(tmp_path):
    path = write(tmp_path / "a.mp4", scene(1))
    content = bytearray(path.read_bytes())
    start = content.index(b"mdat") + 4
    middle = start + (content.index(b"moov") - start) // 2
    for place in range(middle, middle + 60):
        content[place] ^= 0x5A
    path.write_bytes(content)
    assert measured(path).reason in {Reason.DAMAGED, Reason.UNDECODABLE}


def test_sound_alone_is_no_video(tmp_path):
    path = tmp_path / "a.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=RATE, layout="mono")
        sound = np.zeros((1, RATE), dtype=np.float32)
        frame = av.AudioFrame.from_ndarray(sound, format="fltp", layout="mono")
        frame.sample_rate = RATE
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    assert measured(path).reason is Reason.NO_VIDEO_STREAM


def test_a_stream_without_a_frame(tmp_path):
    path = tmp_path / "a.mkv"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=16)
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        container.start_encoding()
    assert measured(path).reason is Reason.NO_FRAMES


def test_a_codec_that_nobody_knows(tmp_path):
    path = write(tmp_path / "a.mp4", scene(1))
    path.write_bytes(path.read_bytes().replace(b"avc1", b"zzzz").replace(b"avcC", b"zzzC"))
    assert measured(path).reason is Reason.UNDECODABLE


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.sampled_from(ENDINGS),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=20),
    st.floats(0, 1),
)
def test_whatever_a_file_holds_there_are_facts_or_a_reason(some, ending, changes, share):
    content = bytearray(some[ending].read_bytes())
    for place, value in changes:
        content[int(place * len(content))] = value
    path = some[ending].with_stem("changed")
    path.write_bytes(content[: len(content) if share > 0.2 else int(5 * share * len(content))])
    found = measured(path)
    assert (found.facts is None) != (found.reason is None)


@pytest.fixture(scope="module")
def some(tmp_path_factory):
    """Return a small clip in each container."""
    folder = tmp_path_factory.mktemp("some")
    return {ending: write(folder / f"a{ending}", scene(1)[:12]) for ending in ENDINGS}


def test_what_is_measured(tmp_path):
    path = write(tmp_path / "a.mp4", scene(1, seconds=20, fps=8, scale=4), fps=8, crf=30)
    found = measured(path)
    facts = found.facts
    assert facts is not None
    assert (facts.width, facts.height, facts.frames, facts.fps) == (384, 256, 160, 8.0)
    assert facts.duration_s == pytest.approx(20)
    assert facts.usable == [True] * 8
    whole = [picture for picture in found.pictures if picture.role == "whole"]
    windows = [picture for picture in found.pictures if picture.role == "window"]
    assert [p.time_s for p in whole] == pytest.approx([1.25 + 2.5 * k for k in range(8)], abs=0.13)
    middles = [20 * (2 * k + 1) / 96 for k in range(48)]
    assert [p.time_s for p in windows] == pytest.approx(middles, abs=0.13)
    picture = Image.open(io.BytesIO(whole[3].jpeg))
    assert picture.size == (336, 224)
    shown = scene(1, seconds=20, fps=8, scale=4)[round(whole[3].time_s * 8)]
    expected = np.asarray(Image.fromarray(shown).resize((336, 224), Image.Resampling.BOX))
    assert np.abs(np.asarray(picture).astype(int) - expected).mean() < 4


@pytest.mark.parametrize(("top", "share"), [(64, 1.0), (63, 1.0), (58, 0.0), (0, 0.0)], ids=str)
def test_a_frame_is_black_where_nearly_all_of_it_is(top, share, tmp_path):
    """So many of its 64 rows; a thin line of picture at the bottom is none."""
    frames = scene(1, 0)
    for frame in frames:
        frame //= 2
        frame += 120
        frame[:top] = 0
    facts = measured(write(tmp_path / "a.mp4", frames, crf=10)).facts
    assert facts is not None
    assert facts.black == share


def test_a_turned_video_is_measured_as_it_is_shown(tmp_path):
    path = write(tmp_path / "a.mp4", scene(1))
    content = bytearray(path.read_bytes())
    matrix = content.index(b"tkhd") + 4 + 40
    one, minus = (1 << 16).to_bytes(4, "big"), (-(1 << 16)).to_bytes(4, "big", signed=True)
    none = bytes(4)
    content[matrix : matrix + 20] = none + one + none + minus + none
    path.write_bytes(content)
    facts = measured(path).facts
    assert facts is not None
    assert (facts.width, facts.height) == (64, 96)


def test_short_videos_have_fewer_windows(tmp_path):
    for seconds, windows in ((1, 1), (3, 3)):
        found = measured(write(tmp_path / f"{seconds}.mp4", scene(1, seconds=seconds)))
        assert len([p for p in found.pictures if p.role == "window"]) == 4 * windows


GOOD = Facts(640, 360, 100, 4.0, 25.0, False, 0.0, 50.0, 0.1, [True] * 8)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"frames": 1}, Reason.TOO_SHORT),
        ({"duration_s": 1.99}, Reason.TOO_SHORT),
        ({"duration_s": 2.0}, None),
        ({"duration_s": 10.1}, Reason.TOO_LONG),
        ({"height": 223}, Reason.TOO_SMALL),
        ({"width": 224, "height": 224}, None),
        ({"black": 0.9}, Reason.BLACK),
        ({"black": 0.89}, None),
        ({"largest_change": 3.9}, Reason.FROZEN),
        ({"largest_change": 4.0, "motion": 0.0001}, None),
        ({"largest_change": 0.0, "black": 1.0}, Reason.BLACK),
    ],
)
def test_checks_worked_by_hand(changes, reason):
    from dataclasses import replace

    verdict = check(replace(GOOD, **changes), Thresholds(max_seconds=10))
    assert (verdict.reason if verdict else None) is reason


def test_every_reason_has_a_meaning():
    assert set(MEANINGS) == set(Reason)
    stages = [meaning.stage for meaning in MEANINGS.values()]
    order = ["find", "decode", "check", "duplicate"]
    assert stages == sorted(stages, key=order.index)


def test_a_decoder_that_hangs_or_dies_costs_one_video(tmp_path):
    """A pipe that nobody writes to: whoever opens it waits for ever."""
    hangs, dies = tmp_path / "a.mp4", tmp_path / "b.mp4"
    os.mkfifo(hangs)
    os.mkfifo(dies)
    good = write(tmp_path / "c.mp4", scene(1))
    (found,) = [m for path, m in measure_all([hangs, good], 224, 1, 1.0) if path == hangs]
    assert found.reason is Reason.STUCK
    results = {}
    before = {child.pid for child in psutil.Process().children()}
    work = measure_all([good, dies, good.rename(tmp_path / "d.mp4")], 224, 1, 60)
    for path, result in work:
        results[path.name] = result.reason
        if path.name == "c.mp4":  # the next one waits at the pipe
            (child,) = (c for c in psutil.Process().children() if c.pid not in before)
            child.kill()
    assert results == {"c.mp4": Reason.UNREADABLE, "b.mp4": Reason.CRASHED, "d.mp4": None}
    assert {child.pid for child in psutil.Process().children()} <= before


@pytest.mark.parametrize(
    "reason", [Reason.CRASHED, Reason.STUCK, Reason.UNREADABLE, Reason.CHANGED]
)
def test_what_may_pass_is_tried_again_and_what_stays_is_not(reason, tmp_path, monkeypatch):
    paths = [tmp_path / name for name in ("a.mp4", "b.mp4")]
    for path in paths:
        path.write_text(path.name)
    results = {paths[0]: Measured(reason=reason), paths[1]: Measured(reason=Reason.DAMAGED)}
    asked = []

    def fake(todo, *_):
        asked.append(todo)
        return [(path, results[path]) for path in todo]

    monkeypatch.setattr(contents, "measure_all", fake)
    found = Found([FoundVideo(path, path.name, "v") for path in paths])
    with open_store(tmp_path) as store:
        for _ in range(2):
            again = contents.measured(found, store, 224, 1, 60.0, lambda *_: None)
            reasons = [again.measured[sha256].reason for sha256 in again.paths]
            assert reasons == [reason, Reason.DAMAGED]
    assert asked == [paths, paths[:1]]


def test_a_file_that_changes_while_it_is_decoded_is_named(tmp_path, monkeypatch):
    path = tmp_path / "a.mp4"
    path.write_text("a")

    def fake(todo, *_):
        path.write_text("longer now")
        return [(path, Measured(reason=Reason.DAMAGED))]

    monkeypatch.setattr(contents, "measure_all", fake)
    with open_store(tmp_path) as store:
        found = Found([FoundVideo(path, "a.mp4", "v")])
        (one,) = contents.measured(found, store, 224, 1, 60.0, lambda *_: None).measured.values()
        assert one.reason is Reason.CHANGED
        assert store.keys() == set()


def test_a_full_disk_is_a_problem_and_no_traceback(tmp_path):
    with pytest.raises(InputProblems, match="disk is full"), open_store(tmp_path):
        raise sqlite3.OperationalError("database or disk is full")
