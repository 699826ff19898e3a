"""Make a release of the pairs of some runs: found, split, packaged, audited, then put in place."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vidomni_plugin.build.pool.contents import Watch
from vidomni_plugin.build.release.alike import looked_into
from vidomni_plugin.build.release.audit import audit, refuse_overlaps
from vidomni_plugin.build.release.package import AUDIT, EXTENDED_FILE, Packaged, package
from vidomni_plugin.build.release.placing import Placed, placed
from vidomni_plugin.build.release.reading import TITLE, Content, read_runs
from vidomni_plugin.build.release.staging import refuse_existing, staged
from vidomni_plugin.data.lines import write_text
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["Made", "build_release"]

Finder = Callable[[Sequence[Content]], Mapping[str, Path]]
"""Returns the file of each content, by SHA-256."""


@dataclass(frozen=True, slots=True)
class Made:
    """A release that lies in its place."""

    placed: Placed
    packaged: Packaged
    audit: dict[str, Any]
    notes: tuple[str, ...]


def build_release(
    runs: Sequence[Path],
    find: Finder,
    root: Path,
    *,
    seed: int,
    bits: float,
    copy: bool,
    workers: int,
    stuck_s: float,
    watch: Watch,
) -> Made:
    """Make a release; it appears whole, or not at all.

    Args:
        runs: Folders of `vidomni build pairs`.
        find: Finds the videos.
        root: A folder that is not there yet.
        seed: Of the split.
        bits: Of 63; up to so many two videos are near-identical, and of one split.
        copy: Make copies in place of hard links.
        workers: Processes that decode.
        stuck_s: A decoder that gives no frame for so long is given up.
        watch: Told about the progress.

    Raises:
        InputProblems: If pairs or videos cannot be used, something would be in two splits, or
            the root exists. Nothing is left then.
    """
    refuse_existing(root)
    pairs = read_runs(runs)
    files = find(pairs.contents)
    seen = looked_into(files, workers, stuck_s, watch)
    result = placed(pairs.contents, files, seen, bits=bits, seed=seed)
    with staged(root) as folder:
        try:
            packaged = package(result, folder, seed=seed, bits=bits, copy=copy, done=watch)
            found = audit(folder, folder / EXTENDED_FILE, result.near, pairs.digest)
            refuse_overlaps(found, TITLE)
            write_text(folder / AUDIT, json.dumps(found, ensure_ascii=False, indent=2) + "\n")
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise
            place = str(error.filename or root)
            raise InputProblems(
                TITLE, [Problem("no-folder", place, error.strerror or str(error))]
            ) from None
    return Made(result, packaged, found, pairs.notes)
