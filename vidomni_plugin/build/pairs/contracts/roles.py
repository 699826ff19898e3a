"""The six roles, and what each replies.

Servers write the keys of a reply in the order in which they stand here: what was seen comes
before what is concluded from it. They also get the first line of what a class says of itself.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt

from vidomni_plugin.build.pairs.contracts.facts import ClaimedFact, Interval, SourceFact, Whole
from vidomni_plugin.build.pairs.contracts.leaves import FactKind
from vidomni_plugin.records import Leaf

__all__ = [
    "REPLIES",
    "SEES_VIDEO",
    "AnswerClaims",
    "AnswerJudgement",
    "BackParse",
    "Equivalence",
    "ExtractedFacts",
    "Generated",
    "Judgement",
    "Opportunity",
    "OpportunityMatrix",
    "ProposedFact",
    "RecoverableReason",
    "Reflection",
    "Role",
    "Verdict",
]


class Role(str, Enum):
    """Who is asked (VidHalLoc section 3)."""

    PLANNER = "planner"
    EXTRACTOR = "extractor"
    REFLECTOR = "reflector"
    GENERATOR = "generator"
    VERIFIER = "verifier"
    MONITOR = "monitor"


SEES_VIDEO = frozenset({Role.PLANNER, Role.EXTRACTOR, Role.REFLECTOR, Role.MONITOR})
"""Roles that get the video; the others get text only, and are refused any media."""
Verdict = Literal["supported", "contradicted", "insufficient"]
RecoverableReason = Literal[
    "fine_visual_detail", "visible_text", "prompt_scope", "recoverable_review_disagreement"
]
"""Why a second, focused look could settle what is insufficient."""


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Opportunity(_Reply):
    """Whether a leaf can be built on in this video, and where."""

    leaf_label: Leaf
    fact_kind: FactKind
    conflict_slot: str
    decision_reason: str
    constructibility: Literal["constructible", "not_constructible", "uncertain"]
    evidence_intervals: list[Interval]
    anchor_summary: str


class OpportunityMatrix(_Reply):
    """The planner's reply: one row a leaf."""

    video_id: str
    opportunities: list[Opportunity]


class ProposedFact(_Reply):
    """A fact as the extractor found it."""

    natural_language_fact: str
    """A full sentence; for most items the factual answer as it is."""
    time_scope: Interval
    normalized_fact: SourceFact


class ExtractedFacts(_Reply):
    """The extractor's reply."""

    facts: list[ProposedFact]


class Reflection(_Reply):
    """The reflector's reply about one fact, from a look of its own."""

    evidence_interval: Interval | None
    evidence_summary: str
    verdict: Verdict
    unique_grounding: StrictBool
    """Whether the fact can mean one thing or event only."""
    leaf_correct: StrictBool
    mutation_viable: StrictBool
    """Whether a false value for the slot exists that the video rules out."""
    recoverable_reason: RecoverableReason | None


class Generated(_Reply):
    """The generator's reply: the false value and both answers."""

    replacement_value: str | StrictBool | Whole | float
    question: str
    answer: str
    counterfactual_answer: str


class AnswerClaims(_Reply):
    """All atomic claims of one answer."""

    claims: list[ClaimedFact]


class BackParse(_Reply):
    """The verifier's reply: what each answer claims."""

    first: AnswerClaims
    second: AnswerClaims
    can_both_be_true: StrictBool
    """Whether both answers could be true of the same moment of one video."""


class Equivalence(_Reply):
    """The verifier's reply about pairs of phrases: whether each pair means the same here."""

    same: list[StrictBool]


class AnswerJudgement(_Reply):
    """What the monitor finds about one answer, not knowing which of the two is true."""

    evidence_interval: Interval | None
    evidence_summary: str
    verdict: Verdict
    true_elsewhere: StrictBool
    """Whether the answer is true of another part of the video."""
    other_errors: Annotated[StrictInt, Field(ge=0, le=1000)]
    """Wrong claims besides the one in which the answers differ."""


class Judgement(_Reply):
    """The monitor's reply about both answers, in the order they were shown."""

    first: AnswerJudgement
    second: AnswerJudgement
    differs_in: Leaf | None
    """The leaf of what the two answers disagree about; None where it is none or several."""
    single_difference: StrictBool
    recoverable_reason: RecoverableReason | None


REPLIES: tuple[type[BaseModel], ...] = (
    *(OpportunityMatrix, ExtractedFacts, Reflection, Generated),
    *(BackParse, Equivalence, Judgement),
)
"""Shapes of all replies."""
