"""Get VidOmni's videos: manifest, local copies and addresses in, a data set with a journal out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import typer

from vidomni_plugin.data.fetch.download import Options, has_deno, has_ffmpeg
from vidomni_plugin.data.fetch.journal import Journal, read_fetched
from vidomni_plugin.data.fetch.local import Catalog
from vidomni_plugin.data.fetch.manifest import read_manifest
from vidomni_plugin.data.fetch.patterns import load_patterns
from vidomni_plugin.data.fetch.plan import Step, make_plan
from vidomni_plugin.data.fetch.reasons import Reason
from vidomni_plugin.data.fetch.run import Fetch
from vidomni_plugin.data.fetch.settings import read_roots
from vidomni_plugin.data.fetch.show import Bar, print_summary, summarise
from vidomni_plugin.data.lines import write_jsonl
from vidomni_plugin.data.releases import read_videos
from vidomni_plugin.problems import InputProblems, Problem, printable
from vidomni_plugin.records import VidOmniVideo

__all__ = ["MANIFEST", "Request", "fetch_videos", "show_plan"]

MANIFEST = "videos.jsonl"


@dataclass(frozen=True, slots=True)
class Request:
    """What a user asks for."""

    root: Path
    manifest: Path | None
    """None for ``videos.jsonl`` in the root."""
    roots: list[str]
    roots_file: Path | None
    patterns: Path | None
    options: Options
    sleep_s: float
    retry: frozenset[Reason]


def show_plan(request: Request) -> None:
    """Print one line a video and the number of videos by what would be done."""
    videos, catalog = _inputs(request)
    steps = make_plan(videos, request.root, catalog, read_fetched(request.root), request.retry)
    for step in steps:
        typer.echo(step.line())
    counts = Counter(step.action for step in steps)
    typer.echo(", ".join(f"{action} {count}" for action, count in counts.most_common()))
    _note(steps, catalog)


def fetch_videos(request: Request) -> bool:
    """Fetch what is missing, with a progress bar, and print what became of it.

    Returns:
        Whether every video of the manifest is there.

    Raises:
        InputProblems: If an input cannot be used, the folder cannot be written, or another
            fetch works in it; nothing was fetched then.
    """
    videos, catalog = _inputs(request)
    root = request.root
    try:
        (root / "videos").mkdir(parents=True, exist_ok=True)
        if request.manifest is not None:
            _keep_manifest(request.manifest, root / MANIFEST, videos)
        with Journal(root) as journal:
            steps = make_plan(videos, root, catalog, journal.records, request.retry)
            _note(steps, catalog)
            try:
                with Bar(len(steps)) as bar:
                    Fetch(
                        root=root,
                        journal=journal,
                        watcher=bar,
                        options=request.options,
                        sleep_s=request.sleep_s,
                        retry=request.retry,
                    ).run(steps)
            finally:  # also after Ctrl-C: what is there, and what is not
                summary = summarise(videos, root, journal.records)
                print_summary(summary, root)
    except OSError as error:
        place = str(error.filename or root)
        hint = "name a folder that can be written and has room; what was fetched is kept"
        problem = Problem("no-file", place, error.strerror or str(error), hint)
        raise InputProblems("the fetch stopped", [problem]) from error
    return not summary.missing


def _keep_manifest(given: Path, listed: Path, videos: list[VidOmniVideo]) -> None:
    """Write the manifest where what comes after a fetch reads it; one that is there stays."""
    if not listed.exists():
        write_jsonl(listed, videos)
    elif [entry.record for entry in read_videos(listed).entries] != videos:
        typer.echo(
            printable(
                f"{listed} has other lines than {given} and stays as it is; `vidomni data check` "
                "and runs read it: delete it and fetch again, or correct it"
            ),
            err=True,
        )


def _inputs(request: Request) -> tuple[list[VidOmniVideo], Catalog]:
    patterns = load_patterns(request.patterns)
    videos = read_manifest(request.manifest or request.root / MANIFEST)
    datasets = {video.source_dataset for video in videos}
    return videos, Catalog(
        read_roots(request.roots, request.roots_file, patterns, datasets), patterns
    )


def _note(steps: list[Step], catalog: Catalog) -> None:
    for place in catalog.unread:
        typer.echo(printable(f"not searched: {place}"), err=True)
    youtube = [s for s in steps if s.action == "download" and s.addresses[0].how == "youtube"]
    if youtube and not has_ffmpeg():
        typer.echo(
            "no ffmpeg on the PATH: only formats that hold picture and sound together can be "
            "had, on YouTube seldom more than 360 lines",
            err=True,
        )
    if youtube and not has_deno():
        typer.echo(
            "no deno on the PATH: yt-dlp does not see all of YouTube's formats without this "
            "JavaScript runtime",
            err=True,
        )
