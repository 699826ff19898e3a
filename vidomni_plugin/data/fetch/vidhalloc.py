"""Get VidHalLoc: from the hub, from the hub's cache, or from a copy that was made by hand."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

from vidomni_plugin.data import hub
from vidomni_plugin.data.fetch.place import copy_tree
from vidomni_plugin.data.layout import FILES, INVENTORY, TASK_SETS, VIDEO_FOLDER
from vidomni_plugin.data.locate import HUB_ID, MARKER, holding
from vidomni_plugin.data.presence import is_absent
from vidomni_plugin.data.releases import read_records
from vidomni_plugin.data.videos import find_videos
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.records import VidHalLocPair

__all__ = ["Layout", "from_copy", "from_hub", "lacks", "verify"]

READ_BY_NO_TASK = (*(task.splits["Main_set"] for task in TASK_SETS.values()), INVENTORY)
"""Files of the release that only ``vidomni data check`` and ``stats`` read."""


class Layout(NamedTuple):
    """What a folder holds of VidHalLoc."""

    root: Path
    pairs: int
    """Records in the full set."""
    videos: int
    problems: list[Problem]
    """Annotation files, records and videos that are missing or cannot be read."""


def verify(root: Path) -> Layout:
    """Look whether every file that a task reads is there and every record's video.

    Decodes nothing.
    """
    problems: list[Problem] = []
    places: dict[tuple[str, str], str] = {}
    pairs = 0
    for name in dict.fromkeys(name for names in FILES.values() for name in names):
        release = read_records([root / name], VidHalLocPair, "pair_id")
        # A split of a small copy may be empty; that is not a file that is missing.
        problems += [p for p in release.problems if p.code != "no-pairs" or name in FILES["all"]]
        pairs += len(release.entries) if name in FILES["all"] else 0
        for entry in release.entries:
            folder = VIDEO_FOLDER[entry.record.task_type]
            places.setdefault((folder, entry.record.media.video_id), entry.place)
    videos = 0
    for folder in sorted({folder for folder, _ in places}):
        wanted = [video for part, video in places if part == folder]
        found = find_videos(root / folder, wanted)
        videos += len(found)
        for video in sorted(set(wanted) - found.keys()):
            message = f"no video {video!r} in {root / folder}"
            hint = "vidomni data fetch vidhalloc gets what is missing"
            problems.append(Problem("missing-video", places[folder, video], message, hint))
    return Layout(root, pairs, videos, problems)


def lacks(folder: Path) -> list[Problem]:
    """Return what a folder (or its only subfolder with data) lacks of VidHalLoc."""
    found = holding(folder, "vidhalloc")
    if found is None:
        return [Problem("no-data", str(folder), f"no {MARKER['vidhalloc']} there")]
    return verify(found).problems


def from_hub(target: Path, revision: str | None = None) -> Layout:
    """Get VidHalLoc from the hub into ``target``; only what is missing is downloaded.

    Returns:
        What the folder holds now, problems included: the hub may have changed its layout.

    Raises:
        InputProblems: If the hub (and its cache on this machine) did not give the data set.
    """
    repo = HUB_ID["vidhalloc"]
    there = not is_absent(target)
    usable = there and revision is None and not lacks(target)
    if usable and not _gaps(target):
        return _layout(target)
    try:
        if there:
            _complete(repo, target, revision)
        else:
            hub.download(repo, target, revision, lacks=lacks)
    except hub.HubUnreachable as reason:
        if usable:
            return _layout(target)  # what is lost, no task misses
        code_hint = (
            "fetch again: what has arrived is kept. Without a network: put a copy on this machine "
            "and give its folder with --local"
        )
        problems = [Problem("no-data", f"hub data set {repo}", str(reason), code_hint)]
        problems += lacks(target) if there else []
        raise InputProblems("VidHalLoc was not fetched", problems) from reason
    return _layout(target)


def _gaps(target: Path) -> list[str]:
    """Return the files of the release that no task reads and that are not there."""
    root = holding(target, "vidhalloc") or target
    return [name for name in READ_BY_NO_TASK if is_absent(root / name)]


def _complete(repo: str, target: Path, revision: str | None) -> None:
    """Fill the gaps of a folder that is there, wherever in it the data set lies."""
    tree = hub.listing(repo, revision)
    held = holding(target, "vidhalloc")
    inside = _prefix(tree.sizes)
    base = held or target
    for _ in Path(inside).parts if held else ():
        base = base.parent
    if base != target and target not in base.parents:
        raise hub.HubUnreachable(
            f"the hub has the data set in {inside}/, {target} has it at the top: "
            "fetch into another folder with --out"
        )
    with FileLock(f"{target}.lock"):
        hub.fill(repo, base, tree)


def _prefix(names: Iterable[str]) -> str:
    """Return the folder of a listing that holds the data set, "" for its top."""
    marker = MARKER["vidhalloc"]
    parts = (name.split("/") for name in names)
    found = sorted("/".join(p[: p.index(marker)]) for p in parts if marker in p[:-1])
    return found[0] if found else ""


def from_copy(source: Path, target: Path) -> Layout:
    """Put a copy that was made by hand where runs look for it, without changing the copy.

    Every file becomes a hard link to the copy's, or a copy on another file system; the folder
    appears once all are there.

    Raises:
        InputProblems: If the copy is not whole, if the target holds other data, or if a file
            cannot be read or written. Nothing is left in the target then.
    """
    found = holding(source, "vidhalloc")
    if found is None:
        hint = "name the folder that holds Datasets/, 'videoqa/' and 'video caption/'"
        problem = Problem("no-data", str(source), f"no {MARKER['vidhalloc']} there", hint)
        raise InputProblems("nothing was linked", [problem])
    if problems := verify(found).problems:
        raise InputProblems(f"the copy in {found} is not whole; nothing was linked", problems)
    with _alone(target):
        if not is_absent(target):
            if found.resolve() == (holding(target, "vidhalloc") or target).resolve():
                return verify(found)
            if not lacks(target):
                return _layout(target)
            hint = "move that folder away, or give another one with --out"
            problem = Problem("no-data", str(target), "something else is there already", hint)
            raise InputProblems("nothing was linked", [problem])
        partial = target.with_name(f"{target.name}.linking")
        shutil.rmtree(partial, ignore_errors=True)  # links of a call that was killed
        try:
            copy_tree(found, partial)
            partial.rename(target)
        except OSError as error:
            shutil.rmtree(partial, ignore_errors=True)
            problem = Problem("no-file", error.filename or str(target), error.strerror or "")
            raise InputProblems("nothing was linked", [problem]) from error
    return _layout(target)


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """Keep other processes from the same target while the context lasts."""
    lock = FileLock(f"{target}.lock")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except OSError as error:
        hint = "name a folder that can be written with --out"
        problem = Problem("no-folder", str(target), error.strerror or str(error), hint)
        raise InputProblems("nothing was linked", [problem]) from error
    try:
        yield
    finally:
        lock.release()


def _layout(target: Path) -> Layout:
    found = holding(target, "vidhalloc")
    return Layout(target, 0, 0, lacks(target)) if found is None else verify(found)
