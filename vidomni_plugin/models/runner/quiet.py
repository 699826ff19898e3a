"""Silence the bars of an inner model: it is called once a question and would draw one each time."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["quiet"]


@contextmanager
def quiet() -> Iterator[None]:
    """Draw no bar of tqdm inside, however it was imported; what is printed stays visible."""
    from tqdm.std import tqdm

    drawn = tqdm.__init__

    @functools.wraps(drawn)
    def hidden(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        drawn(self, *args, **{**kwargs, "disable": True})

    tqdm.__init__ = hidden
    try:
        yield
    finally:
        tqdm.__init__ = drawn
