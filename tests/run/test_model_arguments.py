"""Names, paths and values of a model's arguments, before it is loaded."""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from loguru import logger

from tests.vidhalloc.test_thresholds import calibration
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.run.model_arguments import (
    check_model_arguments,
    check_threshold,
    missing_checkpoints,
    taken_by,
)
from vidomni_plugin.run.planned import RunPlan


class Plain:
    def __init__(self, pretrained: str = "", fps: float = 1.0) -> None:
        pass


class Asserting:
    def __init__(self, max_num_frames: int = 8, **kwargs: Any) -> None:
        super().__init__()
        assert kwargs == {}, f"Unexpected kwargs: {kwargs}"


class Loose:
    def __init__(self, max_num_frames: int = 8, **kwargs: Any) -> None:
        self.rest = kwargs
        self.seed = kwargs.pop("seed", 1)


class HandsOn(Asserting):
    def __init__(self, prefix: str = "enc", **more: Any) -> None:
        super().__init__(**more)


class HandsOnToLoose(Loose):
    def __init__(self, prefix: str = "enc", **more: Any) -> None:
        super().__init__(**more)


def plan(inner: str = "model", **given: Any) -> RunPlan:
    return RunPlan(argparse.Namespace(force_simple=False), inner, given, Path("out"), None)


@pytest.mark.parametrize(
    ("model", "names", "strict"),
    [
        (Plain, {"pretrained", "fps"}, True),
        (Asserting, {"max_num_frames"}, True),
        (Loose, {"max_num_frames", "seed"}, False),
        (HandsOn, {"prefix", "max_num_frames"}, True),
        (HandsOnToLoose, {"prefix", "max_num_frames", "seed"}, False),
    ],
)
def test_what_a_class_takes(model, names, strict):
    assert taken_by(model) == (names, strict)


@pytest.mark.parametrize("model", [Asserting, HandsOn])
def test_a_slip_that_the_class_refuses_is_a_problem(model):
    with pytest.raises(InputProblems) as found:
        check_model_arguments(plan(max_num_frame=4, at_once=2), model)
    (problem,) = found.value.problems
    assert "max_num_frame: model has no such argument" in problem.message
    assert problem.hint == "did you mean max_num_frames?"


@pytest.mark.parametrize(("name", "warned"), [("max_num_frame", True), ("other", False)])
def test_a_class_that_takes_any_name_is_only_warned_of(name, warned):
    said: list[str] = []
    number = logger.add(said.append, level="WARNING", format="{message}")
    try:
        check_model_arguments(plan(**{name: 4}), Loose)
    finally:
        logger.remove(number)
    assert [("did you mean max_num_frames?" in line) for line in said] == [True] * warned


@pytest.mark.host
@pytest.mark.parametrize("name", ["qwen2_5_vl", "qwen3_vl", "vidomni_qwen3_vl", "vidomni_vqascore"])
def test_models_that_refuse_slips(name):
    from lmms_eval.models import MODEL_REGISTRY_V2

    taken = taken_by(MODEL_REGISTRY_V2.get_model_class(name))
    assert taken.strict
    assert "pretrained" in taken.names


@pytest.mark.host
@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("vidomni_qwen3_vl", {"prefix": "kw"}, "prefix='kw' is not known; give one of off, enc"),
        ("vidomni_qwen2_5_vl", {"prefix_gb": 0}, "prefix_gb=0 is not a number of GiB"),
        ("vidomni_entailment", {"text": "answr"}, "answr"),
    ],
)
def test_values_of_our_own_arguments(name, given, said):
    from lmms_eval.models import MODEL_REGISTRY_V2

    with pytest.raises(InputProblems, match=said):
        check_model_arguments(plan(name, **given), MODEL_REGISTRY_V2.get_model_class(name))


@pytest.mark.parametrize("path", ["/no/such/model", "./none", "../none", "~/no-such-model"])
def test_a_checkpoint_that_is_not_there(path):
    (problem,) = missing_checkpoints(plan(pretrained=path), Plain)
    assert f"pretrained={path}: there is no such path" in str(problem)


@pytest.mark.parametrize(
    ("inner", "given"),
    [
        ("qwen3_vl", {"pretrained": "Qwen/Qwen3-VL-8B-Instruct"}),
        ("openai", {"model": "/models/on/the/server"}),
        ("sglang", {"model": "/models/there", "base_url": "http://localhost"}),
    ],
)
def test_a_name_that_is_no_local_path(inner, given):
    assert list(missing_checkpoints(plan(inner, **given), Plain)) == []


def test_a_home_that_the_host_does_not_expand(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "model").mkdir()
    assert list(missing_checkpoints(plan(pretrained=str(tmp_path / "model")), Plain)) == []
    (problem,) = missing_checkpoints(plan(pretrained="~/model"), Plain)
    assert problem.hint == f"write pretrained={tmp_path}/model"


@pytest.mark.parametrize(
    ("policy", "refused"), [({}, True), ({"threshold_overlap": "allow"}, False)]
)
def test_a_threshold_that_was_chosen_on_videos_of_the_run(policy, refused, tmp_path):
    from vidomni_plugin.models.detectors.emscore import EMScoreDetector

    file = tmp_path / "threshold.json"
    file.write_text(calibration().model_dump_json())  # of v and w
    given = plan("vidomni_emscore", threshold=str(file), **policy)
    ours = {"side": "factual", "task_type": "video_qa", "video_id": "v", "media_digest": "d"}
    check_threshold(given, EMScoreDetector, lambda: [{"pair_id": "of VidOmni"}])
    with pytest.raises(InputProblems, match="threshold-overlap") if refused else nullcontext():
        check_threshold(given, EMScoreDetector, lambda: [ours])


def test_documents_are_not_read_for_a_model_without_a_threshold_of_a_file():
    from vidomni_plugin.models.detectors.emscore import EMScoreDetector

    check_threshold(plan("model", threshold="no file"), Plain, lambda: pytest.fail("read"))
    check_threshold(
        plan("vidomni_emscore", threshold=0.5), EMScoreDetector, lambda: pytest.fail("read")
    )
