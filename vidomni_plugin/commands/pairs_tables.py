"""What ``vidomni build pairs`` tells: how far a run is, and what one will cost."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vidomni_plugin.problems import printable
from vidomni_plugin.wording import counted

if TYPE_CHECKING:
    from vidomni_plugin.build.pairs.estimate import Estimate
    from vidomni_plugin.build.pairs.status import Status
    from vidomni_plugin.commands.pairs_start import Start
    from vidomni_plugin.endpoint.prices import Prices
    from vidomni_plugin.tables import Table

__all__ = ["estimate_table", "replies_in", "show_estimate", "show_next", "show_status"]

SHOWN = 20
"""How many videos are named that were set aside."""
COPIES = 5
"""How many files are named that are left out; --json names all."""


def replies_in(out: Path, replies: Path | None) -> Path:
    """Return the file of replies of a run."""
    from vidomni_plugin.build.pairs.session import REPLIES

    path = replies or out
    return path if replies and not path.is_dir() else path / REPLIES


def show_status(out: Path, replies: Path | None, *, as_json: bool) -> Status:
    """Print how far the run of a folder is, and return it."""
    from rich.console import Console

    from vidomni_plugin.build.pairs import status
    from vidomni_plugin.terminal import print_table

    found = status.read_status(out)
    path = replies_in(out, replies)
    if as_json:
        typer.echo(status.as_json(found, path))
        return found
    console = Console()
    tables = (status.pairs_table(found), status.reasons_table(found), status.left_table(found))
    for table in (*tables, status.spent_table(path)):
        if table is not None and table.rows:
            print_table(table, console)
    if not path.is_file():
        typer.echo(f"what it cost is in its file of replies: name it with --replies ({path})")
    states = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in found.videos.items())
    tasks = ", ".join(f"{count} {name}" for name, count in sorted(found.tasks.items()))
    work = "at work" if found.at_work else "not at work"
    told = f"{found.committed} of {counted(found.settings.target, 'pair')}"
    typer.echo(f"{told}{f' ({tasks})' if tasks else ''}; videos: {states}; {work}")
    if not found.at_work and found.last is not None:
        typer.echo(printable(_last(found.last)))
    for video_id, note in list(found.set_aside.items())[:SHOWN]:
        typer.echo(printable(f"set aside: {video_id}: {note}"))
    if len(found.set_aside) > SHOWN:
        typer.echo(f"... and {len(found.set_aside) - SHOWN} more")
    return found


def _last(last: Mapping[str, str]) -> str:
    """Return how the last start ended."""
    if not last:
        return "the last start was ended before it could say why"
    why = f": {last['why']}" if last["why"] else ""
    kind = f" ({last['kind']})" if last["kind"] and last["kind"] not in why else ""
    return f"last start: {last['state'].replace('_', ' ')}{kind}, {last['at']}{why}"


def show_next(out: Path, pool: Path | None, videos: Sequence[Path]) -> None:
    """Name the command that comes after a finished run."""
    where = ["--pool", str(pool)] if pool else []
    for folder in videos:
        where += ["--videos", str(folder)]
    release = ["vidomni", "build", "release", "--pairs", str(out), *where, "--out", "RELEASE"]
    typer.echo(printable(f"{out / 'pairs.jsonl'}: the pairs"))
    typer.echo(printable(f"next: {shlex.join(release)}"))


def show_estimate(start: Start, out: Path, *, as_json: bool) -> None:
    """Print what the run will ask and cost, and what that rests on."""
    from rich.console import Console

    from vidomni_plugin.build.pairs.estimate import estimate
    from vidomni_plugin.commands.pairs_ends import what_is_sent
    from vidomni_plugin.terminal import print_table

    found = estimate(
        start.plan.videos,
        start.plan.settings,
        start.plan.policy,
        image_tokens=start.limits.frame_tokens,
        prices=start.prices,
    )
    finished = _finished(out, start)
    if as_json:
        told = _as_data(found, start) | {"finished": finished is not None}
        if finished is not None:
            none: dict[str, Any] = {
                "calls": 0,
                "tokens": 0,
                "cost": 0 if start.prices else None,
                "roles": [],
            }
            told |= none | {"pairs": finished.committed, "hours_at_least": None}
        typer.echo(json.dumps(told, ensure_ascii=False, indent=1))
        return
    if finished is not None:
        pairs = counted(finished.committed, "pair")
        state = finished.state.replace("_", " ")
        typer.echo(f"the run is at its end ({state}): {pairs} there, nothing will be asked")
        return
    print_table(estimate_table(found, start.prices), Console())
    typer.echo(printable(what_is_sent(start)))
    for note in _notes(found, start, out):
        typer.echo(printable(note))
    for path, other in list(start.copies.items())[:COPIES]:
        typer.echo(printable(f"left out: {path}: the same content as {other}"))
    if len(start.copies) > COPIES:
        typer.echo(f"... and {len(start.copies) - COPIES} more copies are left out")


def estimate_table(found: Estimate, prices: Prices | None) -> Table:
    """Return calls, tokens and cost by role, to two digits."""
    from vidomni_plugin.build.pairs.estimate import rough
    from vidomni_plugin.tables import Column, Table

    def cells(calls: int, given: int, told: int, cost: float | None) -> tuple[Any, ...]:
        money = None if cost is None else _money(cost)
        return (*(int(rough(one)) for one in (calls, given, told)), money)

    rows = [
        (
            *(one.role.value, one.model),
            *cells(one.calls, one.input_tokens, one.output_tokens, one.cost),
        )
        for one in found.roles
    ]
    given = sum(one.input_tokens for one in found.roles)
    told = sum(one.output_tokens for one in found.roles)
    rows.append(("all", "", *cells(found.calls, given, told, found.cost)))
    heads = ("role", "model", "calls", "input tokens", "output tokens")
    columns = (*map(Column, heads), Column(prices.currency if prices else "cost"))
    return Table("estimate", "About what will be asked", columns, rows)


def _money(cost: float) -> str:
    from vidomni_plugin.build.pairs.estimate import rough

    return f"{rough(cost):,.10f}".rstrip("0").rstrip(".")


def _notes(found: Estimate, start: Start, out: Path) -> list[str]:
    from vidomni_plugin.build.pairs.estimate import rough

    settings, yields = start.plan.settings, found.yields
    native = settings.media.policy == "native_video_url_v1"
    notes = [
        f"about {counted(found.pairs, 'pair')} of {settings.target} expected, from "
        f"{found.videos} of "
        f"{counted(len(start.plan.videos), 'video')} in rounds of {settings.round_size}; "
        f"signature {start.plan.signature[:12]}",
        f"assumed, not measured: {yields.facts:g} facts a video; of the facts tried "
        f"{yields.reflected:.0%} are borne out, of these {yields.verified:.0%} pass generation and "
        f"verification, of these {yields.monitored:.0%} the monitor; {yields.again:.0%} of looks "
        f"are taken again; {found.frame_tokens:.0f} tokens a {'second' if native else 'frame'} "
        "(--frame-tokens)",
        "not in it: retries, repaired replies, thinking. It may be off by a factor of two or "
        "more: make a few pairs first, and see --status",
    ]
    if start.limits.rate:
        hours = found.calls / start.limits.rate / 60
        length = f"{rough(hours):g} h" if hours >= 1 else f"{math.ceil(hours * 60)} min"
        notes.append(f"at {start.limits.rate:g} requests a minute: {length} at least")
    notes += _budget_notes(found, start)
    if found.pairs < settings.target:
        notes.append("there are too few videos for the target; all of them will be used up")
    notes += _there(out, start)
    return notes


def _budget_notes(found: Estimate, start: Start) -> list[str]:
    from vidomni_plugin.build.pairs.estimate import rough

    notes = []
    limits = start.limits
    for limit, amount in ((limits.tokens, found.tokens), (limits.money, found.cost)):
        if limit is not None and amount and amount > limit:
            enough = int(rough(found.pairs * limit / amount))
            pairs = counted(enough, "pair")
            notes.append(f"the budget of {limit:,} would end the run at about {pairs}")
    if limits.tokens is not None or limits.money is not None:
        media = start.plan.settings.media
        pictures = 1 if media.policy == "native_video_url_v1" else media.most_frames
        most = pictures * start.picture_tokens + start.plan.settings.max_tokens
        notes.append(
            f"each call with the video sets aside up to {most:,} tokens until the server has "
            "counted (--most-frame-tokens); a budget that has less left ends the run"
        )
    return notes


def _finished(out: Path, start: Start) -> Status | None:
    """Return the status of this very run, where it is at its end."""
    from vidomni_plugin.build.pairs.session import STORE
    from vidomni_plugin.build.pairs.status import read_status

    if not (out / STORE).is_file():
        return None
    there = read_status(out)
    same = there.signature == start.plan.signature
    return there if same and there.state != "unfinished" else None


def _there(out: Path, start: Start) -> list[str]:
    from vidomni_plugin.build.pairs.session import STORE
    from vidomni_plugin.build.pairs.status import read_status

    if not (out / STORE).is_file():
        return []
    there = read_status(out)
    if there.signature != start.plan.signature:
        return [f"{out} holds a run with other settings or videos, and will be refused"]
    return [f"{counted(there.committed, 'pair')} of it are there already: less will be asked"]


def _as_data(found: Estimate, start: Start) -> dict[str, Any]:
    from dataclasses import asdict

    from vidomni_plugin.build.pairs.estimate import rough
    from vidomni_plugin.commands.pairs_ends import KEY, has_key
    from vidomni_plugin.endpoint.address import shown_url

    def number(value: float | None) -> float | None:
        return None if value is None else rough(value)

    hours = found.calls / start.limits.rate / 60 if start.limits.rate else None
    return {
        "sends": start.plan.settings.media.policy,
        "to": shown_url(start.url),
        "key": {"name": KEY, "is_set": has_key()},
        "pairs": found.pairs,
        "target": start.plan.settings.target,
        "videos": found.videos,
        "videos_there": len(start.plan.videos),
        "left_out": {str(path): str(other) for path, other in start.copies.items()},
        "signature": start.plan.signature,
        "calls": number(found.calls),
        "tokens": number(found.tokens),
        "cost": number(found.cost),
        "currency": start.prices.currency if start.prices else None,
        "hours_at_least": number(hours),
        "roles": [
            {
                "role": one.role.value,
                "model": one.model,
                "calls": number(one.calls),
                "input_tokens": number(one.input_tokens),
                "output_tokens": number(one.output_tokens),
                "cost": number(one.cost),
            }
            for one in found.roles
        ],
        "assumed": {**asdict(found.yields), "frame_tokens": found.frame_tokens},
    }
