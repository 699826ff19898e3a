"""The list for adjudication: the sentences that people must decide or should look at again."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vidomni_plugin.build.annotate.decisions import Decision, Decisions, unguarded
from vidomni_plugin.build.annotate.plans import Plan
from vidomni_plugin.build.annotate.votes import (
    CONFIDENT,
    Label,
    VotedPair,
    majority,
    review,
    shown_votes,
)
from vidomni_plugin.tables import Column, Table

__all__ = [
    "AUDIT",
    "Case",
    "Choice",
    "adjudication_table",
    "audit_table",
    "carry_over",
    "cases",
]

AUDIT, DECIDED = "audit", "decided"
"""Reasons of clear sentences: drawn for the audit of their batch; decided all the same."""
COLUMNS = (
    "pair_id",
    "sentence",
    "text",
    "reason",
    "votes",
    "memos",
    "batch",
    "video_id",
    "video",
    "decision",
    "comment",
)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which sentences are listed beside those that must be decided."""

    confident: float = CONFIDENT
    """A majority with a smaller share of the votes is listed."""
    audit: int = 0
    """Clear sentences that are drawn from each batch for its audit."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Case:
    """One sentence that a person should decide or look at again."""

    pair_id: str
    number: int
    """Number of the sentence in its caption, from 1."""
    text: str
    reasons: tuple[str, ...]
    votes: str
    memos: str
    batch: str
    video_id: str
    video: str
    majority: Label | None
    decision: Label | None = None
    comment: str = ""

    @property
    def must_decide(self) -> bool:
        """Whether the votes settle nothing."""
        return bool({"dispute", "few votes"} & set(self.reasons))


def _all_cases(plan: Plan, pairs: Sequence[VotedPair], confident: float) -> Iterator[Case]:
    """Yield every sentence of every finished pair; clear ones have no reason."""
    for pair in pairs:
        if pair.unfinished():
            continue
        for number, sentence in enumerate(pair.sentences, 1):
            yield Case(
                pair_id=pair.pair_id,
                number=number,
                text=sentence.text,
                reasons=tuple(review(sentence.votes, confident)),
                votes=shown_votes(sentence.votes),
                memos="; ".join(f"{v.annotator}: {v.memo}" for v in sentence.votes if v.memo),
                batch=pair.batch,
                video_id=pair.video_id,
                video=plan.pairs[pair.pair_id].video,
                majority=majority(sentence.votes),
            )


def cases(plan: Plan, pairs: Sequence[VotedPair], choice: Choice) -> list[Case]:
    """Return the sentences of finished pairs to decide or to look at again, in plan order.

    The clear sentences of an audit are those whose hash with the seed is smallest in their
    batch: the draw stays much the same while more pairs come in.
    """
    found = list(_all_cases(plan, pairs, choice.confident))
    clear: dict[str, list[Case]] = defaultdict(list)
    for case in found:
        if not case.reasons:
            clear[case.batch].append(case)

    def rank(case: Case) -> bytes:
        key = f"{choice.seed}\n{case.pair_id}\n{case.number}"
        return hashlib.sha256(key.encode()).digest()

    drawn = {
        (case.pair_id, case.number)
        for of_batch in clear.values()
        for case in sorted(of_batch, key=rank)[: choice.audit]
    }
    return [
        replace(case, reasons=(AUDIT,)) if (case.pair_id, case.number) in drawn else case
        for case in found
        if case.reasons or (case.pair_id, case.number) in drawn
    ]


def adjudication_table(listed: Sequence[Case]) -> Table:
    """Return the cases as the table that becomes ``adjudicate.csv``."""
    rows = [
        (
            case.pair_id,
            case.number,
            case.text,
            ", ".join(case.reasons),
            case.votes,
            case.memos,
            case.batch,
            case.video_id,
            case.video,
            case.decision or "",
            case.comment,
        )
        for case in listed
    ]
    return Table("adjudicate", "To be decided", [Column(name) for name in COLUMNS], rows)


def audit_table(listed: Sequence[Case]) -> Table:
    """Return for each batch how many audited sentences were decided against the votes."""
    rows = []
    for batch in dict.fromkeys(case.batch for case in listed if AUDIT in case.reasons):
        drawn = [case for case in listed if case.batch == batch and AUDIT in case.reasons]
        decided = [case for case in drawn if case.decision is not None]
        against = sum(case.decision != case.majority for case in decided)
        share = against / len(decided) if decided else None
        rows.append((batch, len(drawn), len(decided), against, share))
    columns = [
        *map(Column, ("batch", "drawn", "decided", "against the votes")),
        Column("share of the decided", 3),
    ]
    return Table("audit", "Audit of clear sentences", columns, rows)


def carry_over(
    plan: Plan, pairs: Sequence[VotedPair], listed: Sequence[Case], earlier: Decisions
) -> tuple[list[Case], list[Decision]]:
    """Return the cases with the decisions that still hold, and the decisions that do not.

    A decision holds while the votes are those that it was made on, as far as they are written
    beside it. A sentence that was decided without need stays in the list.
    """
    reasons = {(case.pair_id, case.number): case.reasons for case in listed}
    kept, used = [], set()
    for case in _all_cases(plan, pairs, CONFIDENT):
        key = (case.pair_id, case.number)
        old = earlier.by_sentence.get(key)
        holds = old is not None and old.votes in ("", unguarded(case.votes))
        if old is not None and holds:
            used.add(key)
            case = replace(case, decision=old.label, comment=old.comment)
        elif key in earlier.comments:
            case = replace(case, comment=earlier.comments[key])
        if key in reasons:
            kept.append(replace(case, reasons=reasons[key]))
        elif holds:
            kept.append(replace(case, reasons=(DECIDED,)))
    outdated = [d for key, d in sorted(earlier.by_sentence.items()) if key not in used]
    return kept, outdated
