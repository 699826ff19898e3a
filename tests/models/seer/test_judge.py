"""A judge reads a clip as the host does, and several of them share one decoding."""

from __future__ import annotations

import os
from fractions import Fraction

import numpy as np
import pytest
import qwen_vl_utils

from vidomni_plugin.data.mini.encode import write_clip
from vidomni_plugin.models.seer.judge import Judge
from vidomni_plugin.models.seer.network import PIXELS
from vidomni_plugin.models.seer.shipped import checkpoint

PROMPTS = ("Is it red?", "What does the camera do after the cut?")


@pytest.fixture
def clip(tmp_path):
    def write(level, name="clip.mp4"):
        pictures = [np.full((64, 64, 3), (level, n, 9), np.uint8) for n in range(24)]
        write_clip(tmp_path / name, pictures, Fraction(8))
        return tmp_path / name

    return write


@pytest.fixture
def decodings(monkeypatch):
    seen, decode = [], qwen_vl_utils.process_vision_info

    def noted(chats, **options):
        seen.append(chats[0][0]["content"][0]["video"])
        return decode(chats, **options)

    monkeypatch.setattr(qwen_vl_utils, "process_vision_info", noted)
    return seen


def test_a_clip_is_decoded_once_for_all_judges(clip, decodings):
    judges = [Judge(checkpoint(which)) for which in ("whole", "half")]
    first, second = clip(10, "first.mp4"), clip(200, "second.mp4")
    for path in (first, second):
        for judge in judges:
            assert len(judge.answers(path, PROMPTS)) == len(PROMPTS)
    assert decodings == [str(first), str(second)]
    judges[0].answers(second, PROMPTS, frames=16)
    assert len(decodings) == 3


def test_a_file_that_was_replaced_is_decoded_anew(clip, decodings):
    judge, path = Judge(checkpoint("half")), clip(10)
    judge.answers(path, PROMPTS)
    os.utime(clip(200), ns=(0, path.stat().st_mtime_ns + 10**9))
    judge.answers(path, PROMPTS)
    assert len(decodings) == 2


def test_answers_are_those_of_a_chat_of_its_own(clip):
    judge, path = Judge(checkpoint("half")), clip(90)
    told = []
    for prompt in PROMPTS:
        video = {"type": "video", "video": str(path), "nframes": 8, **PIXELS}
        chat = [{"role": "user", "content": [video, {"type": "text", "text": prompt}]}]
        _, videos, _ = qwen_vl_utils.process_vision_info(
            [chat], return_video_kwargs=True, return_video_metadata=True
        )
        pictures, about = zip(*videos, strict=True)
        text = judge.processor.apply_chat_template([chat], add_generation_prompt=True)
        inputs = judge.processor(
            text=text, videos=list(pictures), video_metadata=list(about), return_tensors="pt"
        )
        made = judge.model.generate(**inputs, max_new_tokens=4, do_sample=False)
        tokens = made[:, inputs["input_ids"].shape[1] :]
        told += judge.processor.batch_decode(tokens, skip_special_tokens=True)
    assert judge.answers(path, PROMPTS) == told
