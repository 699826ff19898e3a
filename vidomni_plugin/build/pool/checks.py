"""Whether a measured video is fit for the pool: pure functions of what was measured."""

from __future__ import annotations

from typing import NamedTuple

from vidomni_plugin.build.pool.measure import Facts
from vidomni_plugin.build.pool.reasons import Reason
from vidomni_plugin.build.pool.settings import Thresholds

__all__ = ["Verdict", "check"]

FEWEST_FRAMES = 2
"""A single frame is a picture."""


class Verdict(NamedTuple):
    """Why a video is rejected."""

    reason: Reason
    detail: str


def check(facts: Facts, limits: Thresholds) -> Verdict | None:
    """Return the first check that a video fails, or None for a fit one.

    A black video has this reason although it is frozen as well. Frozen is not the same as still:
    a frozen video is one picture all along, a still one moves little and is kept.
    """
    seconds = facts.duration_s
    if facts.frames < FEWEST_FRAMES:
        return Verdict(Reason.TOO_SHORT, "a single frame")
    if seconds <= 0 or seconds < limits.min_seconds:
        return Verdict(Reason.TOO_SHORT, f"{seconds:.2f} s, less than {limits.min_seconds:g} s")
    if limits.max_seconds is not None and seconds > limits.max_seconds:
        return Verdict(Reason.TOO_LONG, f"{seconds:.2f} s, more than {limits.max_seconds:g} s")
    if min(facts.width, facts.height) < limits.min_side:
        size = f"{facts.width}x{facts.height} pixels"
        return Verdict(Reason.TOO_SMALL, f"{size}; the shorter side needs {limits.min_side}")
    if facts.black >= limits.black_share:
        return Verdict(Reason.BLACK, f"{100 * facts.black:.0f}% of the frames are black")
    if facts.largest_change < limits.frozen_level:
        detail = f"no part changes by more than {facts.largest_change:.1f} of 255 grey levels"
        return Verdict(Reason.FROZEN, detail)
    return None
