"""Whether a threshold would be judged on videos that it was chosen on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.vidhalloc.splits import Video
from vidomni_plugin.vidhalloc.thresholds import calibration_of
from vidomni_plugin.wording import counted

__all__ = ["CalibratedOn", "OverlapPolicy", "calibrated_on", "overlap_policy"]

OverlapPolicy = Literal["refuse", "allow"]
"""What becomes of a run with such videos: it does not start, or its answers say so."""
SHOWN = 5
"""Videos that a message names."""
HINT = (
    "judge other videos (as --tasks vidhalloc_eval after `vidomni calibrate --split main`), or "
    "calibrate on others; threshold_overlap=allow judges them all the same, and each answer says so"
)


@dataclass(frozen=True, slots=True)
class CalibratedOn:
    """The videos that a threshold was chosen on."""

    file: str
    """The calibration."""
    videos: frozenset[str]
    """As ``task_type/video_id``."""
    digests: frozenset[str]
    """Their content: a copy under another name is the same video."""

    def saw(self, doc: Mapping[str, Any]) -> bool:
        """Return whether the video of a document of VidHalLoc, or a copy of it, is among them."""
        return _video(doc) in self.videos or doc.get("media_digest") in self.digests

    def shared(self, docs: Iterable[Mapping[str, Any]]) -> Problem | None:
        """Return what is wrong with judging some documents; None where no video is shared."""
        judged = {_video(doc): self.saw(doc) for doc in docs}
        seen = sorted(video for video, known in judged.items() if known)
        if not seen:
            return None
        named = ", ".join(
            video if video in self.videos else f"{video} (the same content under another name)"
            for video in seen[:SHOWN]
        )
        more = f" and {len(seen) - SHOWN} more" if len(seen) > SHOWN else ""
        message = (
            f"chosen on {len(seen)} of the {counted(len(judged), 'video')} to be judged: "
            f"{named}{more}"
        )
        return Problem("threshold-overlap", self.file, message, HINT)

    def refuse(self, title: str, docs: Iterable[Mapping[str, Any]]) -> None:
        """Raise InputProblems where a video of some documents is among them."""
        if problem := self.shared(docs):
            raise InputProblems(title, [problem])


def calibrated_on(threshold: object) -> CalibratedOn | None:
    """Return what a detector's setting ``threshold`` was chosen on.

    Returns:
        None where that is not known: a number, a published threshold, or none.

    Raises:
        InputProblems: If it is neither of these nor a calibration.
    """
    found = calibration_of(threshold)
    if found is None:
        return None
    file = str(path_of(str(threshold).strip()))
    return CalibratedOn(file, frozenset(found.videos), frozenset(found.media_digests))


def overlap_policy(given: object) -> OverlapPolicy:
    """Return the setting ``threshold_overlap``.

    Raises:
        ValueError: If it is none.

    Example:
        >>> overlap_policy("allow"), overlap_policy("")
        ('allow', 'refuse')
    """
    policies: tuple[OverlapPolicy, ...] = get_args(OverlapPolicy)
    text = "refuse" if given in (None, "") else str(given)
    for policy in policies:
        if text == policy:
            return policy
    raise ValueError(f"threshold_overlap={text} is not known; give one of {', '.join(policies)}")


def _video(doc: Mapping[str, Any]) -> str:
    return str(Video(str(doc.get("task_type")), str(doc.get("video_id"))))
