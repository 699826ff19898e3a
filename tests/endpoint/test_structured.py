"""Answers in the form of a model: how they are asked for, read, repaired and refused."""

import json
import re
from enum import Enum
from typing import Annotated, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from tests.endpoint.conftest import call
from tests.endpoint.scripted import refuses, says, status
from vidomni_plugin.endpoint.json_text import NoObject, object_text
from vidomni_plugin.endpoint.reply import Failed, FailureKind
from vidomni_plugin.endpoint.schema import strict_schema
from vidomni_plugin.endpoint.structured import Unusable, ask_for


class Fact(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: Annotated[int, Field(ge=1)]
    text: Annotated[str, Field(min_length=1, pattern=r"\w")]


class Facts(BaseModel):
    """What an answer claims."""

    facts: Annotated[list[Fact], Field(max_length=3)]


GOOD = '{"facts": [{"id": 1, "text": "a dog runs"}]}'
VALUE = Facts(facts=[Fact(id=1, text="a dog runs")])


def formats(asking):
    return [
        seen.request.get("response_format", {}).get("type", "none") for seen in asking.server.seen
    ]


def test_the_server_is_asked_to_enforce_the_schema(asking):
    it = asking(GOOD)
    value, reply = ask_for(it.client, call(), Facts, "video-1")
    assert value == VALUE
    assert reply.text == GOOD
    (seen,) = it.server.seen
    asked = seen.request["response_format"]["json_schema"]
    assert (asked["name"], asked["strict"]) == ("Facts", True)
    assert asked["schema"] == strict_schema(Facts)
    assert seen.request["messages"] == list(call().messages)


def test_the_name_of_a_schema_is_one_that_servers_take(asking):
    it = asking(GOOD)
    ask_for(it.client, call(), type("Facts[Ünï]" + "x" * 80, (Facts,), {}))
    name = it.server.seen[0].request["response_format"]["json_schema"]["name"]
    assert re.fullmatch(r"[a-zA-Z0-9_]{1,64}", name)


def refusing(*refused):
    """A server that answers 400 to some response formats."""

    def script(seen):
        kind = seen.request.get("response_format", {}).get("type", "none")
        return status(400, f"{kind} is not supported") if kind in refused else GOOD

    return script


@pytest.mark.parametrize(
    ("refused", "tried"),
    [
        (("json_schema",), ["json_schema", "json_object"]),
        (("json_schema", "json_object"), ["json_schema", "json_object", "none"]),
    ],
)
def test_a_server_that_does_not_is_asked_in_words_and_remembered(asking, refused, tried):
    it = asking(refusing(*refused))
    assert ask_for(it.client, call(), Facts)[0] == VALUE
    assert ask_for(it.client, call("Another?"), Facts)[0] == VALUE
    assert formats(it) == [*tried, tried[-1]]
    assert '"facts"' in it.server.seen[-1].text
    assert it.server.seen[-1].text.count("JSON schema") == 1


def test_the_next_run_asks_nothing_twice_though_it_remembers_no_mode(asking):
    it = asking(refusing("json_schema"))
    ask_for(it.client, call(), Facts)
    before = len(it.server.seen)
    assert ask_for(it.again(), call(), Facts)[0] == VALUE
    assert len(it.server.seen) == before


def test_a_question_that_is_bad_in_every_mode_teaches_nothing(asking):
    it = asking(lambda seen: status(400, "too long") if "long" in seen.text else GOOD)
    with pytest.raises(Failed) as raised:
        ask_for(it.client, call("a long question"), Facts)
    assert (raised.value.kind, raised.value.message) == (
        FailureKind.BAD_REQUEST,
        "status 400: too long",
    )
    ask_for(it.client, call(), Facts)
    assert formats(it)[-1] == "json_schema"


def test_the_schema_follows_the_parts_of_a_message(asking):
    it = asking(refusing("json_schema"))
    parts = [
        {"type": "text", "text": "What is there?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
    ]
    ask_for(it.client, call(parts), Facts)
    content = it.server.seen[-1].request["messages"][-1]["content"]
    assert content[:2] == parts
    assert content[2]["text"].endswith(json.dumps(strict_schema(Facts)))


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        ("There is a dog.", "there is no JSON object in the reply"),
        ('{"facts": [{"id": 0, "text": "x"}]}', "facts.0.id: Input should be greater than"),
        ('{"facts": [{"id": 1}]}', "facts.0.text: Field required"),
    ],
)
def test_faults_are_told_to_the_model_once(asking, bad, fault):
    it = asking([bad, GOOD])
    value, reply = ask_for(it.client, call(), Facts)
    assert value == VALUE
    assert reply.text == GOOD
    *before, answer, told = it.server.seen[1].request["messages"]
    assert before == list(call().messages)
    assert answer == {"role": "assistant", "content": bad}
    assert told["role"] == "user"
    assert fault in told["content"]
    assert json.dumps(strict_schema(Facts)) in told["content"]  # some servers ignore the format
    assert "response_format" in it.server.seen[1].request


