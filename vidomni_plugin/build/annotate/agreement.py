"""How far annotators agree: overall, per label, per batch and per caption source."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from vidomni_plugin.bootstrap import DRAWS, LEVEL, Interval
from vidomni_plugin.build.annotate.people import AnnotatorRow
from vidomni_plugin.build.annotate.votes import LABELS, VotedPair, counts
from vidomni_plugin.published import published
from vidomni_plugin.stats import Agreement, agreement, agreement_interval, one_against_rest
from vidomni_plugin.tables import Column, Table

__all__ = [
    "Group",
    "agreement_groups",
    "agreement_record",
    "agreement_table",
]


@dataclass(frozen=True, slots=True)
class Group:
    """The agreement on some sentences."""

    kind: str
    """"all", "label", "batch" or "caption source"."""
    name: str
    videos: int
    agreement: Agreement
    observed: Interval
    kappa: Interval


def agreement_groups(
    pairs: Sequence[VotedPair], *, seed: int, draws: int = DRAWS, level: float = LEVEL
) -> list[Group]:
    """Return the agreement on all sentences, each label, each batch and each caption source.

    A sentence counts with two or more votes. Intervals draw whole videos.

    Args:
        pairs: All pairs with votes.
        seed: Seed of every bootstrap.
        draws: Bootstrap draws.
        level: Coverage of the intervals.
    """

    def group(kind: str, name: str, chosen: Iterable[VotedPair], label: int | None = None) -> Group:
        rows = [(pair.video_id, counts(s.votes)) for pair in chosen for s in pair.sentences]
        matrix: Any = [row for _, row in rows] or [[0] * len(LABELS)]
        videos = [video for video, _ in rows] or [""]
        if label is not None:
            matrix = one_against_rest(matrix, label)
        found = agreement_interval(matrix, videos, seed=seed, draws=draws, level=level)
        return Group(
            kind, name, found.kappa.clusters, agreement(matrix), found.observed, found.kappa
        )

    groups = [group("all", "all", pairs)]
    groups += [group("label", label, pairs, k) for k, label in enumerate(LABELS)]
    by: dict[str, Callable[[VotedPair], str]] = {
        "batch": lambda pair: pair.batch,
        "caption source": lambda pair: pair.caption_source,
    }
    for kind, key in by.items():
        for name in sorted({key(pair) for pair in pairs}, key=lambda name: (name != "pilot", name)):
            groups.append(group(kind, name, [pair for pair in pairs if key(pair) == name]))
    return groups


def agreement_table(groups: Sequence[Group], *, seed: int) -> Table:
    """Return the groups as a table, the paper's numbers beside the first row."""
    paper = published()["vidomni"]["agreement"]
    rows = [
        (
            group.kind,
            group.name,
            group.videos,
            group.agreement.items,
            group.agreement.left_out,
            *map(_or_none, (group.agreement.observed, group.observed.low, group.observed.high)),
            *map(_or_none, (group.agreement.kappa, group.kappa.low, group.kappa.high)),
        )
        for group in groups
    ]
    columns = [
        *map(Column, ("of", "name", "videos", "sentences", "too few votes")),
        *(Column(title, 3) for title in ("observed", "observed low", "observed high")),
        *(Column(title, 3) for title in ("kappa", "kappa low", "kappa high")),
    ]
    draws = groups[0].kappa.draws
    notes = [
        f"Low and high: 95 % percentile interval of {draws:,} bootstrap draws of whole videos, "
        f"seed {seed}.",
        "A label's row is that label against the other two. Kappa is '-' where every vote is "
        "the same label, because chance agreement is then 1.",
        f"Paper, all three labels: observed agreement {paper['observed_agreement']}, Fleiss' "
        f"kappa {paper['fleiss_kappa']}.",
    ]
    unsure = [f"{g.name} {g.kappa.undefined:,}" for g in groups if g.kappa.undefined]
    if unsure:
        notes.append(f"Draws in which kappa was undefined, left out: {', '.join(unsure)}.")
    return Table("agreement", "Observed agreement and Fleiss' kappa", columns, rows, notes)


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def agreement_record(
    groups: Sequence[Group],
    rows: Sequence[AnnotatorRow],
    *,
    seed: int,
    draws: int,
    level: float = LEVEL,
) -> dict[str, Any]:
    """Return everything as JSON values; NaN becomes null, its reason stands beside it."""

    def values(one: Agreement | Interval) -> dict[str, Any]:
        return {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in one._asdict().items()
        }

    return {
        "bootstrap": {"clusters": "videos", "seed": seed, "draws": draws, "level": level},
        "paper": published()["vidomni"]["agreement"],
        "groups": [
            {
                "of": group.kind,
                "name": group.name,
                "videos": group.videos,
                **values(group.agreement),
                "observed_interval": values(group.observed),
                "kappa_interval": values(group.kappa),
            }
            for group in groups
        ],
        "annotators": [
            asdict(row) | {"shares": dict(zip(LABELS, row.shares, strict=True))} for row in rows
        ],
    }
