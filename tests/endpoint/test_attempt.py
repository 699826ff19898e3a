"""One request against a server that behaves in every way: what it is called, and what it costs."""

import gzip
import json
import socket
import time
from dataclasses import replace

import pytest

from tests.endpoint.conftest import KEY, call
from tests.endpoint.scripted import (
    Act,
    ScriptedServer,
    cut,
    drips,
    empty,
    raw,
    refuses,
    says,
    slow,
    status,
)
from vidomni_plugin.endpoint.address import make_client
from vidomni_plugin.endpoint.attempt import attempt
from vidomni_plugin.endpoint.reply import FailureKind, Usage


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def once(act, timeout_s=5.0, asked=None):
    with ScriptedServer(act) as server:
        return attempt(make_client(server.url, timeout_s=timeout_s), asked or call(), timeout_s)


def test_a_reply():
    outcome = once(says("Yes.", tokens=(40, 30, 2)))
    assert outcome.answered
    assert (outcome.kind, outcome.text, outcome.finish_reason) == (None, "Yes.", "stop")
    assert outcome.usage == Usage(40, 30, 2)


def test_what_is_sent():
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    asked = call([{"type": "text", "text": "Here?"}, picture], extra_body={"top_k": 3}, seed=7)
    with ScriptedServer() as server:
        attempt(make_client(server.url, timeout_s=5), asked, 5)
    (seen,) = server.seen
    assert seen.request == {
        "model": "tiny",
        "messages": list(asked.messages),
        "max_tokens": 10,
        "temperature": 0,
        "seed": 7,
        "top_k": 3,
    }
    assert (seen.role, seen.has_media, seen.path) == ("questions", True, "/v1/chat/completions")
    assert seen.authorization == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("act", "kind", "retried", "breaks", "free"),
    [
        pytest.param(status(400, "too long"), "bad_request", False, "", True, id="400"),
        pytest.param(status(413), "bad_request", False, "", True, id="413"),
        pytest.param(status(422), "bad_request", False, "", True, id="422"),
        pytest.param(status(401), "auth_failed", False, "all", True, id="401"),
        pytest.param(status(402), "auth_failed", False, "all", True, id="402"),
        pytest.param(
            status(403, "no credit left"), "auth_failed", False, "all", True, id="403 billing"
        ),
        pytest.param(status(403, "flagged by moderation"), "refused", False, "", True, id="403"),
        pytest.param(status(403, "no"), "auth_failed", False, "", True, id="403 of no known kind"),
        pytest.param(
            status(400, "no", code="content_filter"), "refused", False, "", True, id="400 filter"
        ),
        pytest.param(status(404), "not_found", False, "model", True, id="404"),
        pytest.param(status(408), "timeout", True, "", False, id="408"),
        pytest.param(status(409), "server_error", True, "", True, id="409"),
        pytest.param(status(429), "rate_limited", True, "", True, id="429"),
        pytest.param(
            status(429, code="insufficient_quota"), "auth_failed", False, "all", True, id="no money"
        ),
        pytest.param(status(500), "server_error", True, "", True, id="500"),
        pytest.param(status(503), "server_error", True, "", True, id="503"),
        pytest.param(status(504), "server_error", True, "", False, id="504"),
        pytest.param(raw(b"<html>"), "malformed", True, "", False, id="no json"),
        pytest.param(raw(b"[" * 200_000), "malformed", True, "", False, id="deep json"),
        pytest.param(raw(b"[1]"), "malformed", True, "", False, id="a list"),
        pytest.param(raw(b'{"choices": [7]}'), "malformed", True, "", False, id="odd choices"),
        pytest.param(raw(b""), "malformed", True, "", False, id="nothing"),
        pytest.param(empty(), "malformed", True, "", False, id="no choices"),
        pytest.param(
            raw(b'{"choices": [{"message": {"content": 7}}]}'), "malformed", True, "", False, id="7"
        ),
        pytest.param(
            raw(b'{"error": {"code": 429, "message": "slowly"}}'),
            *("rate_limited", True, "", False),
            id="an error with a 200",
        ),
        pytest.param(cut(), "no_connection", True, "", False, id="cut in the middle"),
        pytest.param(cut(-1), "no_connection", True, "", False, id="cut at once"),
        pytest.param(cut(5, status(500)), "server_error", True, "", True, id="a cut error"),
        pytest.param(
            Act(b"x" * 10**6, 400), "bad_request", False, "", True, id="an error of a million bytes"
        ),
        pytest.param(
            Act(b"none", 500, {"Content-Encoding": "gzip"}),
            *("malformed", True, "", False),
            id="an error that cannot be unpacked",
        ),
        pytest.param(Act(b"", 302), "malformed", True, "", True, id="sent on to nowhere"),
        pytest.param(
            Act(b"", 307, {"Location": "http://a..b/"}),
            *("no_connection", True, "", False),
            id="sent on to no address",
        ),
        pytest.param(
            Act(b"", 307, {"Location": "/v1/chat/completions"}),
            *("no_connection", True, "", False),
            id="sent on in a circle",
        ),
        pytest.param(Act(b"", 500), "server_error", True, "", True, id="an error without words"),
        pytest.param(
            Act(b'{"detail": "no credit left"}', 403),
            *("auth_failed", False, "all", True),
            id="words that are not in OpenAI's form",
        ),
        pytest.param(
            says("", finish="error"), "server_error", True, "", False, id="broken off at once"
        ),
        pytest.param(
            says("It i", finish="abort"), "server_error", True, "", False, id="broken off"
        ),
        pytest.param(refuses(), "refused", False, "", False, id="a refusal"),
        pytest.param(says("", finish="content_filter"), "refused", False, "", False, id="filtered"),
        pytest.param(says("It is", finish="length"), "truncated", False, "", False, id="cut off"),
    ],
)
def test_failures(act, kind, retried, breaks, free):
    outcome = once(act)
    assert outcome.kind == FailureKind(kind)
    assert (outcome.retried, outcome.breaks, outcome.free) == (retried, breaks, free)
    assert outcome.message
    assert outcome.message.isprintable()


