"""``vidomni build pool-report``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Optional

import typer

from vidomni_plugin.problems import InputProblems, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vidomni_plugin.build.pool.contents import Watch
    from vidomni_plugin.build.pool.encoder import Encoder
    from vidomni_plugin.build.pool.lines import PoolVideo
    from vidomni_plugin.build.pool.report import Seen

__all__ = ["pool_report"]

TITLE = "no report of the pool"


def pool_report(
    pool: Annotated[Path, typer.Argument(help="Folder that `vidomni build pool` wrote.")],
    encoder: Annotated[
        str,
        typer.Option(
            help="A vision encoder of transformers: hub id (needs the network, once) or folder. "
            "CLIP and SigLIP give their image features, others their pooled output or the mean of "
            "their tokens."
        ),
    ] = "openai/clip-vit-base-patch32",
    of: Annotated[
        Literal["pool", "sample"],
        typer.Option(help="pool: all its videos. sample: those of sample.jsonl."),
    ] = "pool",
    out: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Option(help="Folder to write; POOL/report, or POOL/report_sample."),
    ] = None,
    batch: Annotated[
        int, typer.Option(min=1, help="Pictures that go through the encoder at once.")
    ] = 64,
    device: Annotated[
        str, typer.Option(help="auto takes a GPU where there is one; or cpu, cuda:1, ...")
    ] = "auto",
) -> None:
    """Show how diverse a pool is, by the features of a vision encoder.

    Example: vidomni build pool-report pool --encoder openai/clip-vit-base-patch32

    Between videos: mean distance of all pairs, nearest neighbours, and a map by
    principal components, of 8 frames a video. Within videos: distances of up
    to 12 windows of 4 frames. Tables, pictures and a line a video are written.

    No video is decoded: `vidomni build pool` kept the frames. Features are kept
    as well; it can be stopped at any time, and goes on where it was.
    """
    from rich.console import Console

    from vidomni_plugin.build.pool.encoder import load_encoder
    from vidomni_plugin.build.pool.lines import POOL, SAMPLE, read_pool
    from vidomni_plugin.build.pool.report import represent, tables, write_report
    from vidomni_plugin.commands.pool_work import open_pool, progress
    from vidomni_plugin.terminal import print_table

    file = pool / (SAMPLE if of == "sample" else POOL)
    release = read_pool(file)
    if release.problems:
        raise InputProblems(TITLE, release.problems)
    videos = [entry.record for entry in release.entries]
    side = _frame_side(pool)
    loaded = load_encoder(encoder, device)
    digest = loaded.digest()
    with open_pool(pool), progress() as watch:
        features = _features(pool, videos, side, loaded, digest, batch, watch)
    found = represent(videos, features)
    folder = out or pool / ("report" if of == "pool" else "report_sample")
    settings = {
        "encoder": encoder,
        "encoder_sha256": digest,
        "features": loaded.rule,
        "of": file.name,
        "of_sha256": release.digest,
        "videos": len(videos),
        "map": "the first two principal components",
        "map_explained": list(found.map.explained),
    }
    try:
        paths = write_report(found, encoder, settings, folder)
    except OSError as error:
        problem = Problem("no-folder", str(folder), error.strerror or str(error))
        raise InputProblems(TITLE, [problem]) from None
    console = Console()
    for table in tables(found, encoder):
        print_table(table, console)
        console.print()
    typer.echo(f"{folder}: {len(paths)} files")


def _frame_side(pool: Path) -> int:
    """Return how large the kept pictures are, of the pool's settings."""
    import json

    from vidomni_plugin.build.pool.output import SETTINGS

    file = pool / SETTINGS
    try:
        return int(json.loads(file.read_text(encoding="utf-8"))["frame_side"])
    except OSError as error:
        why = error.strerror or str(error)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        why = f"no settings of a pool: {error}"
    hint = "run `vidomni build pool` again; it decodes nothing twice"
    raise InputProblems(TITLE, [Problem("unreadable", str(file), why, hint)])


def _features(
    pool: Path,
    videos: Sequence[PoolVideo],
    side: int,
    encoder: Encoder,
    digest: str,
    batch: int,
    watch: Watch,
) -> list[Seen]:
    """Return what is needed of each video's features; those that are not kept yet are made."""
    from vidomni_plugin.build.pool.features import encoded, open_features
    from vidomni_plugin.build.pool.report import Seen
    from vidomni_plugin.build.pool.settings import content_key
    from vidomni_plugin.build.pool.store import open_store

    found: list[Seen] = []
    lost: list[Problem] = []
    with open_store(pool) as store, open_features(pool) as kept:
        for number, video in enumerate(videos, 1):
            key = content_key(video.sha256, side)
            features = kept.get(key, digest)
            if features is None:
                whole, windows = store.pictures(key, "whole"), store.pictures(key, "window")
                if whole and windows:
                    features = encoded(encoder, whole, windows, batch)
                    kept.keep(key, digest, features)
            if features is not None:
                found.append(Seen.of(features))
            else:
                hint = "run `vidomni build pool` again"
                lost.append(Problem("no-file", video.video_id, "its pictures are not kept", hint))
            watch("encoding videos", number, len(videos))
    if lost:
        raise InputProblems(TITLE, lost)
    return found
