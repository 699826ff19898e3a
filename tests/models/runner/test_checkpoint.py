"""The runner around the host's own runner on a tiny checkpoint: same answers, one decode a clip."""

from __future__ import annotations

import pytest
from lmms_eval.models import get_model

from tests.end_to_end.checkpoints import build
from tests.models.runner.test_host import evaluate
from vidomni_plugin.models.runner.model import RunnerChat
from vidomni_plugin.video.cache import CACHE

SMALL = {"device": "cpu", "device_map": "cpu", "max_num_frames": 4}
SMALL |= {"min_pixels": 3136, "max_pixels": 12544, "batch_size": 1}


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return build("qwen2_5_vl", tmp_path_factory.mktemp("checkpoint") / "qwen2_5_vl")


def answers(model):
    options = {"gen_kwargs": "max_new_tokens=2", "limit": 6}
    found = evaluate(model, tasks=["vidhalloc_mini"], **options)
    samples = found["samples"]["vidhalloc_mini"]
    said = [(sample["filtered_resps"], sample["token_counts"]) for sample in samples]
    return said, {sample["overall"]["video_id"] for sample in samples}


def test_same_answers_and_one_decode_a_clip(checkpoint, tmp_path):
    given = {"pretrained": str(checkpoint), **SMALL}
    alone, _ = answers(get_model("qwen2_5_vl")(**given))
    CACHE.clear()
    # A model of random weights says the same of everything.
    runner = RunnerChat(inner="qwen2_5_vl", journal=str(tmp_path), guard=False, **given)
    said, videos = answers(runner)
    assert said == alone
    assert all(counts[0]["output_tokens"] == 2 for _, counts in said)
    assert (CACHE.stats.decodes, len(said)) == (len(videos), 6)
    assert CACHE.bytes == 0  # given back when all was answered
    CACHE.clear()
