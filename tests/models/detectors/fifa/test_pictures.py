"""Which frames are shown, how large, and with which times; decoded once."""

from __future__ import annotations

import base64
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from vidomni_plugin.models.detectors.fifa import pictures as module
from vidomni_plugin.models.detectors.fifa.pictures import Look, pictures
from vidomni_plugin.models.detectors.fifa.sampling import sampled

sys.path.insert(0, str(Path(__file__).parent.parent))
from videos import write_video

RULES = json.loads(
    (Path(__file__).parents[3] / "detectors" / "cases" / "fifa.json").read_text()
).get("qwen_vl_utils_fps1", {})
FADE = np.repeat(np.arange(40, dtype=np.uint8)[:, None, None, None] * 6, 3, axis=3) + np.zeros(
    (40, 32, 48, 3), dtype=np.uint8
)
"""Each frame of one grey, at 8 frames a second."""


@pytest.mark.parametrize("case", RULES)
def test_the_frames_that_the_authors_reader_takes(case):
    total, fps = case.split("@")
    found = sampled(int(total), float(fps), 1.0, 768)
    assert len(found) == RULES[case]["nframes"]
    expected = RULES[case]["indices"]
    if isinstance(expected, list):
        assert found == expected


def test_the_rules_are_there():
    assert len(RULES) == 8


def shown(path, **look):
    return pictures(str(path), Look(**look))


def opened(part):
    data = part["image_url"]["url"].removeprefix("data:image/jpeg;base64,")
    return Image.open(io.BytesIO(base64.b64decode(data)))


def test_pictures_with_their_times(tmp_path):
    parts = shown(write_video(tmp_path / "fade.mkv", FADE))
    assert [part["type"] for part in parts] == ["text", "image_url"] * 4  # 5 s: 4, an even number
    assert [part["text"] for part in parts[::2]] == ["0.0 s:", "1.6 s:", "3.2 s:", "4.9 s:"]
    greys = [np.asarray(opened(part)).mean() for part in parts[1::2]]
    assert greys == pytest.approx([0, 13 * 6, 26 * 6, 39 * 6], abs=2)
    assert opened(parts[1]).size == (48, 32)


def test_large_frames_are_made_smaller_and_keep_their_shape(tmp_path):
    parts = shown(write_video(tmp_path / "fade.mkv", FADE), max_pixels=48 * 32 // 4)
    assert opened(parts[1]).size == (24, 16)


def test_the_most_frames(tmp_path):
    path = write_video(tmp_path / "fade.mkv", FADE)
    assert len(shown(path, fps=8.0, most=6)) == 2 * 6
    assert len(shown(path, fps=8.0)) == 2 * 40


def test_a_video_of_one_frame(tmp_path):
    parts = shown(write_video(tmp_path / "one.mkv", FADE[:1]))
    assert [part["type"] for part in parts] == ["text", "image_url"]


def test_a_video_without_time_stamps(tmp_path):
    parts = shown(write_video(tmp_path / "fade.avi", FADE))
    assert [part["text"] for part in parts[::2]] == ["0.0 s:", "1.6 s:", "3.2 s:", "4.9 s:"]


def test_a_video_is_decoded_once(tmp_path, monkeypatch):
    calls = []
    real = module.chosen_frames

    def counting(path, choose):
        calls.append(path)
        return real(path, choose)

    monkeypatch.setattr(module, "chosen_frames", counting)
    shown(write_video(tmp_path / "fade.mkv", FADE))
    assert len(calls) == 1
