"""A committed pair: the public record of nine fields, and all that it rests on."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from vidomni_plugin.build.pairs.contracts.facts import ClaimedFact, Interval, SourceFact
from vidomni_plugin.data.layout import PAIR_SCHEMA, EvidencePolicy
from vidomni_plugin.records import Leaf, VidHalLocPair

__all__ = ["PAIR_SCHEMA", "EvidencePolicy", "PairRecord", "Task"]

Task = Literal["video_qa", "video_captioning"]


class PairRecord(BaseModel):
    """The extended record: the public one beside what is not published with it."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    public: VidHalLocPair
    fact_id: str
    """Hash of video, leaf, fact and interval: the same fact has the same id in every run."""
    source_fact: SourceFact
    counterfactual_fact: ClaimedFact
    time_scope: Interval
    """When the fact holds."""
    evidence_interval: Interval
    """What the reflector saw it in."""
    monitor_interval: Interval
    """What the monitor saw it in."""
    reflection_summary: str
    monitor_summaries: tuple[str, str]
    """Of the factual answer, then of the counterfactual one."""
    question_template: str
    """Id of the question in the bank."""
    video_sha256: str
    duration_s: float
    parent: str
    """The recording that the video was cut from; the video itself where none is known."""
    models: dict[str, str]
    """Model by role."""
    signature: str
    """Hash of all settings, policy texts and the question bank."""

    @property
    def pair_id(self) -> str:
        """What names the pair."""
        return self.public.pair_id

    @property
    def leaf(self) -> Leaf:
        """The leaf of what the answers differ in."""
        return self.public.leaf_label
