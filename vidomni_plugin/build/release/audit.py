"""Audit a release as it lies on disk: nothing may be in two splits, under any name."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from vidomni_plugin.build.pairs.contracts.pair import PairRecord
from vidomni_plugin.build.release.alike import Near
from vidomni_plugin.data.hashes import file_sha256
from vidomni_plugin.data.layout import FULL_SET, INVENTORY, SPLITS, TASK_SETS
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.records import VidHalLocPair

__all__ = ["KINDS", "audit", "overlaps", "refuse_overlaps"]

AUDIT_SCHEMA = "vidomni_release_audit_1.0"
KINDS = ("pair_id", "video_id", "content_sha256", "recording", "parent")
"""What may not be in two splits; ``near_identical`` videos are the last kind."""
SHOWN = 20
"""How many overlaps of a kind a message names; the audit of a refused release is not kept."""


class Held(NamedTuple):
    """Something of a release, and the split that it is in."""

    kind: str
    value: str
    split: str


def audit(root: Path, extended: Path, near: Sequence[Near], source_digest: str) -> dict[str, Any]:
    """Return the audit of what was written below a root.

    Split files, inventory and extended records are read again, and videos are named by the
    hashes that the inventory has; what was planned is not asked.

    Args:
        root: The release.
        extended: Its extended records: they tell parents and contents apart from the inventory.
        near: Near-identical videos.
        source_digest: Hash of the files that the pairs came from.
    """
    held = list(_held(root, extended))
    of_video = {one.value: one.split for one in held if one.kind == "video_id"}
    found = overlaps(held)
    found["near_identical"] = [
        {"videos": [one.one, one.other], "splits": [of_video[one.one], of_video[one.other]]}
        for one in near
        if of_video[one.one] != of_video[one.other]
    ]
    contents = [one for one in held if one.kind == "content_sha256"]
    unique = len({(one.value, one.split) for one in contents}) == len(contents)
    counts = {
        task: {split: len(_lines(root / name)) for split, name in files.splits.items()}
        for task, files in TASK_SETS.items()
    }
    return {
        "schema_version": AUDIT_SCHEMA,
        "passed": unique and not any(found.values()),
        "overlaps": found,
        "near_identical_videos": [list(one) for one in near],
        "split_counts": counts,
        "source_dataset_sha256": source_digest,
        "packaged_original_sha256": file_sha256(root / FULL_SET),
        "all_source_videos_content_unique": unique,
    }


def overlaps(held: Iterable[Held]) -> dict[str, list[dict[str, Any]]]:
    """Return what is in two splits, by kind, for every two splits.

    Example:
        >>> found = overlaps([Held("video_id", "a", "Main_set"), Held("video_id", "a", "Test_set")])
        >>> found["video_id"]
        [{'splits': ['Main_set', 'Test_set'], 'values': ['a']}]
    """
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in held:
        values[one.kind, one.split].add(one.value)
    return {
        kind: [
            {"splits": [a, b], "values": sorted(both)}
            for a, b in combinations(SPLITS, 2)
            if (both := values[kind, a] & values[kind, b])
        ]
        for kind in KINDS
    }


def refuse_overlaps(found: dict[str, Any], title: str) -> None:
    """Raise if an audit did not pass.

    Raises:
        InputProblems: With one problem for each kind and two splits.
    """
    if found["passed"]:
        return
    problems = []
    for kind, cases in found["overlaps"].items():
        for case in cases:
            values = case.get("values") or case["videos"]
            names = ", ".join(values[:SHOWN])
            where = " and ".join(case["splits"])
            problems.append(Problem("leak", where, f"{kind} in both: {names}"))
    if not found["all_source_videos_content_unique"]:
        problems.append(Problem("leak", INVENTORY, "two videos have the same content"))
    raise InputProblems(title, problems)


def _held(root: Path, extended: Path) -> Iterable[Held]:
    split_of: dict[str, str] = {}
    for files in TASK_SETS.values():
        for split, name in files.splits.items():
            for line in _lines(root / name):
                public = VidHalLocPair.model_validate_json(line)
                split_of[public.pair_id] = split
                yield Held("pair_id", public.pair_id, split)
                yield Held("video_id", public.media.video_id, split)
    for line in _lines(root / INVENTORY):
        video = json.loads(line)
        yield Held("content_sha256", video["sha256"], video["split"])
        yield Held("recording", video["recording"], video["split"])
        yield Held("video_id", video["video_id"], video["split"])
    for line in _lines(extended):
        record = PairRecord.model_validate_json(line)
        yield Held("parent", record.parent, split_of[record.pair_id])


def _lines(path: Path) -> list[bytes]:
    return [line for line in path.read_bytes().split(b"\n") if line.strip()]
