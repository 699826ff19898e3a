"""Writing to the terminal must never wait for itself."""

from __future__ import annotations

import sys
import threading

__all__ = ["make_reentrant"]

_CAPTURE = "wandb.sdk.lib.console_capture"


def make_reentrant() -> None:
    """Let a thread that writes to the terminal write again meanwhile.

    The host imports wandb, which takes a lock at every write to stdout and stderr. A progress bar
    that was left open, as by a request that failed, writes when it is collected; if that happens
    under the lock, in the same thread, the run stands still for good. With a lock that a thread
    may take twice nothing else changes. Without wandb there is nothing to do.
    """
    capture = sys.modules.get(_CAPTURE)
    if isinstance(getattr(capture, "_module_lock", None), type(threading.Lock())):
        capture._module_lock = threading.RLock()  # type: ignore[union-attr]
