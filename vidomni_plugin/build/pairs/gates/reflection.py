"""Gate of reflection: whether a second look bears a fact out (VidHalLoc section 3, stage FER)."""

from __future__ import annotations

from vidomni_plugin.build.pairs.contracts.facts import Interval
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.reasons import Reason
from vidomni_plugin.build.pairs.contracts.roles import RecoverableReason, Reflection
from vidomni_plugin.build.pairs.gates.times import within

__all__ = ["borne_out", "focus_of"]


def focus_of(reflection: Reflection) -> RecoverableReason | None:
    """Return what one more, focused look could settle; None where there is to be none.

    Only what is insufficient is looked at again; what is contradicted never.
    """
    if reflection.verdict != "insufficient":
        return None
    return reflection.recoverable_reason


def borne_out(reflection: Reflection, time_scope: Interval, duration_s: float) -> Interval | Reject:
    """Return the interval in which a fact was seen again, or why it is not let through.

    Args:
        reflection: The last look; whether it may be followed by another, says ``focus_of``.
        time_scope: When the fact is said to hold.
        duration_s: Length of the video in seconds.
    """
    if reflection.verdict == "contradicted":
        return Reject(Reason.REFLECTION_CONTRADICTED, reflection.evidence_summary)
    if reflection.verdict == "insufficient":
        return Reject(Reason.REFLECTION_INSUFFICIENT, reflection.evidence_summary)
    if not reflection.unique_grounding:
        return Reject(Reason.AMBIGUOUS_GROUNDING, reflection.evidence_summary)
    if not reflection.leaf_correct:
        return Reject(Reason.LEAF_BOUNDARY_FAILED, reflection.evidence_summary)
    if not reflection.mutation_viable:
        return Reject(Reason.MUTATION_NOT_VIABLE, reflection.evidence_summary)
    seen = reflection.evidence_interval
    if seen is None or not within(seen, duration_s) or not seen.overlaps(time_scope):
        return Reject(Reason.EVIDENCE_INTERVAL_MISMATCH, "no interval within the fact's time")
    if not reflection.evidence_summary.strip():
        return Reject(Reason.EVIDENCE_INTERVAL_MISMATCH, "no word on what was seen")
    return seen
