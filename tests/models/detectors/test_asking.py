"""vidomni_entailment and vidomni_vqascore in the host, on tiny models of two families."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.conftest import HostRun, run_host
from tests.detectors.case_files import table
from tests.models.detectors.video_models import write
from vidomni_plugin.detectors.answer import Answer, read_answer
from vidomni_plugin.models.detectors.asking import AskingDetector
from vidomni_plugin.models.detectors.base import Shown
from vidomni_plugin.models.detectors.entailment import Entailment
from vidomni_plugin.models.detectors.vqascore import VQAScore
from vidomni_plugin.models.detectors.yes_no import YesNo
from vidomni_plugin.problems import InputProblems

pytestmark = pytest.mark.host

FAMILIES = ("qwen2_5_vl", "llava_onevision")
FRAMES = 2
SMALL = {"frames": FRAMES, "dtype": "float32", "device": "cpu"}


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("video-models")
    return {family: write(family, folder / family) for family in FAMILIES}


@pytest.fixture
def make(checkpoints: dict[str, Path]) -> Callable[..., AskingDetector]:
    def load(kind: type[AskingDetector], family: str = "qwen2_5_vl", **given: Any) -> Any:
        return kind(pretrained=str(checkpoints[family]), **{**SMALL, **given})

    return load


def evaluate(detector: AskingDetector, **options: Any) -> dict[str, Answer]:
    """Return the answers of a detector to the built-in sample by their ids."""
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    results = simple_evaluate(
        model=detector,
        tasks=["vidhalloc_mini"],
        task_manager=TaskManager(include_defaults=False, model_name=detector.name),
        log_samples=True,
        **options,
    )
    found = {}
    for sample in results["samples"]["vidhalloc_mini"]:
        item = sample["overall"]
        read = read_answer(sample["filtered_resps"][0])
        assert read is not None
        assert (item["label"], item["reason"]) == (read.label, read.reason)
        found[f"{item['pair_id']}/{item['side']}"] = read
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_every_answer_of_the_sample_gets_a_score(family, make):
    entailment, vqascore = make(Entailment, family), make(VQAScore, family)
    one, other = evaluate(entailment, limit=16), evaluate(vqascore, limit=16)
    assert len(one) == len(other) == 16
    for answers in (one, other):
        assert {(read.label, read.reason) for read in answers.values()} == {(None, "no_threshold")}
        assert all(0 < read.score < 1 for read in answers.values())
        assert len({read.score for read in answers.values()}) > 8
    for read in one.values():
        gap = read.detail["yes_logit"] - read.detail["no_logit"]
        assert read.score == pytest.approx(1 / (1 + math.exp(-gap)), abs=1e-12)
    for read in other.values():
        assert read.score + read.detail["no_probability"] < 1
    videos = {name.rsplit("_fact_", 1)[0] for name in one}
    assert entailment.chat.encodings == vqascore.chat.encodings == len(videos)


def test_two_ranks_decide_the_same(make, checkpoints, tmp_path):
    scores = {name: read.score for name, read in evaluate(make(Entailment), limit=8).items()}
    middle = float(np.median(sorted(scores.values())))
    run: HostRun = run_host(
        tmp_path / "logs",
        *("--model", "vidomni_entailment", "--tasks", "vidhalloc_mini", "--limit", "8"),
        "--model_args",
        f"pretrained={checkpoints['qwen2_5_vl']},frames={FRAMES},dtype=float32,threshold={middle}",
        launcher=("-m", "torch.distributed.run", "--nproc_per_node", "2", "-m", "lmms_eval"),
        ACCELERATE_USE_CPU="true",
        OMP_NUM_THREADS="1",
    )
    assert run.code == 0, run.output
    items = [sample["overall"] for sample in run.samples("vidhalloc_mini")]
    found = {f"{item['pair_id']}/{item['side']}": item["label"] for item in items}
    decided = {n: "ACCEPT" if score >= middle else "REJECT" for n, score in scores.items()}
    assert found == decided
    assert set(found.values()) == {"ACCEPT", "REJECT"}
    for sample in run.samples("vidhalloc_mini"):
        item, read = sample["overall"], read_answer(sample["filtered_resps"])
        assert read.score == pytest.approx(scores[f"{item['pair_id']}/{item['side']}"], abs=1e-6)


def test_without_the_video_only_the_text_counts(make):
    blind = make(Entailment, video="none")
    seeing = make(Entailment)
    clips = [Shown(str(path), "") for path in sorted(clips_of_the_sample())[:2]]
    texts = ["A ball rolls.", "A cube flies."]
    one, other = ([s.score for s in blind.score_video(clip, texts)] for clip in clips)
    assert one == other
    assert one[0] != one[1]
    assert blind.chat.encodings == 0
    assert blind.told()["frames"] == 0
    assert [s.score for s in seeing.score_video(clips[0], texts)] != one
    gone = Shown("/nowhere/at/all.mp4", "")
    assert [s.score for s in blind.score_video(gone, texts)] == one  # it is not opened


def clips_of_the_sample() -> list[Path]:
    from vidomni_plugin.data.locate import mini_root

    return sorted((mini_root("vidhalloc").path / "videoqa").glob("*.mp4"))


def test_a_text_that_spells_a_special_token_costs_its_own_score_only(make):
    detector = make(Entailment)
    clip = Shown(str(clips_of_the_sample()[0]), "")
    texts = ["A ball rolls.", "A <|im_end|> rolls.", "A cube flies."]
    first, middle, last = detector.score_video(clip, texts)
    assert middle.score is None
    assert middle.detail == {"status": "special_token", "token": "<|im_end|>"}
    plain = detector.score_video(clip, [texts[0], texts[2]])
    assert [first.score, last.score] == [one.score for one in plain]


class OfCases(Entailment):
    """The detector's arithmetic alone."""

    def __init__(self) -> None:
        self.tokens = YesNo((3,), (5,), ("Yes",), ("No",))


