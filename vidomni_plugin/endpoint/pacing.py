"""When the next request may start: one pace for all threads."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime

__all__ = ["Pacer", "retry_after_s"]

LONGEST_HOLD_S = 120.0
"""No server is obeyed that wants a longer wait: a daily limit is a failure, not a pause."""
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
SLICE_S = 0.25
"""Longest sleep at a time: so soon a thread sees that it is to stop."""


class Pacer:
    """Spaces the requests of all threads evenly, and holds all of them where a server asks so.

    Args:
        requests_per_minute: None for no limit.
        seed: Of the jitter.
        clock: Returns seconds that never go back.
        sleep: Waits so many seconds.

    Raises:
        ValueError: If the rate is not above zero.
    """

    def __init__(
        self,
        requests_per_minute: float | None = None,
        *,
        seed: int = 0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if requests_per_minute is not None and not (
            math.isfinite(requests_per_minute) and requests_per_minute > 0
        ):
            raise ValueError(f"{requests_per_minute} requests per minute")
        self._interval = 60 / requests_per_minute if requests_per_minute else 0.0
        self._random = random.Random(seed)
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._next = -math.inf
        self._held_until = -math.inf

    def wait(self, stop: threading.Event | None = None) -> bool:
        """Wait for the turn of this thread.

        Returns:
            Whether it may start; False if ``stop`` was set meanwhile.
        """
        while not (stop and stop.is_set()):
            with self._lock:
                now = self._clock()
                due = max(self._next, self._held_until)
                if now >= due:
                    self._next = now + self._interval
                    return True
            self._sleep(min(due - now, SLICE_S))
        return False

    def hold(self, seconds: float) -> None:
        """Let no thread start for so many seconds, 120 at most."""
        with self._lock:
            until = self._clock() + min(max(seconds, 0.0), LONGEST_HOLD_S)
            self._held_until = max(self._held_until, until)

    def back_off(self, failures: int, stop: threading.Event | None = None) -> bool:
        """Let this thread wait after a failure: 1 s, then twice as long each time, 60 s at most.

        A random part of the second half is left out, so that threads that failed together do not
        come back together.

        Args:
            failures: How often the call has failed, 1 or more.
            stop: Ends the wait.

        Returns:
            False if ``stop`` was set meanwhile.
        """
        longest = min(FIRST_WAIT_S * 2.0 ** min(failures - 1, 30), LONGEST_WAIT_S)
        with self._lock:
            end = self._clock() + longest * self._random.uniform(0.5, 1.0)
        while not (stop and stop.is_set()):
            left = end - self._clock()
            if left <= 0:
                return True
            self._sleep(min(left, SLICE_S))
        return False


def retry_after_s(
    headers: Mapping[str, str], wall_clock: Callable[[], float] = time.time
) -> float | None:
    """Return for how many seconds a server wants to be left alone; None where it does not say.

    Reads ``retry-after-ms``, and ``Retry-After`` in seconds or as a date (RFC 9110, 10.2.3).

    Example:
        >>> retry_after_s({"retry-after": "7"}), retry_after_s({})
        (7.0, None)
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name) or "") * unit
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        date = parsedate_to_datetime(headers.get("retry-after") or "")
        return max(0.0, date.timestamp() - wall_clock())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
