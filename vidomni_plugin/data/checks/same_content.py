"""Checks of videos that are the same under two ids."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from vidomni_plugin.data.checks.membership import splits_of
from vidomni_plugin.data.checks.registry import Found, check
from vidomni_plugin.data.checks.view import Data, VidHalLocData
from vidomni_plugin.data.load import VideoKey

__all__: list[str] = []


def _contents(data: Data) -> Mapping[str, tuple[VideoKey, ...]]:
    """Return the videos of each content that more than one video has, by SHA-256.

    The hash of the file counts, or the stated one where there is no file to hash.
    """
    videos = data.videos
    content = {claim.video: claim.sha256 for claim in data.claims if claim.sha256}
    content |= {
        key: videos.hashes[path] for key, path in videos.files.items() if path in videos.hashes
    }
    same: dict[str, list[VideoKey]] = defaultdict(list)
    for key, sha256 in sorted(content.items()):
        same[sha256].append(key)
    return {sha256: tuple(keys) for sha256, keys in same.items() if len(keys) > 1}


def _places(data: Data) -> Mapping[VideoKey, str]:
    place: dict[VideoKey, str] = {}
    for claim in data.claims:
        place.setdefault(claim.video, claim.place)
    return place


@check(
    "content-leak",
    "vidhalloc",
    hashes=True,
    meaning="two video ids with the same content in different splits",
    hint="keep all items of one content in one split",
)
def content_leak(data: VidHalLocData) -> Iterator[Found]:
    """A second id for a video does not make it another one."""
    splits, place = splits_of(data), _places(data)
    for keys in _contents(data).values():
        first, *others = [key for key in keys if splits[key]] or keys
        for key in others:
            if _apart(splits[key], splits[first]):
                one, other = (
                    f"{k.video_id!r} ({', '.join(sorted(splits[k]))})" for k in (key, first)
                )
                yield Found(place[key], f"{one} has the content of {other} at {place[first]}")


@check(
    "repeated-content",
    severity="report",
    hashes=True,
    meaning="two video ids with the same content (in a VidHalLoc that is no whole release: of one "
    "task)",
    hint="use one id for one video: items of one video are not independent",
)
def repeated_content(data: Data) -> Iterator[Found]:
    """The release has no two videos of one content; a small set may use a clip in both tasks."""
    place = _places(data)
    # In different splits they are an error of their own.
    splits = splits_of(data) if isinstance(data, VidHalLocData) else defaultdict(frozenset)
    for keys in _contents(data).values():
        first: dict[str, VideoKey] = {}
        for key in keys:
            group = "" if data.as_released else key.folder
            other = first.setdefault(group, key)
            if other != key and not _apart(splits[key], splits[other]):
                at = f"{_shown(other)} at {place[other]}"
                yield Found(place[key], f"{_shown(key)} has the content of {at}")


def _shown(key: VideoKey) -> str:
    return str(Path(key.folder) / key.video_id)


def _apart(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two videos are in different splits, as far as both are in any."""
    return bool(one) and bool(other) and one != other
