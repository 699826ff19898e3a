"""Write a pool: its lines, its sample, its settings, and what a person is to look at."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vidomni_plugin import __version__
from vidomni_plugin.build.pool.draw import Allocation, draw, rank
from vidomni_plugin.build.pool.judge import Pool
from vidomni_plugin.build.pool.lines import POOL, REJECTED, SAMPLE, PoolVideo
from vidomni_plugin.build.pool.look import remove_look, write_look
from vidomni_plugin.build.pool.settings import FORMAT, Thresholds, content_key
from vidomni_plugin.build.pool.store import Store
from vidomni_plugin.data.lines import write_jsonl, write_text

__all__ = ["SETTINGS", "Choices", "Written", "write_pool"]

SETTINGS = "settings.json"


@dataclass(frozen=True, slots=True)
class Choices:
    """All that decides what a pool is, beside the videos."""

    videos: list[str]
    """The folders."""
    sources: str | None
    sources_sha256: str | None
    frame_side: int
    seed: int
    sample: int | None
    allocation: Allocation
    look: int


@dataclass(frozen=True, slots=True)
class Written:
    """What was drawn of a pool."""

    sample: Sequence[PoolVideo] | None
    """None where no sample was asked for."""
    looked_at: Sequence[PoolVideo]
    page: Path | None
    """Where the contact sheets are; None where none was asked for."""


def write_pool(
    pool: Pool, store: Store, folder: Path, limits: Thresholds, choices: Choices
) -> Written:
    """Write the files of a pool, each in one step; those of an earlier call are replaced.

    ``pool.jsonl`` comes last but for the look. A call that is killed between two files leaves
    some of an earlier call; the same call writes all of them.

    Args:
        pool: Videos and rejected files.
        store: Has the pictures.
        folder: The pool's folder.
        limits: Of the checks.
        choices: What else was asked for.

    Returns:
        The sample and the videos to look at. The latter are drawn from the sample where there
        is one, else from the pool.

    Raises:
        OSError: If the folder cannot be written.
    """
    sample = None
    if choices.sample is not None:
        sample = draw(pool.videos, choices.sample, choices.seed, choices.allocation)
        write_jsonl(folder / SAMPLE, sample)
    else:
        (folder / SAMPLE).unlink(missing_ok=True)  # of an earlier call, with other settings
    write_jsonl(folder / REJECTED, [one.line() for one in pool.rejected])
    write_text(folder / SETTINGS, _settings(limits, choices))
    write_jsonl(folder / POOL, pool.videos)
    among = pool.videos if sample is None else sample
    order = sorted(among, key=lambda video: rank(choices.seed, "look", video.sha256))
    chosen = sorted(order[: choices.look], key=lambda video: video.video_id)
    page = None
    if not chosen:
        remove_look(folder)
    else:
        page = write_look(
            chosen,
            lambda video: store.pictures(content_key(video.sha256, choices.frame_side), "whole"),
            folder,
        )
    return Written(sample, chosen, page)


def _settings(limits: Thresholds, choices: Choices) -> str:
    settings: dict[str, Any] = {"vidomni": __version__, "measured_form": FORMAT}
    settings |= asdict(choices) | {"thresholds": asdict(limits)}
    return json.dumps(settings, ensure_ascii=False, indent=2) + "\n"
