"""What becomes of a video's answers where something fails on the way."""

from __future__ import annotations

import os
import signal
from types import SimpleNamespace

import pytest

from vidomni_plugin.detectors.answer import read_answer
from vidomni_plugin.models.detectors.arguments import read_arguments
from vidomni_plugin.models.detectors.base import Detector, Scored
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.video.failures import UnreadableVideo

ANSWERS = {"a": ("dog", "cat", "cow"), "b": ("hen",)}
"""By video."""


class Spoken(Detector):
    """Scores a text by its length; some words make it fail."""

    name = "spoken"

    def __init__(self, failing=(), *, streams=False, **more):
        shared = {"text": "answer", "threshold": 3, "statements": ""} | more
        super().__init__(read_arguments(self.name, **shared))
        self.task_dict = {"t": {"s": [doc for docs in documents().values() for doc in docs]}}
        self.failing = dict(failing)
        self.streams = streams
        self.asked = []

    def score_video(self, video, texts):
        self.asked.append((video.path, *texts))
        scores = self._each(video, texts)
        return scores if self.streams else list(scores)

    def _each(self, video, texts):
        for text in texts:
            if text in self.failing:
                raise self.failing[text]
            yield Scored(float(len(text)), {})


def documents():
    return {
        video: [
            {
                "answer_id": f"{video}{k}/factual",
                "side": "factual",
                "video": video,
                "media_digest": video,
                "question": "Which?",
                "candidate_answer": answer,
            }
            for k, answer in enumerate(answers)
        ]
        for video, answers in ANSWERS.items()
    }


def requests():
    return [
        SimpleNamespace(args=("", messages, {}, k, "t", "s"))
        for k in range(sum(map(len, ANSWERS.values())))
    ]


def messages(doc):
    return [{"role": "user", "content": [{"type": "video", "url": doc["video"]}]}]


def scores(detector):
    return [read_answer(text).score for text in detector.generate_until(requests())]


@pytest.mark.parametrize("streams", [False, True], ids=["at once", "one by one"])
@pytest.mark.parametrize("word", ["dog", "cat", "cow"])
def test_a_text_that_fails_costs_its_own_score_alone(word, streams):
    detector = Spoken({word: RuntimeError("out of memory")}, streams=streams)
    expected = [None if answer == word else 3.0 for answer in (*ANSWERS["a"], *ANSWERS["b"])]
    found = [read_answer(text) for text in detector.generate_until(requests())]
    assert [one.score for one in found] == expected
    (failed,) = (one for one in found if one.score is None)
    assert failed.reason == "request_failed"
    assert "out of memory" in failed.detail["error"]


def test_a_detail_may_have_any_names():
    detail = {"score": 1, "threshold": 2, "reason": "of its own", "detail": "words"}

    class Naming(Spoken):
        def _each(self, video, texts):
            return (Scored(float(len(text)), detail) for text in texts)

    found = [read_answer(text) for text in Naming().generate_until(requests())]
    assert [(one.score, one.label, one.threshold) for one in found] == [(3, "ACCEPT", 3)] * 4
    assert all(detail.items() <= one.detail.items() for one in found)


def test_a_video_that_cannot_be_read_is_tried_once():
    detector = Spoken({"dog": UnreadableVideo("a", "pyav", ValueError("cut off"))})
    assert scores(detector) == [None, None, None, 3.0]
    assert detector.asked == [("a", "dog", "cat", "cow"), ("b", "hen")]


def test_what_ends_the_run_is_no_failure_of_an_answer():
    detector = Spoken({"cat": InputProblems("spoken", [])})
    with pytest.raises(InputProblems):
        scores(detector)


def test_each_answer_is_kept_as_soon_as_it_is_there():
    detector, kept = Spoken({"cow": RuntimeError("out of memory")}, streams=True), []
    with pytest.raises(RuntimeError, match="out of memory"):
        detector.answer_video(requests()[:3], lambda place, text: kept.append(place))
    assert kept == [0, 1]


def test_answers_without_a_statement_are_all_named_before_one_is_judged(tmp_path):
    file = tmp_path / "statements.jsonl"
    file.write_text('{"id": "a0/factual", "statement": "A dog runs."}\n')
    detector = Spoken(text="statement", statements=file)
    with pytest.raises(InputProblems) as refused:
        scores(detector)
    assert len(refused.value.problems) == 3
    assert "no statement for a1/factual" in str(refused.value)
    assert detector.asked == []


def test_ctrl_c_that_a_decoder_swallows_ends_the_run():
    class Swallowing(Exception):
        """As what a library raises where Ctrl-C came into one of its callbacks."""

    class Interrupted(Spoken):
        def _each(self, video, texts):
            try:
                os.kill(os.getpid(), signal.SIGINT)
                for _ in range(10**6):
                    pass
            except KeyboardInterrupt:
                raise Swallowing from None

    detector = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        scores(detector)
    assert len(detector.asked) == 1


def test_missing_statements_are_told_when_the_detector_is_made(tmp_path, monkeypatch):
    """Under ``vidomni_runner`` it is asked one video at a time."""
    file = tmp_path / "statements.jsonl"
    file.write_text('{"id": "a0/factual", "statement": "A dog runs."}\n')
    docs = [{"answer_id": f"a{k}/factual", "side": "factual"} for k in range(3)]
    monkeypatch.setattr(
        "vidomni_plugin.models.detectors.base.running_documents", lambda: {"vidhalloc": docs}
    )
    with pytest.raises(InputProblems) as refused:
        Spoken(text="statement", statements=file)
    assert [p.message for p in refused.value.problems] == [
        "no statement for a1/factual",
        "no statement for a2/factual",
    ]
