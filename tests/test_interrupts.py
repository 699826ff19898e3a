"""Ctrl-C is remembered where something drops it, and the handler is put back."""

from __future__ import annotations

import signal
import threading

import pytest

from vidomni_plugin.interrupts import first_gently, stop_if_interrupted, watched


def _dropped() -> None:
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_dropped_ctrl_c_is_raised_at_the_next_look():
    before = signal.getsignal(signal.SIGINT)
    with watched():
        stop_if_interrupted()
        with watched():
            _dropped()
        with pytest.raises(KeyboardInterrupt):
            stop_if_interrupted()
    assert signal.getsignal(signal.SIGINT) is before
    stop_if_interrupted()


def test_what_came_before_does_not_count():
    with watched():
        _dropped()
    with watched():
        stop_if_interrupted()


@pytest.mark.parametrize("ignored", [signal.SIG_IGN, signal.SIG_DFL])
def test_where_ctrl_c_does_something_else_nothing_is_changed(ignored):
    before = signal.signal(signal.SIGINT, ignored)
    try:
        with watched():
            assert signal.getsignal(signal.SIGINT) == ignored
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_thread_can_use_it():
    seen: list[object] = []

    def work() -> None:
        with watched():
            seen.append(signal.getsignal(signal.SIGINT))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_is_gentle_and_each_later_one_is_not(number):
    done: list[str] = []
    before = signal.getsignal(number)
    with first_gently(lambda: done.append("gently"), lambda: done.append("at once")):
        signal.raise_signal(number)
        assert done == ["gently"]
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
    assert done == ["gently", "at once", "at once"]
    assert signal.getsignal(number) is before


def test_a_gentle_end_does_not_listen_to_what_is_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with first_gently(lambda: None, lambda: None):
            assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
