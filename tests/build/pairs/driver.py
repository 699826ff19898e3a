"""Runs of the workflow in processes of their own, which a test kills where it wants to.

They are forks of a process that has imported all this: no start takes the seconds that imports do.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import av  # noqa: F401 - imported once for all forks
import openai.resources.chat.completions  # noqa: F401
import PIL.JpegImagePlugin  # noqa: F401
from langgraph.checkpoint.sqlite import SqliteSaver

from tests.build.pairs.running import a_plan, go
from vidomni_plugin.build.pairs.store import Store
from vidomni_plugin.build.pairs.videos import VideoFile

__all__ = ["INTERRUPTED", "At", "start"]

At = Literal["", "before state", "after state", "before store", "after store"]
"""Where a process kills itself: the first time it writes a state of the graph, or to the store."""
INTERRUPTED = 130
SECONDS = 60


def start(
    url: str,
    videos: Sequence[VideoFile],
    out: Path,
    *,
    at: At = "",
    begun: Callable[[int], None] = lambda pid: None,
    workers: int = 1,
    **changes: Any,
) -> int:
    """Run to the end, or to the death of the process, and return its exit code."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    process = context.Process(target=_run, args=(url, videos, out, at, workers, changes))
    process.start()
    begun(process.pid or 0)
    process.join(SECONDS)
    if process.exitcode is None:
        process.kill()
        process.join()
        raise TimeoutError("the run hangs")
    return process.exitcode


def _run(
    url: str,
    videos: Sequence[VideoFile],
    out: Path,
    at: At,
    workers: int,
    changes: dict[str, Any],
) -> None:
    os.environ["OPENAI_API_KEY"] = "sk-secret-of-the-test"
    signal.signal(signal.SIGINT, signal.default_int_handler)
    when, _, what = at.partition(" ")
    if what == "state":
        _die_at_states(when)
    if what == "store":
        _die_at_store(when)
    try:
        ended = go(url, a_plan(videos, **changes), out, workers=workers)
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
    os._exit(0 if ended.state != "stopped" else 1)


def _die(*_: object) -> None:
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGKILL)


def _die_at_states(when: str) -> None:
    put = SqliteSaver.put

    def last(self: SqliteSaver, config: Any, state: Any, about: Any, versions: Any) -> Any:
        if about["source"] == "input":  # nothing was done yet
            return put(self, config, state, about, versions)
        if when == "after":
            put(self, config, state, about, versions)
        return _die()

    SqliteSaver.put = last  # type: ignore[method-assign]


def _die_at_store(when: str) -> None:
    change = Store._change

    @contextmanager
    def last(self: Store) -> Any:
        if when == "before":
            _die()
        with change(self) as db:
            yield db
        _die()

    Store._change = last  # type: ignore[method-assign]
