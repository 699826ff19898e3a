"""Why a video is not in the pool: a closed list of reasons, each with its stage and meaning."""

from __future__ import annotations

from enum import Enum
from typing import Literal, NamedTuple

__all__ = ["MEANINGS", "Meaning", "Reason", "Stage"]

Stage = Literal["find", "decode", "check", "duplicate"]
"""The stages in their order; a video has the reason of the first that rejects it."""


class Reason(str, Enum):
    """Short stable name of why a video is rejected."""

    BROKEN_LINK = "broken_link"
    NOT_A_FILE = "not_a_file"
    UNREADABLE = "unreadable"
    BAD_NAME = "bad_name"
    CHANGED = "changed"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    UNDECODABLE = "undecodable"
    NO_VIDEO_STREAM = "no_video_stream"
    NO_FRAMES = "no_frames"
    DAMAGED = "damaged"
    CRASHED = "crashed"
    STUCK = "stuck"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    TOO_SMALL = "too_small"
    BLACK = "black"
    FROZEN = "frozen"
    EXACT_DUPLICATE = "exact_duplicate"
    NEAR_DUPLICATE = "near_duplicate"


class Meaning(NamedTuple):
    """When a reason is given."""

    stage: Stage
    text: str


MEANINGS: dict[Reason, Meaning] = {
    Reason.BROKEN_LINK: Meaning("find", "a symbolic link that leads nowhere or to itself"),
    Reason.NOT_A_FILE: Meaning("find", "a folder, pipe or device with the name of a video"),
    Reason.UNREADABLE: Meaning("find", "a file or folder that may not be read, or a disk error"),
    Reason.BAD_NAME: Meaning("find", "a path that is no Unicode text: rename the file"),
    Reason.CHANGED: Meaning("find", "a file that was written to while it was read: run again"),
    Reason.EMPTY: Meaning("decode", "a file of no bytes"),
    Reason.TRUNCATED: Meaning(
        "decode", "a file that ends before its container or its stream says it does"
    ),
    Reason.UNDECODABLE: Meaning("decode", "no video, or one with a part that cannot be decoded"),
    Reason.NO_VIDEO_STREAM: Meaning("decode", "a file with sound or subtitles only"),
    Reason.NO_FRAMES: Meaning("decode", "a video stream that gives no frame"),
    Reason.DAMAGED: Meaning("decode", "the decoder marked a frame as damaged"),
    Reason.CRASHED: Meaning(
        "decode", "the decoder's process died; not remembered, the next call tries again"
    ),
    Reason.STUCK: Meaning(
        "decode",
        "the decoder gave no frame for `--stuck-seconds`; not remembered, the next call tries "
        "again",
    ),
    Reason.TOO_SHORT: Meaning("check", "shorter than `--min-seconds`, or a single frame"),
    Reason.TOO_LONG: Meaning("check", "longer than `--max-seconds`"),
    Reason.TOO_SMALL: Meaning("check", "the shorter side is below `--min-side` pixels"),
    Reason.BLACK: Meaning("check", "at least `--black-share` of the frames are black"),
    Reason.FROZEN: Meaning(
        "check", "no part of the picture changes by more than `--frozen-level` in the whole video"
    ),
    Reason.EXACT_DUPLICATE: Meaning("duplicate", "the same bytes as a video of the pool"),
    Reason.NEAR_DUPLICATE: Meaning(
        "duplicate",
        "the same pictures at the same relative times as a video of the pool, encoded, scaled or "
        "cropped in another way",
    ),
}
"""Stage and meaning of every reason, in the order of the stages."""
