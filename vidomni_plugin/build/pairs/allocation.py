"""Which facts become pairs next: the rarest category first, within all caps.

Rarity orders what is there; it changes no definition and no evidence (VidHalLoc section 3.4).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
from vidomni_plugin.build.pairs.contracts.reasons import Reason
from vidomni_plugin.build.pairs.settings import PairSettings
from vidomni_plugin.records import Leaf

__all__ = ["Candidate", "Had", "choose", "rank", "why_not"]


class Candidate(NamedTuple):
    """A fact that could become a pair."""

    video_id: str
    fact_id: str
    leaf: Leaf


class Had(NamedTuple):
    """The pairs that there are."""

    by_leaf: Mapping[Leaf, int]
    leaves_of_video: Mapping[str, frozenset[Leaf]]

    @classmethod
    def of(cls, pairs: Iterable[Candidate]) -> Had:
        """Return the counts of some pairs."""
        leaves: dict[str, set[Leaf]] = {}
        counts: Counter[Leaf] = Counter()
        for pair in pairs:
            counts[pair.leaf] += 1
            leaves.setdefault(pair.video_id, set()).add(pair.leaf)
        return cls(counts, {video: frozenset(found) for video, found in leaves.items()})

    @property
    def total(self) -> int:
        """How many pairs there are."""
        return sum(self.by_leaf.values())


def rank(candidate: Candidate, seed: int) -> str:
    """Return where a candidate stands among equals: a hash, the same in every run."""
    key = f"{candidate.video_id}|{candidate.fact_id}|{candidate.leaf.value}|{seed}"
    return hashlib.sha256(key.encode()).hexdigest()


def why_not(candidate: Candidate, had: Had, settings: PairSettings) -> Reason | None:
    """Return which cap keeps a candidate out; None where it may become a pair."""
    if had.total >= settings.target:
        return Reason.TARGET_REACHED
    of_video = had.leaves_of_video.get(candidate.video_id, frozenset())
    if len(of_video) >= settings.pairs_per_video:
        return Reason.VIDEO_CAP
    if candidate.leaf in of_video:
        return Reason.LEAF_CAP
    if had.by_leaf.get(candidate.leaf, 0) >= settings.ceiling(candidate.leaf):
        return Reason.LEAF_CAP
    return None


def choose(
    candidates: Sequence[Candidate], had: Had, settings: PairSettings
) -> tuple[Candidate, ...]:
    """Return the facts to work on next, at most one a video, in the order they were chosen.

    If all of them became pairs, no cap would be passed: what is paid for is never thrown away.
    What is refused is made up for by the next choice.

    Args:
        candidates: The facts of a round that were not tried yet.
        had: The pairs that there are.
        settings: Target, ceilings and seed.
    """
    supply = Counter(one.leaf for one in candidates)
    counts = Counter({leaf: had.by_leaf.get(leaf, 0) for leaf in LEAVES})
    now = Had(counts, had.leaves_of_video)
    waiting: dict[Leaf, list[tuple[str, Candidate]]] = {leaf: [] for leaf in LEAVES}
    for one in candidates:
        waiting[one.leaf].append((rank(one, settings.seed), one))
    for queue in waiting.values():
        queue.sort(reverse=True)  # the first one is at the end, where it is cheap to take
    chosen: dict[str, Candidate] = {}

    def is_out(one: Candidate) -> bool:
        """Whether it is kept out, now and later: counts and chosen videos only grow."""
        return one.video_id in chosen or why_not(one, now, settings) is not None

    while True:
        heads = []
        for leaf, queue in waiting.items():
            while queue and is_out(queue[-1][1]):
                queue.pop()
            if queue:
                heads.append((counts[leaf], supply[leaf], *queue[-1]))
        if not heads:
            return tuple(chosen.values())
        best = min(heads)[-1]
        chosen[best.video_id] = best
        counts[best.leaf] += 1
