"""How far a run is, on stderr: a bar in a terminal, a line a minute in a log file."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from loguru import logger
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from vidomni_plugin.console import make_reentrant
from vidomni_plugin.wording import counted

__all__ = ["Videos", "spoken"]

EVERY_SECONDS = 60.0
"""Seconds between two lines of a log file."""


class Videos:
    """Counts videos and failures of one call; shown by the first rank only.

    Args:
        total: Videos to ask about.
        shown: Whether to show anything.
    """

    def __init__(self, total: int, *, shown: bool) -> None:
        self._total = total
        self._done = 0
        self._failed = 0
        self._answers = 0
        self._shown = shown and total > 1
        self._start = self._last = time.monotonic()
        self._bar: Progress | None = None

    def __enter__(self) -> Videos:
        make_reentrant()
        if self._shown and sys.stderr.isatty():
            # What a model prints belongs to stdout, and stays there.
            self._bar = Progress(
                TextColumn("videos"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[more]}"),
                TimeRemainingColumn(elapsed_when_finished=True),
                console=Console(stderr=True),
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._bar.add_task("videos", total=self._total, more="")
            self._bar.start()
        return self

    def answered(self, *, failed: bool) -> None:
        """Count one answer, or one failure."""
        self._answers += 1
        self._failed += failed
        self._show()

    def video_done(self, videos: int = 1) -> None:
        """Count videos that have all their answers."""
        self._done += videos
        self._show()

    def _show(self) -> None:
        if self._bar is not None:
            more = f"{counted(self._answers, 'answer')}, {self._failed} failed"
            self._bar.update(self._bar.task_ids[0], completed=self._done, more=more)
        elif self._shown and time.monotonic() - self._last >= EVERY_SECONDS:
            self._last = time.monotonic()
            logger.info(self.line())

    def line(self) -> str:
        """Return how far the run is, as one line."""
        text = f"{self._done} of {counted(self._total, 'video')}, "
        text += f"{counted(self._answers, 'answer')}, {self._failed} failed"
        if not self._done:
            return text
        rest = (time.monotonic() - self._start) / self._done * (self._total - self._done)
        return f"{text}, about {spoken(rest)} left"

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def spoken(seconds: float) -> str:
    """Return a duration as hours, minutes and seconds.

    Example:
        >>> spoken(4021.4), spoken(59.6)
        ('1:07:01', '0:01:00')
    """
    minutes, left = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{left:02d}"
