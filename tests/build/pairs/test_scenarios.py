"""What a server can do, and what each run makes of it: real requests over loopback.

Each scenario gives one role another reply at one place, and good ones everywhere else. The one
video has facts of all eight leaves, so that a refused one is made up for by the next.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.build.pairs.acting import content, reply, task_of, told
from tests.build.pairs.running import a_plan, exports, go, lines, reasons
from tests.endpoint.scripted import (
    Act,
    ScriptedServer,
    Seen,
    cut,
    empty,
    refuses,
    says,
    slow,
    status,
)

Change = Callable[[dict[str, Any]], None]
TWO_GOOD = Counter(planner=1, extractor=1, reflector=2, generator=2, verifier=2, monitor=2)
"""Requests of a video whose two first facts become pairs."""
STAY = Counter(video_cap=6)
"""The six other facts of such a video."""


def put(place: str, value: Any) -> Change:
    """Return what changes one place of a reply, such as ``first.verdict``."""

    def change(data: dict[str, Any]) -> None:
        *way, last = place.split(".")
        at: Any = data
        for step in way:
            at = at[int(step)] if isinstance(at, list) else at[step]
        at[int(last) if isinstance(at, list) else last] = value

    return change


def nth(role: str, numbers: set[int], act: Callable[[Seen], Act]) -> Callable[[Seen], Act]:
    """Return a script: another act for some requests of a role, numbered from 1."""
    counts: Counter[str] = Counter()

    def script(seen: Seen) -> Act:
        task = task_of(seen)
        counts[task] += 1
        return act(seen) if task == role and counts[task] in numbers else reply(seen)

    return script


def changed(*changes: Change) -> Callable[[Seen], Act]:
    def act(seen: Seen) -> Act:
        data = copy.deepcopy(content(seen))
        for change in changes:
            change(data)
        return says(json.dumps(data), tokens=(1000, 0, 100))

    return act


@pytest.fixture
def one(videos):
    """A video of question answering."""
    return [next(video for video in videos if video.task == "video_qa")]


@pytest.fixture
def scenario(one, tmp_path):
    """Return what runs a script on one video, with the requests and reasons that came of it."""

    def run(script, **options):
        with ScriptedServer(script) as server:
            ended = go(server, a_plan(one, target=16), tmp_path, workers=1, **options)
        return ended, Counter(seen.role for seen in server.seen), reasons(tmp_path)

    return run


@pytest.fixture(scope="module")
def undisturbed(videos, tmp_path_factory):
    """What a run without any failure gives."""
    out = tmp_path_factory.mktemp("undisturbed")
    one = [next(video for video in videos if video.task == "video_qa")]
    with pytest.MonkeyPatch.context() as patch, ScriptedServer(reply) as server:
        patch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")
        go(server, a_plan(one, target=16), out, workers=1)
    return exports(out)


def test_valid_replies_become_pairs(scenario, tmp_path):
    ended, roles, why = scenario(reply)
    assert (ended.state, ended.set_aside) == ("sources_used_up", {})
    assert roles == TWO_GOOD
    assert why == STAY
    pairs = lines(tmp_path, "pairs.jsonl")
    assert len(pairs) == 2
    assert len({pair["leaf_label"] for pair in pairs}) == 2
    assert all(len(pair) == 9 for pair in pairs)


@pytest.mark.parametrize(
    ("role", "before", "after"),
    [
        pytest.param("planner", "```json\n", "\n```", id="fenced"),
        pytest.param("extractor", "Here is what I found:\n", "\nI hope it helps.", id="prefixed"),
        pytest.param("reflector", "<think>What {is} it?</think>", "", id="thinking"),
        pytest.param("generator", "```\n", "\n```\nDone.", id="fenced without a name"),
        pytest.param("monitor", "\ufeff \n", "\n", id="blanks"),
    ],
)
def test_json_is_found_among_words(scenario, role, before, after):
    def act(seen):
        return says(before + json.dumps(content(seen)) + after)

    _, roles, why = scenario(nth(role, {1}, act))
    assert roles == TWO_GOOD
    assert why == STAY


BAD_REPLIES = [
    pytest.param("planner", lambda seen: says("I see a dog."), "invalid_json", id="no JSON"),
    pytest.param("extractor", lambda seen: says('{"facts": ['), "invalid_json", id="half of it"),
    pytest.param("generator", lambda seen: says(""), "invalid_json", id="nothing"),
    pytest.param("monitor", lambda seen: says("[1]"), "invalid_json", id="no object"),
    pytest.param("planner", lambda seen: says("{}"), "schema_violation", id="missing keys"),
    pytest.param("extractor", changed(put("extra", 1)), "schema_violation", id="extra key"),
    pytest.param("verifier", changed(put("extra", 1)), "schema_violation", id="verifier"),
    pytest.param("reflector", changed(put("verdict", "yes")), "schema_violation", id="a word"),
]


@pytest.mark.parametrize(("role", "act", "reason"), BAD_REPLIES)
def test_a_bad_reply_is_repaired_once(scenario, role, act, reason):
    _, roles, why = scenario(nth(role, {1}, act))
    assert roles == TWO_GOOD + Counter([role])
    assert why == STAY


@pytest.mark.parametrize(("role", "act", "reason"), BAD_REPLIES)
def test_a_bad_reply_twice_ends_the_candidate(scenario, role, act, reason):
    ended, roles, why = scenario(nth(role, {1, 2}, act))
    if role in ("planner", "extractor"):
        # No reply of this run was of use: that says nothing about its video.
        assert not why
        assert [note.split(":")[0] for note in ended.set_aside.values()] == [reason]
        assert roles[role] == 2
        assert not roles["reflector"]
    else:
        assert why == Counter(video_cap=5) + Counter([reason])
        assert roles[role] == 4  # two of the first fact, and one each of two others


def _rows(change: Callable[[list[Any]], None]) -> Callable[[Seen], Act]:
    return changed(lambda data: change(data["opportunities"]))


def _all_rows(name: str, value: Any) -> Callable[[Seen], Act]:
    def change(rows: list[Any]) -> None:
        for row in rows:
            row[name] = value

    return _rows(change)


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        pytest.param(_rows(lambda rows: rows.pop()), "opportunity_rows_invalid", id="seven rows"),
        pytest.param(
            _rows(lambda rows: rows.append(rows[0])), "opportunity_rows_invalid", id="nine rows"
        ),
        pytest.param(
            _rows(lambda rows: rows.__setitem__(1, rows[0])),
            "opportunity_rows_invalid",
            id="a leaf twice",
        ),
        pytest.param(
            changed(put("video_id", "other")), "opportunity_rows_invalid", id="another video"
        ),
        pytest.param(
            _all_rows("evidence_intervals", [{"start_sec": 5, "end_sec": 9}]),
            "opportunity_rows_invalid",
            id="intervals outside the video",
        ),
        pytest.param(
            changed(put("opportunities.0.conflict_slot", "count")),
            "opportunity_taxonomy_mismatch",
            id="wrong slot",
        ),
        pytest.param(
            changed(put("opportunities.0.fact_kind", "entity_category")),
            "opportunity_taxonomy_mismatch",
            id="wrong kind",
        ),
        pytest.param(
            _all_rows("constructibility", "not_constructible"),
            "no_constructible_leaf",
            id="nothing can be built",
        ),
        pytest.param(
            _all_rows("constructibility", "uncertain"), "no_constructible_leaf", id="uncertain"
        ),
    ],
)
def test_bad_plans_end_the_video_with_no_further_call(scenario, act, reason):
    ended, roles, why = scenario(nth("planner", {1}, act))
    assert roles == Counter(planner=1)
    assert why == Counter([reason])
    assert ended.state == "sources_used_up"


def _facts(change: Callable[[list[Any]], None]) -> Callable[[Seen], Act]:
    return changed(lambda data: change(data["facts"]))


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        pytest.param(
            _facts(lambda facts: facts.append(facts[0])), "fact_duplicate_leaf", id="a leaf twice"
        ),
        pytest.param(
            changed(put("facts.0.time_scope", {"start_sec": 0, "end_sec": 9})),
            "fact_scope_invalid",
            id="longer than the video",
        ),
        pytest.param(
            changed(put("facts.0.time_scope", {"start_sec": 0.8, "end_sec": 0.1})),
            "fact_scope_invalid",
            id="ends before it starts",
        ),
        pytest.param(
            changed(put("facts.0.normalized_fact.colour", "red")),
            "fact_shape_invalid",
            id="a key too many",
        ),
        pytest.param(changed(put("facts.0", "a lamp")), "fact_shape_invalid", id="no object"),
        pytest.param(
            changed(put("facts.7.normalized_fact.camera_predicate", "no_camera_change")),
            "fact_camera_source_invalid",
            id="a stationary shot",
        ),
        pytest.param(
            changed(put("facts.3.normalized_fact.entity", "the red, blue, green, white cup")),
            "slot_leak_in_anchor",
            id="the anchor tells the slot",
        ),
    ],
)
def test_a_bad_fact_is_dropped_and_costs_no_other(scenario, tmp_path, act, reason):
    _, _, why = scenario(nth("extractor", {1}, act))
    assert why.pop(reason) == 1
    assert len(lines(tmp_path, "pairs.jsonl")) == 2
    [line] = [line for line in lines(tmp_path, "rejections.jsonl") if line["reason"] == reason]
    assert line["given"]
    assert line["fact_id"] is None


def test_a_fact_of_a_leaf_that_was_not_planned_is_dropped(scenario):
    def script(seen):
        if seen.role == "planner":
            return changed(put("opportunities.0.constructibility", "uncertain"))(seen)
        if seen.role == "extractor":
            data = content(seen)
            lamp = {"fact_kind": "entity_existence", "entity": "a lamp", "existence": True}
            data["facts"].append({**data["facts"][0], "normalized_fact": lamp})
            return says(json.dumps(data))
        return reply(seen)

    assert scenario(script)[2]["fact_unplanned_leaf"] == 1


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param([], id="an empty list"),
        pytest.param(["a lamp", 1, None], id="nothing but slips"),
    ],
)
def test_no_fact_at_all_ends_the_video(scenario, facts):
    _, roles, why = scenario(nth("extractor", {1}, changed(put("facts", facts))))
    assert roles == Counter(planner=1, extractor=1)
    assert why == (Counter(fact_shape_invalid=3) if facts else Counter(no_fact=1))


UNSURE = (put("verdict", "insufficient"), put("recoverable_reason", "fine_visual_detail"))


def test_what_a_closer_look_can_settle_is_looked_at_twice(scenario):
    _, roles, why = scenario(nth("reflector", {1}, changed(*UNSURE)))
    assert roles == TWO_GOOD + Counter(reflector=1)
    assert why == STAY


def test_a_closer_look_shows_more_and_says_why(one, tmp_path):
    with ScriptedServer(nth("reflector", {1}, changed(*UNSURE))) as server:
        go(server, a_plan(one, target=1), tmp_path, workers=1)
    first, second = server.of_role("reflector")
    assert told(first) == told(second)
    assert "fine visual detail" in second.text
    assert "fine visual detail" not in first.text
    assert "insufficient" not in json.dumps(told(second))
    frames = [
        sum(part["type"] == "image_url" for part in seen.request["messages"][1]["content"])
        for seen in (first, second)
    ]
    assert frames[1] > frames[0]


@pytest.mark.parametrize(
    ("numbers", "changes", "looks", "reason"),
    [
        pytest.param({1, 2}, UNSURE, 4, "reflection_insufficient", id="insufficient twice"),
        pytest.param(
            {1},
            (put("verdict", "insufficient"),),
            3,
            "reflection_insufficient",
            id="insufficient for good",
        ),
        pytest.param(
            {1},
            (put("verdict", "contradicted"), put("recoverable_reason", "visible_text")),
            3,
            "reflection_contradicted",
            id="contradicted, no second look",
        ),
        pytest.param(
            {1}, (put("unique_grounding", False),), 3, "ambiguous_grounding", id="ambiguous"
        ),
        pytest.param({1}, (put("leaf_correct", False),), 3, "leaf_boundary_failed", id="leaf"),
        pytest.param(
            {1}, (put("mutation_viable", False),), 3, "mutation_not_viable", id="no false value"
        ),
        pytest.param(
            {1},
            (put("evidence_interval", None),),
            3,
            "evidence_interval_mismatch",
            id="supported without an interval",
        ),
        pytest.param(
            {1},
            (put("evidence_interval", {"start_sec": 0.9, "end_sec": 0.95}),),
            3,
            "evidence_interval_mismatch",
            id="an interval beside the fact",
        ),
        pytest.param(
            {1}, (put("evidence_summary", " "),), 3, "evidence_interval_mismatch", id="no word"
        ),
    ],
)
def test_what_a_second_look_does_not_bear_out(scenario, numbers, changes, looks, reason):
    _, roles, why = scenario(nth("reflector", numbers, changed(*changes)))
    assert roles["reflector"] == looks
    assert roles["generator"] == 2
    assert why == Counter(video_cap=5) + Counter([reason])


def of_leaf(kind: str, role: str, *changes: Change) -> Callable[[Seen], Act]:
    """Return a script that changes the replies of a text role about one kind of fact."""

    def script(seen: Seen) -> Act:
        data = content(seen)
        about = told(seen).get("source_fact", {}).get("fact_kind") or (
            data["first"]["claims"][0]["fact_kind"] if seen.role == "verifier" else ""
        )
        if task_of(seen) == role and about == kind:
            for change in changes:
                change(data)
            return says(json.dumps(data))
        return reply(seen)

    return script


def _claim(name: str, value: Any) -> Change:
    def change(data: dict[str, Any]) -> None:
        data["first"]["claims"][0][name] = value

    return change


def _more(data: dict[str, Any]) -> None:
    extra = {"fact_kind": "entity_existence", "entity": "a window", "existence": True}
    data["second"]["claims"].append(extra)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        pytest.param(
            of_leaf("attribute_value", "generator", put("question", "What is it?")),
            "question_changed",
            id="question",
        ),
        pytest.param(
            of_leaf("attribute_value", "generator", put("answer", "It is a cup.")),
            "answer_changed",
            id="answer",
        ),
        pytest.param(
            of_leaf("attribute_value", "generator", put("counterfactual_answer", "yellow")),
            "answer_form_invalid",
            id="no sentence",
        ),
        pytest.param(
            of_leaf(
                "attribute_value",
                "generator",
                put("counterfactual_answer", "No, the cup is yellow."),
            ),
            "answer_form_invalid",
            id="No where nobody asks for it",
        ),
        pytest.param(
            of_leaf("entity_existence", "generator", put("answer", "A lamp is in the room.")),
            "answer_form_invalid",
            id="no Yes where it is asked for",
        ),
        pytest.param(
            of_leaf(
                "entity_existence",
                "generator",
                put("answer", "No, a lamp is not in the room."),
                put("counterfactual_answer", "Yes, a lamp is in the room."),
            ),
            "polarity_wrong",
            id="wrong polarity",
        ),
        pytest.param(
            of_leaf("entity_quantity", "generator", put("replacement_value", "many")),
            "replacement_invalid",
            id="no number",
        ),
        pytest.param(
            of_leaf("temporal_relation", "generator", put("replacement_value", "before")),
            "replacement_equal",
            id="the true value",
        ),
        pytest.param(
            of_leaf("static_relation", "generator", put("replacement_value", "within")),
            "replacement_equal",
            id="a synonym",
        ),
        pytest.param(
            of_leaf("static_relation", "generator", put("replacement_value", "deep inside")),
            "replacement_compatible",
            id="a narrower word",
        ),
        pytest.param(
            of_leaf("attribute_value", "verifier", _more), "extra_atomic_fact", id="extra claim"
        ),
        pytest.param(
            of_leaf("entity_quantity", "verifier", _claim("count", 7)),
            "backparse_mismatch",
            id="another value read",
        ),
        pytest.param(
            of_leaf("attribute_value", "verifier", put("can_both_be_true", True)),
            "replacement_compatible",
            id="both can be true",
        ),
        pytest.param(
            of_leaf(
                "attribute_value",
                "verifier",
                put(
                    "first.claims.0",
                    {"fact_kind": "entity_category", "entity": "cup", "category": "red"},
                ),
            ),
            "wrong_leaf_after_backparse",
            id="another leaf read",
        ),
    ],
)
def test_bad_pairs_end_with_their_reason_before_the_monitor(videos, tmp_path, script, reason):
    """All facts are tried: only the leaf in question is given a place."""
    kinds = {"attribute_value": "avh", "entity_existence": "eeh", "entity_quantity": "eqh"}
    kinds |= {"temporal_relation": "trh", "static_relation": "srh"}
    found = [cell.cell_contents for cell in script.__closure__ if cell.cell_contents in kinds]
    ceilings = dict.fromkeys(("eeh", "ech", "eqh", "avh", "srh", "aph", "trh", "cph"), 0)
    one = [next(video for video in videos if video.task == "video_qa")]
    plan = a_plan(one, target=1, ceilings=ceilings | {kinds[found[0]]: 1})
    with ScriptedServer(script) as server:
        go(server, plan, tmp_path, workers=1)
    assert not server.of_role("monitor")
    assert len(server.of_role("generator")) == 1
    assert reasons(tmp_path) == Counter(leaf_cap=7) + Counter([reason])


@pytest.mark.parametrize(
    ("same", "reason"),
    [
        ([True], None),
        ([False], "anchor_changed"),
        ([True, True], "schema_violation"),
        ([], "schema_violation"),
    ],
)
def test_phrases_that_words_do_not_settle_are_compared_by_text_alone(
    videos, tmp_path, same, reason
):
    def script(seen):
        if task_of(seen) == "compare":
            return says(json.dumps({"same": same}))
        return of_leaf("attribute_value", "verifier", _claim("entity", "the vessel"))(seen)

    ceilings = dict.fromkeys(("eeh", "ech", "eqh", "srh", "aph", "trh", "cph"), 0) | {"avh": 1}
    one = [next(video for video in videos if video.task == "video_qa")]
    with ScriptedServer(script) as server:
        go(server, a_plan(one, target=2, ceilings=ceilings), tmp_path, workers=1)
    compared = [seen for seen in server.of_role("verifier") if task_of(seen) == "compare"]
    assert [told(seen)["pairs"] for seen in compared] == [[["the cup", "the vessel"]]]
    assert not any(seen.has_media for seen in compared)
    assert len(lines(tmp_path, "pairs.jsonl")) == (reason is None)
    assert reasons(tmp_path) == Counter(leaf_cap=7) + Counter([reason] if reason else [])


def false_side(name: str, value: Any) -> Change:
    """Return what changes the judgement of the answer that is not supported."""

    def change(data: dict[str, Any]) -> None:
        sides = ("first", "second")
        side = next(side for side in sides if data[side]["verdict"] == "contradicted")
        data[side][name] = value

    return change


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param([false_side("true_elsewhere", True)], "true_elsewhere", id="elsewhere"),
        pytest.param([false_side("other_errors", 1)], "additional_error", id="a second error"),
        pytest.param(
            [false_side("verdict", "supported")], "counterfactual_not_contradicted", id="both true"
        ),
        pytest.param(
            [put("first.verdict", "contradicted"), put("second.verdict", "contradicted")],
            "answer_not_supported",
            id="both false",
        ),
        pytest.param([put("single_difference", False)], "monitor_rejected", id="two differences"),
        pytest.param([put("differs_in", None)], "monitor_rejected", id="no leaf"),
        pytest.param(
            [
                put("first.evidence_interval", {"start_sec": 7, "end_sec": 9}),
                put("second.evidence_interval", {"start_sec": 7, "end_sec": 9}),
            ],
            "monitor_rejected",
            id="evidence outside the video",
        ),
    ],
)
def test_what_the_last_look_refuses(scenario, changes, reason):
    _, roles, why = scenario(nth("monitor", {1}, changed(*changes)))
    assert roles["monitor"] == 3
    assert why == Counter(video_cap=5) + Counter([reason])


def test_the_monitor_names_another_leaf(scenario):
    def act(seen):
        data = content(seen)
        other = "EntityCategory" if data["differs_in"] != "EntityCategory" else "AttributeValue"
        return says(json.dumps(data | {"differs_in": other}))

    assert scenario(nth("monitor", {1}, act))[2]["monitor_wrong_leaf"] == 1


@pytest.mark.parametrize("times", [1, 2])
def test_the_monitor_looks_once_more_at_most(scenario, times):
    unsure = (false_side("verdict", "insufficient"), put("recoverable_reason", "visible_text"))
    numbers = set(range(1, times + 1))
    _, roles, why = scenario(nth("monitor", numbers, changed(*unsure)))
    if times == 1:
        assert roles == TWO_GOOD + Counter(monitor=1)
        assert why == STAY
    else:
        assert roles["monitor"] == 4
        assert why["counterfactual_not_contradicted"] == 1


PASSING = [
    pytest.param(lambda seen: status(429, "slow down", retry_after="3"), id="429"),
    pytest.param(lambda seen: status(500), id="500"),
    pytest.param(lambda seen: status(503), id="503"),
    pytest.param(lambda seen: cut(-1), id="reset"),
    pytest.param(lambda seen: cut(30), id="reset within the reply"),
    pytest.param(lambda seen: empty(), id="no choices"),
]


@pytest.mark.parametrize("act", PASSING)
@pytest.mark.parametrize("role", ["planner", "verifier"])
def test_failures_that_pass_change_nothing(scenario, undisturbed, tmp_path, role, act):
    _, roles, why = scenario(nth(role, {1}, act))
    assert roles == TWO_GOOD + Counter([role])
    assert why == STAY
    assert exports(tmp_path) == undisturbed


def test_a_reply_that_comes_too_late_is_asked_again(scenario):
    _, roles, why = scenario(nth("extractor", {1}, lambda seen: slow(1.0)), timeout_s=0.3)
    assert roles == TWO_GOOD + Counter(extractor=1)
    assert why == STAY


@pytest.mark.parametrize("act", PASSING)
def test_failures_that_stay_set_the_video_aside_and_reject_nothing(scenario, one, tmp_path, act):
    ended, roles, why = scenario(nth("generator", set(range(100)), act), retries=1)
    assert list(ended.set_aside) == [one[0].video_id]
    assert not why
    assert roles["generator"] == 4  # each of two tries with one retry
    with ScriptedServer(reply) as server:
        ended = go(server, a_plan(one, target=16), tmp_path, workers=1)
    assert not ended.set_aside
    assert Counter(seen.role for seen in server.seen) == Counter(
        reflector=1, generator=2, verifier=2, monitor=2
    )
    assert reasons(tmp_path) == STAY


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        pytest.param(lambda seen: says("{", finish="length"), "truncated", id="truncated"),
        pytest.param(lambda seen: refuses(), "refused", id="refusal"),
        pytest.param(
            lambda seen: status(400, "flagged by the content policy"), "refused", id="filter"
        ),
    ],
)
@pytest.mark.parametrize("role", ["planner", "generator"])
def test_what_the_model_will_not_say_ends_the_candidate(scenario, one, role, act, reason):
    ended, roles, why = scenario(nth(role, {1}, act))
    assert roles[role] == (1 if role == "planner" else 3)
    if (role, reason) == ("planner", "truncated"):  # the run has had no reply of use yet
        assert (list(ended.set_aside), why) == ([one[0].video_id], Counter())
        return
    assert why == (Counter() if role == "planner" else Counter(video_cap=5)) + Counter([reason])


def test_replies_without_usage_do(scenario):
    _, roles, why = scenario(lambda seen: says(json.dumps(content(seen)), tokens=None))
    assert roles == TWO_GOOD
    assert why == STAY


@pytest.mark.parametrize("role", ["planner", "reflector", "verifier", "monitor"])
def test_a_refused_key_stops_the_run_and_the_next_one_goes_on(scenario, one, tmp_path, role):
    ended, roles, why = scenario(nth(role, {1}, lambda seen: status(401, "wrong key")))
    assert ended.state == "stopped"
    assert "auth_failed" in ended.why
    assert "wrong key" in ended.why
    assert roles[role] == 1
    assert not why
    with ScriptedServer(reply) as server:
        ended = go(server, a_plan(one, target=16), tmp_path, workers=1)
    again = Counter(seen.role for seen in server.seen)
    assert again + roles == TWO_GOOD + Counter([role])
    assert reasons(tmp_path) == STAY


def test_a_server_without_response_formats_is_asked_in_words(scenario):
    def script(seen):
        return status(400, "response_format?") if "response_format" in seen.request else reply(seen)

    _, _, why = scenario(script)
    assert why == STAY
