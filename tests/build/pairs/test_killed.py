"""Runs that are killed: the next one goes on, pays for nothing twice, and gives the same bytes."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from contextlib import suppress
from itertools import cycle

import pytest

from tests.build.pairs.acting import content, reply
from tests.build.pairs.driver import INTERRUPTED, At, start
from tests.build.pairs.running import a_plan, asked, exports, go
from tests.endpoint.scripted import ScriptedServer, says

CHANGES = {"target": 3, "round_size": 1}
"""The last video gives one pair of the two that it could."""
MOST = 300
"""More starts than that make no progress."""
KILLED = -signal.SIGKILL


@pytest.fixture(scope="module")
def two(videos):
    return videos[:2]


@pytest.fixture(scope="module")
def whole(two, tmp_path_factory):
    """What a run gives that nobody disturbs, and how often it asks."""
    out = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch, ScriptedServer(reply) as server:
        patch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")
        go(server, a_plan(two, **CHANGES), out, workers=1)
    keys = Counter(map(asked, server.seen))
    assert set(keys.values()) == {1}
    return exports(out), keys


STATES: list[At] = ["before state", "after state"]
STORE: list[At] = ["before store", "after store"]


@pytest.mark.parametrize(
    ("places", "starts"),
    [
        pytest.param(STATES, 34, id="states of the graph"),
        pytest.param(STORE + STATES, 15, id="the store, then states"),
    ],
)
def test_killed_at_every_node_boundary(two, tmp_path, places, starts):
    """Each start is killed at its first write of a kind; the last kind is one node further."""
    names: list[str] = []

    def script(seen):
        data = content(seen)
        if seen.role == "planner" and data["video_id"] not in names:
            names.append(data["video_id"])
        if seen.role == "planner" and [data["video_id"]] == names[1:2]:
            for row in data["opportunities"]:
                row["constructibility"] = "uncertain"
        return says(json.dumps(data))

    codes = []
    with ScriptedServer(script) as server:
        for at in cycle(places):
            codes.append(start(server.url, two, tmp_path / "killed", at=at, **CHANGES))
            if codes[-1] != KILLED:
                break
            assert len(codes) < MOST
        killed = Counter(map(asked, server.seen))
        server.seen.clear()
        go(server, a_plan(two, **CHANGES), tmp_path / "whole", workers=1)
    assert codes[-1] == 0
    assert len(codes) > starts
    assert exports(tmp_path / "killed") == exports(tmp_path / "whole")
    assert killed == Counter(map(asked, server.seen))
    assert set(killed.values()) == {1}


def test_killed_while_each_reply_is_under_way(two, whole, tmp_path):
    """A reply that was lost on its way is asked for again, and no other."""
    known: set[str] = set()
    process: list[int] = []

    def script(seen):
        if asked(seen) not in known:
            known.add(asked(seen))
            os.kill(process[-1], signal.SIGKILL)
        return reply(seen)

    codes = []
    with ScriptedServer(script) as server:
        while not codes or codes[-1] == KILLED:
            codes.append(start(server.url, two, tmp_path, begun=process.append, **CHANGES))
            assert len(codes) < MOST
    expected, keys = whole
    assert codes == [KILLED] * len(keys) + [0]
    assert exports(tmp_path) == expected
    assert Counter(map(asked, server.seen)) == keys + keys


def test_killed_again_and_again_with_several_workers(two, whole, tmp_path):
    process: list[int] = []
    known: set[str] = set()

    def script(seen):
        if asked(seen) not in known:
            known.add(asked(seen))
            if len(known) % 3 == 0:
                with suppress(ProcessLookupError):
                    os.kill(process[-1], signal.SIGKILL)
        return reply(seen)

    changes = CHANGES | {"round_size": 2, "target": 3}
    codes = []
    with ScriptedServer(script) as server:
        while not codes or codes[-1] == KILLED:
            codes.append(
                start(server.url, two, tmp_path, begun=process.append, workers=3, **changes)
            )
            assert len(codes) < MOST
        go(server, a_plan(two, **changes), tmp_path / "whole", workers=1)
    assert len(codes) > 3
    assert exports(tmp_path) == exports(tmp_path / "whole")


def test_interrupted_by_the_user(two, whole, tmp_path):
    """Ctrl-C: what is under way is kept, what there is gets written, all threads end."""
    process: list[int] = []

    def script(seen):
        if seen.number == 9:
            os.kill(process[-1], signal.SIGINT)
        return reply(seen)

    with ScriptedServer(script) as server:
        code = start(server.url, two, tmp_path, begun=process.append, **CHANGES)
        assert code == INTERRUPTED
        assert len(server.seen) < 12
        assert all(isinstance(content, bytes) for content in exports(tmp_path))
        assert start(server.url, two, tmp_path, **CHANGES) == 0
    expected, keys = whole
    assert exports(tmp_path) == expected
    assert Counter(map(asked, server.seen)) == keys
