"""Silence the bars and lines of an inner model: it is called once a question and repeats them."""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from loguru import logger

__all__ = ["quiet"]

EACH_CALL = "lmms_eval.models.model_utils.gen_metrics"
"""Logs the speed of each call of a model; the results file has that of the run."""
EACH_VIDEO = "qwen_vl_utils.vision_process"
"""Warns of the same setting at each video, with other numbers."""


class _Once(logging.Filter):
    """Lets each text pass once, whatever numbers are in it."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        text = re.sub(r"[\d.]+", "", record.getMessage())
        new = text not in self._seen
        self._seen.add(text)
        return new or record.levelno >= logging.ERROR


@contextmanager
def quiet() -> Iterator[None]:
    """Draw no bar of tqdm inside, however it was imported, and say once what is said each time.

    What is printed stays visible.
    """
    from tqdm.std import tqdm

    drawn = tqdm.__init__

    @functools.wraps(drawn)
    def hidden(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        drawn(self, *args, **{**kwargs, "disable": True})

    once, warns = _Once(), logging.getLogger(EACH_VIDEO)
    tqdm.__init__ = hidden
    warns.addFilter(once)
    logger.disable(EACH_CALL)
    try:
        yield
    finally:
        logger.enable(EACH_CALL)
        warns.removeFilter(once)
        tqdm.__init__ = drawn
