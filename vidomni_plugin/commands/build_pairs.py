"""``vidomni build pairs``."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional

import typer

from vidomni_plugin.problems import InputProblems, Problem, refuse_start

if TYPE_CHECKING:
    from vidomni_plugin.build.pairs.contracts.roles import Role
    from vidomni_plugin.build.pairs.session import Plan
    from vidomni_plugin.build.pairs.settings import PairSettings
    from vidomni_plugin.endpoint.client import Client
    from vidomni_plugin.endpoint.prices import Prices

__all__ = ["pairs"]

TITLE = "no pairs can be made"
FRAME_TOKENS = 800
"""Of one frame, for the estimate; servers count differently."""


def pairs(
    out: Annotated[Path, typer.Option(help="Folder of the run; the same command goes on in it.")],
    videos: Annotated[
        Optional[list[Path]],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Option(help="Folder with videos; may be given several times."),
    ] = None,
    pool: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Instead of --videos: a pool of `vidomni build pool`."),
    ] = None,
    model: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Model of all six roles, as its server calls it."),
    ] = None,
    role_model: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="Another model for one role, like monitor=NAME; may be repeated."),
    ] = None,
    base_url: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            help="An OpenAI-compatible endpoint that takes pictures, like "
            "http://localhost:8000/v1. Default: OPENAI_BASE_URL, else OpenAI's own. The key is "
            "read from OPENAI_API_KEY."
        ),
    ] = None,
    target: Annotated[int, typer.Option(min=1, help="Pairs in all.")] = 2000,
    ceiling: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            help="Most pairs of a category, like eeh=40; may be repeated. Default: an equal "
            "share of the target."
        ),
    ] = None,
    per_video: Annotated[int, typer.Option(min=1, max=2, help="Most pairs of a video.")] = 2,
    task: Annotated[
        Literal["both", "video_qa", "video_captioning"],
        typer.Option(help="What the videos are used for; both deals them out evenly."),
    ] = "both",
    questions: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="A question bank of your own (YAML; docs/question_banks.md)."),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Order of videos, questions, order of answers, sampling.")
    ] = 42,
    round_size: Annotated[
        int, typer.Option("--round", min=1, help="Videos that share their candidates.")
    ] = 16,
    fps: Annotated[float, typer.Option(help="Frames a second of a first look.")] = 1.0,
    camera_fps: Annotated[
        float, typer.Option(help="The same where a change of the camera is judged.")
    ] = 4.0,
    most_frames: Annotated[int, typer.Option(min=1, help="Frames of one call.")] = 64,
    long_side: Annotated[
        int, typer.Option(min=64, help="Longest side of a frame, in pixels.")
    ] = 512,
    native: Annotated[
        bool,
        typer.Option(
            "--native", help="Send the video file itself, with its sound, instead of frames."
        ),
    ] = False,
    temperature: Annotated[
        float, typer.Option(help="Below zero: leave it and the seed to the server.")
    ] = 0.0,
    max_tokens: Annotated[
        int, typer.Option(min=64, help="Longest reply; a thinking model needs more.")
    ] = 4096,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Videos under way at a time.")] = 4,
    rate: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(help="Most requests a minute, over all workers."),
    ] = None,
    retries: Annotated[
        int, typer.Option(min=0, max=20, help="Further tries after 429, 5xx or no answer.")
    ] = 4,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds until a reply is there.")] = 300,
    budget_tokens: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, help="Most tokens, earlier starts of this run included."),
    ] = None,
    budget: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(help="Most money, in the currency of the prices; it needs --prices."),
    ] = None,
    prices: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            help="Prices of a million tokens of input, cached input and output, like 0.5,0.1,2."
        ),
    ] = None,
    currency: Annotated[str, typer.Option(help="Of the prices.")] = "USD",
    replies: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="File of replies; what is in it is not asked again. Default: in OUT."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything and estimate the cost; ask nothing.")
    ] = False,
    status: Annotated[
        bool, typer.Option("--status", help="Show how far the run in OUT is, and end.")
    ] = False,
    stop: Annotated[
        bool, typer.Option("--stop", help="Stop the run that is at work in OUT, and end.")
    ] = False,
) -> None:
    """Make VidHalLoc-style pairs from videos (VideoHALO, VidHalLoc section 3).

    Six roles look for facts, check them, write a factual and a
    counterfactual answer, and check these blind. What passes all gates is
    a pair.

      vidomni build pairs --videos clips --out pairs --model qwen3-vl
        --base-url http://localhost:8000/v1 --target 80 --dry-run

    Without --dry-run it starts. Stop it at any time (Ctrl-C, or --stop
    from elsewhere): the same command goes on and pays for nothing twice.
    Ends with 0 when the target is reached or all videos are used up, with
    1 when it was stopped or videos were set aside.
    """
    if status:
        _show_status(out)
        return
    if stop:
        from vidomni_plugin.build.pairs.session import ask_to_stop

        ask_to_stop(out)
        typer.echo("asked: the run ends at its next safe point")
        return
    media = {
        "policy": "native_video_url_v1" if native else "frames_timestamped_v1",
        "fps": fps,
        "camera_fps": camera_fps,
        "most_frames": most_frames,
        "long_side": long_side,
    }
    given = {
        "models": _models(model, role_model or []),
        "seed": seed,
        "target": target,
        "ceilings": _ceilings(ceiling or []),
        "pairs_per_video": per_video,
        "round_size": round_size,
        "temperature": None if temperature < 0 else temperature,
        "max_tokens": max_tokens,
        "media": media,
    }
    plan = _plan(given, videos or [], pool, questions, task)
    cost = _prices(prices, currency)
    if dry_run:
        _show_estimate(plan, cost)
        return
    url = base_url or os.environ.get("OPENAI_BASE_URL")
    out.mkdir(parents=True, exist_ok=True)
    event = threading.Event()
    client = _client(
        url, rate, retries, timeout, budget_tokens, budget, cost, replies or out, event
    )
    _work(plan, out, client, workers, event)


def _models(model: str | None, named: Sequence[str]) -> dict[Role, str]:
    from vidomni_plugin.build.pairs.contracts.roles import Role

    roles = {role.value: role for role in Role}
    models = dict.fromkeys(Role, model) if model else {}
    for text in named:
        name, equals, value = text.partition("=")
        if name not in roles or not equals or not value:
            refuse_start(TITLE, "--role-model", f"{text!r}", f"NAME=MODEL, of {', '.join(roles)}")
        models[roles[name]] = value
    missing = [role.value for role in Role if not models.get(role)]
    if missing:
        refuse_start(TITLE, "--model", f"no model for {', '.join(missing)}", "name one for all")
    return {role: models[role] or "" for role in Role}


def _ceilings(given: Sequence[str]) -> dict[str, int]:
    from vidomni_plugin.records import CATEGORY_OF_LEAF

    categories = list(CATEGORY_OF_LEAF.values())
    found: dict[str, int] = {}
    for text in given:
        name, _, number = text.partition("=")
        if name.lower() not in categories or not (number.isascii() and number.isdigit()):
            hint = f"CATEGORY=NUMBER, of {', '.join(categories)}"
            refuse_start(TITLE, "--ceiling", f"{text!r}", hint)
        found[name.lower()] = int(number)
    return found


def _prices(text: str | None, currency: str) -> Prices | None:
    from vidomni_plugin.endpoint.prices import Prices

    if text is None:
        return None
    try:
        given, cached, told = (float(part) for part in text.split(","))
        return Prices(given, cached, told, currency)
    except ValueError as error:
        hint = "three numbers: input, cached input and output, like 0.5,0.1,2"
        refuse_start(TITLE, "--prices", f"{text!r}: {error}", hint)


def _plan(
    given: dict[str, Any],
    videos: Sequence[Path],
    pool: Path | None,
    questions: Path | None,
    task: Literal["both", "video_qa", "video_captioning"],
) -> Plan:
    from pydantic import ValidationError

    from vidomni_plugin.build.pairs.policy.policy import load_policy
    from vidomni_plugin.build.pairs.session import Plan
    from vidomni_plugin.build.pairs.settings import PairSettings
    from vidomni_plugin.build.pairs.videos import pool_videos, videos_in
    from vidomni_plugin.problems import field_errors

    if bool(videos) == (pool is not None):
        refuse_start(TITLE, "--videos", "name --videos or --pool, one of them")
    try:
        settings: PairSettings = PairSettings.model_validate(given)
    except ValidationError as error:
        faults = [Problem("usage", "options", fault) for fault in field_errors(error)]
        raise InputProblems(TITLE, faults) from None
    policy = load_policy(questions)
    found = (
        videos_in(videos, task, settings.seed)
        if pool is None
        else pool_videos(pool, task, settings.seed)
    )
    return Plan(settings, policy, found)


def _client(
    url: str | None,
    rate: float | None,
    retries: int,
    timeout: float,
    budget_tokens: int | None,
    budget: float | None,
    prices: Prices | None,
    replies: Path,
    stop: threading.Event,
) -> Client:
    from vidomni_plugin.build.pairs.session import REPLIES
    from vidomni_plugin.endpoint.address import OFFICIAL_URL, make_client
    from vidomni_plugin.endpoint.budget import Budget
    from vidomni_plugin.endpoint.client import Client
    from vidomni_plugin.endpoint.pacing import Pacer
    from vidomni_plugin.endpoint.replies import Replies

    server = make_client((url or OFFICIAL_URL).rstrip("/"), timeout_s=timeout)
    path = replies / REPLIES if replies.is_dir() else replies
    limits = Budget(budget_tokens, budget, prices)
    kept = Replies(path)
    return Client(server, Pacer(rate), limits, kept, retries=retries, timeout_s=timeout, stop=stop)


class _Shown:
    """Shows the progress of a run on stderr."""

    def __init__(self, console: Any, committed: Any, target: int) -> None:  # noqa: ANN401
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self.view = Progress(*columns, TextColumn("{task.fields[steps]} steps"), console=console)
        self._committed = committed
        self._bar = self.view.add_task("pairs", total=target, steps=0)
        self._steps = 0

    def round_begins(self, number: int, of: int) -> None:
        """Name the round."""
        self.view.update(self._bar, description=f"pairs, round {number} of {of}")

    def step_done(self) -> None:
        """Count a step and the pairs."""
        self._steps += 1
        self.view.update(self._bar, completed=self._committed(), steps=self._steps)


@contextmanager
def _shown(out: Path, target: int) -> Iterator[_Shown]:
    import sqlite3
    from contextlib import closing

    from rich.console import Console

    from vidomni_plugin.build.pairs.session import STORE

    def committed() -> int:
        with closing(sqlite3.connect(out / STORE)) as db:
            count: int = db.execute("SELECT count(*) FROM pairs").fetchone()[0]
        return count

    shown = _Shown(Console(stderr=True), committed, target)
    with shown.view:
        yield shown


def _work(plan: Plan, out: Path, client: Client, workers: int, stop: threading.Event) -> None:
    from vidomni_plugin.build.pairs.session import run
    from vidomni_plugin.problems import printable
    from vidomni_plugin.wording import counted

    try:
        with _shown(out, plan.settings.target) as shown:
            ended = run(plan, out, client, shown, workers=workers, stop=stop)
    except KeyboardInterrupt:
        typer.echo("stopped; the same command goes on, and pays for nothing twice", err=True)
        raise typer.Exit(130) from None
    _show_status(out)
    for video_id, note in list(ended.set_aside.items())[:20]:
        typer.echo(f"set aside: {printable(video_id)}: {printable(note)}", err=True)
    if ended.state == "stopped":
        typer.echo(f"stopped: {printable(ended.why)}\n-> the same command goes on", err=True)
    elif ended.set_aside:
        many = counted(len(ended.set_aside), "video")
        typer.echo(f"{many} set aside\n-> the same command asks for them again", err=True)
    elif ended.state == "sources_used_up":
        typer.echo(
            f"all {len(plan.videos)} videos are used up before the target of "
            f"{plan.settings.target} pairs",
            err=True,
        )
    if ended.state == "stopped" or ended.set_aside:
        raise typer.Exit(1)


def _show_status(out: Path) -> None:
    from rich.console import Console

    from vidomni_plugin.build.pairs.status import (
        pairs_table,
        read_status,
        reasons_table,
        spent_table,
    )
    from vidomni_plugin.terminal import print_table

    found = read_status(out)
    console = Console()
    states = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in found.videos.items())
    typer.echo(f"{found.committed} of {found.settings.target} pairs; videos: {states}")
    for table in (pairs_table(found), reasons_table(found), spent_table(out)):
        if table is not None and table.rows:
            print_table(table, console)


def _show_estimate(plan: Plan, prices: Prices | None) -> None:
    from rich.console import Console

    from vidomni_plugin.build.pairs.estimate import estimate
    from vidomni_plugin.tables import Column, Table
    from vidomni_plugin.terminal import print_table

    rows = estimate(
        plan.videos, plan.settings, plan.policy, image_tokens=FRAME_TOKENS, prices=prices
    )
    titles = ("role", "model", "calls", "input tokens", "output tokens")
    columns = (*map(Column, titles), Column(prices.currency if prices else "cost", 4))
    cells = [
        (one.role.value, one.model, one.calls, one.input_tokens, one.output_tokens, one.cost)
        for one in rows
    ]
    calls = sum(one.calls for one in rows)
    given = sum(one.input_tokens for one in rows)
    told = sum(one.output_tokens for one in rows)
    money = sum(one.cost or 0.0 for one in rows) if prices else None
    cells.append(("all", "", calls, given, told, money))
    print_table(Table("estimate", "An estimate, nothing was asked", columns, cells), Console())
    typer.echo(
        f"{len(plan.videos)} videos, target {plan.settings.target} pairs, "
        f"{FRAME_TOKENS} tokens a frame assumed; signature {plan.signature[:12]}"
    )