def test_a_late_answer():
    outcome = once(slow(0.2), timeout_s=0.05)
    assert (outcome.kind, outcome.retried, outcome.free) == (FailureKind.TIMEOUT, True, False)


def test_an_answer_that_never_ends_is_late_though_bytes_come():
    outcome = once(drips(0.2), timeout_s=0.08)
    assert outcome.kind == FailureKind.TIMEOUT


def test_blanks_before_an_answer_are_no_fault():
    assert once(drips(0.05, "Yes.")).text == "Yes."


def test_nobody_there_costs_nothing():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        outcome = attempt(make_client(url, timeout_s=1), call(), 1)
    assert (outcome.kind, outcome.retried, outcome.free) == (FailureKind.NO_CONNECTION, True, True)


def test_a_response_without_an_end_is_not_kept_in_memory(monkeypatch):
    monkeypatch.setattr("vidomni_plugin.endpoint.attempt.MOST_BYTES", 1000)
    outcome = once(says("x" * 2000))
    assert (outcome.kind, outcome.message) == (
        FailureKind.MALFORMED,
        "the response is longer than 1000 bytes",
    )


@pytest.mark.parametrize("code", [200, 429, 500])
def test_bytes_that_never_end_are_late_in_any_response(code):
    start = time.monotonic()
    outcome = once(replace(drips(5.0, status(code)), status=code), timeout_s=0.1)
    assert time.monotonic() - start < 3
    assert str(outcome.kind) == {200: "timeout", 429: "rate_limited", 500: "server_error"}[code]


