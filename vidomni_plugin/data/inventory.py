"""VidHalLoc's list of its videos, ``Datasets/source_video_inventory.jsonl``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from vidomni_plugin.data.layout import INVENTORY, VIDEO_FOLDER
from vidomni_plugin.data.load import VideoKey
from vidomni_plugin.data.releases import Release, read_records
from vidomni_plugin.records import LONGEST_S, Id

__all__ = ["InventoryVideo", "read_inventory"]


class InventoryVideo(BaseModel):
    """One video of the release; the fields that are compared, the others are passed over.

    All but the first two may be left out: what is not stated is not compared.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    video_id: Id
    task_type: Literal["video_qa", "video_captioning"]
    split: str | None = None
    packaged_path: str | None = None
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F]{64}$")] | None = None
    sample_count: Annotated[int, Field(ge=0)] | None = None
    leaf_labels: str | None = None
    """The leaves of the video's items, joined with ``;``."""
    duration_seconds: Annotated[float, Field(gt=0, le=LONGEST_S, allow_inf_nan=False)] | None = None

    @property
    def key(self) -> VideoKey:
        """Where the video is expected."""
        return VideoKey(VIDEO_FOLDER[self.task_type], self.video_id)

    @property
    def video(self) -> str:
        """What names the line: an id may occur once in each task."""
        return "/".join(self.key)


def read_inventory(root: Path) -> Release[InventoryVideo]:
    """Read the inventory below a release's root; a missing file is a problem of the result."""
    return read_records([root / INVENTORY], InventoryVideo, "video")