def test_scores_of_the_public_code():
    detector = OfCases()
    for case in table("entailment")["cases"]:
        rows = zip(
            case["row_logits_at_read_position"], case["sigmoid_yes_minus_no_float64"], strict=True
        )
        for logits, expected in rows:
            scored = detector.score(np.array(logits, dtype=np.float32))
            assert scored.score == pytest.approx(expected, abs=1e-7)


def test_forms_of_a_word_add_up():
    logits = np.log(np.array([0.1, 0.2, 0.3, 0.15, 0.25], dtype=np.float32))
    detector = OfCases()
    detector.tokens = YesNo((0, 1), (3,), ("Yes", " Yes"), ("No",))
    assert detector.score(logits).score == pytest.approx(0.3 / 0.45, abs=1e-6)
    scored = VQAScore.score(detector, logits)
    assert scored.score == pytest.approx(0.3, abs=1e-6)
    assert scored.detail["no_probability"] == pytest.approx(0.15, abs=1e-6)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param({"frmes": 3}, r"unknown: frmes; did you mean frames\?", id="a slip"),
        pytest.param({"pretrained": ""}, "give the model", id="no model"),
        pytest.param({"frames": 0}, "frames=0", id="no frame"),
        pytest.param({"frames": "all"}, "frames=all", id="no number"),
        pytest.param({"max_pixels": -1}, "max_pixels=-1", id="no pixels"),
        pytest.param({"video": "maybe"}, "video=maybe", id="half a video"),
        pytest.param({"prompt": "owlcon"}, "prompt=owlcon", id="unknown prompt"),
        pytest.param(
            {"spaces": "some"}, "spaces=some is not known; give one of both", id="unknown spaces"
        ),
        pytest.param({"text": "statement"}, "statements=FILE", id="no statements"),
        pytest.param({"min_pixels": 9, "max_pixels": 8}, "min_pixels=9 is more", id="crossed"),
        pytest.param({"threshold": "nan"}, "no threshold", id="no threshold"),
        pytest.param({"dtype": "int8"}, "int8 is not known", id="unknown dtype"),
    ],
)
def test_arguments_that_cannot_be_used(given, said):
    with pytest.raises(InputProblems, match=said):
        Entailment(**{"pretrained": "no/such-model", **SMALL, **given})  # none is asked for


def test_a_model_without_yes_and_no(checkpoints, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(checkpoints["qwen2_5_vl"], folder)
    file = folder / "tokenizer.json"
    words = json.loads(file.read_text())
    vocabulary = words["model"]["vocab"]
    for letter in "YN":  # a tokenizer that cannot spell them leaves them out
        vocabulary[f"no {letter}"] = vocabulary.pop(letter)
    file.write_text(json.dumps(words))
    with pytest.raises(InputProblems, match='tell "Yes" from "No"'):
        Entailment(pretrained=str(folder), **SMALL)
