"""What a detector is told: wrong arguments, models and texts end in one clear message or status."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from videos import noise, write_video

from vidomni_plugin.detectors.emscore import IdfTable
from vidomni_plugin.models.detectors.base import Shown
from vidomni_plugin.models.detectors.baselines import ConstantDetector
from vidomni_plugin.models.detectors.emscore import EMScoreDetector
from vidomni_plugin.models.detectors.entailment import Entailment
from vidomni_plugin.models.detectors.pacs import PacsDetector
from vidomni_plugin.models.detectors.text_only import TextOnly
from vidomni_plugin.models.detectors.vqascore import VQAScore
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.run.model_arguments import taken_by

LONG = "x " * 80


@pytest.fixture
def video(tmp_path):
    return Shown(str(write_video(tmp_path / "video.mkv", noise(3))), "digest")


def refused(make):
    with pytest.raises(InputProblems) as problems:
        make()
    return str(problems.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"frames": 0}, "frames=0 is no whole number from 1 on, and not all"),
        ({"frames": "some"}, "frames=some is no whole number from 1 on, and not all"),
        ({"frame_batch": 0}, "frame_batch=0 is no whole number from 1 on"),
        ({"dtype": "int8"}, "dtype=int8 is not known; give one of float32, float16, bfloat16"),
        ({"long_text": "cut"}, "long_text=cut is not known; give one of refuse, truncate"),
        ({"text": "caption"}, "text=caption is not known"),
        ({"text": "statement"}, "text=statement and statements=FILE are given together"),
        ({"statements": "a.jsonl"}, "text=statement and statements=FILE are given together"),
        ({"threshold": "paper-owl"}, "paper-owl"),
        ({"threshold": float("nan")}, "threshold"),
        ({"frmes": 8}, "unknown: frmes; did you mean frames?"),
        ({"what": 8}, "unknown: what [usage]"),
        (
            {"what": 8},
            "-> known are idf, pretrained, frames, frame_batch, dtype, device, long_text",
        ),
        ({"device": "meta"}, "device=meta: NotImplementedError"),
        ({"device": "gpu"}, "device=gpu: RuntimeError"),
        ({"device": "cuda:99"}, "device=cuda:99: "),
        ({"idf": "/no/such/file"}, "idf=/no/such/file: No such file or directory"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_wrong_argument_is_refused_before_a_model_is_loaded(arguments, message):
    assert message in refused(lambda: EMScoreDetector("/no/such/model", **arguments))


def test_every_slip_is_named_with_what_was_meant():
    slips = {"frmes": 8, "threshhold": 0.5, "what": 1, "long-text": "refuse"}
    message = refused(lambda: EMScoreDetector("/no/such/model", **slips))
    assert "4 problems" in message
    for slip, meant in (("frmes", "frames"), ("long-text", "long_text")):
        assert f"unknown: {slip}; did you mean {meant}?" in message
    assert "unknown: threshhold; did you mean threshold?" in message
    assert "unknown: what [usage]" in message
    assert message.count("-> known are") == 1


def test_a_slip_is_named_before_what_it_leaves_out():
    message = refused(lambda: PacsDetector("/no/such/model", weigths="pac.pth"))
    assert "unknown: weigths; did you mean weights?" in message


OF_THE_HOST = {"batch_size", "max_batch_size"}


@pytest.mark.parametrize(
    ("detector", "left_out"),
    [
        (EMScoreDetector, set()),
        (PacsDetector, set()),
        (Entailment, set()),
        (VQAScore, set()),
        (TextOnly, {"video", "frames", "min_pixels", "max_pixels"}),
        (ConstantDetector, {"device"}),
    ],
)
def test_the_known_names_are_those_that_are_taken(detector, left_out):
    names = set(re.findall(r"\w+", detector.known)) - {"and"}
    assert names == taken_by(detector).names - OF_THE_HOST - left_out


@pytest.mark.parametrize(
    "arguments",
    [
        {"idf": "~nobody-of-this-name/idf.txt"},
        {"threshold": "~nobody-of-this-name/threshold.json"},
        {"text": "statement", "statements": "~nobody-of-this-name/statements.jsonl"},
    ],
    ids=lambda arguments: list(arguments)[-1],
)
def test_the_home_of_nobody_holds_no_file(arguments):
    message = refused(lambda: EMScoreDetector("/no/such/model", **arguments))
    assert "No such file or directory" in message


@pytest.mark.parametrize("model", ["", "/no/such/model"])
def test_no_model(model):
    message = refused(lambda: EMScoreDetector(model))
    assert "give a hub id such as openai/clip-vit-base-patch32" in message
    assert "[weights]" in message


@pytest.mark.parametrize("detector", [EMScoreDetector, Entailment])
@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("/no/such/model", "/no/such/model: there is no such folder"),
        ("./no/such/model", "./no/such/model: there is no such folder"),
        ("~/no/such/model", "~/no/such/model: there is no such folder"),
        ("~nobody-of-this-name/model", "~nobody-of-this-name/model: there is no such folder"),
        (__file__, "test_arguments.py: a file, and no folder"),
    ],
)
def test_a_path_without_a_model(model, message, detector):
    assert message in refused(lambda: detector(pretrained=model))


def test_a_model_in_the_home_folder(tiny, monkeypatch):
    monkeypatch.setenv("HOME", str(tiny.parent))
    assert EMScoreDetector(f"~/{tiny.name}").clip.ids("a")[0] == 512


def edited(tiny, folder, **changes):
    shutil.copytree(tiny, folder)
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))
    return folder


def test_a_model_that_is_no_clip(tiny, tmp_path):
    folder = edited(tiny, tmp_path / "other", model_type="siglip")
    assert "a model of type siglip, and not CLIP" in refused(lambda: EMScoreDetector(str(folder)))


@pytest.mark.parametrize("name", ["tokenizer.json", "preprocessor_config.json", "config.json"])
def test_a_checkpoint_that_is_not_whole(name, tiny, tmp_path):
    folder = edited(tiny, tmp_path / "other")
    (folder / name).write_text("{")
    assert f"{folder}: it cannot be loaded" in refused(lambda: EMScoreDetector(str(folder)))


def test_a_checkpoint_without_its_tokenizer(tiny, tmp_path):
    folder = edited(tiny, tmp_path / "other")
    (folder / "tokenizer.json").unlink()  # the library then makes one that knows no word
    message = refused(lambda: EMScoreDetector(str(folder)))
    assert "tokens, and the model 514" in message


def test_a_tokenizer_of_another_model(tiny, tmp_path):
    import tiny_clip
    from transformers import CLIPModel

    folder = edited(tiny, tmp_path / "other")
    config = tiny_clip.config()
    config.text_config.vocab_size = 300
    CLIPModel(config).save_pretrained(folder)
    message = refused(lambda: EMScoreDetector(str(folder)))
    assert "its tokenizer has 514 tokens, and the model 300" in message


def test_missing_weights_are_no_random_numbers(tiny, tmp_path):
    from safetensors.torch import load_file, save_file

    folder = edited(tiny, tmp_path / "other")
    weights = load_file(folder / "model.safetensors")
    del weights["visual_projection.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    message = refused(lambda: EMScoreDetector(str(folder)))
    assert "1 weights are missing, such as visual_projection.weight" in message


def test_a_text_that_is_too_long_has_a_status_and_no_score(tiny, video):
    one, other = EMScoreDetector(str(tiny)).score_video(video, [LONG, "a dog"])
    assert one.score is None
    assert one.detail == {"tokens": 82, "sampled": 3, "status": "too_long", "longest": 77}
    assert other.score is not None


def test_or_its_first_tokens_are_taken(tiny, video):
    detector = EMScoreDetector(str(tiny), long_text="truncate")
    one, same, other = detector.score_video(video, [LONG, "x " * 75, "x " * 74])
    assert one.detail["truncated"] is True
    assert "truncated" not in same.detail
    assert one.score == same.score != other.score


def test_pacs_truncates_as_its_authors_do_unless_told(tiny, video):
    texts = [LONG, "a dog"]
    one, other = PacsDetector(str(tiny), weights="none").score_video(video, texts)
    assert one.score is not None
    assert one.detail["truncated"] is True
    assert "truncated" not in other.detail
    (one,) = PacsDetector(str(tiny), weights="none", long_text="refuse").score_video(video, [LONG])
    assert one.detail["status"] == "too_long"


def test_pacs_puts_its_prefix_before_the_text(tiny, video):
    told = []
    detector = PacsDetector(str(tiny), weights="none")
    detector.clip = type(
        "Listening",
        (),
        {
            "longest": 77,
            "ids": lambda self, text: told.append(text) or [512, 5, 513],
            "words": detector.clip.words,
        },
    )()
    detector.score_video(video, ["a dog"])
    detector.reading = "emscore"
    detector.score_video(video, ["a dog"])
    assert told == ["A photo depicts a dog", "a dog"]


def test_pacs_is_not_plain_clip_by_accident(tiny):
    message = refused(lambda: PacsDetector(str(tiny)))
    assert "give the file of PAC-S as weights=FILE, or weights=none" in message
    message = refused(lambda: PacsDetector("/no/such/model", weights="/no/such/file"))
    assert "/no/such/file: there is no such file; give one, or weights=none" in message
    message = refused(lambda: PacsDetector(str(tiny), weights="none", reading="V2"))
    assert "reading=V2 is not known; give one of frames, pooled, pooled_raw, emscore" in message


def test_a_short_video_counts_the_frames_it_repeats(tiny, video):
    (one,) = EMScoreDetector(str(tiny), frames=8).score_video(video, ["a dog"])
    assert one.detail["sampled"] == 8
    assert len(one.detail["frame_scores"]) == 8
    assert len(set(one.detail["frame_scores"])) == 3


def test_many_frames_leave_no_list_of_scores(tiny, tmp_path):
    video = Shown(str(write_video(tmp_path / "long.mkv", noise(129))), "digest")
    (one,) = EMScoreDetector(str(tiny)).score_video(video, ["a dog"])
    assert one.detail["sampled"] == 129
    assert "frame_scores" not in one.detail


def test_weights_of_words_come_from_a_corpus(tiny, video, tmp_path):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("a dog\n\na cat\na dog runs\n", encoding="utf-8")
    plain, weighted = EMScoreDetector(str(tiny)), EMScoreDetector(str(tiny), idf=corpus)
    assert isinstance(weighted._table, IdfTable)
    a, dog_d = weighted.clip.ids("a")[1], weighted.clip.ids("d")[1]
    assert weighted._table.weights[a] == 0
    assert weighted._table.weights.get(dog_d) is None  # "d</w>" ends no word there
    one, other = (d.score_video(video, ["a dog"])[0].score for d in (plain, weighted))
    assert one != other
    assert plain.told()["idf"] is None
    assert len(weighted.told()["idf"]) == 12


@pytest.mark.parametrize("content", ["", "one text\n"])
def test_a_corpus_of_one_text_weighs_nothing(content, tmp_path):
    (tmp_path / "corpus.txt").write_text(content)
    message = refused(lambda: EMScoreDetector("x", idf=tmp_path / "corpus.txt"))
    assert "weights of words need 2 or more, one a line" in message


@pytest.mark.parametrize(
    ("arguments", "score", "threshold"),
    [
        ({"label": "ACCEPT"}, 1.0, 0.5),
        ({"label": "REJECT"}, 0.0, 0.5),
        ({"score": "-0.25", "threshold": -0.25}, -0.25, -0.25),
        ({"score": 0}, 0.0, None),
    ],
)
def test_a_constant(arguments, score, threshold):
    detector = ConstantDetector(**arguments)
    found = detector.score_video(Shown("/no/such/video", ""), ["a", "b"])
    assert [one.score for one in found] == [score, score]
    assert detector.arguments.threshold.value == threshold


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"label": "ACCEPT", "score": 1},
        {"label": "accept"},
        {"label": "ACCEPT", "threshold": 0.5},
        {"score": "nan"},
        {"score": "inf"},
        {"score": "high"},
        {"label": "ACCEPT", "pretrained": "x"},
    ],
)
def test_what_is_no_constant(arguments):
    assert "[usage]" in refused(lambda: ConstantDetector(**arguments))