def test_a_small_error_that_unpacks_to_a_large_one():
    page = gzip.compress(b"no" + b" " * 10**8)
    outcome = once(Act(page, 503, {"Content-Encoding": "gzip"}))
    assert (outcome.kind, outcome.message) == (FailureKind.SERVER_ERROR, "status 503: no")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "too long"}}, "too long"),
        ({"error": "too long"}, "too long"),
        ({"message": "too long", "object": "error"}, "too long"),
        ({"detail": "too long"}, "too long"),
        ({"detail": [{"msg": "too long", "input": "a flagged word"}]}, "too long"),
        ([1], "[1]"),
        ("<b>no</b>", "<b>no</b>"),
        ({}, "no more is said"),
    ],
)
def test_words_of_an_error_in_the_forms_of_servers(body, words):
    text = body if isinstance(body, str) else json.dumps(body)
    outcome = once(Act(text.encode(), 400))
    assert (outcome.kind, outcome.message) == (FailureKind.BAD_REQUEST, f"status 400: {words}")


def test_what_the_model_did_say_is_there():
    assert once(says("It is", finish="length")).text == "It is"
    assert once(refuses("I will not.")).text == "I will not."


@pytest.mark.parametrize(
    "act",
    [
        status(500, f"bad key {KEY}\n\x1b[31m{KEY}"),
        status(401, f"bad key {KEY}"),
        raw(f"<html>{KEY}".encode()),
        raw(b" " * (1990 - len(KEY)) + f"<p>{KEY}{KEY}".encode()),
        Act(f"<html>{KEY}".encode(), 502),
        says(f"your key is {KEY}"),
        says("Yes.", finish=f"stop {KEY}"),
        refuses(f"not for {KEY}"),
    ],
)
def test_a_key_that_the_server_repeats_is_taken_out(act):
    outcome = once(act)
    said = outcome.message + outcome.text + outcome.finish_reason
    assert KEY[:8] not in said
    assert "***" in said


def test_a_word_in_place_of_a_key_stays_in_replies(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "dog")
    outcome = once(says("A dog runs.", finish="dog"))
    assert (outcome.text, outcome.finish_reason) == ("A dog runs.", "dog")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"),
        ("half \ud83d", "half ?"),
    ],
)
def test_contents(content, text):
    outcome = once(says(content))
    assert (outcome.kind, outcome.text) == (None, text)


def test_half_a_character_in_a_question_is_refused_before_it_is_sent():
    with ScriptedServer() as server:
        outcome = attempt(make_client(server.url, timeout_s=5), call("half \ud83d"), 5)
    assert (outcome.kind, outcome.free) == (FailureKind.BAD_REQUEST, True)
    assert server.seen == []


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        pytest.param(None, None, id="none"),
        pytest.param([], None, id="a list"),
        pytest.param({"prompt_tokens": 3, "completion_tokens": 4}, Usage(3, 0, 4), id="no details"),
        pytest.param({"prompt_tokens": True, "completion_tokens": 4}, None, id="no number"),
        pytest.param({"prompt_tokens": -3, "completion_tokens": 4}, None, id="negative"),
        pytest.param({"prompt_tokens": 3, "completion_tokens": 10**30}, None, id="absurd"),
        pytest.param(
            {"prompt_tokens": 10**7, "completion_tokens": 4}, Usage(10**7, 0, 4), id="many"
        ),
        pytest.param(
            {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 60},
            Usage(3, 0, 57),
            id="thinking that is only in the total",
        ),
        pytest.param(
            {
                "prompt_tokens": 3,
                "completion_tokens": 4,
                "prompt_tokens_details": {"cached_tokens": 9},
            },
            Usage(3, 3, 4),
            id="more cached than asked",
        ),
    ],
)
def test_counts(usage, expected):
    body = json.loads(says("Yes.").body)
    body["usage"] = usage
    outcome = once(raw(json.dumps(body).encode()))
    assert (outcome.text, outcome.usage) == ("Yes.", expected)


def test_when_to_come_back():
    assert once(status(429, retry_after="7")).hold_s == 7
    assert once(status(503, retry_after="2")).hold_s == 2
    assert once(status(429)).hold_s is None
