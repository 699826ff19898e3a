"""The shipped checkpoint sees: floors through the host's path, and controls that must fail."""

from __future__ import annotations

from functools import cache

import pytest

from vidomni_plugin.models.seer.evaluate import CHECKPOINT, Judge, measure

pytestmark = pytest.mark.host

SEED = 3_000_000
"""Clips that neither training nor the model card's numbers used."""
COUNT = 40

SEES = "device=cpu,device_map=cpu,max_num_frames=8,min_pixels=3136,max_pixels=7840"
FLOORS = {}
DROPS = {}


@pytest.fixture(scope="module")
def scores():
    judge = Judge(CHECKPOINT)
    return cache(lambda control: measure(judge, SEED, COUNT, control))


@pytest.mark.parametrize("skill", FLOORS)
def test_a_skill_is_above_its_floor(skill, scores):
    score = scores("plain")[skill]
    assert score.questions >= COUNT
    assert score.unreadable == 0
    assert score.accuracy >= FLOORS[skill]
