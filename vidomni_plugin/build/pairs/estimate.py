"""What a run will ask and cost, before anything is asked: an order of magnitude."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
from vidomni_plugin.build.pairs.contracts.roles import SEES_VIDEO, Role
from vidomni_plugin.build.pairs.media import times_of
from vidomni_plugin.build.pairs.policy.policy import Policy
from vidomni_plugin.build.pairs.settings import MediaSettings, PairSettings
from vidomni_plugin.build.pairs.videos import VideoFile
from vidomni_plugin.endpoint.prices import Prices
from vidomni_plugin.endpoint.reply import Usage

__all__ = ["Estimate", "RoleEstimate", "Yields", "estimate", "frame_tokens", "rough"]

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
ONE_LEAF = (Role.GENERATOR,)
"""Roles that are told the rules of one leaf; the others are told all."""
ITEM_CHARACTERS = 1200
"""Of what a call tells beside the policy."""
FRAME_TOKENS = 300
"""Of a frame of ``USUAL_SIDE`` pixels: between what servers count that we know of."""
USUAL_SIDE = 512
SECOND_TOKENS = 300
"""Of a second of a video that is sent as a file."""
TIME_TOKENS = 6
"""Of the time that is printed before a frame."""
FOCUS_S = 4.0
"""Length of a second look."""


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
    again: float = 0.1
    """Share of reflector's and monitor's reports that ask for a second look."""
    compared: float = 0.5
    """Share of verifications with phrases to compare, which is a call of its own."""

    @property
    def pair(self) -> float:
        """Share of the facts tried that become pairs."""
        return self.reflected * self.verified * self.monitored


class RoleEstimate(NamedTuple):
    """What one role will be asked."""

    role: Role
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a whole run will ask."""

    roles: Sequence[RoleEstimate]
    videos: int
    """Videos that are looked at."""
    pairs: int
    """Pairs that come out; fewer than the target where there are too few videos."""
    frame_tokens: float
    """Assumed of a frame, or of a second of a video that is sent as a file."""
    yields: Yields

    @property
    def calls(self) -> int:
        """Calls of all roles, retries not counted."""
        return sum(one.calls for one in self.roles)

    @property
    def tokens(self) -> int:
        """Input and output of all roles."""
        return sum(one.input_tokens + one.output_tokens for one in self.roles)

    @property
    def cost(self) -> float | None:
        """Of all roles; None without prices."""
        costs = [one.cost for one in self.roles if one.cost is not None]
        return math.fsum(costs) if costs else None


def rough(value: float) -> float:
    """Return a number with the two digits that an estimate may have.

    Example:
        >>> rough(123_456), rough(0.01234), rough(7)
        (120000.0, 0.012, 7.0)
    """
    return float(f"{value:.1e}")


def frame_tokens(media: MediaSettings) -> float:
    """Return the tokens of a frame, or of a second of a file, where nobody named them."""
    if media.policy == "native_video_url_v1":
        return SECOND_TOKENS
    return FRAME_TOKENS * (media.long_side / USUAL_SIDE) ** 2


def estimate(
    videos: Sequence[VideoFile],
    settings: PairSettings,
    policy: Policy,
    *,
    image_tokens: float | None = None,
    prices: Prices | None = None,
    yields: Yields | None = None,
) -> Estimate:
    """Return calls, tokens and money of a whole run by role.

    Retries, repairs of replies and thinking are not in it.

    Args:
        videos: All videos of the run.
        settings: Target, rates, models.
        policy: Its length is part of each call.
        image_tokens: Of one frame, or of a second of a file; servers count differently.
        prices: None leaves the cost out.
        yields: Shares that pass the gates.
    """
    assumed = yields or Yields()
    per_frame = frame_tokens(settings.media) if image_tokens is None else image_tokens
    a_video = min(settings.pairs_per_video, assumed.facts * assumed.pair)
    rounds = math.ceil(settings.target / a_video / settings.round_size)
    opened = min(len(videos), rounds * settings.round_size)
    pairs = min(settings.target, round(opened * a_video))
    tried = pairs / assumed.pair
    borne_out = tried * assumed.reflected
    judged = borne_out * assumed.verified
    looks = _Looks.of(videos, settings.media, per_frame)
    asked: dict[Role, Sequence[tuple[float, float]]] = {
        Role.PLANNER: [(opened, looks.usual)],
        Role.EXTRACTOR: [(opened, looks.camera)],
        Role.REFLECTOR: [(tried, looks.mixed), (tried * assumed.again, looks.focus)],
        Role.GENERATOR: [(borne_out, 0)],
        Role.VERIFIER: [(borne_out * (1 + assumed.compared), 0)],
        Role.MONITOR: [(judged, looks.mixed), (judged * assumed.again, looks.mixed + looks.focus)],
    }
    roles = []
    for role, parts in asked.items():
        text = (_characters(policy, role) + ITEM_CHARACTERS) / CHARACTERS_A_TOKEN
        calls = math.ceil(sum(count for count, _ in parts))
        seen = sum(count * tokens for count, tokens in parts) if role in SEES_VIDEO else 0
        given, told = round(calls * text + seen), calls * REPLY_TOKENS[role]
        cost = prices.cost(Usage(given, 0, told)) if prices else None
        roles.append(RoleEstimate(role, settings.models[role], calls, given, told, cost))
    return Estimate(roles, opened, pairs, per_frame, assumed)


class _Looks(NamedTuple):
    """Tokens of one look, on the average over the videos."""

    usual: float
    camera: float
    focus: float

    @property
    def mixed(self) -> float:
        """Of a fact of any leaf: one in eight is about the camera."""
        return (self.usual * (len(LEAVES) - 1) + self.camera) / len(LEAVES)

    @classmethod
    def of(cls, videos: Sequence[VideoFile], media: MediaSettings, per_frame: float) -> _Looks:
        def mean(tokens: Sequence[float]) -> float:
            return math.fsum(tokens) / len(tokens) if tokens else 0.0

        def frames(seconds: float, fps: float, of_one: float) -> float:
            return len(times_of(0.0, seconds, fps, media.most_frames)) * (of_one + TIME_TOKENS)

        def at_the_camera(seconds: float) -> float:
            if seconds * media.camera_fps <= media.most_frames:
                return frames(seconds, media.camera_fps, per_frame)
            close = frames(min(seconds, FOCUS_S), media.camera_fps, per_frame)
            return frames(seconds, media.fps, per_frame) + close

        lengths = [video.duration_s for video in videos]
        larger = per_frame * (media.focus_long_side / media.long_side) ** 2
        if media.policy == "native_video_url_v1":
            usual = camera = mean([seconds * per_frame for seconds in lengths])
            larger = FRAME_TOKENS * (media.focus_long_side / USUAL_SIDE) ** 2  # frames all the same
        else:
            usual = mean([frames(seconds, media.fps, per_frame) for seconds in lengths])
            camera = mean([at_the_camera(seconds) for seconds in lengths])
        focus = [frames(min(seconds, FOCUS_S), media.focus_fps, larger) for seconds in lengths]
        return cls(usual, camera, mean(focus))


def _characters(policy: Policy, role: Role) -> int:
    categories = len(json.dumps([*policy.categorical.values()]))
    if role in ONE_LEAF:
        categories //= len(LEAVES)
    return len(policy.cognitive) + categories + len(policy.roles[role.value])
