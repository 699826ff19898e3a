"""``vidomni build captions``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from vidomni_plugin.problems import InputProblems, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vidomni_plugin.build.captions import Built, Note
    from vidomni_plugin.samples import Sample

__all__ = ["captions"]

SHOWN = 20
"""How many notes are printed; the file of notes has all of them."""
HEADS = (
    *("captions", "left\nout", "sentences", "words", "repeats", "longest"),
    *("noted", "thinking"),
)
"""Columns of the table, in the order of ``SourceCounts``."""
SHOW_PROGRESS_FROM = 200
"""Fewer captions are split before a reader could read a progress bar."""


def _tracked(samples: list[Sample]) -> Iterable[Sample]:
    from rich.console import Console
    from rich.progress import track

    return track(
        samples,
        description="splitting captions",
        console=Console(stderr=True),
        disable=len(samples) < SHOW_PROGRESS_FROM,
        transient=True,
    )


def _print_notes(notes: list[Note]) -> None:
    from vidomni_plugin.build.captions import NOTES
    from vidomni_plugin.tables import plain

    for note in sorted(notes, key=lambda note: note.kept)[:SHOWN]:
        what = "kept" if note.kept else "left out"
        where = plain(f"{note.place}: {note.video_id}")
        typer.echo(f"  {where}: {NOTES[note.reason]} [{note.reason}], {what}")
    if len(notes) > SHOWN:
        typer.echo(f"  ... and {len(notes) - SHOWN} more")


def _write_notes(notes: list[Note], file: Path, *, append: bool) -> None:
    """Write the notes as JSON lines; no file where there is nothing to note."""
    import json

    from vidomni_plugin.data.lines import write_text

    before = file.read_text(encoding="utf-8").split("\n") if append and file.exists() else []
    new = (json.dumps(note._asdict(), ensure_ascii=False) for note in notes)
    lines = dict.fromkeys([*filter(None, before), *new])
    if lines:
        write_text(file, "".join(f"{line}\n" for line in lines))
    else:
        file.unlink(missing_ok=True)


def _print_counts(built: Built) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from vidomni_plugin.build.captions import source_counts
    from vidomni_plugin.tables import plain
    from vidomni_plugin.terminal import print_whole

    # Narrow enough for 80 columns: a long name goes over several lines, numbers never do.
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=0)
    table.add_column("caption source", overflow="fold")
    for head in HEADS:
        table.add_column(head, justify="right", no_wrap=True)
    for row in source_counts(built):
        table.add_row(Text(plain(row.source)), *(f"{count:,}" for count in row[1:]))
    print_whole(table, Console())


def captions(
    samples: Annotated[
        list[Path],
        typer.Argument(
            help="*_samples_vidomni_caption*.jsonl that lmms-eval --log_samples wrote, "
            "of one model or of several."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The file to write: captions as JSON lines.")],
    source: Annotated[
        Optional[str],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Option(
            help="Name of the captioning model, where the samples should not keep the recorded "
            "one. It becomes part of the pair ids, and goes for all files of the command."
        ),
    ] = None,
    leave_out: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            help="Leave captions with this fault out, e.g. cut_off or looping; may be repeated. "
            "Answers without a caption are always left out."
        ),
    ] = None,
    append: Annotated[
        bool,
        typer.Option(
            help="Add to the file. Captions that are in it already, word for word, are passed over."
        ),
    ] = False,
    force: Annotated[bool, typer.Option(help="Replace the file if it is there.")] = False,
) -> None:
    r"""Split the captions that models wrote into sentences, for annotation.

    Example: vidomni build captions logs/*/*_samples_vidomni_caption.jsonl
    --out captions.jsonl

    Each caption is kept as the model wrote it, without its thinking; each
    sentence has its place in the caption. Repeated sentences stay. What is left
    out, and what looks wrong and is kept, is listed with its place and reason,
    and is written to OUT's name with .notes.jsonl.

    Ends with 1, and writes nothing, when a file or a line cannot be used or a
    pair id comes twice. docs/make_captions.md says how captions are cut.
    """
    from vidomni_plugin.build.captions import NOTES, added, build
    from vidomni_plugin.data.lines import write_jsonl

    unknown = sorted(set(leave_out or ()) - NOTES.keys())
    if unknown:
        raise typer.BadParameter(f"--leave-out {unknown[0]}: known are {', '.join(NOTES)}")
    if source is not None and not source.strip():
        raise typer.BadParameter("--source is empty")
    if source is not None and any("\ud800" <= character <= "\udfff" for character in source):
        raise typer.BadParameter("--source is no Unicode text")
    if append and force:
        raise typer.BadParameter("--append and --force exclude each other")
    notes = out.with_name(f"{out.name.removesuffix('.jsonl')}.notes.jsonl")
    own = {out.resolve(), notes.resolve()} & {path.resolve() for path in samples}
    if own:
        problem = Problem("usage", "--out", f"{own.pop()} is one of the samples", "another name")
        raise InputProblems("no captions are written", [problem])
    if out.exists() and not (append or force):
        hint = "--append adds to it, --force replaces it"
        problem = Problem("exists", str(out), "the file is there already", hint)
        raise InputProblems("no captions are written", [problem])
    built = build(samples, source, set(leave_out or ()), _tracked)
    whole, already = built.captions, 0
    if append and out.exists():
        whole, already = added(out, built.captions)
    if not whole:
        _print_notes(built.notes)
        problem = Problem("no-captions", str(samples[0]), "no answer holds a caption")
        raise InputProblems("no captions are written", [problem])
    try:
        _write_notes(built.notes, notes, append=append)
        write_jsonl(out, whole)
    except OSError as error:
        problem = Problem("no-folder", str(out), error.strerror or str(error))
        raise InputProblems("no captions are written", [problem]) from None
    except UnicodeDecodeError:
        problem = Problem("unreadable", str(notes), "not text in UTF-8", "move it away")
        raise InputProblems("no captions are written", [problem]) from None
    _print_counts(built)
    typer.echo(f"{out}: {len(whole)} captions" + (f", {already} there before" if already else ""))
    _print_notes(built.notes)
    if built.notes:
        typer.echo(f"{notes}: {len(built.notes)} notes")
