"""The settings of a run that decide its result, and their signature."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
from vidomni_plugin.build.pairs.contracts.pair import PAIR_SCHEMA, EvidencePolicy
from vidomni_plugin.build.pairs.contracts.roles import Role
from vidomni_plugin.build.pairs.videos import VideoFile
from vidomni_plugin.records import CATEGORY_OF_LEAF, Category, Leaf

__all__ = ["MediaSettings", "PairSettings", "signature"]

WORKFLOW = "vidomni_pairs_1.0"
"""Changes with the workflow: a run is not continued by another one."""


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class MediaSettings(_Settings):
    """How the models see a video."""

    policy: EvidencePolicy = "frames_timestamped_v1"
    fps: Annotated[float, Field(gt=0, le=30)] = 1.0
    """Frames a second of a first look."""
    camera_fps: Annotated[float, Field(gt=0, le=30)] = 4.0
    """Frames a second where a change of the camera is judged."""
    focus_fps: Annotated[float, Field(gt=0, le=30)] = 4.0
    """Frames a second of a second look at an interval."""
    most_frames: Annotated[int, Field(ge=1, le=2000)] = 64
    """Of one call; a longer video gets them farther apart."""
    long_side: Annotated[int, Field(ge=64, le=4096)] = 512
    """Longest side of a frame in pixels; smaller videos keep their size."""
    focus_long_side: Annotated[int, Field(ge=64, le=4096)] = 1024
    """The same for a second look."""
    jpeg_quality: Annotated[int, Field(ge=1, le=100)] = 85


class PairSettings(_Settings):
    """All that decides which pairs come out."""

    models: dict[Role, Annotated[str, Field(min_length=1)]]
    """Model of each role."""
    seed: int = 42
    target: Annotated[int, Field(ge=1)] = 2000
    """Pairs in all."""
    ceilings: dict[Category, Annotated[int, Field(ge=0)]] = {}
    """Most pairs of a category; an equal share of the target, rounded up, where none is named."""
    pairs_per_video: Annotated[int, Field(ge=1, le=2)] = 2
    round_size: Annotated[int, Field(ge=1, le=10_000)] = 16
    """Videos that share their candidates; the rarest category is served first among them."""
    temperature: float | None = 0.0
    """None leaves it to the server."""
    max_tokens: Annotated[int, Field(ge=64)] = 4096
    """Of one reply."""
    media: MediaSettings = MediaSettings()

    @model_validator(mode="after")
    def _every_role_has_a_model(self) -> PairSettings:
        if missing := [role.value for role in Role if role not in self.models]:
            raise ValueError(f"no model for {', '.join(missing)}")
        return self

    def ceiling(self, leaf: Leaf) -> int:
        """Return how many pairs of a leaf there may be at most.

        Example:
            >>> PairSettings(models=dict.fromkeys(Role, "m"), target=20).ceiling(
            ...     Leaf.ENTITY_CATEGORY
            ... )
            3
        """
        share = math.ceil(self.target / len(LEAVES))
        return self.ceilings.get(CATEGORY_OF_LEAF[leaf.value], share)


def signature(settings: PairSettings, policy_digest: str, videos: Iterable[VideoFile]) -> str:
    """Return the hash of all that decides a run's result, in 64 hexadecimal digits.

    Not in it: workers, budget, rate limit and the server's address, which decide when a run ends
    and not what it makes; and where the videos lie, for their content is in it.
    """
    told: Mapping[str, object] = {
        "workflow": WORKFLOW,
        "schema": PAIR_SCHEMA,
        "settings": settings.model_dump(mode="json"),
        "policy": policy_digest,
        "videos": sorted((one.video_id, one.sha256, one.parent, one.task) for one in videos),
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