def test_a_repaired_answer_is_not_asked_for_again(asking):
    it = asking(["no", GOOD])
    ask_for(it.client, call(), Facts)
    assert ask_for(it.again(), call(), Facts)[1].kept
    assert len(it.server.seen) == 2


@pytest.mark.parametrize(
    ("acts", "reason"),
    [
        (["no", "still no"], "invalid_json"),
        (["no", '{"facts": 3}'], "schema_violation"),
        ([says("{", finish="length")], "truncated"),
        ([refuses()], "refused"),
        ([status(400, "no", code="content_filter")], "refused"),
        (["no", refuses()], "refused"),
        (["no", says("{", finish="length")], "truncated"),
    ],
)
def test_what_stays_unusable(asking, acts, reason):
    it = asking(acts)
    with pytest.raises(Unusable) as raised:
        ask_for(it.client, call(), Facts)
    assert raised.value.reason == reason
    assert raised.value.message
    assert raised.value.message.isprintable()
    assert len(it.server.seen) == len(acts)


def test_a_server_that_is_down_is_no_fault_of_the_answer(asking):
    it = asking(status(503), retries=0)
    with pytest.raises(Failed) as raised:
        ask_for(it.client, call(), Facts)
    assert raised.value.is_infra


HOSTILE = [
    '{"facts": NaN}',
    '{"facts": [{"id": ' + "9" * 5000 + ', "text": "x"}]}',
    '{"facts": [{"id": 1e999, "text": "x"}]}',
    '{"facts": ' + "[" * 100_000,
    '{"facts": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "{" * 50_000,
    '{"a":' * 20_000,
    '{"facts": [], "facts": []}',
    '{"facts": [{"id": 1, "text": "\\ud800"}]}',
    '{"facts": [{"id": 1, "text": "x", "\\u001b[31m": 1}]}',
    "<think>" + GOOD,
    "",
    "null",
    "[1]",
    '"',
    "\x00",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_answers_are_unusable_and_nothing_else(asking, text):
    it = asking(text)
    with pytest.raises(Unusable) as raised:
        ask_for(it.client, call(), Facts)
    assert raised.value.reason in ("invalid_json", "schema_violation")
    assert raised.value.message.isprintable()
    assert len(raised.value.message) < 2000


@given(st.text() | st.text(alphabet='{}[]":,\\ 1a\n`'))
def test_no_text_raises_anything_else(text):
    try:
        found = object_text(text)
    except NoObject:
        return
    assert isinstance(json.loads(found), dict)
    assert found in text


@settings(max_examples=40)
@given(
    st.dictionaries(st.text(), st.recursive(st.text() | st.integers(), st.lists), max_size=4),
    st.sampled_from(["{}", "```json\n{}\n```", "Here it is:\n{} Enjoy.", "<think>{{</think>{}"]),
)
def test_an_object_is_found_where_it_stands(value, around):
    text = around.replace("{}", json.dumps(value)) if around != "{}" else json.dumps(value)
    assert json.loads(object_text(text)) == value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('A {note} and {"a": 1}', '{"a": 1}'),
        ('{"a": 1} or rather {"a": 1, "b": 2}', '{"a": 1, "b": 2}'),
        ('5" wide: {"a": "}"}', '{"a": "}"}'),
        (r"\frac{a}{b} " * 60 + '{"a": 1}', '{"a": 1}'),
        ('open { and {"a": "\\"}"}', '{"a": "\\"}"}'),
        ('<think>{"a": 1}</think>{"b": 2}', '{"b": 2}'),
    ],
)
def test_which_object(text, found):
    assert object_text(text) == found


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Leaf(BaseModel):
    kind: Literal["leaf"]
    colour: Colour = Colour.RED


