"""``vidomni build pairs``."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vidomni_plugin.commands import pairs_asking_options as asking
from vidomni_plugin.commands import pairs_options as of
from vidomni_plugin.problems import InputProblems, Problem, printable
from vidomni_plugin.wording import counted

if TYPE_CHECKING:
    from vidomni_plugin.build.pairs.rounds import Ended
    from vidomni_plugin.commands.pairs_start import Start

__all__ = ["pairs"]

INTERRUPTED = 130
"""How a shell tells Ctrl-C."""


def pairs(
    out: of.Out,
    status: of.Status = False,
    stop: of.Stop = False,
    dry_run: of.DryRun = False,
    as_json: of.AsJson = False,
    workers: of.Workers = 4,
    replies: of.Replies = None,
    videos: of.Videos = None,
    pool: of.Pool = None,
    target: of.Target = 2000,
    ceiling: of.Ceilings = None,
    per_video: of.PerVideo = 2,
    task: of.TaskChoice = "both",
    questions: of.Questions = None,
    seed: of.Seed = 42,
    round_size: of.RoundSize = 16,
    model: asking.Model = None,
    role_model: asking.RoleModels = None,
    base_url: asking.BaseUrl = None,
    temperature: asking.Temperature = 0.0,
    max_tokens: asking.MaxTokens = 4096,
    timeout: asking.Timeout = 300,
    retries: asking.Retries = 4,
    fps: asking.Fps = 1.0,
    camera_fps: asking.CameraFps = 4.0,
    most_frames: asking.MostFrames = 64,
    long_side: asking.LongSide = 512,
    native: asking.Native = False,
    rate: asking.Rate = None,
    budget_tokens: asking.BudgetTokens = None,
    budget: asking.Budget = None,
    prices: asking.Prices = None,
    currency: asking.Currency = "USD",
    frame_tokens: asking.FrameTokens = None,
    most_frame_tokens: asking.MostFrameTokens = None,
) -> None:
    """Make VidHalLoc-style pairs from videos (VideoHALO, VidHalLoc section 3).

    Six roles look for facts, check them, write a factual and a
    counterfactual answer, and check these blind. What passes all gates is
    a pair. First see what it will cost:

      vidomni build pairs --videos clips --out pairs --model qwen3-vl
        --base-url http://localhost:8000/v1 --target 80 --dry-run

    Without --dry-run it starts. Stop it at any time (Ctrl-C, or --stop
    from elsewhere): the same command goes on and pays for nothing twice.
    OUT/pairs.jsonl has the pairs, OUT/rejections.jsonl why others are
    none; `vidomni build release` makes a data set of them. The way from
    videos to a data set: docs/pairs_tutorial.md.

    Ends with 0 when the target is reached or all videos are used up, with
    1 when it was stopped or videos were set aside, with 130 after Ctrl-C
    or SIGTERM.
    """
    from vidomni_plugin.commands.pairs_faults import Limits
    from vidomni_plugin.commands.pairs_start import Server, prepare
    from vidomni_plugin.commands.pairs_tables import (
        replies_in,
        show_estimate,
        show_next,
        show_status,
    )

    if status:
        show_status(out, replies, as_json=as_json)
        return
    if stop:
        from vidomni_plugin.build.pairs.session import ask_to_stop

        ask_to_stop(out)
        typer.echo("asked: the run ends when the replies under way are there")
        return
    start = prepare(
        {
            "seed": seed,
            "target": target,
            "pairs_per_video": per_video,
            "round_size": round_size,
            "temperature": None if temperature < 0 else temperature,
            "max_tokens": max_tokens,
            "media": {
                "policy": "native_video_url_v1" if native else "frames_timestamped_v1",
                "fps": fps,
                "camera_fps": camera_fps,
                "most_frames": most_frames,
                "long_side": long_side,
            },
        },
        model=model,
        role_models=role_model or [],
        ceilings=ceiling or [],
        limits=Limits(
            *(rate, budget_tokens, budget, prices, currency, frame_tokens, most_frame_tokens)
        ),
        server=Server(base_url, retries, timeout),
        videos=videos or [],
        pool=pool,
        task=task,
        questions=questions,
        out=out,
        to_ask=not dry_run,
    )
    if dry_run:
        show_estimate(start, out, as_json=as_json)
        start.connect()  # says what is wrong with address and key; nothing is sent
        return
    ended, interrupted = _work(start, out, replies_in(out, replies), workers)
    there = show_status(out, replies, as_json=as_json)
    _tell(ended, start)
    if ended.state != "stopped" and not (ended.set_aside or as_json) and there.committed:
        show_next(out, pool, videos or [])
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if ended.state == "stopped" or ended.set_aside:
        raise typer.Exit(1)


def _work(start: Start, out: Path, path: Path, workers: int) -> tuple[Ended, bool]:
    """Return how the run ended, and whether somebody asked for that."""
    from vidomni_plugin.build.pairs.session import STORE, run
    from vidomni_plugin.commands.pairs_progress import shown
    from vidomni_plugin.endpoint.replies import Replies
    from vidomni_plugin.interrupts import first_gently

    stop, asked = threading.Event(), threading.Event()
    currency = start.prices.currency if start.prices else ""
    try:
        out.mkdir(parents=True, exist_ok=True)
        with (
            Replies(path) as kept,
            shown(out / STORE, path, start.plan.settings.target, currency) as view,
        ):

            def gently() -> None:
                stop.set()
                asked.set()
                view.say_no_more()
                typer.echo(
                    "stopping: replies under way are waited for and kept, "
                    f"{start.server.timeout_s:g} s at most; again ends at once",
                    err=True,
                )

            def at_once() -> None:
                typer.echo(
                    "ended at once; replies under way are lost, and count in the budget with "
                    "what was set aside\n-> the same command goes on",
                    err=True,
                )
                os._exit(INTERRUPTED)  # an exit would wait for the threads that ask

            with first_gently(gently, at_once):
                client = start.client(kept, stop)
                ended = run(start.plan, out, client, view, workers=workers, stop=stop)
    except OSError as error:
        problem = Problem("no-folder", str(error.filename or out), error.strerror or str(error))
        raise InputProblems("the run cannot be kept", [problem]) from None
    return ended, asked.is_set()


def _tell(ended: Ended, start: Start) -> None:
    if ended.state == "stopped":
        from vidomni_plugin.commands.pairs_ends import what_to_mend
        from vidomni_plugin.endpoint.address import shown_url

        at = f" (at {shown_url(start.url)})" if ":" in ended.why else ""
        typer.echo(printable(f"stopped: {ended.why}{at}"), err=True)
        typer.echo(f"-> {what_to_mend(ended.kind, start)}", err=True)
    elif ended.set_aside:
        many = counted(len(ended.set_aside), "video")
        typer.echo(f"{many} set aside\n-> the same command asks for them again", err=True)
    elif ended.state == "sources_used_up":
        used = counted(len(start.plan.videos), "video is", "videos are")
        typer.echo(f"{used} used up before the target was reached", err=True)
