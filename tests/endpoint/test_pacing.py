"""Pace, holds and waits, on a clock that the tests move."""

import threading
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.endpoint.clock import Clock
from vidomni_plugin.endpoint.pacing import LONGEST_HOLD_S, Pacer, retry_after_s


def make(per_minute=None, **options):
    clock = Clock()
    return Pacer(per_minute, clock=clock, sleep=clock.sleep, **options), clock


def test_requests_are_spaced_evenly():
    pacer, clock = make(30)
    starts = []
    for _ in range(5):
        assert pacer.wait()
        starts.append(clock.now)
    assert starts == pytest.approx([0, 2, 4, 6, 8])


def test_without_a_rate_nobody_waits():
    pacer, clock = make()
    assert all(pacer.wait() for _ in range(100))
    assert clock.slept == []


@pytest.mark.parametrize("rate", [0, -1, float("nan"), float("inf")])
def test_no_rate(rate):
    with pytest.raises(ValueError, match="requests per minute"):
        Pacer(rate)


@given(st.integers(1, 8), st.floats(1, 6000), st.floats(0, 50))
def test_threads_together_are_no_faster_than_the_rate(threads, rate, held):
    pacer, clock = make(rate)
    pacer.hold(held)

    def run():
        for _ in range(3):
            assert pacer.wait()

    workers = [threading.Thread(target=run) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    # 3 turns a thread take at least so long, whoever gets which.
    assert clock.now >= held + (3 * threads - 1) * 60 / rate - 1e-6


def test_a_hold_is_for_all_and_only_grows():
    pacer, clock = make()
    pacer.hold(20)
    pacer.hold(5)
    pacer.wait()
    assert clock.now == pytest.approx(20)


def test_a_hold_is_never_longer_than_the_cap():
    pacer, clock = make()
    pacer.hold(86_400)
    pacer.wait()
    assert clock.now == pytest.approx(LONGEST_HOLD_S)


def test_a_hold_reaches_those_who_wait_already():
    pacer, clock = make(6)
    pacer.wait()

    def sleep(seconds):
        if not clock.slept:
            pacer.hold(60)
        clock.sleep(seconds)

    pacer._sleep = sleep
    pacer.wait()
    assert clock.now == pytest.approx(60)


def test_waits_after_failures_double_up_to_a_limit():
    pacer, clock = make(seed=3)
    waits = []
    for failures in (1, 2, 3, 4, 7, 50):
        before = clock.now
        assert pacer.back_off(failures)
        waits.append(clock.now - before)
    for wait, longest in zip(waits, (1, 2, 4, 8, 60, 60), strict=True):
        assert longest / 2 <= wait <= longest + 1e-9
    other, same = make(seed=4), make(seed=3)
    for pacer, _ in (other, same):
        pacer.back_off(1)
    assert same[1].now == pytest.approx(waits[0])
    assert other[1].now != pytest.approx(waits[0])


def test_a_stop_ends_every_wait():
    stop = threading.Event()
    pacer, clock = make(1)
    pacer.wait()

    def sleep(seconds):
        clock.sleep(seconds)
        if clock.now > 3:
            stop.set()

    pacer._sleep = sleep
    assert not pacer.wait(stop)
    assert clock.now < 4
    assert not pacer.back_off(9, stop)
    assert clock.now < 4


NOW = 1_800_000_000


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "1"}, 1),
        ({"retry-after": formatdate(NOW + 30, usegmt=True)}, 30),
        ({"retry-after": formatdate(NOW - 30, usegmt=True)}, 0),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "tomorrow"}, None),
        ({"retry-after": "Wed, 99 Foo 99999 99:99:99 GMT"}, None),
    ],
)
def test_how_long_a_server_wants_to_be_left_alone(headers, seconds):
    assert retry_after_s(headers, lambda: NOW) == seconds
