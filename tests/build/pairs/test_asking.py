"""The roles as requests over HTTP: models, sampling, media, and what a failure says of an item."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest

from tests.build.pairs.acting import content, facts_of, reply
from tests.build.pairs.running import settings
from tests.endpoint.clock import Clock
from tests.endpoint.scripted import ScriptedServer, says, status
from vidomni_plugin.build.pairs.asking import ModelRoles
from vidomni_plugin.build.pairs.contracts.reasons import MEANINGS, Reason
from vidomni_plugin.build.pairs.contracts.roles import ProposedFact, Role
from vidomni_plugin.build.pairs.media import Looks
from vidomni_plugin.build.pairs.policy.policy import load_policy
from vidomni_plugin.build.pairs.roles import NoReply
from vidomni_plugin.endpoint.address import make_client
from vidomni_plugin.endpoint.budget import Budget
from vidomni_plugin.endpoint.client import Client
from vidomni_plugin.endpoint.pacing import Pacer
from vidomni_plugin.endpoint.replies import Replies
from vidomni_plugin.endpoint.reply import Failed
from vidomni_plugin.endpoint.structured import Reason as Fault
from vidomni_plugin.records import Leaf

POLICY = load_policy()
FACTS = facts_of("clip")
FACT = ProposedFact.model_validate(FACTS[Leaf.ATTRIBUTE_VALUE])
CAMERA = ProposedFact.model_validate(FACTS[Leaf.CAMERA_PREDICATE])
ANSWERS = ("What colour is the cup?", "The cup is red.", "The cup is yellow.")


@contextmanager
def roles(script=reply, **changes):
    clock = Clock()
    chosen = settings(**changes)
    with ScriptedServer(script) as server, Replies(None) as replies:
        pacer = Pacer(None, clock=clock, sleep=clock.sleep)
        client = Client(make_client(server.url, timeout_s=5), pacer, Budget(), replies, retries=1)
        yield ModelRoles(client, POLICY, chosen, Looks(chosen.media)), server


def ask_all(asked, video):
    plan = asked.plan(video)
    asked.extract(video, plan.opportunities)
    asked.reflect(video, FACT)
    asked.generate(video.video_id, FACT, "video_qa", ANSWERS[0], "direct_complete_sentence")
    asked.verify(video.video_id, *ANSWERS)
    asked.monitor(video, *ANSWERS, FACT)


def test_each_role_asks_its_model_with_the_same_sampling(videos):
    models = {role: f"model-of-the-{role.value}" for role in Role}
    with roles(models=models, seed=7, max_tokens=123) as (asked, server):
        ask_all(asked, videos[0])
    assert [seen.role for seen in server.seen] == [role.value for role in Role]
    for seen in server.seen:
        assert seen.request["model"] == f"model-of-the-{seen.role}"
        assert (seen.request["max_tokens"], seen.request["seed"]) == (123, 7)
        assert seen.request["temperature"] == 0
        assert seen.has_media == (seen.role not in ("generator", "verifier"))


def test_sampling_may_be_left_to_the_server(videos):
    with roles(temperature=None) as (asked, server):
        asked.plan(videos[0])
    assert not {"temperature", "seed"} & server.seen[0].request.keys()


def media_of(seen):
    parts = seen.request["messages"][1]["content"]
    return [part for part in parts if part["type"] != "text"]


def test_where_the_camera_is_judged_there_are_more_frames(videos):
    with roles() as (asked, server):
        plan = asked.plan(videos[0])
        asked.extract(videos[0], plan.opportunities)
        asked.extract(videos[0], plan.opportunities[:2])
        asked.reflect(videos[0], FACT)
        asked.reflect(videos[0], CAMERA)
    assert [len(media_of(seen)) for seen in server.seen] == [1, 4, 1, 1, 4]


def test_the_monitor_keeps_the_whole_video_when_it_looks_closer(videos):
    with roles() as (asked, server):
        asked.monitor(videos[0], *ANSWERS, CAMERA)
        asked.monitor(videos[0], *ANSWERS, CAMERA, "visible_text")
    first, second = map(media_of, server.seen)
    assert len(second) == 2 * len(first) == 8
    assert second[:4] == first


def test_the_file_itself_is_sent_where_it_is_asked_for(videos):
    media = {"policy": "native_video_url_v1"}
    with roles(media=media) as (asked, server):
        asked.plan(videos[0])
    assert [part["type"] for part in media_of(server.seen[0])] == ["video_url"]


def test_a_text_role_with_media_is_refused_before_anything_is_sent(videos):
    with roles() as (asked, server):
        picture = {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,AAAA"}}
        sent = [
            {"role": "system", "content": "role: verifier"},
            {"role": "user", "content": [picture]},
        ]
        for role in (Role.GENERATOR, Role.VERIFIER):
            with pytest.raises(ValueError, match="works with the text alone"):
                asked._ask(role, sent, ProposedFact, "clip")
    assert not server.seen


def test_one_bad_fact_does_not_cost_the_others(videos):
    def script(seen):
        data = content(seen)
        if seen.role == "extractor":
            data["facts"][1:3] = ["no fact", {"more": 1}]
        return says(json.dumps(data))

    with roles(script) as (asked, server):
        plan = asked.plan(videos[0])
        found = asked.extract(videos[0], plan.opportunities)
    assert len(found) == 8
    assert found[1:3] == ["no fact", {"more": 1}]
    schema = server.seen[1].request["response_format"]["json_schema"]["schema"]
    assert "natural_language_fact" in json.dumps(schema)


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        ("nothing", Reason.INVALID_JSON),
        ("{}", Reason.SCHEMA_VIOLATION),
        (says("{", finish="length"), Reason.TRUNCATED),
        (says(None, refusal="no"), Reason.REFUSED),
    ],
)
def test_a_reply_of_no_use_is_the_items_end(videos, act, reason):
    with roles(act) as (asked, _), pytest.raises(NoReply) as caught:
        asked.plan(videos[0])
    assert caught.value.reject.reason is reason
    assert caught.value.reject.detail


@pytest.mark.parametrize("number", [400, 401, 403, 404, 413, 429, 500, 503])
def test_a_failure_of_the_server_says_nothing_of_the_item(videos, number):
    with roles(status(number, "none of this")) as (asked, _), pytest.raises(Failed):
        asked.plan(videos[0])


def test_what_the_endpoint_finds_wrong_has_its_reason():
    names = {reason.value for reason in MEANINGS}
    assert set(Fault.__args__) <= names


def test_a_model_that_names_another_limit_is_asked_with_it_from_then_on(videos):
    def script(seen):
        if "max_tokens" in seen.request:
            words = "'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
            return status(400, words)
        return reply(seen)

    with roles(script, max_tokens=123) as (asked, server):
        ask_all(asked, videos[0])
    good = [seen for seen in server.seen if "max_tokens" not in seen.request]
    assert [seen.role for seen in good] == [role.value for role in Role]
    assert {seen.request["max_completion_tokens"] for seen in good} == {123}
    assert {seen.role for seen in server.seen if seen not in good} == {"planner"}
    assert all("json_schema" in seen.request["response_format"] for seen in good)


def test_another_wrong_request_is_not_asked_again_with_another_limit(videos):
    with roles(status(400, "max_tokens is too large")) as (asked, server), pytest.raises(Failed):
        asked.plan(videos[0])
    assert all("max_tokens" in seen.request for seen in server.seen)


def test_in_a_long_video_the_camera_is_judged_at_its_interval(videos):
    """Frames of the whole are too far apart to tell a pan from a cut."""
    with roles(media={"most_frames": 2, "fps": 1.0, "camera_fps": 4.0}) as (asked, server):
        plan = asked.plan(videos[0])
        asked.extract(videos[0], plan.opportunities)
        for fact in (FACT, CAMERA):
            asked.reflect(videos[0], fact)
            asked.monitor(videos[0], *ANSWERS, fact)
    looks = [_times(seen) for seen in server.seen]
    whole, close = looks[0], [0.0, 0.5]
    assert whole == [0.0]
    assert looks == [whole, whole + close, whole, whole, whole + close, whole + close]
    texts = [part.get("text", "") for part in server.seen[-1].request["messages"][1]["content"]]
    assert "Frames from 0.00 to 1.00 s, each after its time:" in texts


def _times(seen):
    texts = [part.get("text", "") for part in seen.request["messages"][1]["content"]]
    return [float(text[:-2]) for text in texts if text.endswith(" s")]
