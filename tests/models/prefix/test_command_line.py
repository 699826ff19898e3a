"""The host's own command with our runner, on three benchmarks in one run."""

from __future__ import annotations

import copy

import pytest

from tests.conftest import run_host
from tests.end_to_end.test_runners import SMALL, video_mme
from vidomni_plugin.models.prefix.qwen2_5_vl import HostQwen2_5_VL

pytestmark = pytest.mark.host
TASKS = ("vidomni_mini", "vidhalloc_mini", "videomme")
LIMIT = 2


def test_the_hosts_answers_beside_video_mme(checkpoints, asked, tmp_path):
    video_mme(tmp_path / "hf")
    arguments = f"pretrained={checkpoints['qwen2_5_vl']},{SMALL}"
    run = run_host(
        tmp_path / "logs",
        *("--model", "vidomni_qwen2_5_vl", "--model_args", f"{arguments},prefix=enc"),
        *("--tasks", ",".join(TASKS), "--gen_kwargs", "max_new_tokens=4"),
        *("--batch_size", "1", "--limit", str(LIMIT)),
        HF_HOME=str(tmp_path / "hf"),
        HF_DATASETS_OFFLINE="1",
        OMP_NUM_THREADS="1",
    )
    assert run.code == 0, run.output
    assert "vidomni_qwen2_5_vl, prefix=enc: 6 requests about 3 videos: 3 decodes" in run.output
    assert "own runner" not in run.output
    assert [len(run.samples(task)) for task in TASKS] == [LIMIT] * len(TASKS)
    host = HostQwen2_5_VL.create_from_arg_string(arguments)
    host.task_dict = asked.task_dict
    for task in TASKS[:2]:
        requests = list(map(copy.copy, asked.of(task)[:LIMIT]))
        for request in requests:
            text, to_messages, generation, *place = request.arguments
            request.arguments = (text, to_messages, generation | {"max_new_tokens": 4}, *place)
        expected = [result.text.strip() for result in host.generate_until(requests)]
        assert [sample["filtered_resps"] for sample in run.samples(task)] == expected
