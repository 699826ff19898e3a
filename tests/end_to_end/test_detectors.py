"""EMScore, PAC-S and the constant through the real host on the built-in sample."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import run_host
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.samples import read_responses

pytestmark = pytest.mark.host

sys.path.insert(0, str(Path(__file__).parent.parent / "models" / "detectors"))
LONGEST = 256
"""The tiny tokenizer has a token a letter; texts of the sample are shorter than this."""
SEED = 1
"""With these weights cosines are above 0, which PAC-S needs to tell answers apart."""
OTHERS = {"vidomni_pacs": {"weights": "none"}}
QUICK = {"bootstrap_iters": 0}
DETECTORS = ("vidomni_emscore", "vidomni_pacs")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    import tiny_clip

    return tiny_clip.build(tmp_path_factory.mktemp("tiny-clip"), LONGEST, SEED)


def told(arguments: dict[str, Any]) -> str:
    return ",".join(f"{name}={value}" for name, value in arguments.items())


def arguments_of(name: str, tiny: Path, **more: Any) -> dict[str, Any]:
    shared = {"pretrained": tiny, "frames": 4, "device": "cpu"}
    return {**shared, **OTHERS.get(name, {}), **more}


def made(name: str, **arguments: Any) -> Any:
    from lmms_eval.models import get_model

    return get_model(name).create_from_arg_string(told(arguments), {"batch_size": 1})


def answers(evaluation: Any) -> dict[str, dict[str, Any]]:
    """Return what a detector answered, by answer."""
    samples = evaluation.results["samples"]["vidhalloc_mini"]
    return {
        f"{s['overall']['pair_id']}/{s['overall']['side']}": json.loads(s["filtered_resps"][0])
        for s in samples
    }


@pytest.mark.parametrize("name", DETECTORS)
def test_one_rank_and_two_decide_the_same(name, tiny, evaluate, tmp_path):
    detector = made(name, **arguments_of(name, tiny))
    alone = answers(evaluate(["vidhalloc_mini"], detector, **QUICK))
    assert len(alone) == 80
    middle = sorted(answer["score"] for answer in alone.values())[40]
    assert {answer["reason"] for answer in alone.values()} == {"no_threshold"}
    assert detector.frames.encoded == 20 * 4  # 20 videos, each once
    assert detector.texts <= 80
    run = run_host(
        tmp_path / "logs",
        *("--model", name, "--tasks", "vidhalloc_mini"),
        *("--model_args", told(arguments_of(name, tiny, threshold=middle))),
        ranks=2,
    )
    assert run.code == 0, run.output
    two = {
        answer_id: json.loads(text)
        for answer_id, text in read_responses(run.samples_file("vidhalloc_mini")).items()
    }
    assert two.keys() == alone.keys()
    for answer_id, answer in two.items():
        assert answer["score"] == pytest.approx(alone[answer_id]["score"], abs=1e-6)
        label = "ACCEPT" if alone[answer_id]["score"] >= middle else "REJECT"
        if answer["score"] != middle:
            assert answer["label"] == label
    assert {answer["label"] for answer in two.values()} == {"ACCEPT", "REJECT"}
    assert run.scores("vidhalloc_mini")["undecided"] == 0


@pytest.mark.parametrize(
    ("label", "factual", "counterfactual"), [("ACCEPT", 100, 0), ("REJECT", 0, 100)]
)
def test_a_constant(label, factual, counterfactual, evaluate):
    constant = made("vidomni_constant", label=label)
    evaluation = evaluate(["vidhalloc_mini"], constant, limit=8, **QUICK)
    scores = evaluation.scores("vidhalloc_mini")
    assert (scores["factual"], scores["counterfactual"]) == (factual, counterfactual)
    assert (scores["overall"], scores["undecided"]) == (0, 0)


def test_a_video_that_cannot_be_read_costs_its_answers_only(tiny, evaluate, monkeypatch):
    from vidomni_plugin.models.detectors import features
    from vidomni_plugin.video.failures import UnreadableVideo

    detector = made("vidomni_emscore", **arguments_of("vidomni_emscore", tiny, threshold=0))
    frames, broken = features.shown_frames, []

    def breaking(path: str, count: Any) -> Any:
        broken.append(path)
        if path == broken[0]:
            raise UnreadableVideo(path, "pyav", ValueError("cut off"))
        return frames(path, count)

    monkeypatch.setattr(features, "shown_frames", breaking)
    evaluation = evaluate(["vidhalloc_mini"], detector, limit=8, **QUICK)
    failed = [a for a in answers(evaluation).values() if a.get("reason") == "request_failed"]
    assert len(failed) == evaluation.scores("vidhalloc_mini")["failed"] == 4
    assert {answer["label"] for answer in failed} == {None}
    assert "cut off" in failed[0]["detail"]["error"]


def test_the_runner_keeps_each_answer(tiny, evaluate, tmp_path):
    arguments = arguments_of("vidomni_emscore", tiny, journal=tmp_path / "journal")
    first = made("vidomni_runner", inner="vidomni_emscore", **arguments)
    found = answers(evaluate(["vidhalloc_mini"], first, limit=8, **QUICK))
    again = made("vidomni_runner", inner="vidomni_emscore", **arguments)
    assert answers(evaluate(["vidhalloc_mini"], again, limit=8, **QUICK)) == found
    assert again.inner_model.frames.encoded == 0


def test_other_tasks_are_refused(evaluate):
    with pytest.raises(InputProblems, match="judges one answer of VidHalLoc"):
        evaluate(["vidomni_mini"], made("vidomni_constant", label="ACCEPT"), limit=1)


def test_a_missing_statement_ends_the_run(tiny, evaluate, tmp_path):
    file = tmp_path / "statements.jsonl"
    file.write_text('{"id": "another/factual", "statement": "A dog runs."}\n')
    more = {"text": "statement", "statements": file}
    detector = made("vidomni_emscore", **arguments_of("vidomni_emscore", tiny, **more))
    with pytest.raises(InputProblems, match="no statement for pair_"):
        evaluate(["vidhalloc_mini"], detector, limit=2)
