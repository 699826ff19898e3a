"""``vidomni build annotate stage2`` and ``merge``: from settled labels to new items."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from vidomni_plugin.commands.annotate_options import (
    DecisionsFile,
    LeaveOut,
    PeopleFile,
    PlanFolder,
    Unassigned,
    VotesFile,
    people_of,
    writing,
)

__all__ = ["merge", "stage2"]


def stage2(
    plan: PlanFolder,
    votes: VotesFile,
    out: Annotated[Path, typer.Option(help="Folder for the project of stage 2.")],
    decisions: DecisionsFile = None,
    leave_out_unfinished: LeaveOut = False,
) -> None:
    """Write the project of stage 2: wrong words in Incorrect sentences by category.

    Only pairs with an Incorrect sentence become tasks, and nothing is marked
    beforehand. The people who judged a pair mark its words.

    Example: vidomni build annotate stage2 --plan plan --votes
    read/votes.jsonl --decisions read/adjudicate.csv --out stage2
    """
    from vidomni_plugin.build.annotate.labelling import project
    from vidomni_plugin.build.annotate.plans import read_plan
    from vidomni_plugin.build.annotate.projects import stage2_tasks, write_project
    from vidomni_plugin.build.annotate.settle import settled_labels

    loaded = read_plan(plan)
    settled = settled_labels(loaded, votes, decisions, leave_out_unfinished=leave_out_unfinished)
    tasks = stage2_tasks(loaded, settled.labels)
    people = len(loaded.settings.annotators)
    with writing(out):
        write_project(out, project(2, "VidOmni stage 2: wrong words", people), tasks)
    typer.echo(
        f"{settled.totals()['Incorrect']} Incorrect sentences in {len(tasks)} pairs, "
        f"{len(settled.labels) - len(tasks)} pairs have none, {len(settled.left_out)} are left out"
    )
    typer.echo(f"Next: make a second project from {out} in Label Studio, see docs/annotate.md")


def merge(
    plan: PlanFolder,
    votes: VotesFile,
    videos: Annotated[
        Path,
        typer.Option(
            help="videos.jsonl with complexity_type of each video; length and sound are read from "
            "the files in videos/ beside it where it has none."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Root of the data set; may be the folder of --videos.")],
    decisions: DecisionsFile = None,
    stage2: Annotated[
        Optional[list[Path]],  # noqa: UP045
        typer.Option(help="Export of stage 2; may be given several times, or left out."),
    ] = None,
    annotators: PeopleFile = None,
    leave_out_unfinished: LeaveOut = False,
    accept_unassigned: Unassigned = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace other pairs that lie in --out.")
    ] = False,
) -> None:
    """Write pairs.jsonl: the new items, ready for the task `vidomni`.

    A label is the majority's or what was decided. A dispute without a decision
    ends this with exit code 1 and its place; no rule settles it. Unknown stays
    in the caption as null. Words marked in stage 2 are united; words in
    different categories are kept in all of them and listed in
    category_disputes.csv.

    Example: vidomni build annotate merge --plan plan --votes read/votes.jsonl
    --decisions read/adjudicate.csv --stage2 words.json --videos
    data/videos.jsonl --out data
    """
    from vidomni_plugin.build.annotate import finishing
    from vidomni_plugin.build.annotate.plans import read_plan
    from vidomni_plugin.build.annotate.settle import settled_labels

    loaded = read_plan(plan)
    settled = settled_labels(loaded, votes, decisions, leave_out_unfinished=leave_out_unfinished)
    merged = finishing.merge(
        loaded,
        people_of(loaded, annotators),
        settled,
        stage2 or [],
        videos,
        [plan / "plan.json", votes, *([decisions] if decisions else [])],
        accept_unassigned=accept_unassigned,
    )
    with writing(out):
        finishing.write_merged(out, merged, videos, overwrite=overwrite)
    for note in merged.marked.notes:
        typer.echo(f"note: {note}", err=True)
    united, totals = merged.marked.united, settled.totals()
    typer.echo(
        f"{len(merged.pairs)} pairs, {totals.total()} sentences "
        f"({', '.join(f'{label} {totals[label]}' for label in sorted(totals))}): "
        f"{settled.by_majority} by majority, {settled.by_decision} by decision "
        f"({settled.overruled} against a majority); {len(settled.left_out)} pairs left out"
    )
    typer.echo(
        f"{sum(map(len, united.errors.values()))} errors, {len(united.disputes)} with categories "
        f"in dispute (category_disputes.csv), {len(united.unmarked)} Incorrect sentences of judged "
        "pairs without a marked word (merge.json)"
    )
    if not (out / "videos").is_dir():
        typer.echo(f"Put the videos into {out / 'videos'}, or link that folder.")
    typer.echo(f"Next: VIDOMNI_DATA={out} lmms-eval --tasks vidomni ...")
