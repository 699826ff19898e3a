"""Writing to the terminal never waits for itself."""

from __future__ import annotations

import io
import threading

from vidomni_plugin.console import make_reentrant


def test_a_write_under_the_lock_of_wandb_comes_to_its_end(monkeypatch):
    from wandb.sdk.lib import console_capture

    monkeypatch.setattr(console_capture, "_module_lock", threading.Lock())
    stream = io.StringIO()
    console_capture._patch(stream, {})
    make_reentrant()

    def write_under_the_lock():
        with console_capture._module_lock:  # as where the collector runs within it
            stream.write("a bar that is collected")

    writing = threading.Thread(target=write_under_the_lock, daemon=True)
    writing.start()
    writing.join(10)
    assert not writing.is_alive()
    assert stream.getvalue() == "a bar that is collected"
    held = console_capture._module_lock
    make_reentrant()
    assert console_capture._module_lock is held


def test_the_host_makes_it_so():
    from wandb.sdk.lib import console_capture

    from vidomni_plugin.host import install_tasks

    install_tasks()
    assert not isinstance(console_capture._module_lock, type(threading.Lock()))
