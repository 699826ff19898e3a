"""Whether a file is the video that the manifest means (pure: facts in, reason out)."""

from __future__ import annotations

from dataclasses import dataclass

from vidomni_plugin.data.durations import duration_differs
from vidomni_plugin.data.fetch.reasons import Reason
from vidomni_plugin.records import VidOmniVideo

__all__ = ["Refusal", "Seen", "duration_refusal", "judge"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a video is not taken, and the words behind it."""

    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class Seen:
    """What a file is."""

    sha256: str
    duration_s: float
    has_audio: bool
    error: str = ""
    """Why it cannot be decoded; empty for a usable file."""


def duration_refusal(
    expected: float | None, seen: float, *, rounding: float = 0.0
) -> Refusal | None:
    """Return why a duration does not fit, or None; all in seconds.

    ``rounding`` is what the one who told ``seen`` may have rounded away.

    Example:
        >>> duration_refusal(60.0, 59.0), duration_refusal(None, 7.0)
        (None, None)
        >>> duration_refusal(60.0, 30.0).reason, duration_refusal(60.0, 300.0).reason
        (<Reason.TOO_SHORT: 'too_short'>, <Reason.WRONG_DURATION: 'wrong_duration'>)
    """
    if expected is None or not duration_differs(expected, seen, rounding=rounding):
        return None
    reason = Reason.TOO_SHORT if seen < expected else Reason.WRONG_DURATION
    return Refusal(reason, f"{seen:.1f} s, the manifest says {expected:.1f} s")


def judge(video: VidOmniVideo, seen: Seen) -> Refusal | None:
    """Return why a file is not the video of this manifest line, or None if it is."""
    if seen.error:
        return Refusal(Reason.DECODER, seen.error)
    if video.sha256 and video.sha256 != seen.sha256:
        return Refusal(
            Reason.SHA256_DIFFERS,
            f"sha256 is {seen.sha256[:12]}..., the manifest says {video.sha256[:12]}...",
        )
    if refusal := duration_refusal(video.duration_s, seen.duration_s):
        return refusal
    if video.has_audio and not seen.has_audio:
        return Refusal(Reason.NO_SOUND, "the manifest says has_audio, the file has no sound")
    return None
