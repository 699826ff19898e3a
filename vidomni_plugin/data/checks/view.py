"""A frozen view of a data set: everything that the checks look at, read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from vidomni_plugin.data.checks.line_faults import LineFaults
from vidomni_plugin.data.inventory import InventoryVideo
from vidomni_plugin.data.load import VideoKey
from vidomni_plugin.data.locate import DataRoot
from vidomni_plugin.data.releases import Entry
from vidomni_plugin.data.videos import VideoFacts
from vidomni_plugin.problems import Problem
from vidomni_plugin.records import VidHalLocPair, VidOmniPair, VidOmniVideo

__all__ = [
    "Claim",
    "Data",
    "Items",
    "VidHalLocData",
    "VidOmniData",
    "Videos",
]


class Claim(NamedTuple):
    """What one line says of a video; None where it says nothing."""

    place: str
    video: VideoKey
    duration_s: float | None = None
    has_audio: bool | None = None
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Videos:
    """What was seen of the videos; empty where they were not looked at."""

    files: Mapping[VideoKey, Path] = field(default_factory=dict)
    """Usable files."""
    facts: Mapping[Path, VideoFacts] = field(default_factory=dict)
    hashes: Mapping[Path, str] = field(default_factory=dict)
    """Full SHA-256 of the files whose hash is stated and of those that look alike."""
    others: tuple[Path, ...] = ()
    """What else lies in the folders of the videos."""


@dataclass(frozen=True)
class Data:
    """What the data sets of both benchmarks have."""

    root: DataRoot
    as_released: bool
    """Whether it is compared with the published design."""
    problems: tuple[Problem, ...]
    """What also stops a run, and bad lines of the other files."""
    unreadable: frozenset[str]
    """Annotation files, by name, with lines that are no record or that cannot be opened."""
    faults: Mapping[str, LineFaults]
    """How each annotation file is written, by name."""
    claims: tuple[Claim, ...]
    videos: Videos
    usable: int
    """Pairs whose record and video can be used."""
    digest: str
    """The data's hash as a run logs it; empty where the videos were not looked at."""


@dataclass(frozen=True)
class VidOmniData(Data):
    """A VidOmni data set."""

    pairs: tuple[Entry[VidOmniPair], ...]
    manifest: tuple[Entry[VidOmniVideo], ...] | None
    """The lines of ``videos.jsonl``; None without that file."""


Items = tuple[Entry[VidHalLocPair], ...]


@dataclass(frozen=True)
class VidHalLocData(Data):
    """A VidHalLoc release with all of its files."""

    sets: Mapping[str, Items]
    """The records of each file that is there, by name."""
    items: Items
    """Every pair id once: from the full set, or else from the first file that has it."""
    inventory: Mapping[VideoKey, Entry[InventoryVideo]] | None
    """The release's list of videos; None without that file."""
