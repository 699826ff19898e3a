"""``vidomni run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

__all__ = ["CONTEXT", "run"]

CONTEXT = {"ignore_unknown_options": True, "allow_extra_args": True}
"""How the command takes the host's arguments, which it hands on."""


def run(
    context: typer.Context,
    journal: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Option(
            "--journal",
            help="Folder that keeps every answer; a second start asks only what is missing in it. "
            "Default: journal/ in the output folder.",
        ),
    ] = None,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain",
            help="Leave the model as it is: no journal, no order by video, nothing to resume. "
            "Checks and exit code stay.",
        ),
    ] = False,
    shard: Annotated[
        str,
        typer.Option(
            "--shard",
            metavar="I/N",
            help="Run the I-th of N parts, for job arrays: whole videos, so that no two jobs "
            "decode the same. `vidomni merge` makes one result of all parts. Our tasks only.",
        ),
    ] = "",
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Load no model: say how many requests, videos, frames and tokens there are, and "
            "how many answers the journal has already.",
        ),
    ] = False,
    calibrate: Annotated[
        int,
        typer.Option(
            "--calibrate",
            metavar="N",
            min=0,
            help="With --dry-run: ask about N videos, and say how many hours the rest will take. "
            "Their answers stay in the journal.",
        ),
    ] = 0,
    no_report: Annotated[
        bool,
        typer.Option("--no-report", help="Write no report of the run (tables, figures, page)."),
    ] = False,
) -> None:
    """Evaluate a model with lmms-eval: checked before, resumable, and honest in its exit code.

    Takes all arguments of lmms-eval (`lmms-eval eval --help`) and the ones
    below. The model is wrapped in vidomni_runner: one video at a time, each
    answer kept in a journal. The same command again goes on where the last one
    ended. Ends with 1, the cause on the last line, if a task failed or is
    incomplete.

    Example: vidomni run --model qwen3_vl --model_args
    pretrained=Qwen/Qwen3-VL-8B-Instruct,max_num_frames=64 --tasks
    vidomni,vidhalloc

    On four GPUs: torchrun --nproc_per_node 4 -m vidomni_plugin run --model
    ... (or accelerate launch -m vidomni_plugin run ...)

    As a job array of eight: vidomni run --shard 3/8 ...
    """
    from vidomni_plugin.data.shard import chosen_shard, read_shard
    from vidomni_plugin.problems import InputProblems
    from vidomni_plugin.run.arguments import read_host_arguments, refuse
    from vidomni_plugin.run.forecast import forecast
    from vidomni_plugin.run.options import check_options
    from vidomni_plugin.run.planned import plan_run
    from vidomni_plugin.run.run import run_plan, stop

    try:
        part = read_shard(shard) if shard else chosen_shard()
        if calibrate and not dry_run:
            refuse("--calibrate", "is for --dry-run", "add --dry-run")
        check_options(
            context.args, [name for option in context.command.params for name in option.opts]
        )
        host = read_host_arguments(context.args)
        plan = plan_run(host, plain=plain, journal=journal, shard=part)
    except InputProblems as problems:
        stop(problems, None)
    if dry_run:
        forecast(plan, calibrate)
    else:
        run_plan(plan, report=not no_report)
