"""From the options of ``vidomni build pairs`` to a run; all that is wrong is told at once."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from vidomni_plugin.commands.pairs_faults import (
    Faults,
    Limits,
    ceilings_of,
    check_folder,
    models_of,
    prices_of,
    settings_of,
)
from vidomni_plugin.problems import InputProblems, Problem

if TYPE_CHECKING:
    import threading

    import openai

    from vidomni_plugin.build.pairs.session import Plan
    from vidomni_plugin.build.pairs.videos import VideoFile
    from vidomni_plugin.endpoint.budget import Budget
    from vidomni_plugin.endpoint.client import Client
    from vidomni_plugin.endpoint.prices import Prices
    from vidomni_plugin.endpoint.replies import Replies

__all__ = ["Server", "Start", "prepare"]

TITLE = "no pairs can be made"
PICTURE_TOKENS = 4096
"""Most tokens of a picture: what large models spend on one of high resolution."""
SECOND_TOKENS = 1024
"""The same of a second of a video that is sent as a file."""


@dataclass(frozen=True, slots=True)
class Server:
    """Who is asked, as it was asked for."""

    base_url: str | None
    retries: int
    timeout_s: float


@dataclass(slots=True)
class Start:
    """A run that can begin: nothing in it is wrong as far as can be known without asking."""

    plan: Plan
    limits: Limits
    server: Server
    prices: Prices | None
    budget: Budget
    url: str
    copies: Mapping[Path, Path]
    """Files that are left out, and the file of the same content that stays."""

    @property
    def picture_tokens(self) -> int:
        """Most tokens of a picture, or of a video that is sent as a file, for the budget."""
        if self.plan.settings.media.policy != "native_video_url_v1":
            return self.most_picture_tokens
        longest = max((video.duration_s for video in self.plan.videos), default=0.0)
        return math.ceil(longest + 1) * self.most_picture_tokens

    @property
    def most_picture_tokens(self) -> int:
        """Most tokens of a picture, or of a second of a video that is sent as a file."""
        native = self.plan.settings.media.policy == "native_video_url_v1"
        return self.limits.most_frame_tokens or (SECOND_TOKENS if native else PICTURE_TOKENS)

    def connect(self) -> openai.OpenAI:
        """Return the client of the server; nothing is sent.

        Raises:
            InputProblems: If the address or the key cannot be used.
        """
        from vidomni_plugin.endpoint.address import make_client

        return make_client(self.url, timeout_s=self.server.timeout_s)

    def client(self, kept: Replies, stop: threading.Event) -> Client:
        """Return what asks, at the pace and within the budget of this run."""
        from vidomni_plugin.endpoint.client import Client
        from vidomni_plugin.endpoint.pacing import Pacer

        return Client(
            self.connect(),
            Pacer(self.limits.rate),
            self.budget,
            kept,
            retries=self.server.retries,
            timeout_s=self.server.timeout_s,
            image_tokens=self.picture_tokens,
            stop=stop,
        )


def prepare(
    given: Mapping[str, Any],
    *,
    model: str | None,
    role_models: Sequence[str],
    ceilings: Sequence[str],
    limits: Limits,
    server: Server,
    videos: Sequence[Path],
    pool: Path | None,
    task: Literal["both", "video_qa", "video_captioning"],
    questions: Path | None,
    out: Path,
    to_ask: bool,
) -> Start:
    """Check all options, then the videos; ask nobody and write nothing.

    Args:
        given: Fields of ``PairSettings`` but models and ceilings.
        model: Of all roles.
        role_models: ``role=model``.
        ceilings: ``category=number``.
        limits: Pace and cost.
        server: Who is asked.
        videos: Folders; or none and a pool.
        pool: A pool.
        task: What the videos are used for.
        questions: The user's own bank.
        out: Folder of the run.
        to_ask: Whether it is to begin now: then address and key have to be right as well.

    Raises:
        InputProblems: With all that is wrong; with the videos' faults only once the options are
            right, since hashing them takes time.
    """
    from vidomni_plugin.build.pairs.policy.policy import load_policy
    from vidomni_plugin.build.pairs.session import Plan
    from vidomni_plugin.build.pairs.videos import pool_videos, videos_in
    from vidomni_plugin.endpoint.address import OFFICIAL_URL, make_client
    from vidomni_plugin.endpoint.budget import Budget

    faults = Faults()
    models = models_of(model, role_models, faults)
    most = ceilings_of(ceilings, faults)
    settings = settings_of(given, models, most, faults)
    prices = prices_of(limits, faults)
    if bool(videos) == (pool is not None):
        faults.say("--videos", "name --videos or --pool, one of them")
    policy = faults.of(lambda: load_policy(questions))
    check_folder(out, faults)
    url = (server.base_url or os.environ.get("OPENAI_BASE_URL") or OFFICIAL_URL).rstrip("/")
    if to_ask:
        faults.of(lambda: make_client(url, timeout_s=server.timeout_s))
    if faults.problems or settings is None or policy is None:
        raise InputProblems(TITLE, faults.problems)
    if pool is None:
        found = videos_in(videos, task, settings.seed)
        copies = _copies(videos, found)
    else:
        found, copies = pool_videos(pool, task, settings.seed), {}
    if settings.media.policy == "native_video_url_v1":
        _check_sizes(found)
    budget = Budget(limits.tokens, limits.money, prices)
    return Start(Plan(settings, policy, found), limits, server, prices, budget, url, copies)


def _check_sizes(videos: Sequence[VideoFile]) -> None:
    """See whether all files can be sent as they are, before any of them is paid for."""
    from vidomni_plugin.build.pairs.media import MOST_FILE_BYTES

    hint = "cut or encode it smaller, or send frames: without --native"
    problems = [
        Problem("usage", str(video.path), f"{size / 1e6:.0f} MB, --native sends {most:.0f}", hint)
        for video in videos
        for most in [MOST_FILE_BYTES / 1e6]
        if (size := video.path.stat().st_size) > MOST_FILE_BYTES
    ]
    if problems:
        raise InputProblems(TITLE, problems)


def _copies(folders: Sequence[Path], videos: Sequence[VideoFile]) -> dict[Path, Path]:
    from vidomni_plugin.build.pool.find import find_in_folders
    from vidomni_plugin.data.hashes import sha256_of

    stay = {video.sha256: video.path for video in videos}
    paths = [one.path for one in find_in_folders(folders).videos]
    hashes = sha256_of(paths)  # known by now
    found = {path: stay.get(hashes.get(path, "")) for path in paths}
    return {path: other for path, other in found.items() if other and other != path}
