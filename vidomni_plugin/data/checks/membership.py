"""Checks of which VidHalLoc item stands in which file: full set, task sets, splits, inventory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from vidomni_plugin.data.checks.registry import Found, check
from vidomni_plugin.data.checks.view import Items, VidHalLocData
from vidomni_plugin.data.layout import FULL_SET, INVENTORY, SPLITS, TASK_SETS
from vidomni_plugin.data.load import VideoKey, video_key
from vidomni_plugin.data.releases import Entry
from vidomni_plugin.records import VidHalLocPair

__all__ = ["split_name", "splits_of"]

MEMBERSHIP = "put the item back where it belongs, or fetch the release again"


def split_name(text: str) -> str | None:
    """Return the split that an inventory's word names, or None for a word that names none.

    Example:
        >>> split_name("main"), split_name("Test_set"), split_name("train")
        ('Main_set', 'Test_set', None)
    """
    plain = text.strip().casefold().removesuffix("set").rstrip("_- ")
    return next((split for split in SPLITS if split.casefold() == f"{plain}_set"), None)


def splits_of(data: VidHalLocData) -> Mapping[VideoKey, frozenset[str]]:
    """Return the splits of each video: where its items stand, and what the inventory says."""
    splits: dict[VideoKey, set[str]] = defaultdict(set)
    for task in TASK_SETS.values():
        for split, name in task.splits.items():
            for entry in data.sets.get(name, ()):
                splits[video_key(entry.record)].add(split)
    for key, line in (data.inventory or {}).items():
        stated = split_name(line.record.split or "")
        if stated and not splits[key]:
            splits[key].add(stated)
    return defaultdict(frozenset, {key: frozenset(found) for key, found in splits.items()})


def _by_id(entries: Items) -> dict[str, Entry[VidHalLocPair]]:
    return {entry.record.pair_id: entry for entry in entries}


def _splits_of_items(data: VidHalLocData) -> Mapping[str, set[str]]:
    stands: dict[str, set[str]] = defaultdict(set)
    for task in TASK_SETS.values():
        for split, name in task.splits.items():
            for entry in data.sets.get(name, ()):
                stands[entry.record.pair_id].add(split)
    return stands


@check(
    "absent-file",
    "vidhalloc",
    severity="report",
    meaning="a file of the release that is not there: the full set and the splits of a task, the "
    "inventory of videos",
    hint="fetch it again; in data of your own it may stay away: the tasks that read it cannot run",
)
def absent_file(data: VidHalLocData) -> Iterator[Found]:
    """``vidhalloc`` reads the full set only; what reads the other files is not certain to run."""
    for task in TASK_SETS.values():
        for name in (task.full, *task.splits.values()):
            if name not in data.sets:
                yield Found(str(data.root.path / name), "there is no such file")
    if data.inventory is None:
        message = "there is no such file: splits, hashes and durations are not compared with it"
        yield Found(str(data.root.path / INVENTORY), message)


@check(
    "wrong-set",
    "vidhalloc",
    meaning="an item of one task in a file of the other",
    hint=MEMBERSHIP,
)
def wrong_set(data: VidHalLocData) -> Iterator[Found]:
    """A task's files hold its own items."""
    for task, files in TASK_SETS.items():
        for name in (files.full, *files.splits.values()):
            for entry in data.sets.get(name, ()):
                if entry.record.task_type != task:
                    item = f"{entry.record.pair_id!r} is a {entry.record.task_type} item"
                    yield Found(entry.place, f"{item} in a file of {task}")


def _missing_from(data: VidHalLocData, whole: str, parts: tuple[str, ...]) -> Iterator[Found]:
    """Compare a file with the files that share it out, where all of them can be read."""
    names = {whole, *parts}
    if not names <= data.sets.keys():
        return  # absent-file says so
    for name, others in ((whole, parts), *((part, (whole,)) for part in parts)):
        if data.unreadable & set(others):
            continue  # the item may be one of the lines that cannot be read
        there = {entry.record.pair_id for other in others for entry in data.sets[other]}
        for entry in data.sets[name]:
            if entry.record.pair_id not in there:
                item = f"{entry.record.pair_id!r} (video {entry.record.media.video_id!r})"
                where = " or ".join(str(data.root.path / other) for other in others)
                yield Found(entry.place, f"{item} stands here and not in {where}")


@check(
    "lost-item",
    "vidhalloc",
    meaning="an item that is in one file and not in the one that should hold it too: a task's "
    "splits share out its full set, both full sets share out `2000_Orign.jsonl`",
    hint=MEMBERSHIP,
)
def lost_item(data: VidHalLocData) -> Iterator[Found]:
    """Nothing is in one of the files only."""
    yield from _missing_from(data, FULL_SET, tuple(task.full for task in TASK_SETS.values()))
    for task in TASK_SETS.values():
        yield from _missing_from(data, task.full, tuple(task.splits.values()))


@check(
    "in-two-sets",
    "vidhalloc",
    meaning="an item in two splits, or in the full sets of both tasks",
    hint=MEMBERSHIP,
)
def in_two_sets(data: VidHalLocData) -> Iterator[Found]:
    """Sets that share out another have nothing in common."""
    splits = tuple(name for task in TASK_SETS.values() for name in task.splits.values())
    for parts in (tuple(task.full for task in TASK_SETS.values()), splits):
        first: dict[str, Entry[VidHalLocPair]] = {}
        for name in parts:
            for pair_id, entry in _by_id(data.sets.get(name, ())).items():
                if pair_id in first:
                    message = f"{pair_id!r} also stands at {first[pair_id].place}"
                    yield Found(entry.place, message)
                first.setdefault(pair_id, entry)


