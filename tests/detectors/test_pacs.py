"""PAC-S in its four readings against the public formula's own numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.detectors.case_files import arrays, table
from vidomni_plugin.detectors.pacs import READINGS, SCALE, pacs

CASES, ARRAYS = table("pacs"), arrays("pacs")
EXPECTED = {
    "frames": ("V1_mean_of_frame_scores", "v1"),
    "pooled": ("V2_pooled_normalised_frames", "v2"),
    "pooled_raw": ("V2b_pooled_raw_frames", "v2b"),
    "emscore": ("V3_emscore_full_F", "v3"),
}


@pytest.mark.parametrize("video", CASES["video"])
@pytest.mark.parametrize("reading", READINGS)
def test_videos(video, reading):
    case = CASES["video"][video]
    found = pacs(ARRAYS[f"{video}/frames"], ARRAYS[f"{video}/words"], reading)
    in_float32, in_float64 = EXPECTED[reading]
    assert found.score == pytest.approx(case[in_float32], abs=1e-5)
    assert found.score == pytest.approx(case["reexec_float64"][in_float64], abs=1e-5)
    assert found.frame_scores == pytest.approx(case["frame_scores"], abs=1e-5)


@pytest.mark.parametrize("image", range(12))
@pytest.mark.parametrize("reading", ["frames", "pooled", "pooled_raw"])
def test_an_image_is_a_video_of_one_frame(image, reading):
    features = (ARRAYS[f"{kind}_features"][image : image + 1] for kind in ("image", "text"))
    found = pacs(*features, reading).score
    assert found == pytest.approx(CASES["image_scores"][image], abs=1e-5)


def test_scale_and_range():
    assert CASES["w"] == SCALE
    frames, words = np.eye(3), np.array([[0.0, 0.0, 5.0]])
    assert pacs(frames, words, "frames").score == pytest.approx(2 / 3)
    assert pacs(frames, words, "frames", w=1.0).score == pytest.approx(1 / 3)
    assert pacs(-frames, words, "pooled").score == 0
    assert math.isnan(pacs(np.zeros((2, 3)), words).score)


def test_the_last_word_alone_is_the_text():
    frames = ARRAYS["t5_l6/frames"]
    words = ARRAYS["t5_l6/words"]
    for reading in ("frames", "pooled", "pooled_raw"):
        assert pacs(frames, words, reading) == pacs(frames, words[-1:], reading)


def test_unknown_readings_and_shapes_are_errors():
    with pytest.raises(ValueError, match="none of frames, pooled"):
        pacs(np.eye(2), np.eye(2), "V2")
    with pytest.raises(ValueError, match="frames of 2 numbers and words of 3"):
        pacs(np.eye(2), np.eye(3))
