"""Measure videos in processes beside this one: a decoder that crashes or hangs costs one video."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING

from vidomni_plugin.build.pool.measure import Measured, measure
from vidomni_plugin.build.pool.reasons import Reason
from vidomni_plugin.interrupts import without_ctrl_c

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

__all__ = ["measure_all"]

SIGN_OF_LIFE_S = 1.0
"""How often a process says that it still decodes."""
LEAVE_S = 2.0
"""A process that is told to end and does not within this time is killed."""


def measure_all(
    paths: Sequence[Path], side: int, workers: int, stuck_s: float
) -> Iterator[tuple[Path, Measured]]:
    """Yield each video with what was measured, as it is done.

    When the iteration ends in any way, the processes end; when this process is killed, they end
    at their next sign of life.

    Args:
        paths: The videos.
        side: See ``measure``.
        workers: How many processes at most.
        stuck_s: A decoder that gives no frame for so long is given up.
    """
    todo = list(reversed(paths))
    crew = [_Worker(side) for _ in range(min(workers, len(paths)))]
    try:
        for worker in crew:
            worker.begin(todo.pop())
        while busy := [worker for worker in crew if worker.path is not None]:
            ready = wait([worker.connection for worker in busy], timeout=SIGN_OF_LIFE_S)
            for worker in busy:
                found = worker.news() if worker.connection in ready else None
                if found is None and worker.is_stuck(stuck_s):
                    worker.restart()
                    detail = f"no frame for {stuck_s:g} s"
                    found = Measured(reason=Reason.STUCK, detail=detail)
                if found is not None:
                    path = worker.path
                    assert path is not None
                    worker.path = None
                    if todo:
                        worker.begin(todo.pop())
                    yield path, found
    finally:
        for worker in crew:
            worker.stop()


class _Worker:
    """A process that measures one video after another."""

    def __init__(self, side: int) -> None:
        self._side = side
        self.path: Path | None = None
        self._start()

    def _start(self) -> None:
        context = get_context("spawn")  # on every system, and safe beside a progress bar's thread
        self.connection, theirs = context.Pipe()
        self._process: SpawnProcess = context.Process(
            target=_serve, args=(theirs, self._side), daemon=True
        )
        with without_ctrl_c():  # it ends this process, and this one ends the others
            self._process.start()
        theirs.close()

    def begin(self, path: Path) -> None:
        self.path = path
        self._heard = time.monotonic()
        with suppress(OSError):  # a process that died is noticed when it is listened to
            self.connection.send(str(path))

    def news(self) -> Measured | None:
        """Return the result, or None for a sign of life."""
        try:
            message: Measured | None = self.connection.recv()
        except (EOFError, OSError):
            self._process.join(LEAVE_S)
            code = self._process.exitcode
            self.restart()
            return Measured(reason=Reason.CRASHED, detail=f"its process ended with {code}")
        self._heard = time.monotonic()
        return message

    def is_stuck(self, stuck_s: float) -> bool:
        return time.monotonic() - self._heard > stuck_s

    def restart(self) -> None:
        self._kill()
        self._start()

    def stop(self) -> None:
        if self.path is None:
            with suppress(OSError):
                self.connection.send(None)
            self._process.join(LEAVE_S)
        self._kill()

    def _kill(self) -> None:
        self.connection.close()
        if self._process.is_alive():
            self._process.kill()
        self._process.join()


def _serve(connection: Connection, side: int) -> None:
    """Answer paths with what was measured, until told to end or the other side is gone."""
    said = time.monotonic()

    def alive(frames: int) -> None:
        nonlocal said
        if time.monotonic() - said > SIGN_OF_LIFE_S:
            said = time.monotonic()
            connection.send(None)

    with suppress(EOFError, OSError):
        while (path := connection.recv()) is not None:
            connection.send(measure(Path(path), side, alive))
