"""The host's own runners on tiny random checkpoints: real decoding, processor and generation."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from checkpoints import build

from tests.conftest import CLIP, run_host
from vidomni_plugin.data.load import inspect_vidhalloc, inspect_vidomni
from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.vidhalloc.prompt import judge_prompt
from vidomni_plugin.vidomni.prompt import verification_prompt

pytestmark = pytest.mark.host

BOTH = "vidomni_mini,vidhalloc_mini"
SMALL = "device=cpu,device_map=cpu,max_num_frames=8,min_pixels=3136,max_pixels=50176"


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("checkpoints")
    return {family: build(family, folder / family) for family in ("qwen2_5_vl", "qwen3_vl")}


@pytest.mark.parametrize(
    ("runner", "flags"),
    [("qwen2_5_vl", ()), ("qwen2_5_vl", ("--force_simple",)), ("qwen3_vl", ())],
    ids=["qwen2_5_vl chat", "qwen2_5_vl simple", "qwen3_vl chat"],
)
def test_a_runner_answers_every_request(runner, flags, checkpoints, tmp_path):
    run = run_host(
        tmp_path / "logs",
        *("--model", runner, "--model_args", f"pretrained={checkpoints[runner]},{SMALL}"),
        *("--tasks", BOTH, "--gen_kwargs", "max_new_tokens=4", "--batch_size", "1", *flags),
    )
    assert run.code == 0, run.output
    assert len(run.samples("vidomni_mini")) == 24
    assert len(run.samples("vidhalloc_mini")) == 80
    assert run.scores("vidhalloc_mini")["incomplete"] == 0
    assert run.results()["results"]["vidomni_mini"]["unlabelled,none"] >= 0


class Recorder:
    """Stands before a runner's processor and keeps the texts that the model gets."""

    def __init__(self, processor: Any) -> None:
        self._processor = processor
        self.texts: list[str] = []
        self.frames: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._processor, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        text = kwargs.get("text", args[0] if args else "")
        self.texts += [text] if isinstance(text, str) else list(text)
        self.frames += [len(video) for video in kwargs.get("videos") or []]
        return self._processor(*args, **kwargs)


def test_the_model_sees_the_video_first_and_the_prompt_word_for_word(checkpoints, evaluate):
    from lmms_eval.models import get_model

    path = checkpoints["qwen2_5_vl"]
    runner = get_model("qwen2_5_vl").create_from_arg_string(
        f"pretrained={path},{SMALL}", {"batch_size": 1}
    )
    recorder = Recorder(runner.processor)
    runner.processor = recorder
    evaluate(["vidomni_mini", "vidhalloc_mini"], runner, gen_kwargs="max_new_tokens=1")
    expected = {
        verification_prompt([sentence.text for sentence in pair.record.sentences])
        for pair in inspect_vidomni(mini_root("vidomni")).pairs
    }
    for pair in inspect_vidhalloc(mini_root("vidhalloc")).pairs:
        record = pair.record
        expected |= {
            judge_prompt(record.question, answer)
            for answer in (record.answer, record.counterfactual_answer)
        }
    assert len(recorder.texts) == 104
    seen = set()
    for text in recorder.texts:
        video, prompt = text.split("<|vision_end|>", maxsplit=1)
        assert video.endswith("<|vision_start|><|video_pad|>")
        seen.add(prompt.split("<|im_end|>", maxsplit=1)[0])
    assert seen == expected
    assert set(recorder.frames) == {8}  # every clip was decoded


def video_mme(home: Path) -> None:
    """Lay out a miniature Video-MME in the cache of hub data sets, as a download leaves it."""
    from datasets import Dataset, SplitDict, SplitInfo
    from datasets.arrow_writer import ArrowWriter

    folder = home / "datasets" / "lmms-eval___video-mme" / "default" / "0.0.0" / ("0" * 40)
    folder.mkdir(parents=True)
    rows = [
        {
            "video_id": "001",
            "duration": "short",
            "domain": "Knowledge",
            "sub_category": "Astronomy",
            "url": "none",
            "videoID": "roll",
            "question_id": f"001-{k}",
            "task_type": "Object Recognition",
            "question": "What rolls?",
            "options": ["A. A circle.", "B. A cube.", "C. A cone.", "D. Nothing."],
            "answer": "A",
        }
        for k in (1, 2)
    ]
    data = Dataset.from_list(rows)
    with ArrowWriter(path=str(folder / "video-mme-test.arrow"), features=data.features) as writer:
        writer.write_table(data.data.table)
        examples, size = writer.finalize()
    info = data.info
    info.builder_name, info.dataset_name = "parquet", "video-mme"
    info.config_name, info.version = "default", "0.0.0"
    info.splits = SplitDict({"test": SplitInfo("test", size, examples, dataset_name="video-mme")})
    info.write_to_directory(str(folder))
    videos = home / "videomme" / "data"
    videos.mkdir(parents=True)
    shutil.copy(CLIP, videos / "roll.mp4")


def test_beside_video_mme_in_one_table(checkpoints, tmp_path):
    video_mme(tmp_path / "hf")
    run = run_host(
        tmp_path / "logs",
        *("--model", "qwen2_5_vl"),
        *("--model_args", f"pretrained={checkpoints['qwen2_5_vl']},{SMALL}"),
        *("--tasks", f"{BOTH},videomme", "--gen_kwargs", "max_new_tokens=4", "--batch_size", "1"),
        *("--limit", "2"),
        HF_HOME=str(tmp_path / "hf"),
        HF_DATASETS_OFFLINE="1",
    )
    assert run.code == 0, run.output
    assert set(run.results()["results"]) == {"vidomni_mini", "vidhalloc_mini", "videomme"}
    for row in ("|vidhalloc_mini|none", "|videomme ", "|vidomni_mini "):
        assert row in run.output
