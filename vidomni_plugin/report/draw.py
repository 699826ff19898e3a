"""Figures of a report: drawn here, and written by processes beside this one where there are some.

To draw takes a third of the time; layout, SVG and PNG take the rest, and need the figure only.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import TYPE_CHECKING

from vidomni_plugin.figures import Draw, save_figure
from vidomni_plugin.interrupts import without_ctrl_c

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Say", "drawn", "helpers"]

Say = Callable[[str], None]
"""Told what is being done, before it is done."""
HELPERS = 2
"""Processes beside this one; each takes 100 MB, and this one keeps two busy."""


def helpers() -> int:
    """Return how many processes may write figures beside this one: none on a single core."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        cores = os.cpu_count() or 1
    return HELPERS if cores > 1 else 0


@contextmanager
def drawn(
    figures: Sequence[tuple[str, Draw]], folder: Path, beside: int, say: Say
) -> Iterator[Callable[[], list[Path]]]:
    """Draw figures into a folder; yield a function that waits and returns their files, in order.

    What happens before it is called goes on while figures are written. If the processes beside
    this one cannot be started, or die, this one writes the figures.

    Args:
        figures: Names and what draws them.
        folder: There already.
        beside: Processes beside this one; 0 for none. A script that wants some needs
            ``if __name__ == "__main__"``: they import it.
        say: Told what is being done.

    Raises:
        OSError: By the function that is yielded, if the folder cannot be written.
    """
    count = len(figures)
    pool = _pool(min(beside, count)) if beside and count > 1 else None
    try:
        files: list[list[Path] | Future[list[Path]] | None] = []
        for number, (name, draw) in enumerate(figures, 1):
            say(f"figure {number} of {count}")
            figure = draw()
            files.append(
                _sent(pool, figure, folder, name) if pool else save_figure(figure, folder, name)
            )

        @cache
        def wait() -> list[Path]:
            found: list[Path] = []
            for number, ((name, draw), given) in enumerate(zip(figures, files, strict=True), 1):
                say(f"figure {number} of {count}: its files")
                done = _received(given) if isinstance(given, Future) else given
                found += save_figure(draw(), folder, name) if done is None else done
            return found

        yield wait
    finally:
        if pool:
            pool.shutdown(cancel_futures=True)


def _pool(processes: int) -> ProcessPoolExecutor | None:
    try:
        # "spawn" is there on every system, and safe beside the thread of a progress bar.
        return ProcessPoolExecutor(processes, get_context("spawn"), _follow_parent)
    except (ImportError, NotImplementedError, OSError):  # systems without semaphores
        return None


def _sent(
    pool: ProcessPoolExecutor, figure: Figure, folder: Path, name: str
) -> Future[list[Path]] | None:
    """Return what will be the files; None where no process can be had."""
    try:
        with without_ctrl_c():
            return pool.submit(save_figure, figure, folder, name)
    except (BrokenExecutor, OSError):
        return None


def _received(future: Future[list[Path]]) -> list[Path] | None:
    try:
        return future.result()
    except BrokenExecutor:  # such as one that was killed for its memory
        return None


def _follow_parent() -> None:
    """Ignore Ctrl-C, and end when the process that started this one has ended in any way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
