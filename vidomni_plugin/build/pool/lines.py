"""The lines of a pool's files: videos that are in it, and files that are not."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from vidomni_plugin.data.releases import Release, read_records
from vidomni_plugin.records import Id

__all__ = [
    "POOL",
    "REJECTED",
    "SAMPLE",
    "PoolVideo",
    "Task",
    "Third",
    "read_pool",
    "spelled",
    "video_id_of",
]

POOL = "pool.jsonl"
REJECTED = "rejected.jsonl"
SAMPLE = "sample.jsonl"
LONGEST_STEM = 80
"""Characters of a file's name in an id; the rest of the id tells videos apart."""
DIGITS = 12
"""Of the content hash in an id: 48 bits, enough for files that are all called video.mp4."""

Task = Literal["video_qa", "video_captioning"]
Third = Literal["low", "middle", "high"]


class PoolVideo(BaseModel):
    """A video of the pool: one line of ``pool.jsonl``, and of ``sample.jsonl``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    video_id: Id
    path: str
    """Absolute."""
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    parent: str
    """The recording that the video was cut from; the video's own id where that is not known."""
    source: str
    """The data set that it comes from."""
    task: Task
    motion: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    motion_third: Third
    """Third of the pool by motion."""
    duration_s: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    width: int
    height: int
    fps: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    frames: int
    has_audio: bool


def video_id_of(path: Path, sha256: str) -> str:
    """Return the id of a video: what its file is called, and the start of its content hash.

    It depends on no other video, and holds ASCII letters, digits and single ``_`` only.

    Example:
        >>> video_id_of(Path("a/My clip (1).mp4"), "0123456789abcdef" * 4)
        'My_clip_1_0123456789ab'
    """
    stem = re.sub("[^0-9A-Za-z]+", "_", path.stem)[:LONGEST_STEM].strip("_")
    return f"{stem or 'video'}_{sha256[:DIGITS]}"


def spelled(path: Path) -> str:
    r"""Return a path as text that a file can hold; bytes that are no text are spelled out.

    Example:
        >>> spelled(Path(os.fsdecode(b"a/odd\xff.mp4")))
        'a/odd\\xff.mp4'
    """
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def read_pool(file: Path) -> Release[PoolVideo]:
    """Read ``pool.jsonl`` or ``sample.jsonl``."""
    return read_records([file], PoolVideo, "video_id", hint="`vidomni build pool` writes it")
