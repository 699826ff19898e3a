"""The roles as models behind an OpenAI-compatible server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue
from pydantic.json_schema import JsonSchemaValue

from vidomni_plugin.build.pairs.contracts.facts import Interval, rule_of
from vidomni_plugin.build.pairs.contracts.leaves import FactKind
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.pair import Task
from vidomni_plugin.build.pairs.contracts.reasons import Reason
from vidomni_plugin.build.pairs.contracts.roles import (
    SEES_VIDEO,
    BackParse,
    Equivalence,
    ExtractedFacts,
    Generated,
    Judgement,
    Opportunity,
    OpportunityMatrix,
    ProposedFact,
    RecoverableReason,
    Reflection,
    Role,
)
from vidomni_plugin.build.pairs.gates.generation import AnswerForm
from vidomni_plugin.build.pairs.gates.verification import Phrases
from vidomni_plugin.build.pairs.media import Looks
from vidomni_plugin.build.pairs.policy.messages import (
    Message,
    Part,
    compare_messages,
    extract_messages,
    generate_messages,
    monitor_messages,
    plan_messages,
    reflect_messages,
    verify_messages,
)
from vidomni_plugin.build.pairs.policy.policy import Policy
from vidomni_plugin.build.pairs.roles import NoReply
from vidomni_plugin.build.pairs.settings import PairSettings
from vidomni_plugin.build.pairs.videos import VideoFile
from vidomni_plugin.endpoint.call import Call
from vidomni_plugin.endpoint.client import Client
from vidomni_plugin.endpoint.reply import Failed, FailureKind
from vidomni_plugin.endpoint.structured import Unusable, ask_for
from vidomni_plugin.video.failures import UnreadableVideo

__all__ = ["ModelRoles"]

M = TypeVar("M", bound=BaseModel)
LIMITS = ("max_tokens", "max_completion_tokens")
"""What bounds a reply: older servers know the first only, and some models refuse it and name the
second."""
_OF_THE_MODEL = {
    FailureKind.REFUSED: Reason.REFUSED,
    FailureKind.TRUNCATED: Reason.TRUNCATED,
}
"""Failures that say something about the item. A request that the server calls wrong says nothing:
with the wrong setting every one would be."""


class _LooseFacts(BaseModel):
    """The extractor's reply as it is read: one bad fact does not cost the others.

    The server is asked for the strict shape all the same.
    """

    model_config = ConfigDict(extra="forbid")
    facts: list[JsonValue]

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> JsonSchemaValue:  # noqa: ANN401
        """Return the schema of the strict shape."""
        return ExtractedFacts.model_json_schema(*args, **kwargs)


class ModelRoles:
    """The six roles, each asked of its model.

    Args:
        client: The server, with pace, budget and the replies so far.
        policy: What the roles are told.
        settings: Models and sampling.
        looks: How the roles see a video.
    """

    def __init__(
        self, client: Client, policy: Policy, settings: PairSettings, looks: Looks
    ) -> None:
        self._client = client
        self._policy = policy
        self._settings = settings
        self._looks = looks
        self._limits = dict.fromkeys(settings.models.values(), LIMITS[0])

    def plan(self, video: VideoFile) -> OpportunityMatrix:
        """Return the planner's rows."""
        media, name = self._whole(video), _name(video)
        messages = plan_messages(self._policy, name, video.task, media)
        matrix = self._ask(Role.PLANNER, messages, OpportunityMatrix, video.video_id)
        if matrix.video_id != name:
            return matrix
        return matrix.model_copy(update={"video_id": video.video_id})

    def extract(self, video: VideoFile, rows: Sequence[Opportunity]) -> Sequence[object]:
        """Return the facts that the extractor found, as JSON values that nothing has checked."""
        camera = [row for row in rows if row.fact_kind is FactKind.CAMERA_PREDICATE]
        intervals = [interval for row in camera for interval in row.evidence_intervals]
        media = self._at_the_camera(video, intervals) if camera else self._whole(video)
        messages = extract_messages(self._policy, _name(video), rows, media)
        return self._ask(Role.EXTRACTOR, messages, _LooseFacts, video.video_id).facts

    def reflect(
        self, video: VideoFile, fact: ProposedFact, focused: RecoverableReason | None = None
    ) -> Reflection:
        """Return the reflector's report; ``focused`` says why it looks at the interval again."""
        media = self._look(video, fact, focused)
        messages = reflect_messages(self._policy, fact, media, focused)
        return self._ask(Role.REFLECTOR, messages, Reflection, video.video_id)

    def generate(
        self, video_id: str, fact: ProposedFact, task: Task, question: str, form: AnswerForm
    ) -> Generated:
        """Return the generator's answers."""
        messages = generate_messages(self._policy, fact, task, question, form)
        return self._ask(Role.GENERATOR, messages, Generated, video_id)

    def verify(self, video_id: str, question: str, first: str, second: str) -> BackParse:
        """Return what the verifier reads in the answers."""
        messages = verify_messages(self._policy, question, first, second)
        return self._ask(Role.VERIFIER, messages, BackParse, video_id)

    def compare(self, video_id: str, question: str, phrases: Sequence[Phrases]) -> Equivalence:
        """Return whether phrases mean the same, one value for each."""
        messages = compare_messages(self._policy, question, phrases)
        return self._ask(Role.VERIFIER, messages, Equivalence, video_id)

    def monitor(
        self,
        video: VideoFile,
        question: str,
        first: str,
        second: str,
        fact: ProposedFact,
        focused: RecoverableReason | None = None,
    ) -> Judgement:
        """Return the monitor's judgement."""
        media = self._look(video, fact, None)
        if focused:  # what is true elsewhere is only seen in the whole video
            media = [*media, *self._look(video, fact, focused)]
        scope = fact.time_scope
        messages = monitor_messages(self._policy, question, first, second, scope, media, focused)
        return self._ask(Role.MONITOR, messages, Judgement, video.video_id)

    def modalities(self, video: VideoFile) -> list[str]:
        """Return which modalities of a video are sent to the roles that see it."""
        return self._looks.modalities(video)

    def _look(
        self, video: VideoFile, fact: ProposedFact, focused: RecoverableReason | None
    ) -> Sequence[Part]:
        if focused:
            return _read(lambda: self._looks.focused(video, fact.time_scope))
        if rule_of(fact.normalized_fact).kind is FactKind.CAMERA_PREDICATE:
            return self._at_the_camera(video, [fact.time_scope])
        return self._whole(video)

    def _at_the_camera(self, video: VideoFile, intervals: Sequence[Interval]) -> Sequence[Part]:
        """Return the whole video, and in it some intervals close enough to judge the camera."""
        if self._looks.is_close(video):
            return self._whole(video, camera=True)
        closer = [_read(partial(self._looks.closer, video, interval)) for interval in intervals]
        return [*self._whole(video), *chain.from_iterable(closer)]

    def _whole(self, video: VideoFile, *, camera: bool = False) -> Sequence[Part]:
        return _read(lambda: self._looks.whole(video, camera=camera))

    def _ask(self, role: Role, messages: Sequence[Message], model: type[M], video_id: str) -> M:
        name = self._settings.models[role]
        limit = self._limits[name]
        try:
            return self._asked(role, messages, model, video_id, limit)
        except Failed as failed:
            other = LIMITS[1]
            if limit == other or other not in failed.message:
                raise
        self._limits[name] = other
        return self._asked(role, messages, model, video_id, other)

    def _asked(
        self, role: Role, messages: Sequence[Message], model: type[M], video_id: str, limit: str
    ) -> M:
        settings: dict[str, Any] = {limit: self._settings.max_tokens}
        if self._settings.temperature is not None:
            settings |= {"temperature": self._settings.temperature, "seed": self._settings.seed}
        call = Call(role.value, tuple(messages), self._settings.models[role], settings)
        if call.has_media and role not in SEES_VIDEO:
            raise ValueError(f"the {role.value} works with the text alone")
        try:
            return ask_for(self._client, call, model, video_id)[0]
        except Unusable as unusable:
            reject = Reject(Reason(unusable.reason), unusable.message)
        except Failed as failed:
            if failed.kind not in _OF_THE_MODEL:
                raise
            reject = Reject(_OF_THE_MODEL[failed.kind], failed.message)
        raise NoReply(reject)


def _name(video: VideoFile) -> str:
    """Return what a video is called where a model reads it.

    The name of a file may say what is to be seen, or who.
    """
    return f"video_{video.sha256[:12]}"


def _read(look: Callable[[], Sequence[Part]]) -> Sequence[Part]:
    try:
        return look()
    except UnreadableVideo as error:
        if isinstance(error.__cause__, OSError):
            raise  # the file cannot be had now, which says nothing about the video
        raise NoReply(Reject(Reason.VIDEO_UNREADABLE, str(error))) from error
