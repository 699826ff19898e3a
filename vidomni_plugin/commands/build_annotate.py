"""``vidomni build annotate``: captions labelled by people in Label Studio."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from vidomni_plugin.commands.annotate_options import (
    PeopleFile,
    PlanFolder,
    Unassigned,
    people_of,
    show,
    writing,
)
from vidomni_plugin.commands.build_annotate_items import merge, stage2

__all__ = ["app"]

app = typer.Typer(
    help="Have captions labelled in Label Studio. The steps, in order: plan, (Label Studio), read, "
    "(adjudicate.csv), stage2, (Label Studio), merge. docs/annotate.md goes through all of them.",
    no_args_is_help=True,
)


@app.command()
def plan(
    captions: Annotated[
        Path, typer.Argument(help="captions.jsonl that `vidomni build captions` wrote.")
    ],
    annotators: Annotated[
        Path,
        typer.Option(
            help="YAML with one list, annotators: name, email (of the account in Label Studio) "
            "and, for who passed the pilot, trusted: true."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the plan and its project.")],
    root: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            help="Folder with videos/ and, where there is one, videos.jsonl: every caption's "
            "video must be there."
        ),
    ] = None,
    videos: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            help="videos.jsonl alone, where the files are not on this machine; addresses then "
            "end in .mp4."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Fixes the pilot, the batches and who gets what.")] = 0,
    per_pair: Annotated[
        int, typer.Option(min=2, help="Annotators a pair; one of them is a trusted one.")
    ] = 2,
    batch_size: Annotated[int, typer.Option(min=1, help="Pairs in an audit batch.")] = 100,
    pilot: Annotated[
        int,
        typer.Option(
            min=0, help="Videos in the pilot, one caption of each, judged by everybody; 0: none."
        ),
    ] = 10,
    video_url: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            help="What stands before a video's file name in its address. Default: Label Studio's "
            "own local files, /data/local-files/?d=videos/ . Or e.g. https://host/videos/"
        ),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite", help="Replace a plan that gave pairs to other people. Start again."
        ),
    ] = False,
) -> None:
    """Write the project of stage 1 and say who judges which pair.

    Each pair goes to at least two annotators, one of them trusted; all captions
    of a video to the same people. Everybody judges the pilot. As long as nobody
    in the annotators' file is trusted, only the pilot is planned: have it
    judged, `read` it, set trusted: true for those who agree with the others,
    and plan again with the same seed.

    Example: vidomni build annotate plan captions.jsonl --root data
    --annotators annotators.yaml --out plan
    """
    from vidomni_plugin.build.annotate.annotators import read_annotators
    from vidomni_plugin.build.annotate.labelling import project
    from vidomni_plugin.build.annotate.planning import LOCAL_FILES, Choices, make_plan
    from vidomni_plugin.build.annotate.plans import (
        changed_pairs,
        load_table,
        read_plan,
        write_plan,
    )
    from vidomni_plugin.build.annotate.projects import stage1_tasks, write_project
    from vidomni_plugin.problems import InputProblems, Problem, printable

    if root is None and videos is None:
        raise typer.BadParameter("give --root or --videos: where the captions' videos are listed")
    manifest = videos
    if root is not None and videos is None and (root / "videos.jsonl").exists():
        manifest = root / "videos.jsonl"
    people = read_annotators(annotators)
    prefix = LOCAL_FILES if video_url is None else video_url
    made = make_plan(
        captions,
        people,
        Choices(seed, per_pair, batch_size, pilot, prefix),
        manifest=manifest,
        folder=root / "videos" if root is not None else None,
    )
    if (out / "plan.json").exists() and not overwrite:
        changed = changed_pairs(read_plan(out), made.pairs)
        if changed:
            message = (
                f"{len(changed)} pairs of the plan there would be dropped or get other people, "
                f"e.g. {changed[0]!r}: annotations of them could not be read any more"
            )
            hint = "choose another --out, or --overwrite the plan if nobody has begun"
            raise InputProblems("plan", [Problem("exists", str(out), message, hint)])
    with writing(out):
        settings = project(1, "VidOmni stage 1: sentences", len(people))
        write_project(out / "stage1", settings, stage1_tasks(made.pairs))
        write_plan(out, made.settings, made.pairs)
    for warning in made.warnings:
        typer.echo(printable(f"warning: {warning}"), err=True)
    show(load_table(made.pairs, people))
    batches = len({pair.batch for pair in made.pairs})
    typer.echo(f"{len(made.pairs)} pairs in {batches} batches, seed {seed}: {out}")
    if not any(person.trusted for person in people):
        typer.echo(
            f"Nobody is trusted yet, so this is the pilot only. Have it judged, then: "
            f"vidomni build annotate read EXPORT --plan {out} --out FOLDER"
        )
    typer.echo(f"Next: make a project from {out}/stage1 in Label Studio, see docs/annotate.md")


@app.command()
def read(
    exports: Annotated[
        list[Path],
        typer.Argument(help="Exports of stage 1, JSON or JSON-MIN; batches may be exported apart."),
    ],
    plan: PlanFolder,
    out: Annotated[Path, typer.Option(help="Folder for votes, lists and tables.")],
    annotators: PeopleFile = None,
    confident: Annotated[
        float,
        typer.Option(
            min=0.5, max=1.0, help="A majority with a smaller share of the votes is listed."
        ),
    ] = 0.75,
    audit: Annotated[
        int,
        typer.Option(
            min=0,
            help="Clear sentences of each batch, drawn with the seed, that are listed as well: "
            "decide them, read again, and the audit's table says how many votes were wrong.",
        ),
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed of bootstrap and audit.")] = 0,
    draws: Annotated[int, typer.Option(min=100, help="Bootstrap draws of whole videos.")] = 10_000,
    accept_unassigned: Unassigned = False,
) -> None:
    """Read stage 1 back: votes, disputes, agreement, and what each annotator did.

    May be run at any time, also in the middle: pairs that are not finished are
    listed in unfinished.csv. Where an annotator submitted a pair twice, the
    later annotation counts, and notes.csv says so. adjudicate.csv lists what
    people must decide (dispute, few votes) or should look at again (low share,
    Unknown): fill in its column `decision`. Decisions are kept when this runs
    again; those whose votes have changed go to outdated.jsonl.

    Example: vidomni build annotate read export.json --plan plan --out read
    """
    from rich.console import Console

    from vidomni_plugin.build.annotate.adjudicate import Choice
    from vidomni_plugin.build.annotate.plans import read_plan
    from vidomni_plugin.build.annotate.reading import ADJUDICATE, read_exports, write_reading

    loaded = read_plan(plan)
    earlier = out / ADJUDICATE
    people = people_of(loaded, annotators)
    with Console(stderr=True).status(f"votes, and agreement with {draws:,} bootstrap draws"):
        reading = read_exports(
            exports,
            loaded,
            people,
            earlier=earlier if earlier.exists() else None,
            accept_unassigned=accept_unassigned,
            choice=Choice(confident, audit, seed),
            draws=draws,
        )
    with writing(out):
        write_reading(out, reading)
    show(
        *(reading.agreement, "of", "name", "sentences", "observed"),
        *("kappa", "kappa low", "kappa high"),
    )
    show(
        *(reading.annotators, "annotator", "trusted", "pairs", "with majority"),
        *("kappa with the rest", "seconds a pair", "faster than the video"),
    )
    if reading.audit is not None:
        show(reading.audit)
    for note in reading.notes:
        typer.echo(f"note: {note}", err=True)
    for decision in reading.outdated:
        typer.echo(
            f"note: {decision.place}: the votes on sentence {decision.number} of "
            f"{decision.pair_id!r} have changed since it was decided; see outdated.jsonl",
            err=True,
        )
    must = [case for case in reading.cases if case.must_decide]
    waiting = sum(case.decision is None for case in must)
    typer.echo(
        f"{len(reading.pairs)} of {len(loaded.pairs)} pairs have votes, "
        f"{len(reading.unfinished)} are unfinished; {len(must)} sentences must be decided "
        f"({waiting} are not yet), {len(reading.cases) - len(must)} are worth a second look"
    )
    if waiting:
        typer.echo(f"Next: fill in the column decision of {earlier}")
    elif reading.unfinished:
        typer.echo("Next: have the unfinished pairs judged (unfinished.csv), then read again")
    else:
        typer.echo(
            f"Next: vidomni build annotate stage2 --plan {plan} --votes {out / 'votes.jsonl'} "
            f"--decisions {earlier} --out FOLDER"
        )


app.command()(stage2)
app.command()(merge)