class Tree(BaseModel):
    kind: Literal["tree"]
    parts: list[Annotated["Leaf | Tree", Field(discriminator="kind")]]
    height: Annotated[float, Field(gt=0, le=9, multiple_of=0.5)] | None = None


ALLOWED = {
    *("$ref", "$defs", "anyOf", "description", "enum", "items", "properties", "type"),
    *("additionalProperties", "required"),
}


def check(schema):
    assert set(schema) <= ALLOWED
    if "$ref" in schema:
        assert set(schema) == {"$ref"}
    if schema.get("type") == "object":
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])
    for name in ("properties", "$defs"):
        for inner in schema.get(name, {}).values():
            check(inner)
    for inner in [*schema.get("anyOf", []), *([schema["items"]] if "items" in schema else [])]:
        check(inner)


@pytest.mark.parametrize("model", [Facts, Leaf, Tree])
def test_schemas_keep_to_what_strict_mode_knows(model):
    schema = strict_schema(model)
    assert schema["type"] == "object"
    check(schema)


def test_fields_with_the_names_of_keywords_stay():
    class Odd(BaseModel):
        pattern: str
        title: str
        format: int

    assert list(strict_schema(Odd)["properties"]) == ["pattern", "title", "format"]


def test_what_strict_mode_cannot_describe():
    class Free(BaseModel):
        by_name: dict[str, int]

    class Fixed(BaseModel):
        two: tuple[int, str]

    for model in (Free, Fixed):
        with pytest.raises(TypeError, match=f"{model.__name__}.*: strict mode has no"):
            strict_schema(model)


@pytest.mark.parametrize("nothing", ["", " \n"])
def test_an_empty_reply_is_not_given_back_as_such(asking, nothing):
    """Some servers take no empty message: the item would be one that they call wrong."""

    def script(seen):
        said = [one for one in seen.request["messages"] if one["role"] == "assistant"]
        if any(not one["content"].strip() for one in said):
            return status(400, "messages: text content blocks must be non-empty")
        return GOOD if said else says(nothing)

    assert ask_for(asking(script).client, call(), Facts)[0] == VALUE


def test_a_schema_that_a_server_refuses_costs_no_other_one(asking):
    """Gemini's endpoint took no union of text and number for a long time."""

    class Value(BaseModel):
        value: str | int

    def script(seen):
        asked = json.dumps(seen.request.get("response_format", {}))
        if '"Value"' in asked:
            return status(400, "Request contains an invalid argument.")
        return '{"value": 3}' if "Which" in seen.text else GOOD

    it = asking(script)
    assert ask_for(it.client, call("Which?"), Value)[0] == Value(value=3)
    assert ask_for(it.client, call("What?"), Facts)[0] == VALUE
    assert ask_for(it.client, call("Which one?"), Value)[0] == Value(value=3)
    assert formats(it) == ["json_schema", "json_object", "json_schema", "json_object"]
