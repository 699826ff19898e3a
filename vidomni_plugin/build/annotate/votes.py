"""The votes on each sentence: majority, dispute, and what a person should look at again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from vidomni_plugin.records import Id, Text

__all__ = [
    "CONFIDENT",
    "FEWEST",
    "LABELS",
    "Judgement",
    "Label",
    "Vote",
    "VotedPair",
    "VotedSentence",
    "counts",
    "majority",
    "review",
    "shown_votes",
]

Label = Literal["Correct", "Incorrect", "Unknown"]
LABELS: tuple[Label, ...] = ("Correct", "Incorrect", "Unknown")
FEWEST = 2
"""Votes that a sentence needs at least; also the annotators of a pair (paper, section 3)."""
CONFIDENT = 0.75
"""A majority with a smaller share of the votes is worth a second look: 2 of 3 is, 3 of 4 not."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Vote(_Record):
    """What one annotator says about one sentence."""

    annotator: Text
    label: Label
    memo: str = ""


class Judgement(_Record):
    """One annotation that was counted: who judged the pair, how long, and where it stands."""

    annotator: Text
    trusted: bool
    lead_time_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """Seconds that Label Studio saw the task open; it includes pauses."""
    place: Text


class VotedSentence(_Record):
    """One sentence and its votes, at most one an annotator."""

    text: Text
    votes: list[Vote]


class VotedPair(_Record):
    """One pair with everything that was said about it (a line of ``votes.jsonl``)."""

    pair_id: Id
    video_id: Id
    caption_source: Text
    batch: Text
    duration_s: float | None = None
    judgements: list[Judgement]
    sentences: Annotated[list[VotedSentence], Field(min_length=1)]

    @model_validator(mode="after")
    def _one_vote_each(self) -> VotedPair:
        people = [judgement.annotator for judgement in self.judgements]
        for names in (people, *([v.annotator for v in s.votes] for s in self.sentences)):
            if len(set(names)) < len(names) or not set(names) <= set(people):
                raise ValueError(f"votes of {', '.join(names)}: not one each of who judged it")
        return self

    def unfinished(self) -> str:
        """Return why the pair cannot be used yet; empty for a finished one."""
        if len(self.judgements) < FEWEST:
            return f"judged by {len(self.judgements)}; at least {FEWEST} have to"
        if not any(judgement.trusted for judgement in self.judgements):
            return "judged by no trusted annotator"
        return ""


def counts(votes: Sequence[Vote]) -> list[int]:
    """Return how many votes each of ``LABELS`` has.

    Example:
        >>> counts([Vote(annotator="a", label="Unknown"), Vote(annotator="b", label="Correct")])
        [1, 0, 1]
    """
    tally = Counter(vote.label for vote in votes)
    return [tally[label] for label in LABELS]


def shown_votes(votes: Sequence[Vote]) -> str:
    """Return the votes as people read them.

    Example:
        >>> ann, bo = Vote(annotator="ann", label="Correct"), Vote(annotator="bo", label="Unknown")
        >>> shown_votes([ann, bo])
        'ann=Correct; bo=Unknown'
    """
    return "; ".join(f"{vote.annotator}={vote.label}" for vote in votes)


def majority(votes: Sequence[Vote]) -> Label | None:
    """Return the label that more than half of the votes have; None where there is none.

    Two who disagree have no majority, neither have 2, 1, 1. A single vote is none either.

    Example:
        >>> def votes(*xs): return [Vote(annotator=str(k), label=x) for k, x in enumerate(xs)]
        >>> majority(votes("Correct", "Correct", "Unknown"))
        'Correct'
        >>> majority(votes("Correct", "Incorrect")) is None
        True
        >>> majority(votes("Correct")) is None
        True
    """
    tally = counts(votes)
    if len(votes) < FEWEST or 2 * max(tally) <= len(votes):
        return None
    return LABELS[tally.index(max(tally))]


def review(votes: Sequence[Vote], confident: float = CONFIDENT) -> list[str]:
    """Return why a person should decide or look again; nothing for a clear sentence.

    The first two settle nothing by themselves and need a decision: ``few votes`` (fewer than
    two) and ``dispute`` (no majority). The others have a majority that stands unless someone
    decides otherwise: ``low share`` (below ``confident``) and ``Unknown``.

    Example:
        >>> def votes(*xs): return [Vote(annotator=str(k), label=x) for k, x in enumerate(xs)]
        >>> review(votes("Correct", "Incorrect"))
        ['dispute']
        >>> review(votes("Unknown", "Unknown", "Correct"))
        ['low share', 'Unknown']
        >>> review(votes("Correct", "Correct"))
        []
    """
    if len(votes) < FEWEST:
        return ["few votes"]
    label = majority(votes)
    if label is None:
        return ["dispute"]
    reasons = []
    if max(counts(votes)) / len(votes) < confident:
        reasons.append("low share")
    if label == "Unknown":
        reasons.append("Unknown")
    return reasons
