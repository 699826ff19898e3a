"""The steps of the workflow, one a node of the graph: ask a role, then pass its gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from pydantic import ValidationError

from vidomni_plugin.build.pairs.contracts.facts import Fact, Interval, claimed_fact, rule_of
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.pair import PAIR_SCHEMA, PairRecord
from vidomni_plugin.build.pairs.contracts.reasons import Reason
from vidomni_plugin.build.pairs.contracts.roles import (
    Generated,
    Judgement,
    OpportunityMatrix,
    ProposedFact,
    Reflection,
    Role,
)
from vidomni_plugin.build.pairs.gates import generation, monitor, reflection, verification
from vidomni_plugin.build.pairs.gates.extraction import admitted
from vidomni_plugin.build.pairs.gates.opportunity import constructible
from vidomni_plugin.build.pairs.gates.phrases import same_phrase
from vidomni_plugin.build.pairs.ids import comes_first, fact_id_of, pair_id_of
from vidomni_plugin.build.pairs.policy.bank import choose
from vidomni_plugin.build.pairs.policy.policy import Policy
from vidomni_plugin.build.pairs.roles import NoReply, Roles
from vidomni_plugin.build.pairs.settings import PairSettings
from vidomni_plugin.build.pairs.store import Rejection, Store, given_text
from vidomni_plugin.build.pairs.videos import VideoFile
from vidomni_plugin.records import Media, VidHalLocPair

__all__ = ["Candidate", "State", "Steps"]


class Candidate(TypedDict, total=False):
    """The fact that is worked on, as JSON values."""

    fact_id: str
    proposed: dict[str, Any]
    evidence: dict[str, Any]
    summary: str
    template: str
    question: str
    generated: dict[str, Any]
    counterfactual: dict[str, Any]
    judgement: dict[str, Any]
    seen: dict[str, Any]


class State(TypedDict, total=False):
    """What the graph keeps of a video between its nodes, as JSON values."""

    video_id: str
    rows: list[dict[str, Any]]
    """Constructible rows of the planner; none ends the video."""
    pick: str | None
    """The fact to work on, set from outside while the graph waits; None ends the video."""
    candidate: Candidate
    refused: list[str] | None
    """Reason and detail of the candidate's end; None while it goes on."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The nodes: each takes the state and returns what changes in it."""

    roles: Roles
    store: Store
    settings: PairSettings
    policy: Policy
    signature: str
    videos: Mapping[str, VideoFile]

    def plan(self, state: State) -> State:
        """Ask which leaves the video bears."""
        video = self._video(state)
        try:
            rows = constructible(self.roles.plan(video), video.video_id, video.duration_s)
        except NoReply as none:
            rows = none.reject
        if isinstance(rows, Reject):
            self._close(video, rows)
            return {"rows": []}
        return {"rows": [row.model_dump(mode="json") for row in rows]}

    def extract(self, state: State) -> State:
        """Ask for one fact a leaf; they are kept with what was dropped."""
        video = self._video(state)
        rows = OpportunityMatrix.model_validate(
            {"video_id": video.video_id, "opportunities": state["rows"]}
        ).opportunities
        try:
            given = self.roles.extract(video, rows)
        except NoReply as none:
            self._close(video, none.reject)
            return {"rows": []}
        found = admitted(given, rows, video.duration_s)
        dropped = [
            Rejection(video.video_id, "", *one.reject, given_text(one.fact))
            for one in found.dropped
        ]
        if not found.facts and not dropped:
            self._close(video, Reject(Reason.NO_FACT))
            return {"rows": []}
        facts = [
            (fact_id_of(video.sha256, one), rule_of(one.normalized_fact).leaf, one)
            for one in found.facts
        ]
        self.store.opened(video.video_id, facts, dropped)
        return {"pick": None}

    def pick(self, state: State) -> State:
        """Take up the fact that was chosen; the graph waits before this node."""
        chosen = state.get("pick")
        if chosen is None:
            return {}
        found = self.store.facts([state["video_id"]])
        fact = next(one for one in found if one.fact_id == chosen)
        candidate: Candidate = {
            "fact_id": chosen,
            "proposed": fact.proposed.model_dump(mode="json"),
        }
        return {"candidate": candidate, "refused": None}

    def reflect(self, state: State) -> State:
        """Ask for a second look, and for one closer look if that can settle it."""
        video, fact = self._video(state), _proposed(state)

        def look() -> Reflection:
            report = self.roles.reflect(video, fact)
            focus = reflection.focus_of(report)
            return self.roles.reflect(video, fact, focus) if focus else report

        try:
            report = look()
            seen = reflection.borne_out(report, fact.time_scope, video.duration_s)
        except NoReply as none:
            seen = none.reject
        if isinstance(seen, Reject):
            return _refused(seen)
        return _with(state, evidence=seen.model_dump(), summary=report.evidence_summary)

    def generate(self, state: State) -> State:
        """Ask for the false value and both answers to a question of the bank."""
        video, fact = self._video(state), _proposed(state)
        source = fact.normalized_fact
        fact_id = state["candidate"]["fact_id"]
        drawn = choose(
            self.policy.bank, video.video_id, fact_id, source, video.task, self.settings.seed
        )
        form = generation.answer_form(video.task, rule_of(source).kind)
        try:
            reply = self.roles.generate(video.video_id, fact, video.task, drawn.question, form)
        except NoReply as none:
            return _with(state, question=drawn.question) | _refused(none.reject)
        told = _with(
            state,
            template=drawn.template,
            question=drawn.question,
            generated=reply.model_dump(mode="json"),
        )
        found = generation.realized(
            reply, source, fact.natural_language_fact, drawn.question, video.task
        )
        if isinstance(found, Reject):
            return told | _refused(found)
        return _with({**state, **told}, counterfactual=found.model_dump(mode="json"))

    def verify(self, state: State) -> State:
        """Ask what the answers claim, and whether other words mean the same."""
        candidate = state["candidate"]
        source, counterfactual = _proposed(state).normalized_fact, _counterfactual(state)
        first = comes_first(candidate["fact_id"], Role.VERIFIER.value, self.settings.seed)
        question, answers = candidate["question"], _answers(state, factual_first=first)
        try:
            parse = self.roles.verify(state["video_id"], question, *answers)
            phrases = verification.to_compare(parse, source, counterfactual, factual_first=first)
            same: Sequence[bool] = ()
            if phrases:
                same = self.roles.compare(state["video_id"], question, phrases).same
        except NoReply as none:
            return _refused(none.reject)
        if len(same) != len(phrases):
            counts = f"{len(same)} judgements of {len(phrases)} pairs of phrases"
            return _refused(Reject(Reason.SCHEMA_VIOLATION, counts))
        alike = {pair for pair, is_same in zip(phrases, same, strict=True) if is_same}

        def means_the_same(one: object, other: object) -> bool:
            return same_phrase(one, other) or (str(one), str(other)) in alike

        refused = verification.verified(
            parse, source, counterfactual, factual_first=first, same=means_the_same
        )
        return _refused(refused) if refused else {}

    def monitor(self, state: State) -> State:
        """Ask for the last look, and for one closer look if that can settle it."""
        video, fact, candidate = self._video(state), _proposed(state), state["candidate"]
        first = comes_first(candidate["fact_id"], Role.MONITOR.value, self.settings.seed)
        question, answers = candidate["question"], _answers(state, factual_first=first)

        def look() -> Judgement:
            found = self.roles.monitor(video, question, *answers, fact)
            focus = monitor.focus_of(found)
            return self.roles.monitor(video, question, *answers, fact, focus) if focus else found

        try:
            judgement = look()
            seen = monitor.judged(
                judgement,
                rule_of(fact.normalized_fact).leaf,
                fact.time_scope,
                video.duration_s,
                factual_first=first,
            )
        except NoReply as none:
            seen = none.reject
        if isinstance(seen, Reject):
            return _refused(seen)
        return _with(state, judgement=judgement.model_dump(mode="json"), seen=seen.model_dump())

    def commit(self, state: State) -> State:
        """Keep the pair."""
        record = self._record(state)
        refused = record if isinstance(record, Reject) else self.store.commit(record)
        return _refused(refused) if refused else {"pick": None}

    def refuse(self, state: State) -> State:
        """Keep why the candidate ended."""
        reason, detail = state["refused"] or ["", ""]
        fact_id = state["candidate"]["fact_id"]
        rejected = Reject(Reason(reason), detail)
        self.store.reject(state["video_id"], fact_id, rejected, _given(state))
        return {"pick": None, "refused": None}

    def _video(self, state: State) -> VideoFile:
        return self.videos[state["video_id"]]

    def _close(self, video: VideoFile, reject: Reject) -> None:
        self.store.reject(video.video_id, "", reject)
        self.store.set_state(video.video_id, "closed")

    def _record(self, state: State) -> PairRecord | Reject:
        video, fact, candidate = self._video(state), _proposed(state), state["candidate"]
        rule = rule_of(fact.normalized_fact)
        first = comes_first(candidate["fact_id"], Role.MONITOR.value, self.settings.seed)
        generated = Generated.model_validate(candidate["generated"])
        sides = monitor.Judged.of(
            Judgement.model_validate(candidate["judgement"]), factual_first=first
        )
        try:
            public = VidHalLocPair(
                schema_version=PAIR_SCHEMA,
                pair_id=pair_id_of(video.video_id, candidate["fact_id"]),
                media=Media(
                    video_id=video.video_id,
                    canonical_media_uri=f"media://{video.video_id}/original",
                    registered_modalities=self.roles.modalities(video),
                    evidence_policy_id=self.settings.media.policy,
                ),
                task_type=video.task,
                question=generated.question,
                answer=generated.answer,
                counterfactual_answer=generated.counterfactual_answer,
                leaf_label=rule.leaf,
                conflict_slot=rule.slot,
            )
        except ValidationError as error:
            return Reject(Reason.ANSWER_FORM_INVALID, str(error.errors()[0]["msg"]))
        return PairRecord(
            public=public,
            fact_id=candidate["fact_id"],
            source_fact=fact.normalized_fact,
            counterfactual_fact=candidate["counterfactual"],  # type: ignore[arg-type]
            time_scope=fact.time_scope,
            evidence_interval=Interval.model_validate(candidate["evidence"]),
            monitor_interval=Interval.model_validate(candidate["seen"]),
            reflection_summary=candidate["summary"],
            monitor_summaries=(
                sides.factual.evidence_summary,
                sides.counterfactual.evidence_summary,
            ),
            question_template=candidate["template"],
            video_sha256=video.sha256,
            duration_s=video.duration_s,
            parent=video.parent,
            models={role.value: model for role, model in self.settings.models.items()},
            signature=self.signature,
        )


def _proposed(state: State) -> ProposedFact:
    return ProposedFact.model_validate(state["candidate"]["proposed"])


def _counterfactual(state: State) -> Fact:
    return claimed_fact(state["candidate"]["counterfactual"])


def _answers(state: State, *, factual_first: bool) -> tuple[str, str]:
    generated = state["candidate"]["generated"]
    answers = (generated["answer"], generated["counterfactual_answer"])
    return answers if factual_first else (answers[1], answers[0])


def _given(state: State) -> str:
    """Return what a reader of the rejection wants to see, as far as the candidate came."""
    candidate = state["candidate"]
    told = {"fact": candidate["proposed"]["natural_language_fact"]}
    if question := candidate.get("question"):
        told["question"] = question
    if generated := candidate.get("generated"):
        told |= {name: generated[name] for name in ("answer", "counterfactual_answer")}
    return given_text(told)


def _with(state: State, **found: Any) -> State:  # noqa: ANN401 - fields of a TypedDict
    return {"candidate": {**state["candidate"], **found}}  # type: ignore[typeddict-item]


def _refused(reject: Reject) -> State:
    return {"refused": [reject.reason.value, reject.detail]}
