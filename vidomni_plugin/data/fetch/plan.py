"""What is to be done for each video, decided before anything is fetched."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from vidomni_plugin.data.fetch import download
from vidomni_plugin.data.fetch.accept import Seen, judge
from vidomni_plugin.data.fetch.journal import Fetched, How
from vidomni_plugin.data.fetch.local import Catalog
from vidomni_plugin.data.fetch.reasons import PERMANENT, Reason
from vidomni_plugin.data.videos import find_videos
from vidomni_plugin.problems import printable
from vidomni_plugin.records import VidOmniVideo

__all__ = ["Action", "Address", "Step", "make_plan"]

Action = Literal["keep", "check", "local", "download", "give up", "nowhere"]


class Address(NamedTuple):
    """Where a video can be downloaded."""

    how: How
    url: str


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done for one video."""

    video: VidOmniVideo
    action: Action
    """keep: there and known; check: there, to be looked at; local: found under a root;
    download: to be downloaded; give up: YouTube said for good that there is none; nowhere."""
    file: Path | None = None
    """The file in ``videos/``."""
    local: tuple[Path, ...] = ()
    """Files under the roots that fit."""
    addresses: tuple[Address, ...] = ()
    """Where to download it, in the order in which they are tried."""
    before: Fetched | None = None
    """What the last fetch left."""

    def line(self) -> str:
        """Return the step on one line, for a dry run."""
        places = [str(self.file)] if self.file else [str(path) for path in self.local]
        if not self.file:
            places += [address.url for address in self.addresses]
        if self.action == "give up" and self.before and self.before.reason:
            places.append(f"{self.before.reason.value} on {self.before.at.date()}")
        return printable(f"{self.video.video_id}: {self.action}  {', then '.join(places)}".rstrip())


def make_plan(
    videos: Sequence[VidOmniVideo],
    root: Path,
    catalog: Catalog,
    records: Mapping[str, Fetched],
    retry: Collection[Reason] = (),
) -> list[Step]:
    """Return one step a video, in the manifest's order; nothing is opened or written.

    Args:
        videos: The manifest.
        root: Folder of the data set.
        catalog: The local copies.
        records: What earlier fetches left.
        retry: Reasons that are given another try although they are permanent.
    """
    files = find_videos(root / "videos", [video.video_id for video in videos])
    steps = []
    for video in videos:
        before = records.get(video.video_id)
        if file := files.get(video.video_id):
            action: Action = "keep" if before and _known(video, file, before) else "check"
            steps.append(Step(video, action, file=file, before=before))
            continue
        local = tuple(catalog.find(video))
        addresses = _addresses(video)
        left = tuple(a for a in addresses if not _for_good(a, before, retry))
        if local or left:
            steps.append(Step(video, "local" if local else "download", None, local, left, before))
        else:
            steps.append(Step(video, "give up" if addresses else "nowhere", before=before))
    return steps


def _known(video: VidOmniVideo, file: Path, before: Fetched) -> bool:
    """Whether the record describes this very file, and the file still fits the manifest."""
    stat = file.stat()
    if before.status != "present" or (before.file, before.bytes, before.mtime_ns) != (
        file.name,
        stat.st_size,
        stat.st_mtime_ns,
    ):
        return False
    seen = Seen(before.sha256 or "", before.duration_s or 0.0, bool(before.has_audio))
    return judge(video, seen) is None


def _addresses(video: VidOmniVideo) -> tuple[Address, ...]:
    found = []
    if video.youtube_id:
        found.append(Address("youtube", download.YOUTUBE.format(video.youtube_id)))
    if video.url:
        found.append(Address("url", video.url))
    return tuple(found)


def _for_good(address: Address, before: Fetched | None, retry: Collection[Reason]) -> bool:
    """Whether this address has said before that there will never be a video."""
    if before is None or before.reason not in PERMANENT or before.source != address.url:
        return False
    return before.reason not in retry
