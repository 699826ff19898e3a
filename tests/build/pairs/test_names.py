"""No model reads what a file is called."""

from __future__ import annotations

import json

from tests.build.pairs.acting import reply
from tests.build.pairs.running import a_plan, go, lines
from tests.endpoint.scripted import ScriptedServer


def test_the_name_of_a_file_is_sent_to_nobody_and_is_the_id_of_its_pairs(videos, tmp_path):
    with ScriptedServer(reply) as server:
        go(server, a_plan(videos), tmp_path)
    assert {seen.role for seen in server.seen} >= {"planner", "extractor", "monitor"}
    sent = json.dumps([seen.request for seen in server.seen])
    ids = [video.video_id for video in videos]
    assert all(one.startswith("clip_") for one in ids)
    assert [one for one in ids if one in sent] == []
    assert str(videos[0].path.parent) not in sent
    pairs = lines(tmp_path, "pairs.jsonl")
    assert len(pairs) == 4
    assert {pair["media"]["video_id"] for pair in pairs} <= set(ids)
