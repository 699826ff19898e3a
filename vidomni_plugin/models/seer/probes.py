"""What is known about a clip's names, and what is read off the model's inner states to teach it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from vidomni_plugin.models.seer.branches import Mention
from vidomni_plugin.models.seer.clips import Clip
from vidomni_plugin.models.seer.network import HIDDEN
from vidomni_plugin.models.seer.traits import CELLS, MOST, TRAITS, WAYS, WORDS, Sight
from vidomni_plugin.models.seer.world import NUMBERS

__all__ = ["GROUND", "GROUND_WEIGHT", "QUARTERS", "SAID", "Probes", "ground", "spots"]

QUARTERS = 4
"""Stretches of time in which a named thing is to be found."""
SHOTS = 4
"""Shots of a clip at most."""
COUNTS = MOST + 1
"""Numbers of things that are told apart, 0 to ``MOST``."""
GROUND = QUARTERS * CELLS**2 + COUNTS + 4
"""What must be known about a named thing: where it is when, how many there are, how they move."""
GROUND_WEIGHT = torch.repeat_interleave(
    GROUND * torch.tensor([0.6, 0.4, 0.2]) / torch.tensor([QUARTERS * CELLS**2, COUNTS, 4]),
    torch.tensor([QUARTERS * CELLS**2, COUNTS, 4]),
)
"""How much each of them counts, 1.2 in the mean: the few numbers for counts and motions must not
drown, those for counts least of all, since two and three look much alike."""

SAID: Mapping[str, int] = MappingProxyType(
    {number: QUARTERS * CELLS**2 + n for n, number in enumerate(NUMBERS)}
    | {word: QUARTERS * CELLS**2 + COUNTS + n for n, words in enumerate(WAYS) for word in words}
)
"""Words for some of it, with its place."""


def _named(clip: Clip, mention: Mention) -> list[Sight]:
    """Return what a mention names."""
    return [
        sight
        for (colour, noun), sight in clip.sights.items()
        if (mention.colour in ("", colour))
        and (mention.noun == noun or (mention.noun == "shape" and colour))
    ]


def spots(clip: Clip, mention: Mention) -> NDArray[np.float32]:
    """Return on which visual tokens the mentioned things are, as shares that add up to 1 or 0."""
    tokens = len(clip.cells)
    where = np.sum(
        [sight.where for sight in _named(clip, mention)] or [np.zeros(tokens, np.uint8)], axis=0
    )
    there = (where.reshape(tokens) > 0).astype(np.float32)
    shares: NDArray[np.float32] = there / max(1.0, there.sum())
    return shares


def ground(clip: Clip, mention: Mention) -> NDArray[np.float32]:
    """Return where the mentioned things are when, how many, and how they move, shape ``(GROUND,)``.

    Example:
        >>> import random
        >>> from vidomni_plugin.models.seer.clips import imagine
        >>> told = ground(imagine(random.Random(0)), Mention(0, "", "hand"))
        >>> told.shape, float(told[64:72].sum())
        ((76,), 1.0)
    """
    seen = _named(clip, mention)
    told = np.zeros(GROUND, np.float32)
    maps, most = QUARTERS * CELLS**2, 0
    if seen:
        where = np.sum([sight.where for sight in seen], axis=0)
        quarters = np.array_split(where, QUARTERS)
        told[:maps] = np.concatenate([(q > 0).any(0) for q in quarters])
        most = int(where.sum(1).max())
        told[maps + COUNTS :] = np.any([sight.moves for sight in seen], axis=0)
    told[maps + min(most, MOST)] = 1
    return told


class Probes(nn.Module):  # type: ignore[misc]
    """What is read off inner states while training; it is not part of the checkpoint."""

    def __init__(self) -> None:
        super().__init__()
        self.eye = nn.Linear(HIDDEN, TRAITS)
        self.often = nn.Parameter(torch.zeros(len(WORDS)))
        self.named = nn.Linear(HIDDEN, GROUND)
        self.said = nn.Parameter(torch.zeros(len(SAID)))
        self.shot = nn.Linear(HIDDEN, SHOTS)
        self.place = nn.Linear(HIDDEN, QUARTERS + 2 * CELLS)
