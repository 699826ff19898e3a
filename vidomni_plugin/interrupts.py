"""Ctrl-C that is not lost: Python drops it where it lands in a destructor or a callback."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["first_gently", "stop_if_interrupted", "watched", "without_ctrl_c"]

_seen = threading.Event()
_depth = [0]


@contextmanager
def watched() -> Iterator[None]:
    """Remember every Ctrl-C inside, besides what else it does; the handler is put back after.

    May be used inside of itself. Does nothing in a thread, and where Ctrl-C is ignored or kills.
    """
    before = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or not callable(before) or _depth[0]:
        yield
        return
    _seen.clear()
    _depth[0] = 1
    signal.signal(signal.SIGINT, _noting(before))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        _depth[0] = 0
        _seen.clear()


def stop_if_interrupted() -> None:
    """Raise for a Ctrl-C that somebody swallowed.

    Raises:
        KeyboardInterrupt: If there was one since ``watched`` began.
    """
    if _seen.is_set():
        raise KeyboardInterrupt


@contextmanager
def without_ctrl_c() -> Iterator[None]:
    """Keep Ctrl-C from processes that start: it ends this one, and this one ends them.

    Here it comes as soon as the block is over.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


Handler = Callable[[int, FrameType | None], object]


def _noting(before: Handler) -> Handler:
    def handle(number: int, frame: FrameType | None) -> object:
        _seen.set()
        return before(number, frame)

    return handle


@contextmanager
def first_gently(gently: Callable[[], None], at_once: Callable[[], None]) -> Iterator[None]:
    """Do one thing at the first Ctrl-C or SIGTERM inside, and another at each later one.

    The handlers are put back after. Does nothing in a thread; an ignored signal stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    seen = threading.Event()

    def handler(_number: int, _frame: FrameType | None) -> None:
        if seen.is_set():
            at_once()
        else:
            seen.set()
            gently()

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {one: was for one in numbers if (was := signal.getsignal(one)) != signal.SIG_IGN}
    for number in before:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, was in before.items():
            signal.signal(number, was)