@check(
    "record-differs",
    "vidhalloc",
    meaning="one pair id with different records in two files",
    hint="find out which one is right and copy it; the tasks would not score the same item",
)
def record_differs(data: VidHalLocData) -> Iterator[Found]:
    """A record is the same wherever it stands."""
    first = _by_id(data.items)
    for entries in data.sets.values():
        for entry in entries:
            other = first[entry.record.pair_id]
            # Two of one id in one file are a repeated id, and reported as that.
            if entry.record != other.record and not _same_file(entry, other):
                before, now = other.record.model_dump(), entry.record.model_dump()
                fields = ", ".join(name for name in now if now[name] != before[name])
                item = f"{entry.record.pair_id!r} has another {fields}"
                yield Found(entry.place, f"{item} than the record at {other.place}")


def _same_file(one: Entry[VidHalLocPair], other: Entry[VidHalLocPair]) -> bool:
    return one.place.rpartition(":")[0] == other.place.rpartition(":")[0]


@check(
    "moved-item",
    "vidhalloc",
    meaning="an item in another split than the inventory states for its video",
    hint=MEMBERSHIP,
)
def moved_item(data: VidHalLocData) -> Iterator[Found]:
    """Splits are made by video; the inventory says which."""
    stands = _splits_of_items(data)
    for task in TASK_SETS.values():
        for split, name in task.splits.items():
            for entry in data.sets.get(name, ()):
                line = (data.inventory or {}).get(video_key(entry.record))
                stated = split_name(line.record.split or "") if line else None
                # An item in both splits is a copy, and reported as that, by in-two-sets.
                if line and stated and stated not in stands[entry.record.pair_id]:
                    item = f"{entry.record.pair_id!r} stands in {split}"
                    video = f"its video {entry.record.media.video_id!r}"
                    message = f"{item}, {video} belongs to {stated} (stated at {line.place})"
                    yield Found(entry.place, message)


@check(
    "split-leak",
    "vidhalloc",
    meaning="a video with items in two splits",
    hint="keep all items of a video in one split: " + MEMBERSHIP,
)
def split_leak(data: VidHalLocData) -> Iterator[Found]:
    """What is tuned on a video must not be tested on it."""
    stands = _splits_of_items(data)
    first: dict[str, tuple[str, Entry[VidHalLocPair]]] = {}
    for task in TASK_SETS.values():
        for split, name in task.splits.items():
            for pair_id, entry in _by_id(data.sets.get(name, ())).items():
                if len(stands[pair_id]) > 1:
                    continue  # reported as that, by in-two-sets
                video_id = entry.record.media.video_id
                other, before = first.setdefault(video_id, (split, entry))
                if other != split:
                    at = f"{before.record.pair_id!r} in {other} at {before.place}"
                    yield Found(entry.place, f"{pair_id!r} of {video_id!r} is in {split}, {at}")


@check(
    "inventory-differs",
    "vidhalloc",
    meaning="the inventory does not fit the items: a video without a line or a line without items, "
    "another number of items, other leaves, another path",
    hint="an item or a video was lost or added: fetch the release again, or correct the inventory",
    whole=(FULL_SET, INVENTORY),
)
def inventory_differs(data: VidHalLocData) -> Iterator[Found]:
    """The inventory is the release's own account of itself."""
    if data.inventory is None:
        return
    of: dict[VideoKey, list[Entry[VidHalLocPair]]] = defaultdict(list)
    for entry in data.items:
        of[video_key(entry.record)].append(entry)
    # A video that is listed for the other task only is reported as that, by video-in-two-tasks.
    listed = {key.video_id for key in data.inventory}
    for key, entries in of.items():
        if key not in data.inventory and key.video_id not in listed:
            yield Found(entries[0].place, f"no line of {INVENTORY} has {key.video_id!r}")
    for key, line in data.inventory.items():
        items, video = of.get(key, []), line.record
        ids = ", ".join(repr(entry.record.pair_id) for entry in items) or "none"
        stated = video.sample_count
        if len(items) != (max(1, len(items)) if stated is None else stated):
            said = f"{'some' if stated is None else stated} items of {key.video_id!r} are stated"
            yield Found(line.place, f"{said}, there are {len(items)}: {ids}")
        elif video.leaf_labels is not None:
            stated_leaves = sorted(leaf for leaf in video.leaf_labels.split(";") if leaf)
            leaves = sorted(entry.record.leaf_label.value for entry in items)
            if stated_leaves != leaves:
                message = f"{key.video_id!r} has {leaves}, stated are {stated_leaves}"
                yield Found(line.place, message)
        if video.packaged_path is not None and not _leads_to(video.packaged_path, key):
            message = f"packaged_path is {video.packaged_path!r}, the folder {key.folder!r}"
            yield Found(line.place, message)


def _leads_to(path: str, key: VideoKey) -> bool:
    """Return whether a path, with either kind of slash, ends in the video's folder and name."""
    *_, folder, name = ("", *path.replace("\\", "/").split("/"))
    return folder in {"", key.folder} and name.rpartition(".")[0] == key.video_id
