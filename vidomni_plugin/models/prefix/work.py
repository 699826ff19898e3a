"""What a run of a prefix runner did, and what the host's runner would have done."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

__all__ = ["Work"]


@dataclass(slots=True)
class Work:
    """Counts of one run; requests that went to the host's own runner are in ``by_host`` only."""

    requests: int = 0
    """Answered with shared work; the host reads and encodes the video for each of them."""
    by_host: int = 0
    videos: int = 0
    decodes: int = 0
    vision_passes: int = 0
    prompt_tokens: int = 0
    """Of the prompts with their videos: what the host prefills."""
    prefilled_tokens: int = 0
    """What was prefilled here; the padding of a batch counts."""
    output_tokens: int = 0
    seconds: float = 0.0
    """Of vision tower and language model; without decoding."""

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Add the time of what is done inside."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - start

    def saved(self) -> str:
        """Return one sentence for the log.

        Example:
            >>> print(Work(10, 1, 2, 2, 2, 6000, 1500).saved())
            10 requests about 2 videos: 2 decodes and 2 passes of the vision tower in place of 10; \
1,500 prompt tokens prefilled in place of 6,000; 1 more request by the host's own runner
        """
        text = (
            f"{_count(self.requests, 'request')} about {_count(self.videos, 'video')}: "
            f"{_count(self.decodes, 'decode')} and "
            f"{_count(self.vision_passes, 'pass', 'passes')} of the vision tower in place of "
            f"{self.requests:,}; {self.prefilled_tokens:,} prompt tokens prefilled in place of "
            f"{self.prompt_tokens:,}"
        )
        if self.by_host:
            text += f"; {_count(self.by_host, 'more request')} by the host's own runner"
        return text


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"
