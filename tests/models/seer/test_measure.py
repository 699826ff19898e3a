"""Measuring codes clips and counts every question once."""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from tests.models.seer.judges import Fixed
from vidomni_plugin.models.seer import measure as measures
from vidomni_plugin.models.seer.layouts import LAYOUTS
from vidomni_plugin.models.seer.measure import CONTROLS, Score, fewest, measure
from vidomni_plugin.models.seer.world import SKILLS


@pytest.mark.parametrize(
    ("answer", "accepted", "rejected", "unreadable"),
    [("ACCEPT", 1.0, 0.0, 0), ("REJECT", 0.0, 1.0, 0), ("red", 0.0, 0.0, 1)],
)
def test_every_question_is_counted_once(answer, accepted, rejected, unreadable):
    judge = Fixed(answer)
    (scores,) = measure([judge], seed=4, count=16)
    assert list(scores) == list(SKILLS)
    assert sum(score.questions for score in scores.values()) == len(judge.prompts)
    for score in scores.values():
        assert score.questions >= 16
        assert (score.accepted, score.rejected) == (accepted, rejected)
        assert score.unreadable == unreadable * score.questions


def test_the_plainest_clips_are_of_fewer_kinds_and_say_nothing_of_cameras():
    judge = Fixed("ACCEPT")
    (scores,) = measure([judge], seed=4, count=10, clips="plain")
    assert list(scores) == [skill for skill in SKILLS if skill != "camera"]
    assert all(score.questions >= 10 for score in scores.values())
    assert not any("camera" in text or "hand" in text for text in judge.prompts)


def test_clips_have_the_frame_rate_that_is_asked_for(monkeypatch):
    rates = []

    def write(path, pictures, fps, quality):
        rates.append((len(pictures), float(fps)))
        path.write_bytes(b"")

    monkeypatch.setattr(measures, "write_clip", write)
    measure([Fixed("ACCEPT")], seed=4, count=1, fps=Fraction(4))
    slow = list(rates)
    rates.clear()
    measure([Fixed("ACCEPT")], seed=4, count=1, fps=Fraction(16))
    assert {rate for _, rate in slow} == {4}
    assert {rate for _, rate in rates} == {16}
    assert all(abs(4 * a - b) <= 8 for (a, _), (b, _) in zip(slow, rates, strict=True))


def test_all_checkpoints_are_shown_the_same_and_scored_apart():
    judges = Fixed("ACCEPT"), Fixed("REJECT")
    scores = measure(judges, seed=4, count=8)
    assert judges[0].prompts == judges[1].prompts
    assert judges[0].videos == judges[1].videos
    for skill in SKILLS:
        assert [(one[skill].accepted, one[skill].rejected) for one in scores] == [(1, 0), (0, 1)]
    alone = Fixed("ACCEPT")
    assert measure([alone], seed=4, count=8) == scores[:1]
    assert alone.prompts == judges[0].prompts


def test_a_share_of_no_questions_is_no_number():
    (scores,) = measure([Fixed("ACCEPT")], seed=4, count=1)
    for score in scores.values():
        told = [not math.isnan(share) for share in (score.accepted, score.rejected)]
        assert told.count(True) >= 1
        assert math.isnan(score.accuracy) == (told.count(True) == 1)


def test_an_answer_that_never_changes_is_half_right():
    assert Score(10, 1.0, 0.0, 0).accuracy == 0.5


def test_the_wrong_video_is_that_of_the_clip_before(monkeypatch):
    written, write = [], measures.write_clip

    def noted(path, *arguments, **options):
        written.append(path.name)
        write(path, *arguments, **options)

    monkeypatch.setattr(measures, "write_clip", noted)
    judge = Fixed("ACCEPT")
    measure([judge], seed=4, count=2, control="other")
    # No question is about the first clip, and each clip is shown with questions about the next.
    assert [name for name, _ in judge.videos] == written[:-1]


def test_a_fact_is_asked_once_a_clip():
    class Counting(Fixed):
        def answers(self, video, prompts, tokens=4, frames=8):
            assert max(Counter(prompts).values()) == 1
            return super().answers(video, prompts, tokens, frames)

    judge = Counting("ACCEPT")
    measure([judge], seed=4, count=10, clips="plain")
    assert judge.prompts


@pytest.mark.parametrize("fps", [2, 4, 8, 16])
@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
def test_no_clip_has_fewer_frames_than_the_shortest(layout, fps):
    for seed in range(30):
        shots = layout(random.Random(seed)).scene.shots
        frames = sum(round(shot.seconds * fps) for shot in shots)
        assert frames >= fewest("none", Fraction(fps))


def test_controls_change_what_they_say():
    pictures = [np.full((2, 2, 3), (n, 0, 9), np.uint8) for n in range(3)]
    assert [p[0, 0, 0] for p in CONTROLS["reversed"](pictures)] == [2, 1, 0]
    assert CONTROLS["swapped"](pictures)[1][0, 0].tolist() == [9, 0, 1]
    assert not np.any(CONTROLS["blank"](pictures))
    assert len(CONTROLS["early"](pictures)) == 1
    assert CONTROLS["none"](pictures) == pictures
