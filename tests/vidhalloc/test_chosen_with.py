"""A threshold of another detector or of other settings is refused, or told of where allowed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loguru import logger

from tests.vidhalloc.test_calibrate import SCORES, line
from tests.vidhalloc.test_thresholds import calibration
from vidomni_plugin.detectors.answer import answer
from vidomni_plugin.models.detectors.baselines import ConstantDetector
from vidomni_plugin.models.detectors.emscore import EMScoreDetector
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.samples import Sample
from vidomni_plugin.vidhalloc.calibration import Origin, calibrate, scored_pairs
from vidomni_plugin.vidhalloc.chosen_with import OWNERS, ChosenWith, settings_policy
from vidomni_plugin.vidhalloc.thresholds import PRESETS

TOLD = {
    "detector": "vidomni_emscore",
    "text": "question_answer",
    "checkpoint": "clip",
    "frames": 8,
    "dtype": "float32",
    "long_text": "truncate",
    "idf": None,
}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, []),
        ({"f": 0.25, "threshold_source": "x"}, []),
        ({"frames": 4}, ["frames 8, and 4 here"]),
        ({"frames": 4, "text": "answer"}, ["text", "frames"]),
        ({"detector": "vidomni_pacs"}, ['detector "vidomni_emscore", and "vidomni_pacs" here']),
        ({"checkpoint": "clip-large"}, ["checkpoint"]),
        ({"idf": "0a"}, ["idf not given, and"]),
        ({"max_pixels": 1000}, ["max_pixels not given, and 1000 here"]),
    ],
)
def test_each_setting_that_decides(changes, said):
    found = ChosenWith("t.json", TOLD).differences({**TOLD, **changes})
    assert len(found) == len(said)
    assert all(want in text for want, text in zip(said, found, strict=True))


def test_what_one_side_does_not_tell_is_no_difference():
    known = ChosenWith("t.json", TOLD)
    assert known.differences({"detector": "vidomni_emscore"}) == []
    assert ChosenWith("t.json", {}).differences(TOLD | {"max_pixels": 9}) == []
    preset = ChosenWith("paper-emscore", {"detector": "vidomni_emscore"})
    assert preset.differences(TOLD | {"max_pixels": 9}) == []


def test_where_a_server_is_does_not_matter_and_its_model_does():
    def told(model, url):
        return {"detector": "vidomni_fifa", "llm": {"model": model, "base_url": url}}

    known = ChosenWith("t.json", {"detector": "vidomni_fifa", "llm": {"model": "m"}})
    assert known.differences(told("m", "http://other:9/v1")) == []
    assert len(known.differences(told("n", "http://other:9/v1"))) == 1


def test_every_published_threshold_has_an_owner():
    assert OWNERS.keys() == PRESETS.keys()
    with pytest.raises(ValueError, match="threshold_settings=yes is not known"):
        settings_policy("yes")


def test_a_calibration_keeps_what_the_detector_told():
    samples = []
    for pair_id, (video, *both) in SCORES.items():
        for side, score in zip(("factual", "counterfactual"), both, strict=True):
            text = answer(score, None, **TOLD, f=score, tokens=9)
            detail = line(pair_id, side, video, text)["overall"]
            samples.append(Sample(f"{pair_id}/{side}", f"{pair_id}/{side}", text, detail))
    pairs = list(scored_pairs(samples).values())
    found = calibrate(pairs, Origin("s", "vidhalloc", "m", "sig"))
    assert found.settings == TOLD
    assert type(found).model_validate_json(found.model_dump_json()) == found


def file(path: Path, **settings: object) -> Path:
    path.write_text(
        json.dumps(json.loads(calibration().model_dump_json()) | {"settings": settings})
    )
    return path


def never(*_: object, **__: object) -> None:
    raise AssertionError("a model was loaded")


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"detector": "vidomni_entailment", "frames": 8}, "vidomni_entailment"),
        ({**TOLD, "text": "answer"}, "text"),
        ({**TOLD, "frames": 32}, "frames 32, and 8 here"),
        ({**TOLD, "checkpoint": "another"}, "checkpoint"),
    ],
)
def test_a_detector_refuses_before_its_model_is_loaded(told, said, tmp_path, monkeypatch):
    monkeypatch.setattr(EMScoreDetector, "_load", never)
    given = {"pretrained": "m/clip", "frames": 8, "long_text": "truncate"}
    path = file(tmp_path / "t.json", **told)
    with pytest.raises(InputProblems, match=said) as found:
        EMScoreDetector(**given, threshold=str(path))
    assert "threshold_settings=allow" in found.value.problems[0].hint
    with pytest.raises(AssertionError, match="a model was loaded"):
        EMScoreDetector(**given, threshold=str(path), threshold_settings="allow")
    with pytest.raises(AssertionError, match="a model was loaded"):
        EMScoreDetector(**given, threshold=str(file(tmp_path / "same.json", **TOLD)))


def test_a_published_threshold_of_another_detector_is_refused(monkeypatch):
    monkeypatch.setattr(EMScoreDetector, "_load", never)
    with pytest.raises(InputProblems, match="paper-pacs"):
        EMScoreDetector(threshold="paper-pacs")
    with pytest.raises(AssertionError):
        EMScoreDetector(threshold="paper-emscore")


@pytest.fixture
def said():
    texts: list[str] = []
    sink = logger.add(texts.append, format="{message}", level="WARNING")
    yield texts
    logger.remove(sink)


def test_what_is_allowed_is_warned_of_and_in_each_answer(tmp_path, said):
    path = file(tmp_path / "t.json", **TOLD)
    detector = ConstantDetector(score=0.5, threshold=str(path), threshold_settings="allow")
    assert sum("was chosen with detector" in text for text in said) == 1
    detector._check_settings(detector.told())
    assert len(said) == 1
    assert detector.arguments.other_settings == "allow"


@pytest.mark.parametrize(("value", "warned"), [(26.5, True), (-3, True), (0.26, False)])
def test_a_number_outside_of_the_range_is_warned_of(value, warned, said, monkeypatch):
    monkeypatch.setattr(EMScoreDetector, "_load", never)
    with pytest.raises(AssertionError):
        EMScoreDetector(threshold=value)
    assert any("every answer gets the same decision" in text for text in said) == warned
