"""What the steps of the workflow ask for; ``asking.py`` asks models for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.pair import Task
from vidomni_plugin.build.pairs.contracts.roles import (
    BackParse,
    Equivalence,
    Generated,
    Judgement,
    Opportunity,
    OpportunityMatrix,
    ProposedFact,
    RecoverableReason,
    Reflection,
)
from vidomni_plugin.build.pairs.gates.generation import AnswerForm
from vidomni_plugin.build.pairs.gates.verification import Phrases
from vidomni_plugin.build.pairs.videos import VideoFile

__all__ = ["NoReply", "Roles"]


class NoReply(Exception):
    """A role gave nothing that can be used; its candidate ends here."""

    def __init__(self, reject: Reject) -> None:
        super().__init__(f"{reject.reason.value}: {reject.detail}")
        self.reject = reject


class Roles(Protocol):
    """The six roles.

    Each method raises ``NoReply`` where the model's reply is of no use. What says nothing about
    the candidate is ``endpoint.reply.Failed``, where the server failed, and
    ``video.failures.UnreadableVideo``, where the file cannot be had.
    """

    def plan(self, video: VideoFile) -> OpportunityMatrix:
        """Return the planner's rows."""

    def extract(self, video: VideoFile, rows: Sequence[Opportunity]) -> Sequence[object]:
        """Return the facts that the extractor found, as JSON values that nothing has checked."""

    def reflect(
        self, video: VideoFile, fact: ProposedFact, focused: RecoverableReason | None = None
    ) -> Reflection:
        """Return the reflector's report; ``focused`` says why it looks at the interval again."""

    def generate(
        self, video_id: str, fact: ProposedFact, task: Task, question: str, form: AnswerForm
    ) -> Generated:
        """Return the generator's answers."""

    def verify(self, video_id: str, question: str, first: str, second: str) -> BackParse:
        """Return what the verifier reads in the answers."""

    def compare(self, video_id: str, question: str, phrases: Sequence[Phrases]) -> Equivalence:
        """Return whether phrases mean the same, one value for each."""

    def monitor(
        self,
        video: VideoFile,
        question: str,
        first: str,
        second: str,
        fact: ProposedFact,
        focused: RecoverableReason | None = None,
    ) -> Judgement:
        """Return the monitor's judgement.

        Of the fact, the monitor is told the interval; its kind settles how close the frames are.
        """

    def modalities(self, video: VideoFile) -> list[str]:
        """Return which modalities of a video are sent to the roles that see it."""
