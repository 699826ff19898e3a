"""``vidomni build pool``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Optional

import typer

from vidomni_plugin.commands.pool_work import (
    TITLE,
    StuckSeconds,
    Workers,
    cores,
    finite,
    open_pool,
    progress,
)
from vidomni_plugin.problems import InputProblems, Problem, printable, refuse_start

if TYPE_CHECKING:
    from vidomni_plugin.build.pool.judge import Pool
    from vidomni_plugin.build.pool.output import Written
    from vidomni_plugin.build.pool.sources import Known

__all__ = ["pool"]

SHOWN = 20
"""How many rejected files are printed; the file of rejected ones has all. So many lines of sources
without a video, too."""


def _refuse_folders(folders: list[Path]) -> None:
    problems = [
        Problem("no-folder", str(folder), "there is no such folder", "name folders of videos")
        for folder in folders
        if not folder.is_dir()
    ]
    if problems:
        raise InputProblems(TITLE, problems)


def pool(
    videos: Annotated[
        list[Path],
        typer.Option(
            help="Folder that is searched for videos, with the folders in it; may be repeated. "
            "Links are followed. Its name is the source of its videos."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="Folder of the pool. What was measured is kept there: the same command again "
            "decodes new videos only."
        ),
    ],
    sources: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Option(
            help="CSV or JSON lines with video, source, parent, task: the data set and the "
            "recording that a video comes from, and video_qa or video_captioning. All but video "
            "may be left out."
        ),
    ] = None,
    sample: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, help="Draw so many videos over motion, source and task."),
    ] = None,
    allocation: Annotated[
        Literal["equal", "proportional"],
        typer.Option(
            help="equal: the same number of each motion third, source and task as far as there "
            "are so many. proportional: shares as in the pool."
        ),
    ] = "equal",
    seed: Annotated[
        int, typer.Option(help="Of the tasks, the sample and the videos to look at.")
    ] = 0,
    look: Annotated[
        int,
        typer.Option(
            min=0,
            help="Draw so many videos for a person to look at: a contact sheet each, and "
            "look/index.html. From the sample where there is one.",
        ),
    ] = 0,
    min_side: Annotated[
        int, typer.Option(min=1, help="Pixels that the shorter side needs; encoders see 224.")
    ] = 224,
    min_seconds: Annotated[
        float,
        typer.Option(min=0, callback=finite, help="Shortest video; less shows one moment."),
    ] = 2.0,
    max_seconds: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            min=0, callback=finite, help="Longest video; there is no limit unless you set one."
        ),
    ] = None,
    black_share: Annotated[
        float,
        typer.Option(min=0.01, max=1, help="A video with this share of black frames is black."),
    ] = 0.9,
    frozen_level: Annotated[
        float,
        typer.Option(
            min=0,
            callback=finite,
            help="Grey levels of 255. A video is frozen when no 16th of its width and height "
            "changes by so much, from first to last frame; 0 keeps frozen ones.",
        ),
    ] = 4.0,
    near_bits: Annotated[
        float,
        typer.Option(
            callback=finite,
            help="Mean bits of 63 a frame in which near duplicates differ at most. Copies that are "
            "encoded, scaled or cropped to 9/10 of each side differ in 0 to 10, two takes of one "
            "camera in 9 to 15, unlike videos in 19 or more. -1 looks for exact duplicates only.",
        ),
    ] = 10.0,
    frame_side: Annotated[
        int,
        typer.Option(
            min=32,
            max=1024,
            help="Shorter side of the pictures that are kept for contact sheets and "
            "`build pool-report`; other than before, all videos are decoded again.",
        ),
    ] = 224,
    workers: Workers = None,
    stuck_seconds: StuckSeconds = 120.0,
) -> None:
    """Choose videos to make items from: checked, without copies, sampled.

    Example: vidomni build pool --videos clips --videos more_clips
    --out pool --sample 1200 --look 50

    Every frame of every video is decoded, once. Files that cannot be decoded,
    copies (also encoded, scaled or cropped in another way), black, frozen,
    small and short videos are left out, each with its reason. OUT then has
    pool.jsonl (a line a video that stays), rejected.jsonl (a line a file that
    does not), sample.jsonl, look/index.html with contact sheets, and
    settings.json.

    It can be stopped at any time, and goes on where it was. docs/pool.md says
    how everything is measured.
    """
    from vidomni_plugin.build.pool.contents import measured
    from vidomni_plugin.build.pool.find import find_in_folders
    from vidomni_plugin.build.pool.judge import judged
    from vidomni_plugin.build.pool.lines import REJECTED, spelled
    from vidomni_plugin.build.pool.output import Choices, write_pool
    from vidomni_plugin.build.pool.settings import Thresholds
    from vidomni_plugin.build.pool.sources import read_sources
    from vidomni_plugin.build.pool.store import open_store
    from vidomni_plugin.data.hashes import file_sha256
    from vidomni_plugin.wording import counted

    if max_seconds is not None and max_seconds < min_seconds:
        raise typer.BadParameter("--max-seconds is less than --min-seconds")
    _refuse_folders(videos)
    limits = Thresholds(min_side, min_seconds, max_seconds, black_share, frozen_level, near_bits)
    found = find_in_folders(videos)
    if not found.videos and not found.rejected:
        refuse_start(TITLE, ", ".join(map(str, videos)), "there is no video", "name other folders")
    known = read_sources(sources, found.videos) if sources else None
    choices = Choices(
        [spelled(folder.absolute()) for folder in videos],
        spelled(sources.absolute()) if sources else None,
        file_sha256(sources) if sources else None,
        frame_side,
        seed,
        sample,
        allocation,
        look,
    )
    with open_pool(out), open_store(out) as store:
        with progress() as watch:
            contents = measured(found, store, frame_side, workers or cores(), stuck_seconds, watch)
            result = judged(contents, known.lines if known else {}, limits, seed, watch)
        try:
            written = write_pool(result, store, out, limits, choices)
        except OSError as error:
            problem = Problem("no-folder", str(out), error.strerror or str(error))
            raise InputProblems("the pool cannot be written", [problem]) from None
    _show(result, written, known, out)
    if not result.videos:
        reasons = Counter(one.reason.value for one in result.rejected).most_common()
        why = ", ".join(f"{count} {reason}" for reason, count in reasons)
        message = f"none of {counted(len(result.rejected), 'file')} stays: {why}"
        hint = f"{REJECTED} says why of each; docs/pool.md has the options"
        raise InputProblems(
            "the pool has no video", [Problem("empty-pool", str(out), message, hint)]
        )


def _some(lines: Sequence[str]) -> None:
    for line in lines[:SHOWN]:
        typer.echo(printable(line))
    if len(lines) > SHOWN:
        typer.echo(f"  ... and {len(lines) - SHOWN} more")


def _show(result: Pool, written: Written, known: Known | None, out: Path) -> None:
    from rich.console import Console

    from vidomni_plugin.build.pool.lines import POOL, REJECTED, SAMPLE
    from vidomni_plugin.build.pool.reasons import MEANINGS
    from vidomni_plugin.build.pool.strata import strata
    from vidomni_plugin.tables import Column, Table
    from vidomni_plugin.terminal import print_table
    from vidomni_plugin.wording import counted

    if result.rejected:
        counts = Counter(one.reason for one in result.rejected)
        rows = [
            (reason.value, counts[reason], MEANINGS[reason].text)
            for reason in MEANINGS
            if counts[reason]
        ]
        heads = (Column("reason"), Column("files"), Column("meaning"))
        print_table(Table("rejected", "Rejected files", heads, rows), Console())
        shown = []
        for one in result.rejected:
            line = one.line()
            of = f" of {one.duplicate_of}" if one.duplicate_of else ""
            shown.append(f"  {line['path']}: {line['reason']}{of}: {one.detail}")
        _some(shown)
    if result.videos:
        print_table(strata(result.videos), Console())
    if known and known.without_video:
        lines = counted(len(known.without_video), "line")
        typer.echo(f"{lines} of the sources without a video that was found:")
        _some([f"  {line}" for line in known.without_video])
    typer.echo(printable(f"{out / REJECTED}: {len(result.rejected)} files"))
    typer.echo(printable(f"{out / POOL}: {len(result.videos)} videos"))
    if written.sample is not None:
        typer.echo(printable(f"{out / SAMPLE}: {len(written.sample)} videos"))
    if written.page is not None:
        typer.echo(printable(f"{written.page}: {len(written.looked_at)} videos to look at"))
