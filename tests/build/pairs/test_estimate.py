"""What a run is said to ask: worked by hand, and beside what a run asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.build.pairs.acting import reply
from tests.build.pairs.running import a_plan, go, settings
from tests.endpoint.scripted import ScriptedServer, Seen
from vidomni_plugin.build.pairs.contracts.roles import Role
from vidomni_plugin.build.pairs.estimate import CHARACTERS_A_TOKEN, Yields, estimate, rough
from vidomni_plugin.build.pairs.policy.policy import load_policy
from vidomni_plugin.build.pairs.videos import VideoFile
from vidomni_plugin.endpoint.prices import Prices

SURE = Yields(facts=2, reflected=1, verified=1, monitored=1, again=0, compared=0)


def of_length(seconds: float, many: int) -> list[VideoFile]:
    return [
        VideoFile(
            f"v{k}", Path(f"v{k}.mp4"), f"{k:064x}", seconds, 25.0, False, f"v{k}", "video_qa"
        )
        for k in range(many)
    ]


def frames(found: Any, role: Role) -> float:
    """Return the tokens of a role that do not come from text, for one frame of 100 tokens."""
    plain = next(one for one in found[0].roles if one.role is role)
    with_frames = next(one for one in found[1].roles if one.role is role)
    return (with_frames.input_tokens - plain.input_tokens) / 100


def both(videos: list[VideoFile], **changes: Any) -> tuple[Any, Any]:
    """Return the estimates with frames of 0 and of 100 tokens."""
    found = settings(**changes)
    return tuple(  # type: ignore[return-value]
        estimate(videos, found, load_policy(), image_tokens=tokens, yields=SURE)
        for tokens in (0, 100)
    )


def test_calls_and_frames_worked_by_hand():
    """4 pairs of 2 videos of 10 s: each planned at 1 frame a second, extracted at 4."""
    found = both(of_length(10, 8), target=4, round_size=2)
    assert {one.role.value: one.calls for one in found[1].roles} == {
        "planner": 2,
        "extractor": 2,
        "reflector": 4,
        "generator": 4,
        "verifier": 4,
        "monitor": 4,
    }
    assert found[1].videos == 2
    assert found[1].pairs == 4
    assert frames(found, Role.PLANNER) == 2 * 10
    assert frames(found, Role.EXTRACTOR) == 2 * 40
    seen = 4 * (7 * 10 + 40) / 8  # one fact in eight is about the camera
    assert frames(found, Role.REFLECTOR) == pytest.approx(seen)
    assert frames(found, Role.MONITOR) == pytest.approx(seen)
    assert frames(found, Role.GENERATOR) == frames(found, Role.VERIFIER) == 0


def test_a_long_video_is_seen_close_only_where_the_camera_is_judged():
    """60 s at 4 frames a second are too many: the whole at 1, and 4 s of it at 4."""
    found = both(of_length(60, 8), target=4, round_size=2)
    assert frames(found, Role.PLANNER) == 2 * 60
    assert frames(found, Role.EXTRACTOR) == 2 * (60 + 16)


def test_a_whole_round_is_looked_at():
    assert both(of_length(10, 40), target=4, round_size=16)[1].videos == 16


def test_too_few_videos_give_too_few_pairs():
    found = both(of_length(10, 3), target=100, round_size=16)[1]
    assert (found.videos, found.pairs) == (3, 6)


def test_a_file_counts_by_its_seconds():
    media = {"policy": "native_video_url_v1"}
    found = both(of_length(10, 8), target=4, round_size=2, media=media)
    assert frames(found, Role.PLANNER) == frames(found, Role.EXTRACTOR) == 2 * 10


def test_money_is_that_of_the_tokens():
    found = estimate(
        of_length(10, 8), settings(), load_policy(), prices=Prices(1.0, 0.1, 4.0), yields=SURE
    )
    given = sum(one.input_tokens for one in found.roles)
    told = sum(one.output_tokens for one in found.roles)
    assert found.cost == pytest.approx((given + 4 * told) / 1e6)
    assert found.tokens == given + told
    assert estimate(of_length(10, 8), settings(), load_policy()).cost is None


@pytest.mark.parametrize(("value", "told"), [(0, 0), (1234, 1200), (0.0567, 0.057), (99.6, 100)])
def test_two_digits_are_told(value, told):
    assert rough(value) == pytest.approx(told)


def _text(seen: Seen) -> int:
    """Return how many characters of text a request has."""
    parts: list[Any] = []
    for message in seen.request["messages"]:
        content = message["content"]
        parts += [content] if isinstance(content, str) else [one.get("text", "") for one in content]
    return len("".join(parts))


def test_text_is_about_what_is_sent(videos, tmp_path):
    """What each role is told by a run, in characters, and by the estimate."""
    plan = a_plan(videos, target=4)
    with ScriptedServer(reply) as server:
        go(server, plan, tmp_path)
    none = estimate(plan.videos, plan.settings, plan.policy, image_tokens=-6, yields=SURE)
    for role in none.roles:
        sent = [_text(seen) for seen in server.of_role(role.role.value)]
        mean = sum(sent) / len(sent)
        told = role.input_tokens / role.calls * CHARACTERS_A_TOKEN
        assert mean / 1.6 < told < mean * 1.6, (role.role, json.dumps([mean, told]))


def test_calls_are_those_of_a_run_that_goes_well(videos, tmp_path):
    plan = a_plan(videos, target=8)
    with ScriptedServer(reply) as server:
        go(server, plan, tmp_path)
    found = estimate(plan.videos, plan.settings, plan.policy, yields=SURE)
    assert found.calls == len(server.seen)
