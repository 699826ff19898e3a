"""The host's command in this process: what it swallows is told."""

from __future__ import annotations

import argparse
import contextlib
import signal

import pytest

from vidomni_plugin.run.host_command import call_host


def test_ctrl_c_that_the_host_swallows_ends_the_run(monkeypatch):
    import lmms_eval.__main__ as command

    def swallows(told: argparse.Namespace) -> None:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(command, "cli_evaluate", swallows)
    with pytest.raises(KeyboardInterrupt):
        call_host(argparse.Namespace())
