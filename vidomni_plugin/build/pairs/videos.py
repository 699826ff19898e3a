"""A video that pairs are made about."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vidomni_plugin.build.pairs.contracts.pair import Task

__all__ = ["VideoFile"]


@dataclass(frozen=True, slots=True)
class VideoFile:
    """A checked video file and the one task that it is used for."""

    video_id: str
    """Safe as a file name, unique in the run."""
    path: Path
    sha256: str
    duration_s: float
    fps: float
    width: int
    height: int
    parent: str
    """The recording that it was cut from; its own id where none is known."""
    task: Task
