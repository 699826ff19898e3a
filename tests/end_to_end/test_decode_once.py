"""Two videos with three questions each through the host's own runner: two decodes."""

from __future__ import annotations

from typing import Any

import pytest
from checkpoints import build

from tests.conftest import vidomni_data, vidomni_record
from tests.video.clips import counted_decodes
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.video.cache import CACHE

pytestmark = pytest.mark.host

SMALL = "device=cpu,device_map=cpu,max_num_frames=8,min_pixels=3136,max_pixels=12544"


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    import torch
    from lmms_eval.models import get_model

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # a model this small only waits for more

    path = build("qwen2_5_vl", tmp_path_factory.mktemp("checkpoint") / "tiny")

    def made() -> Any:
        return get_model("qwen2_5_vl").create_from_arg_string(
            f"pretrained={path},{SMALL}", {"batch_size": 1}
        )

    yield made
    torch.set_num_threads(threads)


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Captions whose alphabetical order, in which the host asks, mixes the videos."""
    records = [
        vidomni_record(
            pair_id=f"{video}__{k}",
            video_id=video,
            sentences=[{"text": f"{k} {video}: a circle rolls.", "label": 0, "errors": []}],
        )
        for video in ("a", "b")
        for k in range(3)
    ]
    root = vidomni_data(tmp_path / "data", records)
    with (root / "videos" / "b.mp4").open("ab") as file:
        file.write(b"\0\0\0\x08free")  # another file, the same pictures
    monkeypatch.setenv("VIDOMNI_DATA", str(root))
    return root


@pytest.fixture
def decodes(monkeypatch):
    return counted_decodes(monkeypatch)


@pytest.fixture
def plain(monkeypatch):
    """Return the readers of qwen_vl_utils as they were before any test."""
    import qwen_vl_utils.vision_process as vision

    readers = {
        name: getattr(read, "__wrapped__", read)
        for name, read in vision.VIDEO_READER_BACKENDS.items()
    }

    monkeypatch.delenv("VIDOMNI_READER", raising=False)

    def put_back() -> None:
        monkeypatch.setattr(vision, "VIDEO_READER_BACKENDS", dict(readers))
        CACHE.clear()

    return put_back


@pytest.mark.parametrize(
    ("gigabytes", "decoded"), [("1", 2), ("0", 6)], ids=["kept", "nothing kept"]
)
def test_decodes(gigabytes, decoded, runner, data, evaluate, decodes, plain, monkeypatch):
    plain()
    monkeypatch.setenv("VIDOMNI_CACHE_GB", gigabytes)
    monkeypatch.setattr(CACHE, "max_bytes", None)
    result = evaluate(["vidomni"], runner(), gen_kwargs="max_new_tokens=2")
    assert decodes == [8] * decoded
    assert CACHE.stats.decodes == decoded
    assert len(result.results["samples"]["vidomni"]) == 6


def test_pyav_gives_the_answers_of_decord(runner, data, evaluate, decodes, plain, monkeypatch):
    answers = []
    for reader in ("decord", "pyav"):
        plain()
        monkeypatch.setenv("VIDOMNI_READER", reader)
        result = evaluate(["vidomni"], runner(), gen_kwargs="max_new_tokens=6")
        samples = result.results["samples"]["vidomni"]
        answers.append([sample["filtered_resps"] for sample in samples])
        assert CACHE.stats.decodes == 2
    assert decodes == [8, 8]  # both of decord's
    assert answers[0] == answers[1]


def test_a_wrong_reader_ends_the_run_before_a_question_is_asked(evaluate, monkeypatch):
    monkeypatch.setenv("VIDOMNI_READER", "ffmpeg")
    with pytest.raises(InputProblems, match="VIDOMNI_READER: no reader 'ffmpeg'") as wrong:
        evaluate(["vidomni_mini", "vidhalloc_mini"], {"nothing": "is answered"})
    assert "use one of decord, pyav, torchcodec" in str(wrong.value)
