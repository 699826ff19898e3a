"""The blind baseline is the entailment detector without the video, and says so."""

from __future__ import annotations

import pytest

from tests.models.detectors.video_models import write
from vidomni_plugin.models.detectors.base import Shown
from vidomni_plugin.models.detectors.entailment import Entailment
from vidomni_plugin.models.detectors.text_only import TextOnly
from vidomni_plugin.problems import InputProblems

pytestmark = pytest.mark.host

NOWHERE = Shown("/no/such/video.mp4", "")
TEXTS = ["A ball rolls.", "A cube flies."]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return str(write("qwen2_5_vl", tmp_path_factory.mktemp("model") / "tiny"))


def scores(detector):
    return [one.score for one in detector.score_video(NOWHERE, TEXTS)]


def test_the_scores_of_entailment_without_a_video(model):
    settings = {"pretrained": model, "dtype": "float32", "device": "cpu"}
    found = scores(TextOnly(**settings))
    assert found[0] != found[1]
    assert found == scores(Entailment(**settings, video="none"))


def test_it_answers_through_the_host_without_opening_a_video(model, monkeypatch):
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    from vidomni_plugin.detectors.answer import read_answer
    from vidomni_plugin.models.detectors import asking

    monkeypatch.setattr(asking, "read_clip", None)
    results = simple_evaluate(
        model="vidomni_text_only",
        model_args=f"pretrained={model},dtype=float32,device=cpu,threshold=0.5",
        tasks=["vidhalloc_mini"],
        task_manager=TaskManager(include_defaults=False, model_name="vidomni_text_only"),
        limit=4,
        bootstrap_iters=0,
    )
    samples = results["samples"]["vidhalloc_mini"]
    found = [read_answer(sample["filtered_resps"][0]) for sample in samples]
    assert len(found) == 4
    assert {answer.label for answer in found} <= {"ACCEPT", "REJECT"}
    assert {answer.detail["detector"] for answer in found} == {"vidomni_text_only"}


@pytest.mark.parametrize("name", ["video", "frames", "max_pixels"])
def test_what_is_about_the_video_is_refused(name):
    with pytest.raises(InputProblems, match=f"unknown: {name}") as refused:
        TextOnly(pretrained="x", **{name: 8})
    known = str(refused.value).split("known are ")[1]
    assert name not in known
    assert "device_map" in known
