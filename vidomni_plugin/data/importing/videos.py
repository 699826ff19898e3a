"""The video files of imported records: found, looked into, and linked into a data set."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from vidomni_plugin.data.importing.reading import FROM_FILE, Unmapped
from vidomni_plugin.data.importing.vidomni import Mapped
from vidomni_plugin.data.videos import SUFFIXES, check_videos, find_videos

__all__ = ["Link", "fill_from_files", "find_files", "make_links"]


@dataclass(frozen=True, slots=True)
class Link:
    """A link to be made."""

    target: Path
    """Where the video is."""
    folder: Path
    """Folder of the data set."""
    video_id: str

    @property
    def path(self) -> Path:
        """The link itself."""
        return self.folder / f"{self.video_id}{self.target.suffix.lower()}"


def find_files(
    folder: Path, wanted: Mapping[str, str | None]
) -> tuple[dict[str, Path], dict[str, str]]:
    """Find the file of each video.

    Args:
        folder: Where the videos are.
        wanted: By video id the name under ``folder`` that the data give; None: the id with one
            of the known endings. Ids must be safe as file names.

    Returns:
        The files by video id, and for the other videos why there is none.
    """
    found = find_videos(folder, [v for v, name in wanted.items() if name is None])
    lost = {
        v: f"no file {v!r} with a video's ending in {folder}"
        for v, name in wanted.items()
        if name is None and v not in found
    }
    root = folder.resolve()
    for video_id, name in wanted.items():
        if name is None:
            continue
        try:
            path = (folder / name).resolve()
            if not path.is_relative_to(root):
                lost[video_id] = f"{name!r} leaves {folder}"
            elif path.suffix.lower() not in SUFFIXES:
                lost[video_id] = f"{name!r} has no video's ending ({', '.join(SUFFIXES)})"
            elif not path.is_file():
                lost[video_id] = f"no file {name!r} in {folder}"
            else:
                found[video_id] = path
        except (OSError, ValueError, RuntimeError) as error:
            lost[video_id] = f"{name!r} cannot be a file: {error}"
    return found, lost


def fill_from_files(
    mapped: Iterable[Mapped], found: Mapping[str, Path], lost: Mapping[str, str]
) -> tuple[list[Mapped], list[Unmapped]]:
    """Fill duration and sound of records that take them from the file.

    Returns:
        The records that are now whole, and those whose file is missing or unusable.
    """
    mapped = list(mapped)
    needed = {str(one.video["video_id"]) for one in mapped if _from_file(one)}
    facts = check_videos(found[video_id] for video_id in needed if video_id in found)
    whole: list[Mapped] = []
    unmapped: list[Unmapped] = []
    for one in mapped:
        names = _from_file(one)
        if not names:
            whole.append(one)
            continue
        video_id = str(one.video["video_id"])
        seen = facts.get(found[video_id]) if video_id in found else None
        if seen is None or seen.error:
            reason = lost.get(video_id, "no file") if seen is None else f"the file: {seen.error}"
            unmapped.append(Unmapped(one.place, names[0], reason))
            continue
        for part in (one.fields, one.video):
            for name in names:
                if part.get(name) is FROM_FILE:
                    part[name] = getattr(seen, name)
        whole.append(one)
    return whole, unmapped


def _from_file(one: Mapped) -> list[str]:
    return [name for name, value in one.video.items() if value is FROM_FILE]


def make_links(links: Iterable[Link]) -> tuple[list[Path], int]:
    """Make the links whose video is not there yet; a video that is there is never replaced.

    Returns:
        The links made, and how many videos were there already.

    Raises:
        OSError: If a link cannot be made; those made before are taken away again.
    """
    made: list[Path] = []
    there = 0
    by_folder: dict[Path, list[Link]] = {}
    for link in links:
        by_folder.setdefault(link.folder, []).append(link)
    try:
        for folder, mine in sorted(by_folder.items()):
            folder.mkdir(parents=True, exist_ok=True)
            present = find_videos(folder, [link.video_id for link in mine])
            for link in mine:
                if link.video_id in present:
                    there += 1
                    continue
                os.symlink(link.target.resolve(), link.path)
                made.append(link.path)
    except OSError:
        for path in made:
            path.unlink(missing_ok=True)
        raise
    return made, there
