"""A part of a run for one job of an array: ``VIDOMNI_SHARD=2/8`` is the second of eight."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from vidomni_plugin.data.deal import shard_videos
from vidomni_plugin.problems import InputProblems, Problem

if TYPE_CHECKING:
    from vidomni_plugin.host import DocumentRange

__all__ = [
    "VARIABLE",
    "Shard",
    "chosen_shard",
    "cut_again",
    "in_shard",
    "read_shard",
    "shard_names",
]

VARIABLE = "VIDOMNI_SHARD"
TITLE = "--shard"


class Shard(NamedTuple):
    """Which part of how many, from 1 on."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number} of {self.of}"


Row = TypeVar("Row", bound=Mapping[str, Any])


def read_shard(text: str, place: str = TITLE) -> Shard:
    """Return what "2/8" says.

    Raises:
        InputProblems: If it is no part of anything.

    Example:
        >>> print(read_shard("2/8"))
        2 of 8
    """
    match = re.fullmatch(r"\s*(\d{1,6})\s*/\s*(\d{1,6})\s*", text, re.ASCII)
    shard = Shard(*map(int, match.groups())) if match else Shard(0, 0)
    if not 1 <= shard.number <= shard.of:
        hint = "--shard 1/8 is the first of eight jobs, and --shard 8/8 the last"
        raise InputProblems(TITLE, [Problem("usage", place, f"{text!r} is no shard", hint)])
    return shard


def chosen_shard() -> Shard | None:
    """Return the shard that ``VIDOMNI_SHARD`` names; None for the whole run.

    Raises:
        InputProblems: If the variable holds no shard.
    """
    given = os.environ.get(VARIABLE, "").strip()
    return read_shard(given, VARIABLE) if given else None


def shard_names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what the video of each document is called on every machine: folder and file."""
    return ["/".join(Path(row["video"]).parts[-2:]) for row in rows]


def cut_again() -> InputProblems:
    """Return why a shard cannot be limited."""
    message = "a shard cannot be cut by --limit or --offset, nor use --cache_requests"
    hint = "leave them out: --shard is the part of the run"
    return InputProblems(TITLE, [Problem("usage", TITLE, message, hint)])


def in_shard(rows: Sequence[Row], shard: Shard, chosen: DocumentRange | None) -> list[Row]:
    """Return the documents of a shard, in their order.

    Args:
        rows: All documents of a task.
        shard: Which part is wanted.
        chosen: Which documents the host takes of a task; None outside of an evaluation.

    Raises:
        InputProblems: If the host would take a part of the part, or keeps requests of others.
    """
    if chosen is not None and chosen != (0, None, False, False):
        raise cut_again()
    names = shard_names(rows)
    shards = shard_videos(names, shard.of)
    mine = [row for row, name in zip(rows, names, strict=True) if shards[name] == shard.number]
    if not mine:
        message = f"shard {shard} has no video: there are {len(shards)}"
        hint = f"take at most {len(shards)} shards"
        raise InputProblems(TITLE, [Problem("usage", TITLE, message, hint)])
    return mine
