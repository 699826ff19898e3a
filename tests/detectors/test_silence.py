"""What is said of answers without a verdict: reasons, statuses behind them, the way out."""

from __future__ import annotations

from loguru import logger

from vidomni_plugin.detectors.answer import answer
from vidomni_plugin.detectors.silence import silence
from vidomni_plugin.vidhalloc import task
from vidomni_plugin.vidhalloc.metrics import metric_items


def test_reasons_and_statuses_are_counted_the_most_frequent_first():
    told = silence(
        [("no_threshold", None), *[("no_score", "too_long")] * 2, ("no_score", "no_video_tokens")]
    )
    assert told.why == "no_score 3 (too_long 2, no_video_tokens 1), no_threshold 1"
    assert len(told.ways_out) == 2
    assert "vidomni calibrate" in told.ways_out[0]
    assert "long_text=truncate" in told.ways_out[1]


def test_nothing_is_advised_where_nothing_is_known():
    assert silence([("empty", None)]) == ("empty 1", ())
    assert silence([]) == ("", ())


def test_a_file_with_many_long_statuses_does_not_fill_the_screen():
    told = silence([("no_score", f"{k}" * 10_000) for k in range(50)])
    assert len(told.why) < 400
    assert told.why.endswith("...)")


def items(response: str) -> dict[str, dict[str, object]]:
    doc = dict.fromkeys(task.IN_DETAIL) | {
        "pair_id": "p",
        "video_id": "v",
        "side": "factual",
        "category": "eeh",
        "missing": 0,
    }
    return metric_items(task.detail(doc, response))


def test_the_hosts_log_names_status_and_way_out():
    said: list[str] = []
    sink = logger.add(said.append, format="{message}", level="WARNING")
    try:
        rows = [items(answer(None, 0.5, status="too_long"))["undecided"] for _ in range(3)]
        assert task.undecided([*rows, items("ACCEPT")["undecided"]]) == 75
    finally:
        logger.remove(sink)
    assert len(said) == 1
    assert "3 of 4 answers give no verdict: no_score 3 (too_long 3)" in said[0]
    assert "long_text=truncate" in said[0]


def test_a_status_that_is_no_text_is_none():
    detail = items(answer(None, 0.5, status=[1, {"a": 2}]))["overall"]
    assert detail["detector_status"] is None
    assert detail["reason"] == "no_score"
