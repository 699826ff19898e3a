"""Random faults of all roles and of the server: what never happens, whatever they do."""

from __future__ import annotations

import copy
import hashlib
import json
import random
import sqlite3
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as trials
from hypothesis import strategies as st

from tests.build.pairs.acting import content, reply, task_of, told
from tests.build.pairs.running import a_plan, asked, exports, go, lines, policy
from tests.endpoint.scripted import ScriptedServer, cut, empty, refuses, says, status
from vidomni_plugin.build.pairs.contracts.facts import Interval, rule_of
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.pair import PairRecord
from vidomni_plugin.build.pairs.contracts.reasons import MEANINGS, Reason
from vidomni_plugin.build.pairs.contracts.roles import (
    BackParse,
    Generated,
    Judgement,
    ProposedFact,
    Reflection,
    Role,
)
from vidomni_plugin.build.pairs.gates.generation import realized
from vidomni_plugin.build.pairs.gates.graph_diff import is_minimal
from vidomni_plugin.build.pairs.gates.leaks import leaks
from vidomni_plugin.build.pairs.gates.monitor import judged
from vidomni_plugin.build.pairs.gates.phrases import same_phrase
from vidomni_plugin.build.pairs.gates.reflection import borne_out
from vidomni_plugin.build.pairs.gates.verification import verified
from vidomni_plugin.build.pairs.ids import comes_first
from vidomni_plugin.build.pairs.policy.bank import choose

REPORTS = ("evidence_summary", "verdict", "recoverable_reason", "mutation_viable", "claims")
"""Keys of what reviewers report."""
SEED = 42
POLICY = policy()
OTHERS = (None, True, False, 0, 7, -1, "", "insufficient", "contradicted", "yellow", [], {})


def _spoil(data: Any, dice: random.Random) -> Any:
    """Change, remove or add something at a random place."""
    spoilt = copy.deepcopy(data)
    at: Any = spoilt
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return spoilt
        key = dice.choice(keys)
        if isinstance(at[key], dict | list) and at[key] and dice.random() < 0.8:
            at = at[key]
            continue
        what = dice.random()
        if what < 0.6:
            at[key] = dice.choice(OTHERS)
        elif what < 0.8:
            del at[key]
        elif isinstance(at, list):
            at.append(copy.deepcopy(at[key]))
        else:
            at["more"] = 1
        return spoilt


def _act(seen, dice, faults):
    data = content(seen)
    if dice.random() > faults:
        return says(json.dumps(data)), data
    kind = dice.randrange(10)
    if kind < 5:
        data = _spoil(data, dice)
        return says(json.dumps(data)), data
    if kind == 5 and seen.role in ("reflector", "monitor"):
        reason = dice.choice(["visible_text", "prompt_scope", "fine_visual_detail"])
        data |= {"recoverable_reason": reason}
        unsure = data if seen.role == "reflector" else data[dice.choice(["first", "second"])]
        unsure["verdict"] = "insufficient"
        return says(json.dumps(data)), data
    acts = [status(429, retry_after="1"), status(500), cut(-1), empty(), refuses()]
    acts += [
        says("nothing of use"),
        says("{", finish="length"),
        says(json.dumps(data), tokens=None),
    ]
    act = dice.choice(acts)
    return act, data if act is acts[-1] else None


