"""What is rejected, and what is said of it, from measurements that are made up."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np

from vidomni_plugin.build.pool.contents import Contents
from vidomni_plugin.build.pool.find import FoundVideo
from vidomni_plugin.build.pool.judge import judged
from vidomni_plugin.build.pool.measure import Facts, Measured
from vidomni_plugin.build.pool.settings import Thresholds
from vidomni_plugin.build.pool.sources import SourceLine
from vidomni_plugin.build.pool.views import FRAMES, VIEWS


def seen(bits, width=640, black=0.0):
    hashes = np.full((FRAMES, VIEWS), (1 << bits) - 1, dtype="<u8").tobytes()
    facts = Facts(width, 360, 100, 4.0, 25.0, False, black, 50.0, 0.1, [True] * FRAMES)
    return Measured(facts, hashes)


MEASURED = {
    "a" * 64: (seen(0), ["/v/kept.mp4"]),
    "b" * 64: (seen(3, width=480), ["/v/near.mp4", "/v/near_again.mp4"]),
    "c" * 64: (seen(40), ["/v/other.mp4", "/v/other_again.mp4", "/v/third.mp4"]),
    "d" * 64: (seen(60, black=1.0), ["/v/dark.mp4", "/v/dark_again.mp4"]),
}


def pool_of(order, known=None):
    contents = Contents()
    for sha256 in order:
        result, paths = MEASURED[sha256]
        contents.measured[sha256] = result
        contents.paths[sha256] = [FoundVideo(Path(p), p[3:], "v") for p in paths]
    return judged(contents, known or {}, Thresholds(), 0, lambda *_: None)


def test_every_copy_names_a_video_of_the_pool_and_the_order_does_not_matter():
    pool = pool_of(MEASURED)
    kept, other = "kept_" + "a" * 12, "other_" + "c" * 12
    assert [video.video_id for video in pool.videos] == [kept, other]
    assert [(one.path.stem, one.reason.value, one.duplicate_of) for one in pool.rejected] == [
        ("dark", "black", None),
        ("dark_again", "black", None),
        ("near", "near_duplicate", kept),
        ("near_again", "exact_duplicate", kept),
        ("other_again", "exact_duplicate", other),
        ("third", "exact_duplicate", other),
    ]
    assert all(pool_of(order) == pool for order in itertools.permutations(MEASURED))


def test_names_of_one_recording_are_united_through_copies():
    """The copies of one video link tape 2 to tape 1; nothing is taken from a rejected video."""
    told = {
        "/v/near_again.mp4": SourceLine(video="x", parent="tape 2"),
        "/v/other.mp4": SourceLine(video="x", source="ucf", parent="tape 2"),
        "/v/third.mp4": SourceLine(video="x", source="didemo", parent="tape 1", task="video_qa"),
        "/v/dark.mp4": SourceLine(video="x", parent="tape 0"),
        "/v/dark_again.mp4": SourceLine(video="x", parent="tape 1"),
    }
    first, second = pool_of(MEASURED, {Path(path): line for path, line in told.items()}).videos
    assert (first.parent, first.source) == ("tape 1", "v")
    assert (second.parent, second.source, second.task) == ("tape 1", "ucf", "video_qa")
