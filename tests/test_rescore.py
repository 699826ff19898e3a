"""Samples files of this version and of earlier ones, scored again without a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vidomni_plugin.rescore import rescore
from vidomni_plugin.vidhalloc import task as vidhalloc
from vidomni_plugin.vidomni import task as vidomni

FAILED = "[LMMS_EVAL_REQUEST_FAILED: CUDA out of memory]"
NEW = ("failed", "f1_answered", "overall_answered")
"""Metrics that samples of early versions do not have."""


def vidomni_doc(pair_id: str, gold: list[int | None]) -> dict[str, Any]:
    return dict.fromkeys(vidomni.IN_DETAIL) | {
        "pair_id": pair_id,
        "video_id": "v",
        "complexity_type": 1,
        "duration_s": 4.0,
        "gold": gold,
        "sentences": ["A man walks."] * len(gold),
        "errors": [[] for _ in gold],
        "missing": 0,
    }


def vidhalloc_doc(pair_id: str, side: str) -> dict[str, Any]:
    return dict.fromkeys(vidhalloc.IN_DETAIL) | {
        "pair_id": pair_id,
        "video_id": "v",
        "side": side,
        "category": "eeh",
        "missing": 0,
    }


VIDOMNI = [
    (vidomni_doc("a", [1, 0]), '{"sentence_1": 1, "sentence_2": 0}'),  # F1 100
    (vidomni_doc("b", [1, 0]), '{"sentence_1": 0, "sentence_2": 0}'),  # F1 0
    (vidomni_doc("c", [1, 1]), FAILED),
]
VIDHALLOC = [
    (vidhalloc_doc("a", "factual"), "ACCEPT"),
    (vidhalloc_doc("a", "counterfactual"), "REJECT"),
    (vidhalloc_doc("b", "factual"), "ACCEPT"),
    (vidhalloc_doc("b", "counterfactual"), FAILED),
]


def samples(path: Path, hooks: Any, answers: Any, *, early: bool) -> Path:
    """Write what the host writes; an early version without the metrics and fields of today."""
    with path.open("w", encoding="utf-8") as file:
        for number, (doc, response) in enumerate(answers):
            items = hooks.process_results(doc, [response])
            if early:
                items = {name: item for name, item in items.items() if name not in NEW}
                for item in items.values():
                    item.pop("host", None)
            row = {"doc_id": number, "resps": [[response]], "filtered_resps": [response], **items}
            file.write(json.dumps(row) + "\n")
    return path


@pytest.mark.parametrize("early", [False, True])
def test_failed_pairs_of_vidomni(tmp_path, early):
    found = rescore(samples(tmp_path / "s.jsonl", vidomni, VIDOMNI, early=early))
    assert found.scores["f1"] == pytest.approx((100 / 3, 3, "pairs"))
    assert found.scores["f1_answered"] == (50.0, 2, "pairs")
    assert found.scores["failed"] == (1.0, 3, "pairs")
    assert found.reasons["request_failed"] == 1


@pytest.mark.parametrize("early", [False, True])
def test_failed_answers_of_vidhalloc(tmp_path, early):
    found = rescore(samples(tmp_path / "s.jsonl", vidhalloc, VIDHALLOC, early=early))
    assert found.scores["overall"] == (50.0, 2, "pairs")
    assert found.scores["overall_answered"] == (100.0, 1, "pairs")
    assert found.scores["failed"] == (1.0, 4, "answers")
    assert found.scores["undecided"] == (25.0, 4, "answers")
