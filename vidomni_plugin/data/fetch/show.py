"""What a fetch shows: a progress bar on stderr, and at the end what is there and what is not."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.table import Table

from vidomni_plugin.data.fetch.journal import Fetched
from vidomni_plugin.data.fetch.place import readable_size
from vidomni_plugin.data.fetch.reasons import REASONS, Reason
from vidomni_plugin.data.videos import find_videos
from vidomni_plugin.problems import printable
from vidomni_plugin.records import VidOmniVideo

__all__ = ["Bar", "Summary", "print_summary", "summarise"]

NOT_TRIED = "not tried"
SHOWN_IDS = 3
"""How many ids of a reason the final table names; the journal has all."""


class Bar:
    """The progress of a fetch: videos, and the bytes of the one that is being downloaded."""

    def __init__(self, total: int) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[now]}"),
            console=Console(stderr=True),
        )
        self._task: TaskID = self._progress.add_task("videos", total=total, now="")
        self._what = ""

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.update(self._task, now="")
        self._progress.stop()

    def begin(self, what: str) -> None:
        """Say which video is worked on."""
        self._what = escape(what)
        self._progress.update(self._task, now=self._what)

    def bytes(self, done: int, total: int | None) -> None:
        """Say how much of its download is there."""
        of = f" of {readable_size(total)}" if total else ""
        self._progress.update(self._task, now=f"{self._what} {readable_size(done)}{of}")

    def done(self) -> None:
        """One video is settled."""
        self._progress.advance(self._task)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the terminal to others while the context lasts."""
        self._progress.stop()
        try:
            yield
        finally:
            self._progress.start()


class Summary(NamedTuple):
    """What is there and what is not."""

    present: int
    bytes: int
    missing: dict[Reason | None, list[str]]
    """Video ids by reason; None for videos that were not tried yet."""


def summarise(
    videos: Sequence[VidOmniVideo], root: Path, records: Mapping[str, Fetched]
) -> Summary:
    """Return what is there by the journal and the folder together, most frequent reason first."""
    files = find_videos(root / "videos", [video.video_id for video in videos])
    missing: dict[Reason | None, list[str]] = {}
    present = size = 0
    for video in videos:
        record = records.get(video.video_id)
        if record and record.status == "present" and video.video_id in files:
            present, size = present + 1, size + (record.bytes or 0)
        else:
            missing.setdefault(record.reason if record else None, []).append(video.video_id)
    order = Counter({reason: len(ids) for reason, ids in missing.items()}).most_common()
    return Summary(present, size, {reason: missing[reason] for reason, _ in order})


def print_summary(summary: Summary, root: Path) -> None:
    """Print the final table and what to do next, on stdout."""
    console = Console()
    lost = sum(map(len, summary.missing.values()))
    table = Table(title="videos", title_justify="left")
    for column in ("", "videos", "for example"):
        table.add_column(column, justify="right" if column == "videos" else "left")
    table.add_row("present", str(summary.present), readable_size(summary.bytes))
    for reason, ids in summary.missing.items():
        shown = ", ".join(ids[:SHOWN_IDS]) + (", ..." if len(ids) > SHOWN_IDS else "")
        table.add_row(reason.value if reason else NOT_TRIED, str(len(ids)), escape(shown))
    console.print(table)
    # Not by rich: it would break paths and commands into lines that cannot be copied.
    for reason in summary.missing:
        if reason is not None:
            why = REASONS[reason]
            typer.echo(f"{reason.value}: {why.meaning}\n  -> {why.way_out}")
    if lost:
        typer.echo(printable(f"{lost} videos are missing; {root / 'fetched.jsonl'} says why"))
        if None in summary.missing:
            typer.echo("-> the same command goes on with those not tried")
    else:
        pairs = (root / "pairs.jsonl").exists()
        check = f"vidomni data check vidomni --root {shlex.quote(str(root))}"
        captions = "captions with the task vidomni_caption, or pairs.jsonl from the authors"
        typer.echo(printable(f"all videos are there; next: {check if pairs else captions}"))
