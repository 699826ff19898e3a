"""Read a data set into the view that the checks look at; never raises for bad data."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeVar

from vidomni_plugin.data.checks.line_faults import line_faults
from vidomni_plugin.data.checks.view import Claim, Items, Videos, VidHalLocData, VidOmniData
from vidomni_plugin.data.fetch.journal import FILE as FETCHED
from vidomni_plugin.data.fetch.journal import read_fetched
from vidomni_plugin.data.hashes import sha256_of
from vidomni_plugin.data.inventory import read_inventory
from vidomni_plugin.data.layout import FULL_SET, INVENTORY, PAIR_SCHEMA, TASK_SETS
from vidomni_plugin.data.load import Loaded, VideoKey, video_key, with_videos
from vidomni_plugin.data.locate import DataRoot
from vidomni_plugin.data.presence import is_absent
from vidomni_plugin.data.releases import Entry, Release, read_records, read_videos, read_vidomni
from vidomni_plugin.data.videos import find_videos
from vidomni_plugin.problems import Problem
from vidomni_plugin.published import published
from vidomni_plugin.records import VidHalLocPair, VidOmniPair, VidOmniVideo

__all__ = ["CLAIMS_RELEASE", "read_vidhalloc_data", "read_vidomni_data", "released_pairs"]

Pair = TypeVar("Pair", VidOmniPair, VidHalLocPair)
AnyLoaded = Loaded[VidOmniPair] | Loaded[VidHalLocPair] | Loaded[VidOmniVideo] | None

CLAIMS_RELEASE = 0.9
"""A data set with this share of the published pairs is taken for the release, or what is left
of it; a sample is far below."""
PAIRS, MANIFEST = "pairs.jsonl", "videos.jsonl"
UNREADABLE = {"record", "no-file"}


def released_pairs(benchmark: str) -> int:
    """Return how many pairs were published."""
    if benchmark == "vidomni":
        return int(published()["vidomni"]["counts"]["pairs"])
    return sum(published()["vidhalloc"]["table4_counts"]["questions"])


def read_vidomni_data(
    root: DataRoot, *, as_released: bool = False, videos: bool = True, hashes: bool = True
) -> VidOmniData:
    """Read a VidOmni data set, or the list of videos of one that has no pairs yet.

    Args:
        root: The folder that holds ``pairs.jsonl`` or ``videos.jsonl``.
        as_released: Compare it with the published design, however small it is.
        videos: Look into the videos.
        hashes: Hash the videos whose hash is stated or that look alike.
    """
    listed = root.path / MANIFEST
    manifest = None if is_absent(listed) else read_videos(listed)
    begun = manifest is None or not is_absent(root.path / PAIRS)
    release: Release[VidOmniPair] = read_vidomni(root.path) if begun else Release()
    problems = {PAIRS: release.problems, MANIFEST: manifest.problems if manifest else []}
    claims = [
        Claim(e.place, video_key(e.record), e.record.duration_s, e.record.has_audio)
        for e in release.entries
    ]
    for line in manifest.entries if manifest else []:
        video, key = line.record, VideoKey("videos", line.record.video_id)
        claims.append(Claim(line.place, key, video.duration_s, video.has_audio, video.sha256))
    for video_id, fetched in sorted(read_fetched(root.path).items()):
        key = VideoKey("videos", video_id)
        claims.append(Claim(str(root.path / FETCHED), key, sha256=fetched.sha256))
    loaded: Loaded[VidOmniPair] | Loaded[VidOmniVideo] | None = None
    if videos and manifest and not begun:
        loaded = with_videos(root, manifest)
    elif videos:
        loaded = with_videos(root, release)
    return VidOmniData(
        root=root,
        as_released=as_released or _claims_release("vidomni", release.entries),
        problems=_problems(problems, loaded),
        unreadable=_unreadable(problems),
        faults={name: line_faults(root.path / name) for name in (PAIRS, MANIFEST)},
        claims=tuple(claims),
        videos=_videos(root.path, claims, loaded, hashes),
        usable=len(loaded.pairs if loaded else release.entries),
        digest=loaded.digest if loaded else "",
        pairs=tuple(release.entries),
        manifest=tuple(manifest.entries) if manifest else None,
    )


def read_vidhalloc_data(
    root: DataRoot, *, as_released: bool = False, videos: bool = True, hashes: bool = True
) -> VidHalLocData:
    """Read all files of a VidHalLoc release; the arguments are those of ``read_vidomni_data``."""
    names = [FULL_SET]
    for task in TASK_SETS.values():
        names += [task.full, *task.splits.values()]
    sets: dict[str, Items] = {}
    problems: dict[str, list[Problem]] = {}
    everything: Release[VidHalLocPair] = Release()
    for name in names:
        path = root.path / name
        if name != FULL_SET and is_absent(path):
            continue  # a check of its own reports it: only some tasks need it
        release = read_records([path], VidHalLocPair, "pair_id")
        # A split may be empty; the full set may not.
        problems[name] = [p for p in release.problems if name == FULL_SET or p.code != "no-pairs"]
        sets[name] = tuple(release.entries)
        everything.digest = everything.digest or release.digest
    everything.entries = _once(sets.values())
    inventory = None
    if not is_absent(root.path / INVENTORY):
        listed = read_inventory(root.path)
        problems[INVENTORY] = listed.problems
        inventory = {line.record.key: line for line in listed.entries}
    claims = [Claim(e.place, video_key(e.record)) for e in everything.entries]
    for key, line in (inventory or {}).items():
        video = line.record
        sha256 = video.sha256.lower() if video.sha256 else None
        claims.append(Claim(line.place, key, video.duration_seconds, None, sha256))
    loaded = with_videos(root, everything) if videos else None
    return VidHalLocData(
        root=root,
        as_released=as_released or _claims_release("vidhalloc", _not_ours(sets[FULL_SET])),
        problems=_problems(problems, loaded),
        unreadable=_unreadable(problems),
        faults={name: line_faults(root.path / name) for name in (*names, INVENTORY)},
        claims=tuple(claims),
        videos=_videos(root.path, claims, loaded, hashes),
        usable=len(loaded.pairs if loaded else everything.entries),
        digest=loaded.digest if loaded else "",
        sets=sets,
        items=tuple(everything.entries),
        inventory=inventory,
    )


def _once(sets: Iterable[Items]) -> list[Entry[VidHalLocPair]]:
    first: dict[str, Entry[VidHalLocPair]] = {}
    for entries in sets:
        for entry in entries:
            first.setdefault(entry.record.pair_id, entry)
    return list(first.values())


def _not_ours(items: Items) -> Items:
    """Return the items that `vidomni build pairs` did not make: another design."""
    return tuple(entry for entry in items if entry.record.schema_version != PAIR_SCHEMA)


def _claims_release(benchmark: str, entries: Sequence[Entry[Pair]]) -> bool:
    return len(entries) >= CLAIMS_RELEASE * released_pairs(benchmark)


def _problems(problems: Mapping[str, list[Problem]], loaded: AnyLoaded) -> tuple[Problem, ...]:
    return (*chain.from_iterable(problems.values()), *(loaded.video_problems if loaded else ()))


def _unreadable(problems: Mapping[str, list[Problem]]) -> frozenset[str]:
    return frozenset(name for name in problems if {p.code for p in problems[name]} & UNREADABLE)


def _videos(root: Path, claims: Iterable[Claim], loaded: AnyLoaded, hashes: bool) -> Videos:
    if loaded is None:
        return Videos()
    claims = list(claims)
    files = {video_key(pair.record): pair.video for pair in loaded.pairs}
    facts = {pair.video: pair.facts for pair in loaded.pairs}
    stated = {files[c.video] for c in claims if c.sha256 and c.video in files}
    # Files of one quick digest may be the same; the full hash tells.
    alike = Counter(seen.digest for seen in facts.values())
    stated |= {path for path, seen in facts.items() if alike[seen.digest] > 1}
    return Videos(
        files, facts, sha256_of(stated) if hashes else {}, _others(root, {c.video for c in claims})
    )


def _others(root: Path, named: set[VideoKey]) -> tuple[Path, ...]:
    """Return what lies in the video folders beside the file of each video; hidden files aside."""
    others: list[Path] = []
    for folder in sorted({key.folder for key in named}):
        read = set(
            find_videos(root / folder, (key.video_id for key in named if key.folder == folder))
            .values()
        )  # fmt: skip
        try:
            names = sorted(os.listdir(root / folder))
        except OSError:
            continue  # its videos are reported as missing
        present = [root / folder / name for name in names if not name.startswith(".")]
        others += [path for path in present if path not in read]
    return tuple(others)
