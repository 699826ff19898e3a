"""Exports that a real Label Studio made (``tests/label_studio/make_exports.py``)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.label_studio import story
from tests.label_studio.reading import read_back1, read_back2

EXPORTS = Path(__file__).parent / "exports"
WAYS = ["", "_min", "_snapshot"]


def tasks(name: str) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((EXPORTS / name).read_text(encoding="utf-8"))
    return loaded


@pytest.fixture(scope="module")
def numbers() -> dict[str, int]:
    listed = yaml.safe_load((EXPORTS / "annotators.yaml").read_text(encoding="utf-8"))
    return {one["name"]: one["label_studio_id"] for one in listed["annotators"]}


def test_the_exports_hold_what_the_story_tells():
    wanted = story.wanted1(tasks("stage1.json"))
    labels = [one.labels for one in wanted.values() if not one.skipped]
    assert sum(one.skipped for one in wanted.values()) == 1
    assert any("Unknown" in own for own in labels)
    assert any(memo for one in wanted.values() for memo in one.memos)
    disputed = {
        v.labels for (pair, _), v in wanted.items() if pair == story.DISPUTED and not v.skipped
    }
    assert len(disputed) > 1
    (changed,) = [t for t in tasks("stage1.json") if t["data"]["pair_id"] == story.CHANGED]
    (draft,) = changed["drafts"]
    assert draft["annotation"] in {annotation["id"] for annotation in changed["annotations"]}


@pytest.mark.parametrize("way", WAYS)
def test_verdicts_and_memos(way, numbers):
    got = read_back1(EXPORTS / f"stage1{way}.json", numbers)
    wanted = story.wanted1(tasks("stage1.json"))
    assert got == {k: v for k, v in wanted.items() if way != "_min" or not v.skipped}


@pytest.mark.parametrize("way", WAYS)
def test_marked_words(way, numbers):
    got = read_back2(EXPORTS / f"stage2{way}.json", numbers)
    assert got == story.wanted2(tasks("stage2.json"))


def test_marked_words_across_sentences_and_behind_an_emoji(numbers):
    spans = {k: v.spans for k, v in read_back2(EXPORTS / "stage2.json", numbers).items()}
    texts = {k: [s.text for s in pair.sentences] for k, pair in story.gold().items()}
    words = {
        (pair, category, texts[pair][number - 1][start:end])
        for (pair, _), own in spans.items()
        for number, start, end, category in own
    }
    assert (story.CHANGED, "Illusion", "a 😀 that winks") in words
    assert (story.CHANGED, "Object", "red") in words
    assert {w for p, c, w in words if p == story.ACROSS and c == "Order"} == {"down.", "The"}
