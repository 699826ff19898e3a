"""What each annotator did: agreement with the others, labels and speed."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from vidomni_plugin.build.annotate.votes import LABELS, Label, VotedPair, majority
from vidomni_plugin.tables import Column, Table

__all__ = ["AnnotatorRow", "annotator_rows", "annotator_table", "kappa_with_rest"]


@dataclass(frozen=True, slots=True)
class AnnotatorRow:
    """What one annotator did; shares in [0, 1], times in seconds, None where nothing is known."""

    annotator: str
    trusted: bool
    pairs: int
    sentences: int
    with_majority: float | None
    """Share of the sentences with a majority on which the annotator is with it; the
    annotator's own vote is part of the majority."""
    kappa_with_rest: float | None
    """Cohen's kappa of the annotator and the others who judged the same sentences."""
    shares: tuple[float, ...]
    """Share of each of ``LABELS`` among the annotator's labels."""
    seconds_a_pair: float | None
    """Median of the lead time."""
    seconds_a_sentence: float | None
    """Median over pairs of lead time / sentences."""
    faster_than_video: int | None
    """Pairs that were done in less time than the video lasts; None without both times."""


def annotator_rows(pairs: Sequence[VotedPair]) -> list[AnnotatorRow]:
    """Return what each annotator did, by name."""
    trusted = {j.annotator: j.trusted for pair in pairs for j in pair.judgements}
    return [_row(name, trusted[name], pairs) for name in sorted(trusted)]


def _row(name: str, trusted: bool, pairs: Sequence[VotedPair]) -> AnnotatorRow:
    own_labels: list[Label] = []
    beside: list[tuple[Label, list[Label]]] = []
    agreed: list[bool] = []
    times: list[float] = []
    per_sentence: list[float] = []
    faster: list[bool] = []
    judged = 0
    for pair in pairs:
        judgement = next((j for j in pair.judgements if j.annotator == name), None)
        if judgement is None:
            continue
        judged += 1
        if judgement.lead_time_s is not None:
            times.append(judgement.lead_time_s)
            per_sentence.append(judgement.lead_time_s / len(pair.sentences))
            if pair.duration_s is not None:
                faster.append(judgement.lead_time_s < pair.duration_s)
        for sentence in pair.sentences:
            own = next((v.label for v in sentence.votes if v.annotator == name), None)
            if own is None:
                continue
            own_labels.append(own)
            others = [v.label for v in sentence.votes if v.annotator != name]
            if others:
                beside.append((own, others))
            if (label := majority(sentence.votes)) is not None:
                agreed.append(own == label)
    return AnnotatorRow(
        annotator=name,
        trusted=trusted,
        pairs=judged,
        sentences=len(own_labels),
        with_majority=statistics.fmean(agreed) if agreed else None,
        kappa_with_rest=kappa_with_rest(beside),
        shares=tuple(own_labels.count(x) / len(own_labels) if own_labels else 0.0 for x in LABELS),
        seconds_a_pair=statistics.median(times) if times else None,
        seconds_a_sentence=statistics.median(per_sentence) if per_sentence else None,
        faster_than_video=sum(faster) if faster else None,
    )


def kappa_with_rest(votes: Sequence[tuple[Label, Sequence[Label]]]) -> float | None:
    r"""Return Cohen's kappa of one annotator and the others who judged the same sentences.

    .. math::
        P_o = \mathrm{mean}_i\; r_i(a_i), \quad
        P_e = \sum_j \mathrm{mean}_i [a_i = j] \cdot \mathrm{mean}_i\, r_i(j), \quad
        \kappa = (P_o - P_e) / (1 - P_e)

    where :math:`a_i` is the annotator's label of sentence i and :math:`r_i(j)` the share of the
    others who say j. With one other annotator it is Cohen (1960).

    Args:
        votes: The annotator's label and the others' labels, a sentence each.

    Returns:
        Kappa, at most 1; None without sentences or where chance agreement is 1.

    Example:
        >>> kappa_with_rest([("Correct", ["Correct"]), ("Incorrect", ["Incorrect", "Correct"])])
        0.5
    """
    if not votes:
        return None
    shares = [[others.count(x) / len(others) for x in LABELS] for _, others in votes]
    observed = statistics.fmean(
        share[LABELS.index(own)] for (own, _), share in zip(votes, shares, strict=True)
    )
    chance = sum(
        statistics.fmean(own == label for own, _ in votes)
        * statistics.fmean(share[k] for share in shares)
        for k, label in enumerate(LABELS)
    )
    return None if chance > 1 - 1e-12 else (observed - chance) / (1 - chance)


def annotator_table(rows: Sequence[AnnotatorRow]) -> Table:
    """Return the annotators as a table."""
    columns = [
        *map(Column, ("annotator", "trusted", "pairs", "sentences")),
        Column("with majority", 3),
        Column("kappa with the rest", 3),
        *(Column(label, 3) for label in LABELS),
        Column("seconds a pair"),
        Column("seconds a sentence"),
        Column("faster than the video"),
    ]
    cells = [
        (
            row.annotator,
            "yes" if row.trusted else "no",
            row.pairs,
            row.sentences,
            row.with_majority,
            row.kappa_with_rest,
            *row.shares,
            row.seconds_a_pair,
            row.seconds_a_sentence,
            row.faster_than_video,
        )
        for row in rows
    ]
    notes = [
        "With majority: share of the sentences with a majority; the own vote is part of it.",
        "Times are medians of the time that Label Studio saw the task open.",
    ]
    return Table("annotators", "Annotators", columns, cells, notes)
