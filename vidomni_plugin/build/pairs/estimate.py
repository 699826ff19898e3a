"""What a run will ask and cost, before anything is asked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vidomni_plugin.build.pairs.contracts.roles import SEES_VIDEO, Role
from vidomni_plugin.build.pairs.media import times_of
from vidomni_plugin.build.pairs.policy.policy import Policy
from vidomni_plugin.build.pairs.settings import PairSettings
from vidomni_plugin.build.pairs.videos import VideoFile
from vidomni_plugin.endpoint.prices import Prices
from vidomni_plugin.endpoint.reply import Usage

__all__ = ["RoleEstimate", "Yields", "estimate"]

CHARACTERS_A_TOKEN = 4
"""Of English text."""
REPLY_TOKENS: Mapping[Role, int] = {
    Role.PLANNER: 700,
    Role.EXTRACTOR: 700,
    Role.REFLECTOR: 120,
    Role.GENERATOR: 120,
    Role.VERIFIER: 200,
    Role.MONITOR: 250,
}
"""Of a usual reply, without thinking."""
ITEM_CHARACTERS = 1200
"""Of what a call tells beside the policy."""


@dataclass(frozen=True, slots=True)
class Yields:
    """What is assumed to come out; a run's own numbers are in its status."""

    facts: float = 4.0
    """Facts of a video that pass their gate."""
    reflected: float = 0.7
    """Share of the facts tried that are borne out."""
    verified: float = 0.7
    """Share of these that pass generation and verification."""
    monitored: float = 0.8
    """Share of these that the monitor lets through."""

    @property
    def pair(self) -> float:
        """Share of the facts tried that become pairs."""
        return self.reflected * self.verified * self.monitored


@dataclass(frozen=True, slots=True)
class RoleEstimate:
    """What one role will be asked."""

    role: Role
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


def estimate(
    videos: Sequence[VideoFile],
    settings: PairSettings,
    policy: Policy,
    *,
    image_tokens: int,
    prices: Prices | None,
    yields: Yields | None = None,
) -> list[RoleEstimate]:
    """Return calls, tokens and money of a whole run by role, as an estimate.

    Args:
        videos: All videos of the run.
        settings: Target, rates, models.
        policy: Its length is part of each call.
        image_tokens: Of one frame; servers count differently.
        prices: None leaves the cost out.
        yields: Shares that pass the gates.
    """
    assumed = yields or Yields()
    a_video = min(settings.pairs_per_video, assumed.facts * assumed.pair)
    opened = min(len(videos), math.ceil(settings.target / a_video))
    pairs = min(settings.target, round(opened * a_video))
    tried = pairs / assumed.pair
    calls: dict[Role, float] = {
        Role.PLANNER: opened,
        Role.EXTRACTOR: opened,
        Role.REFLECTOR: tried,
        Role.GENERATOR: tried * assumed.reflected,
        Role.VERIFIER: tried * assumed.reflected,
        Role.MONITOR: tried * assumed.reflected * assumed.verified,
    }
    frames = _mean_frames(videos, settings)
    rows = []
    for role, number in calls.items():
        count = math.ceil(number)
        text = _characters(policy, role) + ITEM_CHARACTERS
        tokens = text / CHARACTERS_A_TOKEN + (frames * image_tokens if role in SEES_VIDEO else 0)
        given, told = round(count * tokens), count * REPLY_TOKENS[role]
        cost = prices.cost(Usage(given, 0, told)) if prices else None
        rows.append(RoleEstimate(role, settings.models[role], count, given, told, cost))
    return rows


def _mean_frames(videos: Sequence[VideoFile], settings: PairSettings) -> float:
    media = settings.media
    counts = [
        len(times_of(0.0, video.duration_s, media.fps, media.most_frames)) for video in videos
    ]
    return sum(counts) / len(counts) if counts else 0.0


def _characters(policy: Policy, role: Role) -> int:
    categories = {leaf.value: texts for leaf, texts in policy.categorical.items()}
    return len(policy.cognitive) + len(json.dumps(categories)) + len(policy.roles[role.value])
