"""``vidomni data import``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from vidomni_plugin.problems import InputProblems, Problem, printable

if TYPE_CHECKING:
    from pydantic import BaseModel

    from vidomni_plugin.data.importing.plan import Plan
    from vidomni_plugin.data.importing.reading import Unmapped

__all__ = ["import_"]

SHOWN = 20
"""How many unmapped records are printed; the file names all of them."""
SHOWN_RECORDS = 3
"""How many mapped records a dry run prints."""


def _print_example(to: str) -> None:
    from importlib.resources import files

    example = files("vidomni_plugin.data.importing") / "examples" / f"{to}.yaml"
    typer.echo(example.read_text(encoding="utf-8"), nl=False)


def _print_unmapped(unmapped: list[Unmapped]) -> None:
    for note in unmapped[:SHOWN]:
        where = f"{note.field}: " if note.field else ""
        typer.echo(printable(f"  {note.place}: {where}{note.reason}"), err=True)
    if len(unmapped) > SHOWN:
        typer.echo(f"  ... and {len(unmapped) - SHOWN} more", err=True)


@contextmanager
def _writing(out: Path) -> Iterator[None]:
    """Turn what the system says about a place that cannot be written into a problem."""
    try:
        yield
    except OSError as error:
        place = str(error.filename2 or error.filename or out)
        problem = Problem("no-file", place, error.strerror or str(error))
        raise InputProblems("nothing more is written", [problem]) from None


def _print_record(record: BaseModel) -> None:
    """Print a record as JSON in which nothing is obeyed by a terminal."""
    import json

    text = json.dumps(record.model_dump(mode="json"), ensure_ascii=False, indent=1)
    typer.echo("".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text))


def _dry_run(plan: Plan) -> None:
    for placed in plan.records[:SHOWN_RECORDS]:
        typer.echo(printable(f"{placed.place}:"))
        record = placed.pair or placed.video
        if record is not None:
            _print_record(record)


def _write(plan: Plan, out: Path, *, append: bool, force: bool, allow_unmapped: bool) -> None:
    from vidomni_plugin.data.importing.writing import write_import, write_unmapped

    with _writing(out):
        if plan.unmapped and not (allow_unmapped and plan.records):
            listed = write_unmapped(out, plan.unmapped)
            way_out = ", or leave these out with --allow-unmapped" if plan.records else ""
            typer.echo(
                f"nothing is written but the list of what was not mapped: {listed}. Correct the "
                f"mapping or the data{way_out}.",
                err=True,
            )
            return
        written = write_import(plan, out, append=append, force=force)
        listed = write_unmapped(out, plan.unmapped)
    for name, lines in written.files.items():
        typer.echo(f"{out / name}: {lines} records")
    if written.already:
        typer.echo(f"{written.already} of the pairs were there already")
    if written.links or written.linked_before:
        typer.echo(
            f"{written.links} videos linked, {written.linked_before} were there and are left alone"
        )
    if listed:
        typer.echo(f"{len(plan.unmapped)} notes on what was left out: {listed}")
    if plan.benchmark == "vidhalloc" and not plan.splits:
        typer.echo("no split was mapped: there are no Main, Eval and Test files for vidhalloc_eval")


def _label_studio(
    exports: list[Path],
    plan: Path | None,
    out: Path | None,
    *,
    decisions: Path | None,
    annotators: Path | None,
    force: bool,
    dry_run: bool,
    allow_unmapped: bool,
) -> None:
    """Merge exports of both stages as ``vidomni build annotate`` does, in one step."""
    from vidomni_plugin.data.importing import label_studio
    from vidomni_plugin.data.importing.reading import Unmapped
    from vidomni_plugin.data.importing.writing import write_unmapped

    if plan is None:
        raise typer.BadParameter("--format label-studio needs the --plan that was judged")
    if out is None:
        raise typer.BadParameter("--out is needed: the root of the data set, with videos.jsonl")
    try:
        merged = label_studio.merge_exports(
            exports,
            plan,
            out,
            decisions=decisions,
            annotators=annotators,
            leave_out_unfinished=allow_unmapped,
        )
    except InputProblems as found:
        if out.is_dir() and not dry_run:
            listed = [Unmapped(p.place, "", p.message) for p in found.problems]
            try:
                typer.echo(f"listed in {write_unmapped(out, listed)}", err=True)
            except OSError as error:
                typer.echo(f"the list cannot be written: {error.strerror}", err=True)
        raise
    notes = label_studio.left_out(merged)
    typer.echo(f"{len(merged.pairs)} pairs merged, {len(notes)} left out")
    _print_unmapped(notes)
    if dry_run:
        for pair in merged.pairs[:SHOWN_RECORDS]:
            _print_record(pair)
        return
    with _writing(out):
        label_studio.write_merged(out, merged, out / label_studio.MANIFEST, overwrite=force)
        write_unmapped(out, notes)
    typer.echo(f"{out / 'pairs.jsonl'}: {len(merged.pairs)} records")
    if not (out / "videos").is_dir():
        typer.echo(f"Put the videos into {out / 'videos'}, or link that folder.")
    typer.echo(f"Next: VIDOMNI_DATA={out} lmms-eval --tasks vidomni ...")


def import_(
    files: Annotated[
        Optional[list[Path]],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Argument(help="JSON, JSON lines, CSV, TSV or Parquet; or a Label Studio export."),
    ] = None,
    mapping: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="YAML that says which field is which; --example prints one."),
    ] = None,
    to: Annotated[
        str, typer.Option(help="What the records become: vidomni or vidhalloc.")
    ] = "vidomni",
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Root of the data set: a new folder, or one with --append or --force."),
    ] = None,
    videos: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            help="Folder with the videos, named by video id (or by the mapping's file). They are "
            "linked into the data set and never moved."
        ),
    ] = None,
    format_: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--format",
            help="json, jsonl, csv, tsv or parquet where the ending does not say it; label-studio "
            "for JSON and JSON-MIN exports of `vidomni build annotate` projects.",
        ),
    ] = None,
    plan: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="label-studio: folder that `vidomni build annotate plan` wrote."),
    ] = None,
    decisions: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="label-studio: adjudicate.csv with the disputes decided."),
    ] = None,
    annotators: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="label-studio: the annotators as they are today, for JSON-MIN."),
    ] = None,
    example: Annotated[
        bool, typer.Option("--example", help="Print a commented mapping for --to and end.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the first records as mapped; write nothing.")
    ] = False,
    append: Annotated[
        bool, typer.Option("--append", help="Add to the records that are in --out.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the records that are in --out.")
    ] = False,
    allow_unmapped: Annotated[
        bool,
        typer.Option(
            "--allow-unmapped", help="Write what could be mapped, list the rest, end with 0."
        ),
    ] = False,
) -> None:
    """Bring annotations in another shape into this project's layout, by a mapping file.

    Nothing is guessed. A record with a label word that the mapping does
    not list, a missing field or a value out of range is not mapped. All
    of them are listed in OUT/unmapped.jsonl, the command ends with 1, and
    no record is written unless --allow-unmapped is given.

      vidomni data import --example > map.yaml

      vidomni data import a.json --mapping map.yaml --dry-run

      vidomni data import a.json --mapping map.yaml --out my_data

      vidomni data import stage1.json stage2.json --format label-studio
        --plan plan --decisions read/adjudicate.csv --out data
    """
    if to not in {"vidomni", "vidhalloc"}:
        raise typer.BadParameter(f"--to {to!r} is neither vidomni nor vidhalloc")
    if example:
        _print_example(to)
        return
    if append and force:
        raise typer.BadParameter("--append and --force exclude each other")
    if not files:
        raise typer.BadParameter("name the files to import")
    if format_ == "label-studio":
        if append or to != "vidomni" or mapping is not None or videos is not None:
            raise typer.BadParameter(
                "--format label-studio takes no --append, --mapping and --videos, and is vidomni"
            )
        _label_studio(
            files,
            plan,
            out,
            decisions=decisions,
            annotators=annotators,
            force=force,
            dry_run=dry_run,
            allow_unmapped=allow_unmapped,
        )
        return
    if plan or decisions or annotators:
        raise typer.BadParameter("--plan, --decisions, --annotators need --format label-studio")
    if format_ not in {None, "json", "jsonl", "csv", "tsv", "parquet"}:
        raise typer.BadParameter(f"--format {format_!r} is not known")
    if mapping is None:
        raise typer.BadParameter("--mapping is needed; --example prints one")
    if out is None and not dry_run:
        raise typer.BadParameter("--out is needed (or --dry-run)")
    from vidomni_plugin.data.importing.plan import plan_import

    planned = plan_import(
        files,
        mapping,
        "vidomni" if to == "vidomni" else "vidhalloc",
        format_=format_,
        videos=videos,
        present=out / "videos" if out is not None else None,
    )
    left = len({note.place for note in planned.unmapped})
    typer.echo(f"{len(planned.records)} records mapped, {left} places with something unmapped")
    for warning in planned.warnings:
        typer.echo(f"warning: {warning}", err=True)
    _print_unmapped(planned.unmapped)
    if dry_run or out is None:
        _dry_run(planned)
    else:
        _write(planned, out, append=append, force=force, allow_unmapped=allow_unmapped)
    raise typer.Exit(int(bool(planned.unmapped) and not (allow_unmapped and planned.records)))
