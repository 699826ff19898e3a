"""Draw the items of an audit: the same number of each category, and others to practise on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from vidomni_plugin.build.audit.files import AuditItem
from vidomni_plugin.build.audit.labels import CODES
from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.records import VidHalLocPair

__all__ = [
    "CALIBRATION",
    "PER_CATEGORY",
    "SEED",
    "Drawn",
    "draw",
    "generator",
    "item_id",
    "items_of",
]

SEED = 20260818
"""The paper's seed, of the draw and of the bootstrap."""
PER_CATEGORY = 100
"""Items of a category in the paper: 800 in all."""
CALIBRATION = 30
"""Items that the paper's workers practised on."""


class Drawn(NamedTuple):
    """The drawn pairs, category by category in the paper's order, ids sorted within."""

    audit: list[VidHalLocPair]
    calibration: list[VidHalLocPair]


def generator(*seeds: int) -> np.random.Generator:
    """Return NumPy's PCG64 with a seed; more numbers name a stream of its own."""
    return np.random.Generator(np.random.PCG64(seeds[0] if len(seeds) == 1 else seeds))


def item_id(pair_id: str, seed: int) -> str:
    """Return how people see an item called: ids of pairs may name the category.

    Example:
        >>> item_id("pair_v1_fact_001", 20260818)
        'item-3cb3d0daac4b'
    """
    digest = hashlib.sha256(f"{seed}\n{pair_id}".encode()).hexdigest()
    return f"item-{digest[:12]}"


def draw(
    pairs: Sequence[VidHalLocPair],
    *,
    place: str,
    seed: int = SEED,
    per_category: int = PER_CATEGORY,
    calibration: int = CALIBRATION,
    allow_fewer: bool = False,
) -> Drawn:
    """Draw an audit's items without replacement.

    The pairs are sorted by id; one generator serves the categories in the paper's order, then
    the calibration. The calibration has as many of one category as of another, as far as that
    goes, and takes videos that the sample has not, as long as there are enough.

    Args:
        pairs: All pairs, each id once; their order does not matter.
        place: Where they come from, for messages.
        seed: Seed of PCG64.
        per_category: How many of each category.
        calibration: How many to practise on, none of them in the sample.
        allow_fewer: Whether a category that has fewer gives all that it has, which may be none.

    Raises:
        InputProblems: With every category that has too few, unless ``allow_fewer``; and if there
            is no pair at all.
    """
    random = generator(seed)
    of_category = {
        leaf: sorted((p for p in pairs if p.leaf_label is leaf), key=lambda pair: pair.pair_id)
        for leaf in LEAVES
    }
    problems = [
        Problem("too-few", place, f"{code}: {len(own)} pairs, {per_category} are wanted", _FEWER)
        for code, own in zip(CODES, of_category.values(), strict=True)
        if len(own) < per_category and not allow_fewer
    ]
    if not pairs:
        problems = [Problem("no-pairs", place, "there is no pair")]
    if problems:
        raise InputProblems("sample of an audit", problems)
    sample = {
        leaf: _chosen(random, own, min(per_category, len(own))) for leaf, own in of_category.items()
    }
    in_sample = {pair.pair_id for own in sample.values() for pair in own}
    seen = {pair.media.video_id for own in sample.values() for pair in own}
    rest = {
        leaf: [p for p in own if p.pair_id not in in_sample] for leaf, own in of_category.items()
    }
    shares = _shares([len(own) for own in rest.values()], calibration)
    if sum(shares) < calibration and not allow_fewer:
        message = f"{sum(shares)} pairs are left for the calibration, {calibration} are wanted"
        raise InputProblems("sample of an audit", [Problem("too-few", place, message, _FEWER)])
    practice = []
    for own, share in zip(rest.values(), shares, strict=True):
        unseen = [pair for pair in own if pair.media.video_id not in seen]
        practice += _chosen(random, unseen if len(unseen) >= share else own, share)
    return Drawn([pair for own in sample.values() for pair in own], practice)


def items_of(drawn: Drawn, seed: int) -> list[AuditItem]:
    """Return the drawn pairs as items, with the names that people see."""
    practice = [
        AuditItem(item=item_id(pair.pair_id, seed), batch="calibration", pair=pair)
        for pair in drawn.calibration
    ]
    audit = [
        AuditItem(item=item_id(pair.pair_id, seed), batch="audit", pair=pair)
        for pair in drawn.audit
    ]
    return audit + practice


_FEWER = (
    "a smaller --per-category or --calibration, or --allow-fewer for what there is: a category "
    "without a pair is left out then"
)


def _chosen(
    random: np.random.Generator, own: Sequence[VidHalLocPair], count: int
) -> list[VidHalLocPair]:
    return [own[k] for k in sorted(random.choice(len(own), count, replace=False).tolist())]


def _shares(left: Iterable[int], wanted: int) -> list[int]:
    """Return how many each category gives: one each in turn, as long as it has some.

    Example:
        >>> _shares([9, 1, 9], 6)
        [3, 1, 2]
    """
    rest = list(left)
    shares = [0] * len(rest)
    while sum(shares) < min(wanted, sum(rest)):
        for k, own in enumerate(rest):
            if shares[k] < own and sum(shares) < wanted:
                shares[k] += 1
    return shares
