"""Gate of category retrieval: the planner's eight rows (VidHalLoc section 3, stage HCR)."""

from __future__ import annotations

from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.reasons import Reason
from vidomni_plugin.build.pairs.contracts.roles import Opportunity, OpportunityMatrix
from vidomni_plugin.build.pairs.gates.times import within

__all__ = ["constructible"]

MOST_INTERVALS = 2


def constructible(
    matrix: OpportunityMatrix, video_id: str, duration_s: float
) -> tuple[Opportunity, ...] | Reject:
    """Return the rows that facts may be looked for in, or why there are none.

    A constructible row without anchor, or with an interval that is not one of this video, is
    left out and does not cost the others.

    Args:
        matrix: The planner's reply.
        video_id: The video that was asked about.
        duration_s: Its length in seconds; evidence lies within it.
    """
    if matrix.video_id != video_id:
        return Reject(Reason.OPPORTUNITY_ROWS_INVALID, f"about {matrix.video_id!r}")
    leaves = [row.leaf_label for row in matrix.opportunities]
    if sorted(leaf.value for leaf in leaves) != sorted(leaf.value for leaf in LEAVES):
        named = ", ".join(leaf.value for leaf in leaves)
        return Reject(Reason.OPPORTUNITY_ROWS_INVALID, f"{len(leaves)} rows: {named}")
    for row in matrix.opportunities:
        rule = LEAVES[row.leaf_label]
        if (row.fact_kind, row.conflict_slot) != (rule.kind, rule.slot):
            stated = f"{row.leaf_label.value} as {row.fact_kind.value}, {row.conflict_slot!r}"
            return Reject(Reason.OPPORTUNITY_TAXONOMY_MISMATCH, stated)
    rows = [row for row in matrix.opportunities if row.constructibility == "constructible"]
    faults = [(row, _fault(row, duration_s)) for row in rows]
    if sound := tuple(row for row, fault in faults if not fault):
        return sound
    if not rows:
        return Reject(Reason.NO_CONSTRUCTIBLE_LEAF)
    told = "; ".join(f"{row.leaf_label.value}: {fault}" for row, fault in faults)
    return Reject(Reason.OPPORTUNITY_ROWS_INVALID, told)


def _fault(row: Opportunity, duration_s: float) -> str:
    if not row.anchor_summary.strip():
        return "no anchor"
    if not 1 <= len(row.evidence_intervals) <= MOST_INTERVALS:
        return f"{len(row.evidence_intervals)} intervals"
    for interval in row.evidence_intervals:
        if not within(interval, duration_s):
            start, end = interval.start_sec, interval.end_sec
            return f"{start:g} to {end:g} s in a video of {duration_s:g} s"
    return ""
