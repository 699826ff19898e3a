"""Each row is worked by hand; the tolerance is 1 s or 2 %, whichever is larger."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.data.fetch.accept import Seen, duration_refusal, judge
from vidomni_plugin.records import VidOmniVideo

SHA = "a" * 64


@pytest.mark.parametrize(
    ("wanted", "seen", "reason"),
    [
        pytest.param({}, {}, None, id="nothing is known"),
        pytest.param({"duration_s": 10.0}, {"duration_s": 9.0}, None, id="a second short"),
        pytest.param({"duration_s": 10.0}, {"duration_s": 8.9}, "too_short", id="more than one"),
        pytest.param({"duration_s": 10.0}, {"duration_s": 11.1}, "wrong_duration", id="too long"),
        pytest.param({"duration_s": 3000.0}, {"duration_s": 2941.0}, None, id="2 % of 50 min"),
        pytest.param({"duration_s": 3000.0}, {"duration_s": 2939.0}, "too_short", id="over 2 %"),
        pytest.param({"sha256": SHA}, {"sha256": SHA}, None, id="same hash"),
        pytest.param({"sha256": SHA}, {"sha256": "b" * 64}, "sha256_differs", id="other hash"),
        pytest.param({"has_audio": True}, {"has_audio": False}, "no_sound", id="sound is gone"),
        pytest.param({"has_audio": False}, {"has_audio": True}, None, id="sound is no fault"),
        pytest.param(
            {"duration_s": 10.0, "sha256": SHA}, {"error": "cut off"}, "decoder", id="first of all"
        ),
    ],
)
def test_worked_by_hand(wanted, seen, reason):
    video = VidOmniVideo(video_id="v", source_dataset="other", **wanted)
    facts = {"sha256": SHA, "duration_s": 10.0, "has_audio": True} | seen
    refusal = judge(video, Seen(**facts))
    assert (refusal.reason.value if refusal else None) == reason


@given(st.floats(0.1, 6000), st.floats(0.1, 6000))
def test_short_and_long_are_told_apart(expected, seen):
    refusal = duration_refusal(expected, seen)
    if refusal is None:
        assert abs(expected - seen) <= max(1.0, 0.02 * expected)
    else:
        assert (refusal.reason.value == "too_short") == (seen < expected)
    assert duration_refusal(expected, expected) is None
    assert duration_refusal(None, seen) is None