@given(st.integers(0, 10**6), st.sampled_from([0.05, 0.15, 0.3]), st.integers(1, 3))
@trials(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_whatever_the_server_does(videos, seed, faults, round_size):
    said: dict[tuple[str, str], list[Any]] = defaultdict(list)

    def script(seen):
        # The n-th time that the same is asked has the same answer in every run.
        counts[asked(seen)] += 1
        key = f"{seed}|{asked(seen)}|{counts[asked(seen)]}"
        digest = hashlib.sha256(key.encode()).digest()
        act, data = _act(seen, random.Random(digest), faults)
        if data is not None and task_of(seen) != "compare":
            said[seen.role, _about(seen)].append(data)
        return act

    counts: Counter[str] = Counter()
    limits = {"avh": 1, "ech": 1}
    plan = a_plan(videos[:4], target=5, round_size=round_size, ceilings=limits)
    with tempfile.TemporaryDirectory() as folder, ScriptedServer(script) as server:
        out = Path(folder)
        for _ in range(3):
            ended = go(server, plan, out, workers=3, retries=1)
            _check(plan, out, said, server)
            if ended.state != "stopped" and not ended.set_aside:
                break
        ended = go(server, plan, out, workers=1)
        before = exports(out)
        if ended.state != "stopped" and not ended.set_aside:
            count = len(server.seen)
            go(server, plan, out, workers=1)
            assert len(server.seen) == count
        assert exports(out) == before


def _about(seen) -> str:
    """Return what a request is about: the two answers in their order, or the fact."""
    data = told(seen)
    if "first" in data:
        return json.dumps([data["question"], data["first"], data["second"]])
    if "fact" in data:
        return json.dumps(data["fact"], sort_keys=True)
    if "source_fact" in data:
        return json.dumps([data["question"], data["accepted_sentence"]])
    return data["video_id"]


def _check(plan, out, said, server) -> None:
    pairs = [PairRecord.model_validate(line) for line in lines(out, "pairs_extended.jsonl")]
    public = lines(out, "pairs.jsonl")
    assert [json.loads(pair.public.model_dump_json()) for pair in pairs] == public
    _check_caps(plan, pairs)
    facts = _facts_of(out)
    for pair in pairs:
        _passes_all_gates(pair, facts[pair.fact_id], plan, said)
    for line in lines(out, "rejections.jsonl"):
        assert MEANINGS[Reason(line["reason"])].kind != "infra"
    _check_requests(server)


def _check_caps(plan, pairs) -> None:
    assert len(pairs) <= plan.settings.target
    assert len({pair.pair_id for pair in pairs}) == len(pairs)
    per_video = Counter(pair.public.media.video_id for pair in pairs)
    assert max(per_video.values(), default=0) <= 2
    both = Counter((pair.public.media.video_id, pair.leaf) for pair in pairs)
    assert max(both.values(), default=0) <= 1
    for leaf, count in Counter(pair.leaf for pair in pairs).items():
        assert count <= plan.settings.ceiling(leaf)


def _check_requests(server) -> None:
    for seen in server.seen:
        assert seen.has_media == (Role(seen.role) in {*Role} - {Role.GENERATOR, Role.VERIFIER})
        data = told(seen)
        if seen.role in ("verifier", "monitor"):
            assert not any(f'"{key}"' in json.dumps(data) for key in REPORTS)
            known = {"question", "first", "second", "kinds_of_fact", "time_scope", "pairs"}
            assert set(data) <= known
        if seen.role == "reflector":
            assert set(data) == {"leaf_label", "fact"}
    looks = {
        (seen.role, _about(seen), _first_frame(seen), asked(seen))
        for seen in server.seen
        if seen.role in ("reflector", "monitor") and len(seen.request["messages"]) == 2
    }  # a repair has the first reply and its faults as well
    counts = Counter(of[:3] for of in looks)
    assert max(counts.values(), default=0) <= 2  # one look, and one closer one


def _first_frame(seen) -> str:
    """Return what tells one video from another: two may show the same fact."""
    parts = seen.request["messages"][1]["content"]
    return next(part["image_url"]["url"] for part in parts if part["type"] == "image_url")


def _facts_of(out: Path) -> dict[str, ProposedFact]:
    db = sqlite3.connect(out / "pairs.sqlite")
    try:
        rows = db.execute("SELECT fact_id, fact FROM facts").fetchall()
    finally:
        db.close()
    return {fact_id: ProposedFact.model_validate_json(fact) for fact_id, fact in rows}


def _passes_all_gates(pair: PairRecord, fact: ProposedFact, plan, said) -> None:
    source, public = pair.source_fact, pair.public
    assert fact.normalized_fact == source
    duration = pair.duration_s
    video = next(one for one in plan.videos if one.video_id == public.media.video_id)
    assert public.task_type == video.task
    assert not leaks(source)
    assert 0 <= fact.time_scope.start_sec <= fact.time_scope.end_sec <= duration
    drawn = choose(POLICY.bank, video.video_id, pair.fact_id, source, video.task, SEED)
    assert (drawn.template, drawn.question) == (pair.question_template, public.question)

    about = json.dumps(fact.model_dump(mode="json"), sort_keys=True)
    seen = [
        borne_out(report, fact.time_scope, duration)
        for report in _parsed(Reflection, said["reflector", about])
    ]
    assert pair.evidence_interval in [one for one in seen if isinstance(one, Interval)]

    about = json.dumps([public.question, fact.natural_language_fact])
    made = [
        realized(reply, source, fact.natural_language_fact, public.question, video.task)
        for reply in _parsed(Generated, said["generator", about])
        if (reply.answer, reply.counterfactual_answer)
        == (public.answer, public.counterfactual_answer)
    ]
    assert pair.counterfactual_fact in [one for one in made if not isinstance(one, Reject)]
    assert is_minimal(source, pair.counterfactual_fact)
    assert rule_of(source).leaf is public.leaf_label

    def replies(role: Role) -> tuple[bool, list[Any]]:
        first = comes_first(pair.fact_id, role.value, SEED)
        answers = (public.answer, public.counterfactual_answer)
        shown = answers if first else answers[::-1]
        return first, said[role.value, json.dumps([public.question, *shown])]

    first, given = replies(Role.VERIFIER)
    assert any(
        verified(parse, source, pair.counterfactual_fact, factual_first=first, same=_cup_is_the_cup)
        is None
        for parse in _parsed(BackParse, given)
    )
    first, given = replies(Role.MONITOR)
    assert pair.monitor_interval in [
        judged(one, pair.leaf, fact.time_scope, duration, factual_first=first)
        for one in _parsed(Judgement, given)
    ]


def _cup_is_the_cup(one: object, other: object) -> bool:
    """The acting verifier calls all phrases the same that it is asked about."""
    return same_phrase(one, other) or (isinstance(one, str) and isinstance(other, str))


def _parsed(model, replies):
    found = []
    for reply_ in replies:
        try:
            found.append(model.model_validate_json(json.dumps(reply_)))
        except ValueError:
            continue
    return found


def test_the_plain_script_passes_the_checks_themselves(videos, tmp_path):
    """The checks above are no empty ones: they look at pairs, and find what is wrong."""
    said = defaultdict(list)

    def script(seen):
        if task_of(seen) != "compare":
            said[seen.role, _about(seen)].append(content(seen))
        return reply(seen)

    plan = a_plan(videos[:3], target=5)
    with ScriptedServer(script) as server:
        go(server, plan, tmp_path)
    assert len(lines(tmp_path, "pairs.jsonl")) == 5
    _check(plan, tmp_path, said, server)
    rows = [key for key in said if key[0] == "monitor"]
    for key in rows:
        said[key] = [one | {"differs_in": None} for one in said[key]]
    with pytest.raises(AssertionError):
        _check(plan, tmp_path, said, server)
