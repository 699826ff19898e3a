"""Gate of the monitor: the last look at both answers (VidHalLoc section 3, stage CRV)."""

from __future__ import annotations

from typing import NamedTuple

from vidomni_plugin.build.pairs.contracts.facts import Interval
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.reasons import Reason
from vidomni_plugin.build.pairs.contracts.roles import (
    AnswerJudgement,
    Judgement,
    RecoverableReason,
)
from vidomni_plugin.build.pairs.gates.times import within
from vidomni_plugin.records import Leaf

__all__ = ["Judged", "focus_of", "judged"]


class Judged(NamedTuple):
    """What the monitor found about each answer."""

    factual: AnswerJudgement
    counterfactual: AnswerJudgement

    @classmethod
    def of(cls, judgement: Judgement, *, factual_first: bool) -> Judged:
        """Return the judgements by what the answers are, which the monitor did not know."""
        first, second = judgement.first, judgement.second
        return cls(first, second) if factual_first else cls(second, first)


def focus_of(judgement: Judgement) -> RecoverableReason | None:
    """Return what one more, focused look could settle; None where there is to be none."""
    if "insufficient" not in (judgement.first.verdict, judgement.second.verdict):
        return None
    return judgement.recoverable_reason


def judged(
    judgement: Judgement,
    leaf: Leaf,
    time_scope: Interval,
    duration_s: float,
    *,
    factual_first: bool,
) -> Interval | Reject:
    """Return the interval in which the factual answer was seen, or why the pair is refused.

    Args:
        judgement: The monitor's last reply.
        leaf: What the answers are to differ in.
        time_scope: When the fact holds.
        duration_s: Length of the video in seconds.
        factual_first: Whether the factual answer was the first that the monitor saw.
    """
    sides = Judged.of(judgement, factual_first=factual_first)
    if sides.factual.verdict != "supported":
        return Reject(Reason.ANSWER_NOT_SUPPORTED, sides.factual.evidence_summary)
    if sides.counterfactual.true_elsewhere:
        return Reject(Reason.TRUE_ELSEWHERE, sides.counterfactual.evidence_summary)
    if sides.counterfactual.verdict != "contradicted":
        return Reject(Reason.COUNTERFACTUAL_NOT_CONTRADICTED, sides.counterfactual.evidence_summary)
    if sides.factual.other_errors or sides.counterfactual.other_errors:
        counts = f"{sides.factual.other_errors} and {sides.counterfactual.other_errors}"
        return Reject(Reason.ADDITIONAL_ERROR, f"{counts} other errors")
    if not judgement.single_difference or judgement.differs_in is None:
        return Reject(Reason.MONITOR_REJECTED, "more than one difference, or none")
    if judgement.differs_in is not leaf:
        return Reject(Reason.MONITOR_WRONG_LEAF, judgement.differs_in.value)
    seen = sides.factual.evidence_interval
    if seen is None or not within(seen, duration_s) or not seen.overlaps(time_scope):
        return Reject(Reason.MONITOR_REJECTED, "no interval within the fact's time")
    if not all(side.evidence_summary.strip() for side in sides):
        return Reject(Reason.MONITOR_REJECTED, "no word on what was seen")
    return seen
