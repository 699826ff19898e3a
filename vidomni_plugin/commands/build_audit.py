"""``vidomni build audit``: finished pairs checked by people in Label Studio."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from vidomni_plugin.commands.annotate_options import show, writing

__all__ = ["app"]

app = typer.Typer(
    help="Have people check finished pairs (VidHalLoc Table 3). The steps, in order: sample, "
    "projects, (Label Studio), score. docs/audit.md goes through all of them.",
    no_args_is_help=True,
)
AuditFolder = Annotated[
    Path, typer.Option("--audit", help="Folder that `vidomni build audit sample` wrote.")
]


@app.command()
def sample(
    source: Annotated[
        Path,
        typer.Argument(
            help="Folder of VidHalLoc (the public release or one of `vidomni build release`), a "
            "pairs.jsonl, or mini for the built-in sample."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the audit.")],
    per_category: Annotated[
        int, typer.Option(min=1, help="Items of each of the eight categories.")
    ] = 100,
    calibration: Annotated[
        int, typer.Option(min=0, help="Items to practise on; none of them is in the sample.")
    ] = 30,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draw; the paper's.")] = 20260818,
    allow_fewer: Annotated[
        bool,
        typer.Option(
            "--allow-fewer",
            help="Take all of a category that has fewer, and none of one without a pair; "
            "without this it is an error.",
        ),
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace another sample there. Start again.")
    ] = False,
) -> None:
    """Draw the items: equally many of each category, 800 in all by default.

    The pairs are sorted by id and drawn with PCG64, so the same pairs and the
    same seed give the same items.

    Example: vidomni build audit sample VidHalLoc --out audit
    """
    import numpy as np

    from vidomni_plugin.build.audit.draw import draw, items_of
    from vidomni_plugin.build.audit.files import (
        SampleSettings,
        has_other_sample,
        read_source,
        sample_table,
        write_sample,
    )
    from vidomni_plugin.build.audit.labels import CODES
    from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
    from vidomni_plugin.problems import InputProblems, Problem

    read = read_source(source)
    drawn = draw(
        read.pairs,
        place=read.place,
        seed=seed,
        per_category=per_category,
        calibration=calibration,
        allow_fewer=allow_fewer,
    )
    items = items_of(drawn, seed)
    settings = SampleSettings(
        seed=seed,
        per_category=per_category,
        calibration=calibration,
        allow_fewer=allow_fewer,
        source_sha256=read.digest,
        numpy=np.__version__,
    )
    if not overwrite and has_other_sample(out, items):
        message = "another sample is there: exports of its projects could not be read any more"
        hint = "choose another --out, or --overwrite it if nobody has begun"
        raise InputProblems("sample", [Problem("exists", str(out), message, hint)])
    with writing(out):
        write_sample(out, settings, items)
    show(sample_table(items))
    leaves = {pair.leaf_label for pair in drawn.audit}
    typer.echo(f"{len(drawn.audit)} items, {len(drawn.calibration)} to practise on: {out}")
    if absent := [code for code, leaf in zip(CODES, LEAVES, strict=True) if leaf not in leaves]:
        typer.echo(f"{', '.join(absent)}: no pair, so no item", err=True)
    typer.echo(
        f"Next: vidomni build audit projects --audit {out} --annotators annotators.yaml "
        f"--worker NAME --worker NAME --reference NAME --videos VIDEOS"
    )


@app.command()
def projects(
    audit: AuditFolder,
    annotators: Annotated[
        Path,
        typer.Option(
            help="YAML with one list, annotators: name, email (of the account in Label Studio) "
            "and label_studio_id (the account's number)."
        ),
    ],
    worker: Annotated[list[str], typer.Option(help="Name of a worker; give it twice.")],
    reference: Annotated[
        str, typer.Option(help="Name of the author whose labels count as the right ones.")
    ],
    videos: Annotated[
        Path,
        typer.Option(help="The release's folder, or one with <video_id>.mp4 for each video."),
    ],
    video_url: Annotated[
        Optional[str],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Option(
            help="What stands before a video's path below --videos in its address. Default: "
            "Label Studio's own local files, /data/local-files/?d=<name of the folder>/ ."
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of the order in which each person sees the items.")
    ] = 20260818,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace projects of other people or orders.")
    ] = False,
) -> None:
    """Write a Label Studio project for each of the two workers and for the reference.

    All three label the same items, each in an order of their own. They see
    video, question, both answers and what the labels mean; they see neither the
    original label nor each other's.

    Example: vidomni build audit projects --audit audit --annotators
    annotators.yaml --worker ann --worker ben --reference cem --videos VidHalLoc
    """
    from urllib.parse import quote

    from vidomni_plugin.build.annotate.annotators import read_annotators
    from vidomni_plugin.build.annotate.projects import write_project
    from vidomni_plugin.build.audit.files import read_sample, read_team, write_team
    from vidomni_plugin.build.audit.projects import (
        FOLDERS,
        addresses,
        choose_team,
        person_tasks,
        project,
    )
    from vidomni_plugin.problems import InputProblems, Problem

    prefix = video_url
    if prefix is None:
        prefix = f"/data/local-files/?d={quote(videos.resolve().name)}/"
    loaded = read_sample(audit)
    team = choose_team(
        read_annotators(annotators),
        worker,
        reference,
        place=str(annotators),
        seed=seed,
        video_url=prefix,
    )
    earlier = read_team(audit)
    if earlier is not None and not overwrite and not earlier.same_work(team):
        message = "projects of other people, or in another order, are there"
        hint = "--overwrite them if nobody has begun"
        raise InputProblems("projects", [Problem("exists", str(audit), message, hint)])
    found = addresses(loaded.items, videos, prefix)
    with writing(audit):
        for folder, person in zip(FOLDERS, team.people, strict=True):
            tasks = person_tasks(loaded, team, person, found)
            write_project(audit / folder, project(person.name), tasks)
        write_team(audit, team)
    for folder, person in zip(FOLDERS, team.people, strict=True):
        typer.echo(f"{person.name}: {audit / folder}, {len(loaded.items)} tasks")
    typer.echo("Next: make a project of each in Label Studio, see docs/audit.md")


@app.command()
def score(
    exports: Annotated[
        list[Path],
        typer.Argument(help="Exports of the three projects, JSON or JSON-MIN."),
    ],
    audit: AuditFolder,
    out: Annotated[Path, typer.Option(help="Folder for tables, audit.json and lists.")],
    annotators: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            help="The people as they are today, where accounts have changed since the projects "
            "were made."
        ),
    ] = None,
    leave_out_unfinished: Annotated[
        bool,
        typer.Option(
            "--leave-out-unfinished",
            help="Leave out, and count, items that one of the three did not judge; without this "
            "they are an error.",
        ),
    ] = False,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of the bootstrap; the paper's.")
    ] = 20260818,
    draws: Annotated[
        int, typer.Option(min=100, help="Bootstrap draws, within each category.")
    ] = 10_000,
) -> None:
    """Score the audit: accuracy of the original labels, agreement, Cohen's kappa.

    Every item that is missing, judged twice or unknown is named with its place,
    and nothing is written. InvalidSample is a label like the others. look.csv
    lists the items on which somebody should look.

    Example: vidomni build audit score reference.json ann.json ben.json
    --audit audit --out scored
    """
    from rich.console import Console

    from vidomni_plugin.build.annotate.annotators import read_annotators
    from vidomni_plugin.build.audit.files import read_sample, read_team
    from vidomni_plugin.build.audit.score import Bootstrap, write_scored
    from vidomni_plugin.build.audit.score import score as scored_of
    from vidomni_plugin.problems import InputProblems, Problem

    loaded, team = read_sample(audit), read_team(audit)
    if team is None:
        hint = "run `vidomni build audit projects` first"
        problem = Problem("no-file", str(audit), "no projects were made of this sample", hint)
        raise InputProblems("audit", [problem])
    people = read_annotators(annotators) if annotators else team.people
    with Console(stderr=True).status(f"agreement, with {draws:,} bootstrap draws"):
        scored = scored_of(
            exports,
            loaded,
            team,
            people,
            leave_out_unfinished=leave_out_unfinished,
            bootstrap=Bootstrap(seed=seed, draws=draws),
        )
    with writing(out):
        write_scored(out, scored)
    show(
        *(scored.audit, "category", "items", "accuracy, %", "published accuracy, %"),
        *("agreement, %", "published agreement, %", "kappa", "published kappa"),
    )
    for note in scored.notes:
        typer.echo(f"note: {note}", err=True)
    total = scored.record["figures"]["all"]
    typer.echo(
        f"{total['correct']} of {total['items']} original labels equal the reference, the workers "
        f"agree on {total['identical']}; {len(scored.record['left_out'])} items are left out"
    )
    typer.echo(f"{len(scored.looks)} items to look at: {out / 'look.csv'}")
