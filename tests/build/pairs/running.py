"""Runs of the workflow against a scripted server, in the test's own process."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.build.pool.clips import picture, write
from tests.endpoint.clock import Clock
from tests.endpoint.scripted import ScriptedServer, Seen
from vidomni_plugin.build.pairs.contracts.roles import Role
from vidomni_plugin.build.pairs.policy.policy import Policy, load_policy
from vidomni_plugin.build.pairs.rounds import Ended
from vidomni_plugin.build.pairs.session import REPLIES, Plan, run
from vidomni_plugin.build.pairs.settings import PairSettings
from vidomni_plugin.build.pairs.videos import VideoFile
from vidomni_plugin.endpoint.address import make_client
from vidomni_plugin.endpoint.budget import Budget
from vidomni_plugin.endpoint.client import Client
from vidomni_plugin.endpoint.pacing import Pacer
from vidomni_plugin.endpoint.replies import Replies

__all__ = ["Quiet", "a_plan", "asked", "exports", "go", "settings", "write_clip"]

EXPORTS = ("pairs.jsonl", "pairs_extended.jsonl", "rejections.jsonl")


class Quiet:
    """Counts what it is told."""

    def __init__(self) -> None:
        self.rounds: list[int] = []
        self.steps = 0

    def round_begins(self, number: int, of: int) -> None:
        self.rounds.append(number)

    def step_done(self) -> None:
        self.steps += 1


def write_clip(path: Path, seed: int) -> Path:
    """Write a clip of one second, four frames, unlike that of any other seed."""
    return write(path, [picture(4 * seed + number, 48, 32) for number in range(4)], fps=4)


def settings(**changes: Any) -> PairSettings:
    given = {"models": dict.fromkeys(Role, "tiny"), "target": 4, "round_size": 4, "max_tokens": 200}
    return PairSettings.model_validate(given | changes)


@cache
def policy() -> Policy:
    """Return the policy, which takes a while to read."""
    return load_policy()


def a_plan(videos: Sequence[VideoFile], **changes: Any) -> Plan:
    return Plan(settings(**changes), policy(), videos)


def go(
    server: ScriptedServer | str,
    plan: Plan,
    out: Path,
    *,
    workers: int = 2,
    replies: Path | None = None,
    budget: Budget | None = None,
    stop: threading.Event | None = None,
    told: Quiet | None = None,
    timeout_s: float = 5.0,
    retries: int = 2,
) -> Ended:
    """Make pairs; no wait takes any time, but for those of the server."""
    url = server if isinstance(server, str) else server.url
    clock, stop = Clock(), stop or threading.Event()
    with Replies(replies or out / REPLIES) as kept:
        client = Client(
            make_client(url, timeout_s=timeout_s),
            Pacer(None, clock=clock, sleep=clock.sleep),
            budget or Budget(),
            kept,
            retries=retries,
            timeout_s=timeout_s,
            stop=stop,
        )
        return run(plan, out, client, told or Quiet(), workers=workers, stop=stop)


def exports(out: Path) -> tuple[bytes, ...]:
    return tuple((out / name).read_bytes() for name in EXPORTS)


def lines(out: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / name).read_text(encoding="utf-8").splitlines()]


def reasons(out: Path) -> Counter[str]:
    return Counter(line["reason"] for line in lines(out, "rejections.jsonl"))


def asked(seen: Seen) -> str:
    """Return what tells one request from another."""
    return json.dumps(seen.request, sort_keys=True)
