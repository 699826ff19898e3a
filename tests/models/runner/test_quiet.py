"""What an inner model says at each call: once a run."""

from __future__ import annotations

import io
import logging

import pytest
from loguru import logger
from tqdm import tqdm

from vidomni_plugin.models.runner.quiet import EACH_VIDEO, quiet


def test_a_warning_of_each_video_is_said_once_and_an_error_always(caplog):
    log = logging.getLogger(EACH_VIDEO)
    with quiet():
        for most in (100.5, 200.5):
            log.warning(f"The given max_pixels[{most}] exceeds limit[{most / 2}].")
            log.error("no video")
        log.warning("something else")
    said = [record.getMessage()[:15] for record in caplog.records]
    assert said == ["The given max_p", "no video", "no video", "something else"]
    log.warning("something else")
    assert len(caplog.records) == 5


@pytest.mark.host
def test_the_speed_of_each_call_is_kept_and_not_logged():
    from lmms_eval.models.model_utils import gen_metrics

    said: list[str] = []
    number = logger.add(said.append)
    known = len(gen_metrics.get_logged_metrics_history())
    try:
        with quiet():
            gen_metrics.log_metrics(1.0, 10, 10.0)
        assert said == []
        gen_metrics.log_metrics(1.0, 10, 10.0)
        assert len(said) == 1
    finally:
        logger.remove(number)
    assert len(gen_metrics.get_logged_metrics_history()) == known + 2


def test_bars_are_drawn_again_behind_it():
    texts = [io.StringIO(), io.StringIO()]
    with quiet():
        list(tqdm(range(2), file=texts[0]))
    list(tqdm(range(2), file=texts[1]))
    assert not texts[0].getvalue()
    assert "2/2" in texts[1].getvalue()
