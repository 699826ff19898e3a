"""``vidomni build release``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from vidomni_plugin.commands.pool_work import StuckSeconds, Workers, cores, finite, progress
from vidomni_plugin.problems import printable, refuse_start

if TYPE_CHECKING:
    from vidomni_plugin.build.release.build import Made
    from vidomni_plugin.build.release.reading import Content

__all__ = ["release"]


def release(
    pairs: Annotated[
        list[Path],
        typer.Option(help="Folder of a run of `vidomni build pairs`; may be repeated."),
    ],
    root: Annotated[
        Path,
        typer.Option(
            "--out",
            help="The release's folder, not there yet. It appears when all is done and checked.",
        ),
    ],
    videos: Annotated[
        Optional[list[Path]],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Option(
            help="Folder with the videos of the pairs; may be repeated. They are found by their "
            "content, whatever they are called."
        ),
    ] = None,
    pool: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Instead of --videos: the pool of `vidomni build pool`."),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Of the choice among splits that are equally good.")
    ] = 37062026,
    copy: Annotated[
        bool,
        typer.Option(
            "--copy",
            help="Copy the videos. Without it they are hard links where the file system has "
            "them: no space is needed, and what is changed in one place is changed in both.",
        ),
    ] = False,
    near_bits: Annotated[
        float,
        typer.Option(
            callback=finite,
            help="Mean bits of 63 a frame up to which two videos show the same, as for `build "
            "pool`; they are kept in one split. -1: only what runs say of parents counts.",
        ),
    ] = 10.0,
    workers: Workers = None,
    stuck_seconds: StuckSeconds = 120.0,
) -> None:
    """Make a data set of the pairs of runs: split, checked for leaks, ready to be evaluated.

    Example: vidomni build release --pairs run --pool pool --out MyRelease

    Videos are named videoqa_0001, captioning_0001, ... and lie with the
    pairs as in the public VidHalLoc release. 60, 20 and 20 % of each task's
    pairs are in Main_set, Eval_set and Test_set, evenly by category; all
    videos of one recording, and videos that show the same, are in one split.

    The tasks vidhalloc, vidhalloc_eval, vidhalloc_qa and vidhalloc_caption
    run on it with VIDHALLOC_DATA=MyRelease. docs/release_items.md goes
    through all of it.
    """
    from vidomni_plugin.build.release.build import build_release
    from vidomni_plugin.build.release.finding import in_folders, in_pool
    from vidomni_plugin.build.release.reading import TITLE

    if bool(videos) == (pool is not None):
        refuse_start(TITLE, "--videos", "name --videos or --pool, one of them")

    def find(contents: Sequence[Content]) -> Mapping[str, Path]:
        return in_folders(contents, videos or []) if pool is None else in_pool(contents, pool)

    with progress() as watch:
        made = build_release(
            pairs,
            find,
            root,
            seed=seed,
            bits=near_bits,
            copy=copy,
            workers=workers or cores(),
            stuck_s=stuck_seconds,
            watch=watch,
        )
    _show(made, root)


def _show(made: Made, root: Path) -> None:
    from rich.console import Console

    from vidomni_plugin.data.layout import SPLITS
    from vidomni_plugin.tables import Column, Table
    from vidomni_plugin.terminal import print_table
    from vidomni_plugin.wording import counted

    rows = [
        (task, *(splits[name]["sample_count"] for name in ("all", *SPLITS)))
        for task, splits in made.packaged.numbers["tasks"].items()
    ]
    heads = ("task", "pairs", *SPLITS)
    print_table(Table("splits", "Pairs by split", tuple(map(Column, heads)), rows), Console())
    videos = made.placed.videos
    recordings = len({video.recording for video in videos})
    how = f"{made.packaged.copied} copied" if made.packaged.copied else "hard links"
    typer.echo(
        f"{counted(len(videos), 'video')} of {counted(recordings, 'recording')} ({how}); "
        f"{counted(len(made.placed.near), 'two show', 'pairs of videos show')} nearly the same"
    )
    for (task, split), number in sorted(made.placed.split.missed.items()):
        typer.echo(
            f"{split} of {task} has {abs(number)} {'more' if number > 0 else 'fewer'} than its "
            "share: recordings are not divided",
            err=True,
        )
    for note in made.notes:
        typer.echo(printable(note), err=True)
    typer.echo(printable(f"written: {root}"))
