"""A clock that a test moves, so that no test waits."""

from __future__ import annotations

import threading


class Clock:
    """Sleeping moves it on at once; all threads share the time."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []
        self._lock = threading.Lock()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.now += seconds
            self.slept.append(seconds)
